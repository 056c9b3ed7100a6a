// SPDX-License-Identifier: Apache-2.0
// Order statistics, robust spread and interval rates against known figures.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/stats/stats.h"

#define MS 1000000LL
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void near(double got, double want)
{
	if (isnan(want))
		assert_true(isnan(got));
	else
		assert_true(fabs(got - want) <= 1e-9 * (1 + fabs(want)));
}

static void sorts_with_nans_last(void **state)
{
	double x[] = { 3, NAN, -1, 2, NAN, 2, INFINITY };
	const double want[] = { -1, 2, 2, 3, INFINITY };
	size_t i;

	(void)state;
	stats_sort(x, COUNT(x));
	for (i = 0; i < COUNT(want); i++)
		assert_true(x[i] == want[i]);
	assert_true(isnan(x[5]) && isnan(x[6]));
	stats_sort(NULL, 0);
}

static void quantiles_are_type_7(void **state)
{
	static const struct {
		double x[6];
		size_t n;
		double q, want;
	} cases[] = {
		{ { 0 }, 0, 0.5, NAN },
		{ { 7 }, 1, 0, 7 },
		{ { 7 }, 1, 0.5, 7 },
		{ { 7 }, 1, 1, 7 },
		{ { 1, 2 }, 2, 0.5, 1.5 },
		{ { 1, 2 }, 2, 0.25, 1.25 },
		{ { 1, 2, 3 }, 3, 0.5, 2 },
		{ { 1, 2, 3, 4 }, 4, 0.05, 1.15 },
		{ { 1, 2, 3, 4 }, 4, 1, 4 },
		{ { 1, 2, 3, 4 }, 4, 0, 1 },
		{ { 1, 2, 3, 4 }, 4, 1.5, 4 },
		{ { 1, 2, 3, 4 }, 4, -1, 1 },
		{ { 1, 2, 3, 4 }, 4, NAN, 1 },
		{ { 1, 1, 1, 9, 9, 9 }, 6, 0.5, 5 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++)
		near(stats_quantile(cases[i].x, cases[i].n, cases[i].q),
		     cases[i].want);
}

static void spreads_are_robust(void **state)
{
	double x[] = { 10, 11, 9, 12, 8, 10, 2 };
	double slow[] = { 10, 10.1, 9.9, 10.2, 10.3, 1, 1, 1 };
	double scratch[8];
	double med = stats_median(x, COUNT(x));

	(void)state;
	near(med, 10);
	near(stats_mad(x, COUNT(x), med, scratch), 1.4826);
	near(stats_sigma_up(x, COUNT(x), med, scratch), 1.4826 * 0.5);
	/* three of eight are bad: the plain MAD grows with them
	 */
	med = stats_median(slow, COUNT(slow));
	near(med, 9.95);
	near(stats_mad(slow, COUNT(slow), med, scratch), 1.4826 * 0.3);
	near(stats_sigma_up(slow, COUNT(slow), med, scratch), 1.4826 * 0.2);
	assert_true(isnan(stats_mad(slow, 0, 0, scratch)));
}

static void spread_leaves_its_input_alone(void **state)
{
	const double x[] = { 5, 1, 4, 2, 3 };
	double copy[5], scratch[5];
	struct stats_intervals s = { .n = 5, .alone = 5 };

	(void)state;
	memcpy(copy, x, sizeof(x));
	(void)stats_mad(copy, 5, 3, scratch);
	(void)stats_sigma_up(copy, 5, 3, scratch);
	s.rates_Bps = copy;
	(void)stats_settled(&s, 1, 0.01, scratch);
	assert_memory_equal(copy, x, sizeof(x));
}

static void intervals_overlap(void **state)
{
	double rates[4];
	struct stats_intervals s = { .rates_Bps = rates,
		                     .room = 4,
		                     .min_ns = 5 * MS,
		                     .step_ns = 2 * MS };

	(void)state;
	/* the first completion without an origin only marks it */
	stats_intervals_add(&s, 100 * MS, 1000000);
	stats_intervals_add(&s, 102 * MS, 100);
	stats_intervals_add(&s, 103 * MS, 100); /* too soon for a point */
	stats_intervals_add(&s, 104 * MS, 100);
	assert_int_equal(s.n, 0);
	stats_intervals_add(&s, 106 * MS, 100); /* closes what 100 began */
	assert_int_equal(s.n, 1);
	near(rates[0], 400 / 6e-3);
	near(s.alone, 1);
	stats_intervals_add(&s, 108 * MS, 100); /* and 102 */
	assert_int_equal(s.n, 2);
	near(rates[1], 400 / 6e-3);
	near(s.alone, 1 + 2.0 / 6);
	/* a gap that is not the stream's own is cut out by a new origin */
	stats_intervals_origin(&s, 200 * MS);
	stats_intervals_add(&s, 205 * MS, 500);
	assert_int_equal(s.n, 3);
	near(rates[2], 500 / 5e-3);
	near(s.alone, 2 + 2.0 / 6);
	stats_intervals_add(&s, 300 * MS, 500);
	assert_int_equal(s.n, 4);
	near(rates[3], 500 / 95e-3);
	stats_intervals_add(&s, 400 * MS, 500); /* no room */
	assert_int_equal(s.n, 4);
	near(s.alone, 3 + 2.0 / 6);
}

/* What ends a stall ends every interval that began before or in it. */
static void a_stall_is_in_all_that_cover_it(void **state)
{
	double rates[16];
	struct stats_intervals s = {
		.rates_Bps = rates, .room = 16, .min_ns = 5 * MS, .step_ns = MS
	};
	int64_t t;

	(void)state;
	stats_intervals_origin(&s, 100 * MS);
	for (t = 101; t < 105; t++)
		stats_intervals_add(&s, t * MS, 10);
	stats_intervals_add(&s, 120 * MS, 10);
	assert_int_equal(s.n, 5);
	for (t = 0; t < 5; t++)
		near(rates[t], (double)(50 - 10 * t) * 1e3 / (double)(20 - t));
	near(s.alone, 1);
	assert_int_equal(s.open, 1);
}

static void intervals_of_zero_length_never_divide(void **state)
{
	double rates[1];
	struct stats_intervals s = { .rates_Bps = rates, .room = 1 };

	(void)state;
	stats_intervals_origin(&s, 50);
	stats_intervals_add(&s, 50, 10);
	assert_int_equal(s.n, 0);
	stats_intervals_add(&s, 60, 10);
	assert_int_equal(s.n, 1);
	near(rates[0], 20 * 1e9 / 10);
}

/* Completions as thick as they come: no more points than there is room for. */
static void points_never_run_over(void **state)
{
	double rates[STATS_POINTS_MAX * 4];
	struct stats_intervals s = { .rates_Bps = rates,
		                     .room = STATS_POINTS_MAX * 4,
		                     .min_ns = 5 * MS };
	int64_t t;

	(void)state;
	for (t = 1; t <= STATS_POINTS_MAX * 4; t++) {
		stats_intervals_add(&s, 100 * MS + t, 1);
		assert_in_range(s.open, 1, STATS_POINTS_MAX);
	}
	stats_intervals_add(&s, 200 * MS, 1);
	assert_int_equal(s.n, STATS_POINTS_MAX);
}

static void settles_when_known_well_enough(void **state)
{
	double x[100], scratch[100];
	struct stats_intervals s = { .rates_Bps = x, .n = 100, .alone = 100 };
	size_t i;

	(void)state;
	/* +-1 % alternating: MAD 1 %, two standard errors 0.37 % of 100 */
	for (i = 0; i < 100; i++)
		x[i] = i % 2 ? 101 : 99;
	assert_true(stats_settled(&s, 12, 0.01, scratch));
	assert_false(stats_settled(&s, 12, 0.003, scratch));
	s.alone = 10; /* as many, but they overlap */
	assert_false(stats_settled(&s, 12, 0.5, scratch));
	assert_false(stats_settled(&s, 10, 0.01, scratch));
	assert_true(stats_settled(&s, 10, 0.012, scratch));
	s.n = 0;
	assert_false(stats_settled(&s, 0, 0.01, scratch));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_with_nans_last),
		cmocka_unit_test(quantiles_are_type_7),
		cmocka_unit_test(spreads_are_robust),
		cmocka_unit_test(spread_leaves_its_input_alone),
		cmocka_unit_test(intervals_overlap),
		cmocka_unit_test(a_stall_is_in_all_that_cover_it),
		cmocka_unit_test(intervals_of_zero_length_never_divide),
		cmocka_unit_test(points_never_run_over),
		cmocka_unit_test(settles_when_known_well_enough),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
