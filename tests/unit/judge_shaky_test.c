// SPDX-License-Identifier: Apache-2.0
// Hosts whose cores are short: healthy pairs stall, lose packets, and are slow
// in any test by chance. Nobody is named for that, and who is bad still is.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "probes/judge/judge.h"
#include "probes/judge/noise.h"
#include "tests/unit/build_run.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define HOSTS 4
#define GOOD 4.9e6
#define RUNS 200
#define ROUNDS 16
/* With a dozen tests beside it, noise is known too badly for one in a thousand;
 * two retests of three that agree, and no more, were wrong in half the runs. */
#define FALSE_MOST 0.03
#define SHAPED 0.2 /* of GOOD, whatever else */

/* struct shaky - a bed, and what is wrong with the pair 0 -> 1, or with what
 * host 2 receives. */
struct shaky {
	const char *name;
	double stalls, losses; /* chance in a test of any pair */
	double spread;         /* of ln(rate), to below alone */
	double own_stalls;     /* of the pair */
	double own_losses;
	bool column;  /* host 2 receives SHAPED */
	uint32_t why; /* that must be said of these cells; 0: none is */
	double least; /* share of runs in which it is */
};

static const struct shaky rows[] = {
	{ .name = "quiet" },
	{ .name = "stalls", .stalls = .15 },
	{ .name = "many stalls", .stalls = .35 },
	{ .name = "losses", .losses = .3 },
	{ .name = "rates that vary", .spread = .5 },
	{ .name = "all of it", .stalls = .3, .losses = .3, .spread = .5 },
	{ .name = "a pair that stalls",
	  .own_stalls = .9,
	  .why = CELL_WHY_UNSTEADY,
	  .least = .8 },
	{ .name = "a pair that stalls where others do",
	  .stalls = .05,
	  .own_stalls = 1,
	  .why = CELL_WHY_UNSTEADY,
	  .least = .95 },
	{ .name = "a pair that loses where others do",
	  .losses = .05,
	  .own_losses = 1,
	  .why = CELL_WHY_LOSS,
	  .least = .9 },
	{ .name = "a shaped column",
	  .column = true,
	  .why = CELL_WHY_SLOW,
	  .least = 1 },
	{ .name = "a shaped column where rates vary",
	  .spread = .4,
	  .column = true,
	  .why = CELL_WHY_SLOW,
	  .least = .9 },
};

static bool is_bad(const struct shaky *s, int32_t src, int32_t dst)
{
	return s->column ? dst == 2 : s->why != 0 && src == 0 && dst == 1;
}

static void put_test(struct build_run *b, const struct shaky *s,
                     const struct plan_pair *p, uint8_t stage, uint64_t *dice)
{
	bool own = !s->column && is_bad(s, p->src, p->dst);
	double value = GOOD * exp(-s->spread * fabs(build_normal(dice)) +
	                          .003 * build_normal(dice));
	bool stalls = build_random(dice) < (own ? s->own_stalls : s->stalls);
	bool loses = build_random(dice) < (own ? s->own_losses : s->losses);

	if (s->column && p->dst == 2)
		value = fmin(value, SHAPED * GOOD);
	build_test(b, &(struct build_test){
			      .src = p->src,
			      .dst = p->dst,
			      .stage = stage,
			      .xport = XPORT_VERBS,
			      .value = value,
			      .low = value * (stalls ? .3 : .98),
			      .segs = 2000,
			      .retrans = loses ? 20 : 0,
		      });
}

static void put_first(struct build_run *b, const struct shaky *s,
                      uint64_t *dice)
{
	struct plan_pair p = { 0 };

	for (p.src = 0; p.src < HOSTS; p.src++)
		for (p.dst = 0; p.dst < HOSTS; p.dst++)
			if (p.src != p.dst)
				put_test(b, s, &p, TRIAL_S3_RAIL, dice);
}

/* As a run does: what is open is measured again, with clean pairs beside. */
static void run_it(struct build_run *b, const struct shaky *s, uint64_t *dice,
                   const struct judge_opts *opts, struct matrices *ret)
{
	struct plan_pair *pairs;
	size_t n = 1, i, round;

	build_job(b, "1 1 1 1", BUILD_ONE_DEV);
	put_first(b, s, dice);
	for (round = 0;; round++) {
		assert_int_equal(
			judge_matrices(&b->job, &b->results, opts, ret, NULL),
			FP_OK);
		assert_int_equal(
			judge_suspects(&ret->m[0], opts, &pairs, &n, NULL),
			FP_OK);
		assert_true(n == 0 || round < ROUNDS);
		for (i = 0; i < n; i++)
			put_test(b, s, &pairs[i], TRIAL_S7_RETEST, dice);
		free(pairs);
		if (n == 0)
			return;
		matrices_done(ret);
	}
}

/* Are all that are bad named, and nobody else? */
static bool is_right(const struct shaky *s, const struct matrix *m,
                     size_t *ret_false)
{
	const uint32_t named =
		CELL_WHY_SLOW | CELL_WHY_UNSTEADY | CELL_WHY_LOSS;
	const struct matrix_cell *c;
	bool all = true;

	for (size_t i = 0; i < m->n_cells; i++) {
		c = &m->cells[i];
		if (is_bad(s, c->src, c->dst))
			all &= (c->why & s->why) != 0;
		else
			*ret_false += (c->why & named) != 0;
	}
	return all;
}

static void test_shaky_beds(void **state)
{
	struct judge_opts opts;
	struct build_run b;
	struct matrices ms;

	(void)state;
	judge_defaults(&opts);
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t right = 0, wrong = 0;
		uint64_t dice = 1;

		for (size_t run = 0; run < RUNS; run++) {
			run_it(&b, &rows[i], &dice, &opts, &ms);
			right += is_right(&rows[i], &ms.m[0], &wrong);
			matrices_done(&ms);
			build_done(&b);
		}
		print_message("%-36s %3zu of %d right, %zu accused falsely\n",
		              rows[i].name, right, RUNS, wrong);
		if ((double)wrong > FALSE_MOST * RUNS ||
		    (double)right < rows[i].least * RUNS)
			fail_msg("%s", rows[i].name);
	}
}

/* Against figures worked out by hand. */
static void test_shows(void **state)
{
	static const struct {
		struct judge_noise z;
		uint32_t n, hits;
		bool want;
	} t[] = {
		/* never seen in 9: 1/29 each, 4.1e-5 in all three */
		{ { 9, 0, 12 }, 3, 3, true },
		{ { 9, 0, 25 }, 3, 3, false },
		{ { 0, 0, 25 }, 3, 3, true }, /* nobody to compare with */
		{ { 3, 0, 12 }, 3, 3, false },
		{ { 3, 0, 12 }, 5, 5, true },
		{ { 9, 0, 12 }, 4, 3, false }, /* 1.6e-4 in three or more */
		{ { 9, 0, 6 }, 4, 3, true },
		/* 1 of 9: 1.5 2.5 3.5 4.5 5.5 / (10 11 12 13 14) = 1.35e-3 */
		{ { 9, 1, 1 }, 5, 5, false },
		{ { 9, 1, 1 }, 6, 6, true },
		{ { 9, 3, 12 }, 9, 3, false },
		{ { 30, 1, 12 }, 4, 4, true },
		{ { 9, 9, 1 }, 10, 10, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(t); i++)
		if (judge_noise_shows(&t[i].z, t[i].n, t[i].hits) != t[i].want)
			fail_msg("row %zu", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shaky_beds),
		cmocka_unit_test(test_shows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
