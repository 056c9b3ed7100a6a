// SPDX-License-Identifier: Apache-2.0
// Results: ids, slices of members, samples, and pairs seen from both ends.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/results.h"
#include "probes/trial/grow.h"

static struct trial pair_trial(int32_t src, int32_t dst, uint16_t op)
{
	return (struct trial){
		.op = op, .xport = XPORT_TCP, .bytes = 8, .src = src, .dst = dst
	};
}

static void add_pair(struct results *r, int32_t src, int32_t dst, uint16_t op)
{
	struct trial t = pair_trial(src, dst, op);
	struct batch b = { .trials = &t, .n_trials = 1 };

	assert_int_equal(results_add_batch(r, &b, NULL), FP_OK);
}

static void add_end(struct results *r, uint32_t trial, int32_t rank,
                    uint8_t state, uint8_t flags, double value)
{
	const struct outcome o = { .trial = trial,
		                   .rank = rank,
		                   .state = state,
		                   .flags = flags,
		                   .algbw_Bps = value,
		                   .min_s = value };

	assert_int_equal(results_add_outcome(r, &o, NULL, 0, NULL), FP_OK);
}

/* The batch keeps its own slices, the stored copies point into the results. */
static void test_batches(void **state)
{
	struct results r = { 0 };
	int32_t members[] = { 2, 0, 1 };
	struct trial trials[2] = { pair_trial(0, 1, OP_WRITE),
		                   { .op = OP_ALLREDUCE, .member_count = 3 } };
	struct batch b = { trials, 2, members, 3 };

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		assert_int_equal(results_add_batch(&r, &b, NULL), FP_OK);
		assert_int_equal(trials[0].id, 2 * i + 1);
		assert_int_equal(trials[1].id, 2 * i + 2);
		assert_int_equal(trials[1].member_first, 0);
	}
	assert_int_equal(r.n_trials, 200);
	assert_int_equal(r.n_members, 300);
	assert_int_equal(results_trial(&r, 200)->member_first, 297);
	assert_int_equal(r.members[297], 2);
	assert_int_equal(results_trial(&r, 199)->member_first, 0);
	assert_null(results_trial(&r, 0));
	assert_null(results_trial(&r, 201));
	results_done(&r);
	results_done(&r);
	results_done(NULL);
}

static void test_samples(void **state)
{
	const double samples[] = { 1, 2, 3 };
	const struct outcome o = { .trial = 1, .rank = 4 };
	struct results r = { 0 };

	(void)state;
	assert_int_equal(results_add_outcome(&r, &o, samples, 3, NULL), FP_OK);
	assert_int_equal(results_add_outcome(&r, &o, NULL, 0, NULL), FP_OK);
	assert_int_equal(results_add_outcome(&r, &o, samples, 2, NULL), FP_OK);
	assert_int_equal(r.n_outcomes, 3);
	assert_int_equal(r.n_kept, 2);
	assert_int_equal(r.kept[1].first, 3);
	assert_int_equal(r.kept[1].n, 2);
	assert_int_equal(r.kept[1].rank, 4);
	assert_true(r.samples[4] == 2);
	results_done(&r);
}

static const struct {
	uint16_t op;
	uint8_t src, dst; /* states; NONE: no outcome */
	uint8_t src_flags, dst_flags;
	uint8_t state;
	double rate, latency;
} pair_rows[] = {
	{ OP_WRITE, OUTCOME_OK, OUTCOME_OK, 0, OUTCOME_RECEIVER, OUTCOME_OK, 7,
	  0 },
	{ OP_WRITE, OUTCOME_OK, OUTCOME_OK, OUTCOME_RECEIVER, 0, OUTCOME_OK, 0,
	  0 },
	{ OP_LATENCY, OUTCOME_OK, OUTCOME_OK, OUTCOME_RECEIVER, 0, OUTCOME_OK,
	  0, 5 },
	{ OP_WRITE, OUTCOME_HANG, OUTCOME_OK, 0, OUTCOME_RECEIVER, OUTCOME_HANG,
	  7, 0 },
	{ OP_WRITE, OUTCOME_NOTRUN, OUTCOME_LOST, 0, 0, OUTCOME_LOST, 0, 0 },
	{ OP_WRITE, OUTCOME_NONE, OUTCOME_OK, 0, OUTCOME_RECEIVER, OUTCOME_NONE,
	  7, 0 },
	{ OP_WRITE, OUTCOME_ERROR, OUTCOME_NONE, 0, 0, OUTCOME_ERROR, 0, 0 },
	{ OP_WRITE, OUTCOME_NONE, OUTCOME_NONE, 0, 0, OUTCOME_NONE, 0, 0 },
};

static void test_pairs(void **state)
{
	const size_t n_rows = sizeof(pair_rows) / sizeof(*pair_rows);
	struct trial coll = { .op = OP_ALLREDUCE };
	struct batch batch = { .trials = &coll, .n_trials = 1 };
	struct results r = { 0 };
	struct pair_view *views;
	size_t n;

	(void)state;
	assert_int_equal(results_add_batch(&r, &batch, NULL), FP_OK);
	for (size_t i = 0; i < n_rows; i++)
		add_pair(&r, 3, 4, pair_rows[i].op);
	add_end(&r, 1, 3, OUTCOME_HANG, 0, 1); /* the collective's */
	add_end(&r, 99, 3, OUTCOME_OK, 0, 1);  /* nobody's */
	for (size_t i = 0; i < n_rows; i++) {
		uint32_t id = (uint32_t)i + 2;

		add_end(&r, id, 9, OUTCOME_LOST, 0, 1); /* no end of it */
		if (pair_rows[i].src)
			add_end(&r, id, 3, pair_rows[i].src,
			        pair_rows[i].src_flags, 5);
		if (pair_rows[i].dst)
			add_end(&r, id, 4, pair_rows[i].dst,
			        pair_rows[i].dst_flags, 7);
	}
	assert_int_equal(results_pairs(&r, &views, &n, NULL), FP_OK);
	assert_int_equal(n, n_rows);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(views[i].trial->id, i + 2);
		if (views[i].state != pair_rows[i].state ||
		    views[i].rate_Bps != pair_rows[i].rate ||
		    views[i].latency_s != pair_rows[i].latency)
			fail_msg("row %zu: state %u, %g, %g", i, views[i].state,
			         views[i].rate_Bps, views[i].latency_s);
	}
	free(views);
	results_done(&r);
}

static void test_grow(void **state)
{
	struct fp_err err = { 0 };
	uint64_t *array = NULL;
	size_t room = 0;

	(void)state;
	assert_int_equal(grow_room(&array, &room, 1, sizeof(*array), NULL),
	                 FP_OK);
	assert_true(room >= 1);
	array[0] = 42;
	assert_int_equal(grow_room(&array, &room, 1000, sizeof(*array), NULL),
	                 FP_OK);
	assert_true(room >= 1000 && array[0] == 42);
	assert_int_equal(
		grow_room(&array, &room, SIZE_MAX, sizeof(*array), &err),
		FP_ERR_LIMIT);
	assert_int_equal(
		grow_room(&array, &room, SIZE_MAX / 4, sizeof(*array), NULL),
		FP_ERR_LIMIT);
	assert_true(room >= 1000 && array[0] == 42);
	free(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
