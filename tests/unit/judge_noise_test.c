// SPDX-License-Identifier: Apache-2.0
// A clean cluster on busy machines, measured many times over: nobody is
// accused. The same noise does not hide a fault that is larger than it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/judge.h"
#include "tests/unit/model_run.h"
#include "tests/unit/noise_recorded.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define RUNS 150

/* @n, or a tenth of them, where each takes much longer. */
static uint64_t runs(uint64_t n)
{
	return getenv("FP_FEWER_RUNS") ? n / 10 : n;
}

/* Rates vary by 15 %; a quarter of all tests shares its core with others; and
 * there are whole times in which everything is slow. */
static struct model busy(uint64_t seed, double burst)
{
	struct model m = model_clean();

	m.seed = seed * 7919;
	m.local_sigma = 0.15;
	m.contention = 0.25;
	m.burst = burst;
	m.latency = true;
	return m;
}

static size_t accused(const char *shape, enum build_devs devs,
                      const struct model *m)
{
	struct findings list;
	struct matrices ms;
	struct build_run b;
	char place[256];
	size_t n, i;

	build_job(&b, shape, devs);
	model_run(&b, m);
	model_judge(&b, &ms, &list);
	n = list.n;
	for (i = 0; i < n && m->n_faults == 0; i++) {
		locus_text(&list.f[i].locus, place, sizeof(place));
		print_error("%s, seed %llu: %s at %s: %s\n", shape,
		            (unsigned long long)m->seed,
		            finding_info(list.f[i].code)->id, place,
		            list.f[i].evidence[0]);
	}
	findings_done(&list);
	matrices_done(&ms);
	build_done(&b);
	return n;
}

static void one_busy_machine(void **state)
{
	static const char *const shapes[] = { "2", "3", "4", "5", "8" };
	struct model m;
	uint64_t seed;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(shapes); i++)
		for (seed = 1; seed <= runs(RUNS); seed++) {
			m = busy(seed, seed % 2 ? 0 : 0.3);
			m.loopback = true;
			assert_int_equal(accused(shapes[i], BUILD_ONE_DEV, &m),
			                 0);
		}
}

static void hosts_that_are_one_machine(void **state)
{
	static const char *const shapes[] = { "1 1", "2 2", "1 1 1 1",
		                              "2 2 2 2" };
	struct model m;
	uint64_t seed;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(shapes); i++)
		for (seed = 1; seed <= runs(RUNS); seed++) {
			m = busy(seed, 0);
			m.net_sigma = 0.15;
			assert_int_equal(accused(shapes[i], BUILD_LOOPBACK, &m),
			                 0);
		}
}

static void links_without_a_limit(void **state)
{
	static const char *const shapes[] = { "1 1 1 1", "1 1 1 1 1 1 1 1" };
	struct model m;
	uint64_t seed;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(shapes); i++)
		for (seed = 1; seed <= runs(RUNS); seed++) {
			m = busy(seed, 0);
			m.net_sigma = 0.13;
			assert_int_equal(accused(shapes[i], BUILD_ONE_DEV, &m),
			                 0);
		}
}

static void limited_links_with_some_contention(void **state)
{
	struct model m;
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= runs(RUNS); seed++) {
		m = busy(seed, 0);
		m.contention = 0.05;
		assert_int_equal(accused("1 1 1 1 1 1 1 1", BUILD_ONE_DEV, &m),
		                 0);
	}
}

static struct model recorded(uint64_t seed)
{
	struct model m = model_clean();

	m.seed = seed * 7919;
	m.local_tape = (struct model_tape){ noise_local, COUNT(noise_local) };
	m.net_tape = (struct model_tape){ noise_net, COUNT(noise_net) };
	return m;
}

/* What real machines did, to other clusters; a slow pair is still seen. */
static void recorded_noise(void **state)
{
	static const char *const shapes[] = { "4", "8", "2 2", "4 4 4",
		                              "1 1 1 1 1 1 1 1" };
	struct model m;
	uint64_t seed;
	size_t i;

	(void)state;
	for (seed = 1; seed <= RUNS; seed++) {
		m = recorded(seed);
		for (i = 0; i < COUNT(shapes); i++)
			assert_int_equal(accused(shapes[i], BUILD_ONE_DEV, &m),
			                 0);
		model_add(&m, (struct model_fault){ .kind = MODEL_SLOW,
		                                    .src = 2,
		                                    .dst = 5,
		                                    .value = .7 });
		assert_int_equal(accused("1 1 1 1 1 1 1 1", BUILD_ONE_DEV, &m),
		                 1);
	}
}

#define FOUR "1 1 1 1 "
#define DISTURBED_RUNS 3000

/* Of sixteen hosts' tests 15 % are disturbed, by 5 to 60 %: in less than one
 * run of a thousand somebody is accused. */
static void sixteen_hosts_much_disturbed(void **state)
{
	struct model m;
	uint64_t seed, n_runs = runs(DISTURBED_RUNS);
	size_t n = 0;

	(void)state;
	for (seed = 1; seed <= n_runs; seed++) {
		m = model_clean();
		m.seed = seed * 7919;
		m.contention = 0.15;
		n += accused(FOUR FOUR FOUR FOUR, BUILD_ONE_DEV, &m) > 0;
	}
	if (n * 1000 >= n_runs)
		fail_msg("%zu of %llu runs", n, (unsigned long long)n_runs);
}

/* At least nine times of ten, among noise that hits one test in twenty. */
static void faults_show_through(void **state)
{
	static const struct model_fault faults[] = {
		{ MODEL_SLOW, MODEL_ANY, 1, 0.9, true, false },
		{ MODEL_SLOW, 2, MODEL_ANY, 0.75, true, false },
		{ MODEL_SLOW, 1, 3, 0.5, true, false },
		{ MODEL_LOSS, MODEL_ANY, 1, 0.01, true, false },
	};
	size_t i, found;
	struct model m;
	uint64_t seed;

	(void)state;
	for (i = 0; i < COUNT(faults); i++) {
		for (seed = 1, found = 0; seed <= 50; seed++) {
			m = busy(seed, 0);
			m.contention = 0.05;
			model_add(&m, faults[i]);
			found += accused("1 1 1 1 1", BUILD_ONE_DEV, &m) == 1;
		}
		assert_true(found >= 45);
	}
}

/* Nearly all tests lose most of their time to others: the rates say nothing,
 * the pace of messages does. */
static struct model crowded(uint64_t seed)
{
	struct model m = model_clean();

	m.seed = seed * 7919;
	m.local_sigma = 0.15;
	m.stolen = 0.8;
	m.loopback = true;
	return m;
}

static void a_crowded_machine(void **state)
{
	static const char *const shapes[] = {
		"2", "3", "4", "8", "2 2", "4 4"
	};
	struct model m;
	uint64_t seed;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(shapes); i++)
		for (seed = 1; seed <= runs(RUNS); seed++) {
			m = crowded(seed);
			assert_int_equal(accused(shapes[i], BUILD_ONE_DEV, &m),
			                 0);
		}
}

/* Of a hundred runs of @shape as @m has them, with 1 -> 3 at a quarter: where it
 * was found, and nothing else. */
static size_t slow_pairs_found(const char *shape, const struct model *m)
{
	struct model slow;
	size_t found = 0;
	uint64_t seed;

	for (seed = 1; seed <= 100; seed++) {
		slow = *m;
		slow.seed = seed * 7919;
		model_add(&slow, (struct model_fault){ MODEL_SLOW, 1, 3, 0.25,
		                                       false, false });
		found += accused(shape, BUILD_ONE_DEV, &slow) == 1;
	}
	return found;
}

static void slow_pairs_on_a_crowded_machine(void **state)
{
	static const char *const shapes[] = { "4", "5", "8" };
	struct model m = crowded(1);
	size_t i, found;

	(void)state;
	for (i = 0; i < COUNT(shapes); i++) {
		found = slow_pairs_found(shapes[i], &m);
		if (found < 99)
			fail_msg("%s: found %zu of 100", shapes[i], found);
	}
}

/* A hypervisor that moves a core to another cache: messages of everybody pass
 * at 9 GB/s for a while, not at 32. @stolen: on a crowded machine as well. */
static struct model in_spells(uint64_t seed, double spells, double stolen)
{
	struct model m = model_clean();

	m.seed = seed * 7919;
	m.spells = spells;
	m.stolen = stolen;
	return m;
}

static void spells_accuse_nobody(void **state)
{
	static const double spells[] = { 0.05, 0.15, 0.3 };
	static const char *const shapes[] = { "4", "8" };
	size_t i, k;
	struct model m;
	uint64_t seed;

	(void)state;
	for (i = 0; i < COUNT(shapes); i++)
		for (k = 0; k < COUNT(spells); k++)
			for (seed = 1; seed <= RUNS; seed++) {
				m = in_spells(seed, spells[k],
				              seed % 2 ? 0.8 : 0);
				assert_int_equal(
					accused(shapes[i], BUILD_ONE_DEV, &m),
					0);
			}
}

/* They take more tests, and some are left open. */
static void slow_pairs_among_spells(void **state)
{
	static const char *const shapes[] = { "4", "5", "8" };
	struct model m = in_spells(1, 0.15, 0.8);
	size_t i, found;

	(void)state;
	for (i = 0; i < COUNT(shapes); i++) {
		found = slow_pairs_found(shapes[i], &m);
		if (found < 80)
			fail_msg("%s: found %zu of 100", shapes[i], found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_busy_machine),
		cmocka_unit_test(hosts_that_are_one_machine),
		cmocka_unit_test(links_without_a_limit),
		cmocka_unit_test(limited_links_with_some_contention),
		cmocka_unit_test(recorded_noise),
		cmocka_unit_test(sixteen_hosts_much_disturbed),
		cmocka_unit_test(faults_show_through),
		cmocka_unit_test(a_crowded_machine),
		cmocka_unit_test(slow_pairs_on_a_crowded_machine),
		cmocka_unit_test(spells_accuse_nobody),
		cmocka_unit_test(slow_pairs_among_spells),
	};

	return cmocka_run_group_tests_name("judge_noise", tests, NULL, NULL);
}
