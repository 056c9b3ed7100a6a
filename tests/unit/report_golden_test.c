// SPDX-License-Identifier: Apache-2.0
// Reports against golden files; FP_UPDATE_GOLDEN=1 writes them anew.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/report_bed.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))
#define FOUR "1 1 1 1 "
#define SIXTEEN FOUR FOUR FOUR FOUR
#define RACK "8 8 8 8 8 8 8 8 "

static const struct report_case goldens[] = {
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
	         .rules = { { .kind = FAKE_CORRUPT, .src = 1, .dst = 2 } },
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

static void check_golden(const struct report_case *g, const char *text)
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

		report_bed_run(&bed, &goldens[i]);
		report_bed_render(&bed, &goldens[i], &out);
		check_golden(&goldens[i], fp_text_str(&out));
		fp_text_free(&out);
		session_bed_close(&bed);
	}
}

static void check_line(const struct report_case *g, const char *line,
                       size_t len)
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
		report_bed_run(&bed, &goldens[i]);
		report_bed_render(&bed, &goldens[i], &out);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_text_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
