// SPDX-License-Identifier: Apache-2.0
// Unit tests of samples and their figures.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/measure/log.h"

static void test_log_keeps_all_that_fits(void **state)
{
	struct outcome o = { 0 };
	struct measure_log log;
	double room[8];

	(void)state;
	measure_log_init(&log, room, 8);
	assert_int_equal(measure_log_figures(&log, &o, NULL), FP_OK);
	assert_int_equal(o.n, 0);
	for (int i = 5; i >= 1; i--)
		measure_log_add(&log, i);
	assert_int_equal(measure_log_figures(&log, &o, NULL), FP_OK);
	assert_int_equal(o.n, 5);
	assert_true(o.min_s == 1 && o.p50_s == 3 && o.max_s == 5);
	/* In the order of time still. */
	assert_true(room[0] == 5 && room[4] == 1);
}

static void test_log_thins_evenly(void **state)
{
	struct outcome o = { 0 };
	struct measure_log log;
	double room[64];

	(void)state;
	measure_log_init(&log, room, 64);
	for (int i = 0; i < 10000; i++)
		measure_log_add(&log, 1 + i);
	assert_int_equal(measure_log_figures(&log, &o, NULL), FP_OK);
	assert_int_equal(o.n, 10000);
	assert_true(o.min_s == 1 && o.max_s == 10000);
	assert_true(o.p50_s > 4500 && o.p50_s < 5500);
	assert_in_range(log.n, 32, 64);
	for (size_t i = 2; i < log.n; i++)
		assert_true(room[i] - room[i - 1] == room[1] - room[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log_keeps_all_that_fits),
		cmocka_unit_test(test_log_thins_evenly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
