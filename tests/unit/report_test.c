// SPDX-License-Identifier: Apache-2.0
// Reports for programs: what can be read from them, and what must not be there.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "probes/report/parts.h"
#include "tests/unit/report_bed.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* Above 512 ranks a matrix lists what was tried. */
static void test_json_sparse(void **state)
{
	struct report_case g = { .format = "json" };
	struct fp_text out = { 0 };
	json_t *json, *matrix, *row;
	char shape[4096] = "";
	struct bed bed;

	(void)state;
	for (size_t i = 0; i < 65; i++)
		memcpy(shape + 2 * i, "8 ", 3);
	g.c.shape = shape;
	report_bed_run(&bed, &g);
	report_bed_render(&bed, &g, &out);
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
	const struct report_case g = {
		.format = "json", .c = { .shape = "2 1", .kind = SESSION_PAIRS }
	};
	struct fp_text out = { 0 };
	struct finding *f;
	struct bed bed;
	json_t *json, *row;

	(void)state;
	report_bed_run(&bed, &g);
	bed.session.matrices.m[0].cells[0].value = INFINITY;
	f = findings_add(&bed.session.findings, FINDING_JOURNAL);
	assert_non_null(f);
	f->observed = f->expected = NAN;
	strcpy(f->locus.host, "h\xff");
	report_bed_render(&bed, &g, &out);
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

/* Column @n of a row, split at blanks as scripts do. */
static const char *column(const char *row, int n)
{
	row += strspn(row, " ");
	for (; n > 0; n--) {
		row += strcspn(row, " ");
		row += strspn(row, " ");
	}
	return row;
}

static double number(const char *row, int n)
{
	return strtod(column(row, n), NULL);
}

static double check_row(const char *line, unsigned row)
{
	double size = number(line, 0), time_us = number(line, 5);

	assert_true(size == (double)(1024u << (2 * row)));
	assert_true(number(line, 1) == size / 4);
	assert_memory_equal(column(line, 2), "float ", 6);
	assert_memory_equal(column(line, 3), "sum ", 4);
	assert_true(number(line, 4) == -1);
	assert_true(time_us > 0 && number(line, 9) > 0);
	assert_true(number(line, 8) == 0 && number(line, 12) == 0);
	assert_string_equal(column(line, 13), "");
	return size / time_us / 1e3 * 1.5;
}

/* A script for all_reduce_perf takes rows that are no comments, and columns. */
static void test_sweep_columns(void **state)
{
	static const char average_head[] = "# Avg bus bandwidth    : ";
	const struct report_case g = {
		.format = "sweep",
		.c = { .shape = "4", .kind = SESSION_SWEEP, .op = OP_ALLREDUCE }
	};
	struct fp_text out = { 0 };
	double average = 0, sum = 0;
	char *line, *next;
	unsigned rows = 0;
	struct bed bed;

	(void)state;
	report_bed_run(&bed, &g);
	report_bed_render(&bed, &g, &out);
	for (line = out.data; *line; line = next + 1) {
		next = strchr(line, '\n');
		*next = '\0';
		if (strncmp(line, average_head, strlen(average_head)) == 0)
			average = number(line, 5);
		if (*line != '#')
			sum += check_row(line, rows++);
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

static void test_value(void **state)
{
	static const struct {
		double value;
		const char *unit, *text;
	} cases[] = {
		{ NAN, "", "-" },
		{ 0.12345, "", "0.123" },
		{ 25, "%", "25 %" },
		{ 1680, "", "1680" },
		{ 123456789, "lanes", "123456789 lanes" },
		{ -1680.4, "", "-1680" },
		{ 1e300, "", "1e+300" },
		{ 4096, "bytes", "4096 bytes" },
		{ 119.7e6, "B/s", "119.7 MB/s" },
		{ 1.5e-6, "s", "1.5 us" },
	};
	char buf[REPORT_VALUE_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(
			report_value(cases[i].value, cases[i].unit, false, buf),
			cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_sparse),
		cmocka_unit_test(test_json_numbers),
		cmocka_unit_test(test_sweep_columns),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
