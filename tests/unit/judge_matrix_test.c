// SPDX-License-Identifier: Apache-2.0
// Which tests make which matrix, and which pairs are compared.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/judge.h"
#include "tests/unit/build_run.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define GOOD 100e6

static void judge_all(const struct build_run *b, struct matrices *ms)
{
	struct judge_opts opts;

	judge_defaults(&opts);
	assert_int_equal(judge_matrices(&b->job, &b->results, &opts, ms, NULL),
	                 FP_OK);
}

static const struct matrix_class *class_of(const struct matrix *m, int32_t src,
                                           int32_t dst)
{
	const struct matrix_cell *c = matrix_find(m, src, dst);

	assert_non_null(c);
	assert_in_range(c->cls, 0, m->n_classes - 1);
	return &m->classes[c->cls];
}

static void add(struct build_run *b, int32_t src, int32_t dst, double value)
{
	build_test(b, &(struct build_test){
			      .src = src, .dst = dst, .value = value });
}

static void one_matrix_for_each_kind_of_test(void **state)
{
	static const struct build_test tests[] = {
		{ .src = 0, .dst = 1, .xport = XPORT_SHM, .value = GOOD },
		{ .src = 0, .dst = 1, .value = GOOD },
		{ .src = 1, .dst = 0, .value = GOOD },
		{ .src = 0, .dst = 1, .value = GOOD, .stage = TRIAL_S7_RETEST },
		{ .src = 0, .dst = 1, .value = GOOD, .bytes = 64 },
		{ .src = 0, .dst = 1, .value = 1e-6, .op = OP_LATENCY },
		{ .src = 0, .dst = 1, .value = GOOD, .dir = DIR_BI },
		{ .src = 0, .dst = 1, .op = OP_DATAGRAM },
	};
	struct matrices ms;
	struct build_run b;
	size_t i;

	(void)state;
	build_job(&b, "2", BUILD_ONE_DEV);
	for (i = 0; i < COUNT(tests); i++)
		build_test(&b, &tests[i]);
	build_coll(&b, OP_ALLREDUCE, NULL, NULL);
	judge_all(&b, &ms);
	assert_int_equal(ms.n, 5);
	/* by operation, transport, direction, size: a fixed order */
	assert_int_equal(ms.m[0].xport, XPORT_SHM);
	assert_int_equal(ms.m[1].bytes, 64);
	assert_int_equal(ms.m[2].bytes, 1 << 20);
	assert_int_equal(ms.m[2].n_cells, 2);
	assert_int_equal(matrix_find(&ms.m[2], 0, 1)->n_tests, 2);
	assert_int_equal(ms.m[3].dir, DIR_BI);
	assert_int_equal(ms.m[4].op, OP_LATENCY);
	assert_int_equal(ms.m[4].n_ranks, 2);
	matrices_done(&ms);
	build_done(&b);
}

static void both_ways_at_once_is_two_cells(void **state)
{
	struct matrices ms;
	struct build_run b;

	(void)state;
	build_job(&b, "1 1", BUILD_ONE_DEV);
	build_test(&b, &(struct build_test){ .src = 0,
	                                     .dst = 1,
	                                     .dir = DIR_BI,
	                                     .value = 5e6,
	                                     .back = 7e6 });
	judge_all(&b, &ms);
	assert_int_equal(ms.m[0].n_cells, 2);
	assert_true(fabs(matrix_find(&ms.m[0], 0, 1)->value - 5e6) < 1);
	assert_true(fabs(matrix_find(&ms.m[0], 1, 0)->value - 7e6) < 1);
	matrices_done(&ms);
	build_done(&b);
}

static void classes_go_by_path_and_speed(void **state)
{
	struct matrices ms;
	struct build_run b;

	(void)state;
	build_job(&b, "2 1 1 1", BUILD_ONE_DEV);
	b.job.hosts[2].netdevs[0].speed_bps = 10000000000;
	b.job.hosts[3].netdevs[0].speed_bps = 10000000000;
	b.job.hosts[1].netdevs[0].speed_bps = -1;
	add(&b, 0, 1, GOOD);
	add(&b, 0, 3, GOOD);
	add(&b, 3, 4, GOOD);
	add(&b, 2, 4, GOOD);
	build_test(&b, &(struct build_test){ .src = 1,
	                                     .dst = 0,
	                                     .xport = XPORT_SHM,
	                                     .value = GOOD });
	judge_all(&b, &ms);
	assert_string_equal(class_of(&ms.m[0], 1, 0)->name, "shm same host");
	assert_true(class_of(&ms.m[0], 1, 0)->local);
	assert_string_equal(class_of(&ms.m[1], 0, 1)->name, "tcp same host");
	assert_string_equal(class_of(&ms.m[1], 0, 3)->name,
	                    "tcp between hosts 1 Gb/s");
	assert_string_equal(class_of(&ms.m[1], 3, 4)->name,
	                    "tcp between hosts 10 Gb/s");
	assert_string_equal(class_of(&ms.m[1], 2, 4)->name,
	                    "tcp between hosts");
	assert_false(class_of(&ms.m[1], 0, 3)->local);
	matrices_done(&ms);
	build_done(&b);
}

static void loopback_between_names_is_cpu_bound(void **state)
{
	struct matrices ms;
	struct build_run b;

	(void)state;
	build_job(&b, "1 1", BUILD_LOOPBACK);
	add(&b, 0, 1, GOOD);
	judge_all(&b, &ms);
	assert_string_equal(class_of(&ms.m[0], 0, 1)->name, "tcp loopback");
	assert_true(class_of(&ms.m[0], 0, 1)->local);
	matrices_done(&ms);
	build_done(&b);
}

/* All pairs of a job at GOOD, but for one, at @part of it. */
static void add_all(struct build_run *b, double part)
{
	int32_t n = (int32_t)b->job.n_ranks, s, d;

	for (s = 0; s < n; s++)
		for (d = 0; d < n; d++)
			if (s != d)
				add(b, s, d,
				    s == 0 && d == 1 ? part * GOOD : GOOD);
}

static void small_classes_are_asked_for_more(void **state)
{
	static const struct {
		const char *shape;
		enum build_devs devs;
		double part;
		enum cell_state want;
	} cases[] = {
		{ "1 1 1 1", BUILD_ONE_DEV, 0.89, CELL_SUSPECT },
		{ "1 1 1", BUILD_ONE_DEV, 0.82, CELL_OK },
		{ "1 1 1", BUILD_ONE_DEV, 0.79, CELL_SUSPECT },
		{ "1 1", BUILD_ONE_DEV, 0.82, CELL_OK },
		{ "1 1", BUILD_ONE_DEV, 0.79, CELL_SUSPECT },
		/* what shares its cores with others has to be slower still */
		{ "4", BUILD_ONE_DEV, 0.71, CELL_OK },
		{ "4", BUILD_ONE_DEV, 0.69, CELL_SUSPECT },
		{ "1 1 1 1", BUILD_LOOPBACK, 0.71, CELL_OK },
		{ "1 1 1 1", BUILD_LOOPBACK, 0.69, CELL_SUSPECT },
		{ "3", BUILD_ONE_DEV, 0.51, CELL_OK },
		{ "3", BUILD_ONE_DEV, 0.49, CELL_SUSPECT },
		{ "2", BUILD_ONE_DEV, 0.51, CELL_OK },
		{ "2", BUILD_ONE_DEV, 0.49, CELL_SUSPECT },
	};
	struct matrices ms;
	struct build_run b;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		build_job(&b, cases[i].shape, cases[i].devs);
		add_all(&b, cases[i].part);
		judge_all(&b, &ms);
		assert_int_equal(matrix_find(&ms.m[0], 0, 1)->state,
		                 cases[i].want);
		matrices_done(&ms);
		build_done(&b);
	}
}

static void one_measurement_is_never_low(void **state)
{
	struct matrices ms;
	struct build_run b;

	(void)state;
	build_job(&b, "1 1 1", BUILD_ONE_DEV);
	add(&b, 0, 1, 1);
	judge_all(&b, &ms);
	assert_int_equal(ms.m[0].cells[0].state, CELL_OK);
	matrices_done(&ms);
	/* nor are two that are not each other's way back */
	add(&b, 0, 2, GOOD);
	judge_all(&b, &ms);
	assert_int_equal(ms.m[0].cells[0].state, CELL_OK);
	matrices_done(&ms);
	build_done(&b);
}

static void noise_widens_what_is_usual(void **state)
{
	struct matrices ms;
	struct build_run b;
	uint64_t rng = 5;
	int32_t s, d;

	(void)state;
	build_job(&b, "1 1 1 1 1", BUILD_ONE_DEV);
	for (s = 0; s < 5; s++)
		for (d = 0; d < 5; d++)
			if (s != d)
				add(&b, s, d,
				    s == 0 && d == 1
				            ? .75 * GOOD
				            : GOOD * exp(.15 *
				                         build_normal(&rng)));
	judge_all(&b, &ms);
	/* 25 % below, and still within what such pairs do */
	assert_int_equal(matrix_find(&ms.m[0], 0, 1)->state, CELL_OK);
	assert_true(ms.m[0].classes[0].sigma > 0.07);
	matrices_done(&ms);
	build_done(&b);
}

static void latency_is_better_when_lower(void **state)
{
	static const struct {
		double value, low;
		enum cell_state want;
	} cases[] = {
		{ 20e-6, 60e-6, CELL_OK },
		{ 2e-6, 60e-6, CELL_OK },
		/* three times the median, but not by 100 us */
		{ 60e-6, 90e-6, CELL_OK },
		{ 200e-6, 300e-6, CELL_SUSPECT },
		/* waits of 1 ms are nothing on a busy machine, 3 ms are */
		{ 20e-6, 1e-3, CELL_OK },
		{ 20e-6, 3e-3, CELL_SUSPECT },
	};
	struct matrices ms;
	struct build_run b;
	int32_t s, d;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		build_job(&b, "1 1 1 1", BUILD_ONE_DEV);
		for (s = 0; s < 4; s++)
			for (d = 0; d < 4; d++) {
				bool odd = s == 2 && d == 1;

				if (s == d)
					continue;
				build_test(&b,
				           &(struct build_test){
						   .src = s,
						   .dst = d,
						   .op = OP_LATENCY,
						   .value = odd ? cases[i].value
				                                : 20e-6,
						   .low = odd ? cases[i].low
				                              : 60e-6,
					   });
			}
		judge_all(&b, &ms);
		assert_int_equal(matrix_find(&ms.m[0], 2, 1)->state,
		                 cases[i].want);
		assert_true(fabs(matrix_find(&ms.m[0], 2, 1)->ratio -
		                 20e-6 / cases[i].value) < 1e-6);
		matrices_done(&ms);
		build_done(&b);
	}
}

static void one_end_alone_is_no_test(void **state)
{
	struct matrices ms;
	struct build_run b;

	(void)state;
	build_job(&b, "1 1", BUILD_ONE_DEV);
	add(&b, 0, 1, GOOD);
	b.results.n_outcomes--;
	judge_all(&b, &ms);
	assert_int_equal(ms.n, 0);
	matrices_done(&ms);
	build_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_matrix_for_each_kind_of_test),
		cmocka_unit_test(both_ways_at_once_is_two_cells),
		cmocka_unit_test(classes_go_by_path_and_speed),
		cmocka_unit_test(loopback_between_names_is_cpu_bound),
		cmocka_unit_test(small_classes_are_asked_for_more),
		cmocka_unit_test(one_measurement_is_never_low),
		cmocka_unit_test(noise_widens_what_is_usual),
		cmocka_unit_test(latency_is_better_when_lower),
		cmocka_unit_test(one_end_alone_is_no_test),
	};

	return cmocka_run_group_tests_name("judge_matrix", tests, NULL, NULL);
}
