// SPDX-License-Identifier: Apache-2.0
// Unit tests of readings: what goes in comes out, hosts that are alike share.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/reading_bed.h"
#include "topo/reading/reading_names.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))

static void check_samples(const struct readings *set)
{
	assert_true(readings_count(set) >= READING_BED_ROWS);
	for (size_t i = 0; i < READING_BED_ROWS; i++) {
		struct reading got = readings_at(set, i);

		reading_bed_check_row(&got, &reading_bed_samples[i]);
	}
}

static void test_what_goes_in_comes_out(void **state)
{
	struct readings *set = reading_bed_set();
	struct reading got;

	(void)state;
	check_samples(set);
	assert_int_equal(readings_count(NULL), 0);
	assert_int_equal(readings_time_s(set), READING_BED_S);
	assert_int_equal(readings_get_int(set, "", "limit.memlock", 7), -1);
	assert_int_equal(readings_get_int(set, "", "kernel.release", 7), 7);
	assert_string_equal(readings_get_text(set, "", "kernel.release"),
	                    "6.1");
	assert_string_equal(readings_get_text(set, "eth0", "kernel.release"),
	                    "");
	assert_false(readings_get(set, "0000:0f:00.0", "pcie.width", &got));
	assert_string_equal(got.text, "no such file");
	readings_unref(set);
}

static void test_a_hint_finds_the_first_row_of_a_key(void **state)
{
	struct readings *set = reading_bed_set();

	(void)state;
	for (size_t hint = 0; hint < 9; hint++) {
		assert_int_equal(
			readings_find(set, "0000:0f:00.0", "kmsg.xid", hint),
			5);
		assert_int_equal(readings_find(set, "eth0", "netdev.mtu", hint),
		                 READINGS_NONE);
	}
	readings_unref(set);
}

static void test_what_makes_no_sense_is_refused(void **state)
{
	char name[READING_NAME_MAX + 1];
	const struct {
		struct reading reading;
		enum fp_status status;
	} rows[] = {
		{ { "", "", READING_INT, 0, 1, 0, "", 0 }, FP_ERR_INPUT },
		{ { "", name, READING_INT, 0, 1, 0, "", 0 }, FP_ERR_LIMIT },
		{ { name, "a", READING_INT, 0, 1, 0, "", 0 }, FP_ERR_LIMIT },
		{ { "", "a", READING_KIND_COUNT, 0, 1, 0, "", 0 },
		  FP_ERR_INPUT },
		{ { "", "a", READING_INT, READ_SOURCE_COUNT, 1, 0, "", 0 },
		  FP_ERR_INPUT },
		{ { "", "a", READING_REAL, 0, 0, (double)NAN, "", 0 },
		  FP_ERR_INPUT },
	};
	struct readings *set = reading_bed_set();

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i < N_ROWS(rows); i++)
		assert_int_equal(readings_add(set, &rows[i].reading, NULL),
		                 rows[i].status);
	check_samples(set);
	assert_int_equal(readings_count(set), READING_BED_ROWS);
	readings_unref(set);
}

static void test_texts_are_fit_to_print_and_cut(void **state)
{
	char longer[2 * READING_TEXT_MAX];
	struct readings *set = readings_new(READING_BED_S);
	struct reading_pen pen = { .set = set, .source = READ_ENV };

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	reading_put_text(&pen, "env.A", "a\033[1m\xff");
	reading_put_text(&pen, "env.B", longer);
	assert_int_equal(pen.status, FP_OK);
	assert_string_equal(readings_get_text(set, "", "env.A"), "a?[1m?");
	assert_int_equal(strlen(readings_get_text(set, "", "env.B")),
	                 READING_TEXT_MAX - 1);
	readings_unref(set);
}

static void test_a_pen_remembers_its_first_failure(void **state)
{
	struct readings *set = readings_new(READING_BED_S);
	struct fp_err err = { 0 };
	struct reading_pen pen = { .set = set, .device = "eth0", .err = &err };

	(void)state;
	reading_put_int(&pen, "netdev.mtu", 9000);
	reading_put_int(&pen, "", 1);
	reading_put_skip(&pen, "netdev.speed", "%s", "not told");
	assert_int_equal(pen.status, FP_ERR_INPUT);
	assert_int_equal(err.status, FP_ERR_INPUT);
	assert_int_equal(readings_count(set), 2);
	readings_unref(set);
}

static void test_alike_sets_share_and_read_as_before(void **state)
{
	struct readings *base = reading_bed_set(), *set = reading_bed_other();
	struct readings *plain = reading_bed_other();

	(void)state;
	readings_share(&set, base);
	assert_ptr_equal(readings_base(set), base);
	assert_false(readings_differs(set, 0));
	assert_true(readings_differs(set, 1));
	assert_true(readings_differs(set, 3));
	assert_true(readings_differs(set, READING_BED_ROWS));
	reading_bed_check_same(set, plain);
	for (size_t i = 0; i < READING_BED_ROWS; i++)
		assert_int_equal(
			readings_find(set, reading_bed_samples[i].device,
		                      reading_bed_samples[i].name, i),
			readings_find(plain, reading_bed_samples[i].device,
		                      reading_bed_samples[i].name, 0));
	/* The base lives as long as somebody shares with it. */
	readings_unref(base);
	reading_bed_check_same(set, plain);
	readings_unref(set);
	readings_unref(plain);
}

static void test_sets_with_other_rows_do_not_share(void **state)
{
	struct readings *base = reading_bed_other(), *set = reading_bed_set();

	(void)state;
	readings_share(&set, base); /* one row is missing */
	assert_null(readings_base(set));
	check_samples(set);
	readings_share(&set, set);
	assert_null(readings_base(set));
	readings_unref(base);
	readings_unref(set);
}

static void test_merging_adds_what_is_new(void **state)
{
	struct readings *base = reading_bed_set(), *set = reading_bed_other();
	struct readings *none = NULL, *plain = reading_bed_other();

	(void)state;
	readings_share(&set, base);
	assert_int_equal(readings_merge(&set, base, NULL), FP_OK);
	reading_bed_check_same(set, plain); /* nothing new: first come stays */
	assert_int_equal(readings_merge(&base, set, NULL), FP_OK);
	assert_int_equal(readings_count(base), READING_BED_ROWS + 1);
	check_samples(base);
	assert_int_equal(readings_merge(&none, set, NULL), FP_OK);
	reading_bed_check_same(none, set);
	assert_int_equal(readings_merge(&none, NULL, NULL), FP_OK);
	readings_unref(none);
	readings_unref(base);
	readings_unref(set);
	readings_unref(plain);
}

static void test_names_are_found_by_pattern(void **state)
{
	size_t n;
	const struct reading_name *rows = reading_names(&n);

	(void)state;
	assert_string_equal(reading_name_find("lib.nccl.path")->name,
	                    "lib.*.path");
	assert_string_equal(reading_name_find("env.NCCL_DEBUG")->name, "env.*");
	assert_null(reading_name_find("environment"));
	assert_int_equal(reading_use("gpu.uuid"), READING_OWN);
	assert_int_equal(reading_use("never heard of"), READING_CHANGES);
	for (size_t i = 0; i < n; i++)
		assert_ptr_equal(reading_name_find(rows[i].name), &rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_goes_in_comes_out),
		cmocka_unit_test(test_a_hint_finds_the_first_row_of_a_key),
		cmocka_unit_test(test_what_makes_no_sense_is_refused),
		cmocka_unit_test(test_texts_are_fit_to_print_and_cut),
		cmocka_unit_test(test_a_pen_remembers_its_first_failure),
		cmocka_unit_test(test_alike_sets_share_and_read_as_before),
		cmocka_unit_test(test_sets_with_other_rows_do_not_share),
		cmocka_unit_test(test_merging_adds_what_is_new),
		cmocka_unit_test(test_names_are_found_by_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
