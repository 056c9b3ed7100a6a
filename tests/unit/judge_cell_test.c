// SPDX-License-Identifier: Apache-2.0
// The ladder of one pair, rung by rung, among eleven that are well.
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
#define TESTS_MAX 6

/* struct seen - one test of the pair in question; 0: nothing unusual. */
struct seen {
	double value; /* of what is usual; 0: 1 */
	double low;   /* of its value; 0: 0.98 */
	double loss;
	uint8_t state;
	uint64_t wrong;
	double others; /* what clean pairs reach beside it; 0: 1 */
};

struct ladder_case {
	const char *name;
	struct seen tests[TESTS_MAX];
	size_t n;
	enum cell_state want;
	uint32_t why;
};

#define SLOW(v)              \
	{                    \
		.value = (v) \
	}
#define FAIL(s)                      \
	{                            \
		.state = OUTCOME_##s \
	}

static const struct ladder_case cases[] = {
	{ "well", { SLOW(1) }, 1, CELL_OK, 0 },
	{ "4 % below", { SLOW(.96) }, 1, CELL_OK, 0 },
	{ "faster than all", { SLOW(2) }, 1, CELL_OK, 0 },
	{ "low once", { SLOW(.8) }, 1, CELL_SUSPECT, CELL_WHY_OPEN_SLOW },
	{ "7 % below once", { SLOW(.93) }, 1, CELL_SUSPECT, CELL_WHY_OPEN },
	{ "low twice",
	  { SLOW(.8), SLOW(.8) },
	  2,
	  CELL_SUSPECT,
	  CELL_WHY_OPEN_SLOW },
	{ "low three times",
	  { SLOW(.8), SLOW(.81), SLOW(.79) },
	  3,
	  CELL_SLOW,
	  CELL_WHY_SLOW },
	{ "low four times",
	  { SLOW(.8), SLOW(.81), SLOW(.79), SLOW(.8) },
	  4,
	  CELL_SLOW,
	  CELL_WHY_SLOW },
	{ "a good test clears", { SLOW(.8), SLOW(1), SLOW(1) }, 3, CELL_OK, 0 },
	{ "one of three is good",
	  { SLOW(.8), SLOW(.8), SLOW(1), SLOW(.8) },
	  4,
	  CELL_FLAKY,
	  CELL_WHY_WEAK },
	{ "two of three are good",
	  { SLOW(.8), SLOW(.8), SLOW(1), SLOW(1) },
	  4,
	  CELL_OK,
	  0 },
	{ "good first, low later",
	  { SLOW(1), SLOW(.8), SLOW(.8) },
	  3,
	  CELL_OK,
	  0 },
	{ "7 % below for good",
	  { SLOW(.93), SLOW(.93), SLOW(.93), SLOW(.93) },
	  4,
	  CELL_DEGRADED,
	  CELL_WHY_DEGRADED },
	{ "low while all others are, too",
	  { { .value = .5 },
	    { .value = .5, .others = .5 },
	    { .value = .5, .others = .5 },
	    { .value = .5, .others = .5 } },
	  4,
	  CELL_OK,
	  0 },
	{ "lower than others that are low",
	  { { .value = .5 },
	    { .value = .25, .others = .5 },
	    { .value = .25, .others = .5 },
	    { .value = .25, .others = .5 } },
	  4,
	  CELL_FLAKY,
	  CELL_WHY_WEAK },
	{ "worst moments once",
	  { { .low = .5 } },
	  1,
	  CELL_SUSPECT,
	  CELL_WHY_OPEN },
	{ "worst moments again",
	  { { .low = .5 }, { .low = .5 }, { .low = .4 } },
	  3,
	  CELL_FLAKY,
	  CELL_WHY_UNSTEADY },
	{ "worst moments, then none",
	  { { .low = .5 }, SLOW(1), SLOW(1) },
	  3,
	  CELL_OK,
	  0 },
	{ "loss once",
	  { { .loss = .01 } },
	  1,
	  CELL_SUSPECT,
	  CELL_WHY_OPEN_LOSS },
	{ "loss again",
	  { { .loss = .01 }, { .loss = .02 }, { .loss = .01 } },
	  3,
	  CELL_FLAKY,
	  CELL_WHY_LOSS },
	{ "a little loss", { { .loss = .001 } }, 1, CELL_OK, 0 },
	{ "hang", { FAIL(HANG) }, 1, CELL_HANG, CELL_WHY_FAILED },
	{ "error", { FAIL(ERROR) }, 1, CELL_ERROR, CELL_WHY_FAILED },
	{ "hang outranks error",
	  { FAIL(ERROR), FAIL(HANG), FAIL(ERROR) },
	  3,
	  CELL_HANG,
	  CELL_WHY_FAILED },
	{ "hang outranks slowness",
	  { SLOW(.5), SLOW(.5), SLOW(.5), FAIL(HANG) },
	  4,
	  CELL_HANG,
	  CELL_WHY_FAILED | CELL_WHY_SLOW },
	{ "hung, passed once",
	  { FAIL(HANG), SLOW(1) },
	  2,
	  CELL_HANG,
	  CELL_WHY_FAILED },
	{ "hung, passed twice",
	  { FAIL(HANG), SLOW(1), SLOW(1) },
	  3,
	  CELL_FLAKY,
	  CELL_WHY_FAILED },
	{ "passed, then hung",
	  { SLOW(1), SLOW(1), FAIL(HANG) },
	  3,
	  CELL_HANG,
	  CELL_WHY_FAILED },
	{ "lost", { FAIL(LOST) }, 1, CELL_LOST, 0 },
	{ "not run", { FAIL(NOTRUN) }, 1, CELL_NOTRUN, 0 },
	{ "run at last", { FAIL(NOTRUN), SLOW(1) }, 2, CELL_OK, 0 },
	{ "wrong data, full speed", { { .wrong = 3 } }, 1, CELL_CORRUPT, 0 },
	{ "wrong data once",
	  { { .wrong = 3 }, SLOW(1), SLOW(1) },
	  3,
	  CELL_CORRUPT,
	  0 },
	{ "wrong data and hang",
	  { { .wrong = 3 }, FAIL(HANG) },
	  2,
	  CELL_HANG,
	  CELL_WHY_FAILED },
};

/* Deterministic noise of a tenth of a percent. */
static double usual(uint32_t n)
{
	return GOOD * (1 + 1e-4 * ((double)(n * 7 % 13) - 6));
}

static void add_test(struct build_run *b, const struct seen *s, uint8_t stage)
{
	double value = usual(b->round) * (s->value > 0 ? s->value : 1);

	build_test(b, &(struct build_test){
			      .src = 0,
			      .dst = 1,
			      .stage = stage,
			      .src_state = s->state,
			      .dst_state = s->state,
			      .value = value,
			      .low = value * (s->low > 0 ? s->low : 0.98),
			      .retrans = (int64_t)(1e4 * s->loss),
			      .wrong = s->wrong,
		      });
}

static void add_control(struct build_run *b, double value)
{
	build_test(b,
	           &(struct build_test){
			   .src = 2,
			   .dst = 3,
			   .stage = TRIAL_S7_RETEST,
			   .value = usual(b->round) * (value > 0 ? value : 1),
		   });
}

static void add_others(struct build_run *b)
{
	int32_t s, d;

	for (s = 0; s < 4; s++)
		for (d = 0; d < 4; d++)
			if (s != d && !(s == 0 && d == 1))
				build_test(b, &(struct build_test){
						      .src = s,
						      .dst = d,
						      .value = usual(b->round),
					      });
}

static void judge_one(const struct ladder_case *c)
{
	const struct matrix_cell *cell;
	struct judge_opts opts;
	struct matrices ms;
	struct build_run b;
	size_t i;

	build_job(&b, "1 1 1 1", BUILD_ONE_DEV);
	add_test(&b, &c->tests[0], TRIAL_S3_RAIL);
	add_others(&b);
	for (i = 1; i < c->n; i++) {
		add_test(&b, &c->tests[i], TRIAL_S7_RETEST);
		add_control(&b, c->tests[i].others);
	}
	judge_defaults(&opts);
	assert_int_equal(judge_matrices(&b.job, &b.results, &opts, &ms, NULL),
	                 FP_OK);
	assert_int_equal(ms.n, 1);
	cell = matrix_find(&ms.m[0], 0, 1);
	assert_non_null(cell);
	if (cell->state != c->want)
		print_error("%s: %s\n", c->name, cell_state_name(cell->state));
	assert_int_equal(cell->state, c->want);
	assert_int_equal(cell->why & c->why, c->why);
	for (i = 0; i < ms.m[0].n_cells; i++)
		if (&ms.m[0].cells[i] != cell)
			assert_int_equal(ms.m[0].cells[i].state, CELL_OK);
	matrices_done(&ms);
	build_done(&b);
}

static void rung_by_rung(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++)
		judge_one(&cases[i]);
}

/* One cell's figures from four tests. */
static void figures_are_the_best_and_the_worst(void **state)
{
	static const struct seen tests[] = {
		{ .value = .80, .low = .5, .loss = .003 },
		{ .value = .82 },
		{ .value = .78, .low = .4, .loss = .001 },
	};
	const struct matrix_cell *c;
	struct judge_opts opts;
	struct matrices ms;
	struct build_run b;
	size_t i;

	(void)state;
	build_job(&b, "1 1 1 1", BUILD_ONE_DEV);
	add_others(&b);
	for (i = 0; i < COUNT(tests); i++)
		add_test(&b, &tests[i], TRIAL_S7_RETEST);
	judge_defaults(&opts);
	assert_int_equal(judge_matrices(&b.job, &b.results, &opts, &ms, NULL),
	                 FP_OK);
	c = matrix_find(&ms.m[0], 0, 1);
	assert_int_equal(c->n_tests, 3);
	assert_true(fabs(c->value / GOOD - .82) < .002);
	assert_true(fabs(c->low / GOOD - .78 * .4) < .002);
	assert_true(fabs(c->ratio - .82) < .002);
	assert_true(c->z < -6);
	assert_int_equal(c->retrans, 40);
	assert_int_equal(c->segs, 30000);
	assert_int_equal(c->trial, 13);
	matrices_done(&ms);
	build_done(&b);
}

/* A worker that died is no pair's fault, and a pair that works is cleared. */
static void an_end_that_failed_is_named(void **state)
{
	const struct matrix_cell *c;
	struct judge_opts opts;
	struct matrices ms;
	struct build_run b;

	(void)state;
	build_job(&b, "1 1 1 1", BUILD_ONE_DEV);
	build_test(&b,
	           &(struct build_test){ .src = 0,
	                                 .dst = 1,
	                                 .src_state = OUTCOME_ERROR,
	                                 .dst_state = OUTCOME_ERROR,
	                                 .dst_flags = OUTCOME_WORKER_DIED });
	build_test(&b, &(struct build_test){ .src = 2,
	                                     .dst = 1,
	                                     .src_state = OUTCOME_HANG,
	                                     .dst_state = OUTCOME_HANG,
	                                     .dst_flags = OUTCOME_KILLED });
	build_test(&b,
	           &(struct build_test){ .src = 2, .dst = 1, .value = GOOD });
	build_test(&b, &(struct build_test){ .src = 3,
	                                     .dst = 2,
	                                     .src_state = OUTCOME_ERROR,
	                                     .src_stage = STAGE_INIT,
	                                     .dst_state = OUTCOME_NOTRUN });
	build_test(&b, &(struct build_test){ .src = 2,
	                                     .dst = 3,
	                                     .src_state = OUTCOME_HANG,
	                                     .dst_state = OUTCOME_LOST });
	judge_defaults(&opts);
	assert_int_equal(judge_matrices(&b.job, &b.results, &opts, &ms, NULL),
	                 FP_OK);
	c = matrix_find(&ms.m[0], 0, 1);
	assert_int_equal(c->state, CELL_ERROR);
	assert_int_equal(c->culprit, 1);
	assert_int_equal(c->why & CELL_WHY_FAILED, 0);
	c = matrix_find(&ms.m[0], 2, 1);
	assert_int_equal(c->state, CELL_OK);
	assert_int_equal(c->culprit, -1);
	c = matrix_find(&ms.m[0], 3, 2);
	assert_int_equal(c->state, CELL_ERROR);
	assert_int_equal(c->culprit, 3);
	c = matrix_find(&ms.m[0], 2, 3);
	assert_int_equal(c->state, CELL_LOST);
	assert_int_equal(c->culprit, 3);
	matrices_done(&ms);
	build_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rung_by_rung),
		cmocka_unit_test(figures_are_the_best_and_the_worst),
		cmocka_unit_test(an_end_that_failed_is_named),
	};

	return cmocka_run_group_tests_name("judge_cell", tests, NULL, NULL);
}
