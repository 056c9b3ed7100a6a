// SPDX-License-Identifier: Apache-2.0
// Reports against golden files; FP_UPDATE_GOLDEN=1 writes them anew.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "probes/report.h"
#include "probes/report/parts.h"
#include "tests/unit/session_bed.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))
#define FOUR "1 1 1 1 "
#define SIXTEEN FOUR FOUR FOUR FOUR
#define RACK "8 8 8 8 8 8 8 8 "

/* What a golden file is made of. */
static const struct golden {
	const char *name, *format;
	struct bed_case c;
	bool drill, cut, gbits, colour, timing;
	int columns;
} goldens[] = {
	{ .name = "healthy_4.txt",
	  .format = "text",
	  .c = { .shape = "4", .noise = 0.004 },
	  .timing = true },
	{ .name = "healthy_4.json",
	  .format = "json",
	  .c = { .shape = "4", .noise = 0.004 } },
	{ .name = "one_rank.txt", .format = "text", .c = { .shape = "1" } },
	{ .name = "one_rank.json", .format = "json", .c = { .shape = "1" } },
	{ .name = "slow_rx_16.txt",
	  .format = "text",
	  .c = { .shape = SIXTEEN,
	         .noise = 0.004,
	         .rules = { { FAKE_SLOW, FAKE_ANY, 3, .by_host = true,
	                      .factor = 1.11 } },
	         .n_rules = 1 } },
	{ .name = "two_faults_16.txt",
	  .format = "text",
	  .c = { .shape = SIXTEEN,
	         .noise = 0.004,
	         .rules = { { FAKE_HOLE, FAKE_ANY, 3, .by_host = true },
	                    { FAKE_HOLE, 3, FAKE_ANY, .by_host = true },
	                    { FAKE_SLOW, 1, 4, .factor = 1.3 } },
	         .n_rules = 3 },
	  .drill = true },
	{ .name = "two_faults_16.json",
	  .format = "json",
	  .c = { .shape = SIXTEEN,
	         .noise = 0.004,
	         .rules = { { FAKE_HOLE, FAKE_ANY, 3, .by_host = true },
	                    { FAKE_HOLE, 3, FAKE_ANY, .by_host = true },
	                    { FAKE_SLOW, 1, 4, .factor = 1.3 } },
	         .n_rules = 3 },
	  .drill = true },
	{ .name = "lost_2x4.txt",
	  .format = "text",
	  .c = { .shape = "2 2 2 2",
	         .rules = { { FAKE_LOST, 2, FAKE_ANY, .by_host = true,
	                      .from = 8 } },
	         .n_rules = 1 },
	  .gbits = true },
	{ .name = "lost_2x4.json",
	  .format = "json",
	  .c = { .shape = "2 2 2 2",
	         .rules = { { FAKE_LOST, 2, FAKE_ANY, .by_host = true,
	                      .from = 8 } },
	         .n_rules = 1 } },
	{ .name = "interrupted_6.txt",
	  .format = "text",
	  .c = { .shape = FOUR "1 1", .stop_round = 7 },
	  .cut = true },
	{ .name = "corrupt_colour.txt",
	  .format = "text",
	  .c = { .shape = "4",
	         .kind = SESSION_PAIRS,
	         .rules = { { FAKE_CORRUPT, 1, 2 } },
	         .n_rules = 1 },
	  .colour = true,
	  .columns = 60 },
	{ .name = "rack_64.txt",
	  .format = "text",
	  .c = { .shape = RACK,
	         .noise = 0.004,
	         .rules = { { FAKE_SLOW, 5, FAKE_ANY, .by_host = true,
	                      .factor = 1.4 } },
	         .n_rules = 1 } },
	{ .name = "racks_512.txt",
	  .format = "text",
	  .c = { .shape = RACK RACK RACK RACK RACK RACK RACK RACK,
	         .noise = 0.004,
	         .rules = { { FAKE_SLOW, FAKE_ANY, 9, .by_host = true,
	                      .factor = 1.4 } },
	         .n_rules = 1 } },
	{ .name = "map_40.txt",
	  .format = "text",
	  .c = { .shape = SIXTEEN SIXTEEN FOUR FOUR,
	         .kind = SESSION_PAIRS,
	         .noise = 0.004,
	         .rules = { { FAKE_SLOW, FAKE_ANY, 21, .by_host = true,
	                      .factor = 1.4 } },
	         .n_rules = 1 } },
	{ .name = "sweep_3.txt",
	  .format = "sweep",
	  .c = { .shape = "2 1", .kind = SESSION_SWEEP, .op = OP_ALLGATHER } },
	{ .name = "sweep_hangs.txt",
	  .format = "sweep",
	  .c = { .shape = "4",
	         .kind = SESSION_SWEEP,
	         .op = OP_ALLREDUCE,
	         .rules = { { FAKE_HANG, 1, 2, .from = 4 } },
	         .n_rules = 1 } },
};

/* FP_SOURCE is the tree's top; without it this file's own place tells. */
static void golden_path(const char *name, char *buf, size_t size)
{
	const char *top = getenv("FP_SOURCE");
	const char *end = strstr(__FILE__, "tests/unit/");

	if (top)
		snprintf(buf, size, "%s/tests/golden/report/%s", top, name);
	else
		snprintf(buf, size, "%.*stests/golden/report/%s",
		         end ? (int)(end - __FILE__) : 0, __FILE__, name);
}

static void write_golden(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	if (!out)
		fail_msg("cannot write %s", path);
	assert_int_equal(fputs(text, out) >= 0, 1);
	assert_int_equal(fclose(out), 0);
}

static char *read_golden(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = calloc(1, 1u << 20);

	assert_non_null(text);
	if (!in)
		fail_msg("cannot read %s", path);
	(void)!fread(text, 1, (1u << 20) - 1, in);
	fclose(in);
	return text;
}

/* The only things that real time goes into. */
static void freeze(struct session *s)
{
	s->elapsed_s = 4.2;
	for (size_t i = 0; i < s->results.n_events; i++)
		s->results.events[i].t_s = 1.5;
}

static void run_case(struct bed *bed, const struct golden *g)
{
	session_bed_open(bed, &g->c);
	if (g->c.kind == SESSION_SWEEP) {
		bed->session.opts.min_bytes = 1024;
		bed->session.opts.max_bytes = 1u << 20;
		bed->session.opts.factor = 4;
	}
	bed->status = session_run(&bed->session, &fake_exec_ops, &bed->fake,
	                          NULL, NULL);
	freeze(&bed->session);
}

static void render(const struct bed *bed, const struct golden *g,
                   struct fp_text *out)
{
	const struct report report = {
		.session = &bed->session,
		.command = "fabricprobe --quick",
		.options = "{\"mode\":\"quick\"}",
		.started_utc = "2026-01-02T03:04:05Z",
		.drill = g->drill,
		.cut = g->cut,
		.columns = g->columns ? g->columns : 80,
		.colour = g->colour,
		.gbits = g->gbits,
		.timing = g->timing,
	};
	const struct report_ops *ops = report_find(g->format);

	assert_non_null(ops);
	assert_int_equal(ops->render(&report, out, NULL), FP_OK);
}

static void check_golden(const struct golden *g, const char *text)
{
	char path[512], *want;
	size_t at = 0;

	golden_path(g->name, path, sizeof(path));
	if (getenv("FP_UPDATE_GOLDEN")) {
		write_golden(path, text);
		return;
	}
	want = read_golden(path);
	while (text[at] && text[at] == want[at])
		at++;
	if (text[at] != want[at])
		fail_msg("%s differs at byte %zu:\n--- is:\n%.200s\n--- should "
		         "be:\n%.200s",
		         path, at, text + at, want + at);
	free(want);
}

static void test_golden(void **state)
{
	struct bed bed;

	(void)state;
	for (size_t i = 0; i < COUNT(goldens); i++) {
		struct fp_text out = { 0 };

		run_case(&bed, &goldens[i]);
		render(&bed, &goldens[i], &out);
		check_golden(&goldens[i], fp_text_str(&out));
		fp_text_free(&out);
		session_bed_close(&bed);
	}
}

static void check_line(const struct golden *g, const char *line, size_t len)
{
	size_t at, columns = 0;
	bool escape = false;

	for (at = 0; at < len; at++) {
		if (line[at] == '\033')
			escape = true;
		columns += !escape;
		if (escape && line[at] == 'm')
			escape = false;
	}
	/* The list of hosts is for a command line: it must stay one word. */
	if (columns > (size_t)(g->columns ? g->columns : 80) &&
	    strncmp(line, "exclude: ", 9) != 0)
		fail_msg("%s: %zu columns: %.*s", g->name, columns, (int)len,
		         line);
	if (len && line[len - 1] == ' ')
		fail_msg("%s: blank at the end of: %.*s", g->name, (int)len,
		         line);
}

/* Whatever the size of a job: what there is to read fits the terminal, the
 * verdict comes first, and the wrapper's line last. */
static void test_text_fits(void **state)
{
	struct bed bed;

	(void)state;
	for (size_t i = 0; i < COUNT(goldens); i++) {
		struct fp_text out = { 0 };
		const char *text, *end, *last = "";
		char want[80];

		if (strcmp(goldens[i].format, "text") != 0)
			continue;
		run_case(&bed, &goldens[i]);
		render(&bed, &goldens[i], &out);
		for (text = fp_text_str(&out); *text; text = end + 1) {
			end = strchr(text, '\n');
			assert_non_null(end);
			check_line(&goldens[i], text, (size_t)(end - text));
			last = text;
		}
		snprintf(want, sizeof(want),
		         "fabricprobe: verdict=%s exit=%d\n",
		         session_verdict_name(bed.session.verdict),
		         session_exit_status(&bed.session));
		assert_string_equal(last, want);
		fp_text_free(&out);
		session_bed_close(&bed);
	}
}

/* Above 512 ranks a matrix lists what was tried. */
static void test_json_sparse(void **state)
{
	struct golden g = { .format = "json" };
	struct fp_text out = { 0 };
	json_t *json, *matrix, *row;
	char shape[4096] = "";
	struct bed bed;

	(void)state;
	for (size_t i = 0; i < 65; i++)
		memcpy(shape + 2 * i, "8 ", 3);
	g.c.shape = shape;
	run_case(&bed, &g);
	render(&bed, &g, &out);
	json = json_loads(fp_text_str(&out), JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	matrix = json_array_get(json_object_get(json, "matrices"), 0);
	assert_null(json_object_get(matrix, "cells"));
	assert_null(json_object_get(matrix, "states"));
	assert_int_equal(json_array_size(json_object_get(matrix, "ranks")),
	                 520);
	assert_int_equal(json_array_size(json_object_get(matrix, "sparse")),
	                 bed.session.matrices.m[0].n_cells);
	row = json_array_get(json_object_get(matrix, "sparse"), 0);
	assert_int_equal(json_array_size(row), 4);
	assert_true(json_is_real(json_array_get(row, 2)));
	assert_string_equal(json_string_value(json_array_get(row, 3)), "OK");
	json_decref(json);
	fp_text_free(&out);
	session_bed_close(&bed);
}

/* What nobody can read as a number is null, whatever got into the figures. */
static void test_json_numbers(void **state)
{
	const struct golden g = {
		.format = "json", .c = { .shape = "2 1", .kind = SESSION_PAIRS }
	};
	struct fp_text out = { 0 };
	struct finding *f;
	struct bed bed;
	json_t *json, *row;

	(void)state;
	run_case(&bed, &g);
	bed.session.matrices.m[0].cells[0].value = INFINITY;
	f = findings_add(&bed.session.findings, FINDING_JOURNAL);
	assert_non_null(f);
	f->observed = f->expected = NAN;
	strcpy(f->locus.host, "h\xff");
	render(&bed, &g, &out);
	json = json_loads(fp_text_str(&out), JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	row = json_array_get(json_object_get(json, "findings"), 0);
	assert_true(json_is_null(json_object_get(row, "observed")));
	assert_null(strstr(fp_text_str(&out), "inf"));
	assert_null(strstr(fp_text_str(&out), "nan"));
	json_decref(json);
	fp_text_free(&out);
	session_bed_close(&bed);
}

/* A script for all_reduce_perf splits rows at blanks and takes columns. */
static void test_sweep_columns(void **state)
{
	const struct golden g = {
		.format = "sweep",
		.c = { .shape = "4", .kind = SESSION_SWEEP, .op = OP_ALLREDUCE }
	};
	struct fp_text out = { 0 };
	unsigned long long size, count;
	double time, algbw, busbw, wrong, time2, average = 0, sum = 0;
	char type[16], redop[16], *line, *next;
	unsigned rows = 0;
	struct bed bed;
	int root;

	(void)state;
	run_case(&bed, &g);
	render(&bed, &g, &out);
	for (line = out.data; *line; line = next + 1) {
		next = strchr(line, '\n');
		*next = '\0';
		(void)sscanf(line, "# Avg bus bandwidth    : %lf", &average);
		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line,
		                        "%llu %llu %15s %15s %d %lf %lf %lf "
		                        "%lf %lf",
		                        &size, &count, type, redop, &root,
		                        &time, &algbw, &busbw, &wrong, &time2),
		                 10);
		assert_int_equal(size, 1024ULL << (2 * rows));
		assert_int_equal(count, size / 4);
		assert_string_equal(type, "float");
		assert_string_equal(redop, "sum");
		assert_int_equal(root, -1);
		assert_true(time > 0 && time2 > 0 && wrong == 0);
		sum += (double)size / time / 1e3 * 1.5;
		rows++;
	}
	assert_int_equal(rows, 6);
	assert_true(average > sum / rows * 0.97 && average < sum / rows * 1.03);
	fp_text_free(&out);
	session_bed_close(&bed);
}

static void test_wrap(void **state)
{
	static const struct {
		int columns, at, indent;
		const char *text, *want;
	} rows[] = {
		{ 20, 0, 2, "one two three", "one two three\n" },
		{ 10, 0, 2, "one two three four",
		  "one two\n  three\n  four\n" },
		{ 10, 6, 0, "one two", "one two\n" },
		{ 12, 0, 0, "averyveryverylongword x",
		  "averyveryverylongword\nx\n" },
		{ 20, 0, 0, "", "\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fp_text out = { 0 };

		report_wrap(&out, rows[i].columns, rows[i].at, rows[i].indent,
		            rows[i].text);
		assert_string_equal(fp_text_str(&out), rows[i].want);
		fp_text_free(&out);
	}
}

static void test_find(void **state)
{
	(void)state;
	assert_ptr_equal(report_find("text"), &report_text_ops);
	assert_ptr_equal(report_find("json"), &report_json_ops);
	assert_ptr_equal(report_find("sweep"), &report_sweep_ops);
	assert_null(report_find("html"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_text_fits),
		cmocka_unit_test(test_json_sparse),
		cmocka_unit_test(test_json_numbers),
		cmocka_unit_test(test_sweep_columns),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
