// SPDX-License-Identifier: Apache-2.0
// Properties of schedules, checked exhaustively: who meets whom, and when.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/plan/plan.h"
#include "tests/unit/build_run.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define N_MAX 514

/* One round of n: symmetric, nobody meets himself, at most one bye. Marks
 * who met whom in @met. */
static void check_round(uint32_t n, uint32_t t, bool *met)
{
	uint32_t v, byes = 0;
	int32_t p;

	for (v = 0; v < n; v++) {
		p = plan_partner(n, v, t);
		if (p < 0) {
			byes++;
			continue;
		}
		assert_true((uint32_t)p < n && (uint32_t)p != v);
		assert_int_equal(plan_partner(n, (uint32_t)p, t), v);
		assert_false(met[v * n + (uint32_t)p]);
		met[v * n + (uint32_t)p] = true;
	}
	assert_int_equal(byes, n % 2);
}

static void everyone_meets_everyone_once(void **state)
{
	bool *met = calloc(N_MAX * N_MAX, sizeof(*met));
	uint32_t n, t, v, count;

	(void)state;
	assert_non_null(met);
	for (n = 2; n <= N_MAX; n++) {
		memset(met, 0, sizeof(*met) * n * n);
		assert_int_equal(plan_rounds(n), n % 2 ? n : n - 1);
		for (t = 0; t < plan_rounds(n); t++)
			check_round(n, t, met);
		for (v = 0, count = 0; v < n * n; v++)
			count += met[v];
		assert_int_equal(count, n * (n - 1));
	}
	free(met);
}

static void large_jobs_need_no_memory(void **state)
{
	static const uint32_t rounds[] = { 0, 1, 32767, 65534 };
	uint32_t i, v;

	(void)state;
	for (i = 0; i < COUNT(rounds); i++)
		for (v = 0; v < TOPO_MAX_RANKS; v++) {
			int32_t p = plan_partner(TOPO_MAX_RANKS, v, rounds[i]);

			assert_true(p >= 0);
			assert_int_equal(plan_partner(TOPO_MAX_RANKS,
			                              (uint32_t)p, rounds[i]),
			                 v);
		}
}

static void nobody_is_out_of_range(void **state)
{
	(void)state;
	assert_int_equal(plan_rounds(0), 0);
	assert_int_equal(plan_rounds(1), 0);
	assert_int_equal(plan_partner(0, 0, 0), -1);
	assert_int_equal(plan_partner(1, 0, 0), -1);
	assert_int_equal(plan_partner(4, 4, 0), -1);
	assert_int_equal(plan_partner(4, 0, 3), -1);
	assert_int_equal(plan_partner(UINT32_MAX, 0, 0), -1);
	assert_int_equal(plan_two_level(2, 2, 2, 0, 0), -1);
	assert_int_equal(plan_two_level(2, 2, 0, 2, 0), -1);
	assert_int_equal(plan_two_level(2, 2, 0, 0, 3), -1);
}

static void check_two_level_round(uint32_t hosts, uint32_t slots, uint32_t t,
                                  bool *met)
{
	uint32_t between = plan_rounds(hosts) * slots, n = hosts * slots, v, w;
	int32_t p;

	for (v = 0; v < n; v++) {
		p = plan_two_level(hosts, slots, v / slots, v % slots, t);
		if (p < 0)
			continue;
		w = (uint32_t)p;
		assert_true(w < n && w != v);
		assert_int_equal(
			plan_two_level(hosts, slots, w / slots, w % slots, t),
			v);
		assert_int_equal(w / slots == v / slots, t >= between);
		/* every slots-th round keeps to the rail */
		if (t < between && t % slots == 0)
			assert_int_equal(w % slots, v % slots);
		assert_false(met[v * n + w]);
		met[v * n + w] = true;
	}
}

static void two_levels_meet_once(void **state)
{
	uint32_t hosts, slots, t, i, n, count;
	bool met[17 * 9 * 17 * 9];

	(void)state;
	for (hosts = 1; hosts <= 17; hosts++)
		for (slots = 1; slots <= 9; slots++) {
			n = hosts * slots;
			memset(met, 0, sizeof(met));
			for (t = 0; t < plan_two_level_rounds(hosts, slots);
			     t++)
				check_two_level_round(hosts, slots, t, met);
			for (i = 0, count = 0; i < n * n; i++)
				count += met[i];
			assert_int_equal(count, n * (n - 1));
		}
}

static void sizes_as_nccl_tests(void **state)
{
	static const struct {
		struct plan_range range;
		size_t n;
		uint64_t last;
	} cases[] = {
		{ { 8, 128 << 20, 2, 0 }, 25, 128 << 20 },
		{ { 8, 8, 2, 0 }, 1, 8 },
		{ { 8, 8, 0, 0 }, 1, 8 },
		{ { 8, 100, 3, 0 }, 3, 72 },
		{ { 10, 40, 0, 10 }, 4, 40 },
		{ { 10, 45, 0, 10 }, 4, 40 },
		{ { UINT64_MAX / 2, UINT64_MAX, 3, 0 }, 1, UINT64_MAX / 2 },
		{ { UINT64_MAX - 1, UINT64_MAX, 0, 9 }, 1, UINT64_MAX - 1 },
		{ { 1, 4096, 0, 1 }, 4096, 4096 },
	};
	uint64_t *sizes;
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		assert_int_equal(
			plan_range_sizes(&cases[i].range, &sizes, &n, NULL),
			FP_OK);
		assert_int_equal(n, cases[i].n);
		assert_true(sizes[0] == cases[i].range.min);
		assert_true(sizes[n - 1] == cases[i].last);
		free(sizes);
	}
}

static void sizes_that_do_not_work(void **state)
{
	static const struct plan_range ranges[] = {
		{ 0, 8, 2, 0 },  { 8, 4, 2, 0 },    { 8, 16, 1, 0 },
		{ 8, 16, 0, 0 }, { 1, 4097, 0, 1 }, { 1, UINT64_MAX, 0, 1 },
	};
	uint64_t *sizes;
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT(ranges); i++)
		assert_int_equal(plan_range_sizes(&ranges[i], &sizes, &n, NULL),
		                 FP_ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everyone_meets_everyone_once),
		cmocka_unit_test(large_jobs_need_no_memory),
		cmocka_unit_test(nobody_is_out_of_range),
		cmocka_unit_test(two_levels_meet_once),
		cmocka_unit_test(sizes_as_nccl_tests),
		cmocka_unit_test(sizes_that_do_not_work),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
