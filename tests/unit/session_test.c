// SPDX-License-Identifier: Apache-2.0
// Sessions over the model cluster: what runs where all is well, and which
// options are refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/session/stage.h"
#include "tests/unit/session_bed.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static const struct bed_case healthy_cases[] = {
	{ .shape = "2", .mode = MODE_QUICK },
	{ .shape = "3", .mode = MODE_QUICK },
	{ .shape = "4", .mode = MODE_QUICK },
	{ .shape = "5", .mode = MODE_STANDARD },
	{ .shape = "1 1", .mode = MODE_QUICK },
	{ .shape = "1 1 1", .mode = MODE_STANDARD },
	{ .shape = "1 2 3", .mode = MODE_QUICK },
	{ .shape = "3 1 2 1 4", .mode = MODE_DEEP },
	{ .shape = "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", .mode = MODE_QUICK },
	{ .shape = "4 4 4 4", .mode = MODE_STANDARD },
	{ .shape = "16", .mode = MODE_QUICK },
	{ .shape = "4 4 4", .mode = MODE_QUICK, .bidirectional = true },
	{ .shape = "2 2 2", .kind = SESSION_PAIRS, .mode = MODE_QUICK },
	{ .shape = "2 2 2",
	  .kind = SESSION_PAIRS,
	  .mode = MODE_QUICK,
	  .op = OP_LATENCY },
	{ .shape = "2 2 2",
	  .kind = SESSION_PAIRS,
	  .mode = MODE_QUICK,
	  .xport = XPORT_TCP },
	{ .shape = "4",
	  .kind = SESSION_SWEEP,
	  .mode = MODE_QUICK,
	  .op = OP_ALLGATHER },
};

static void test_healthy(void **state)
{
	struct bed bed;

	(void)state;
	for (size_t i = 0; i < COUNT(healthy_cases); i++) {
		struct bed_case c = healthy_cases[i];

		c.noise = 0.004;
		bed_run(&bed, &c, NULL);
		if (bed.session.verdict != VERDICT_HEALTHY)
			fail_msg("case %zu (%s): %s, %zu findings, skip %s: %s",
			         i, c.shape,
			         session_verdict_name(bed.session.verdict),
			         bed.session.findings.n,
			         bed.session.coverage.skips[0].what,
			         bed.session.coverage.skips[0].why);
		assert_int_equal(bed.session.findings.n, 0);
		assert_int_equal(session_exit_status(&bed.session), 0);
		assert_false(bed.fake.contended);
		assert_int_equal(bed.session.n_rounds, bed.fake.n_rounds);
		session_bed_close(&bed);
	}
}

/* All pairs of a cluster: what coverage says. */
static void test_coverage(void **state)
{
	static const struct {
		struct bed_case c;
		uint64_t measured, total;
	} rows[] = {
		{ { .shape = "4", .mode = MODE_QUICK }, 12, 12 },
		{ { .shape = "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
		    .mode = MODE_QUICK },
		  240,
		  240 },
		{ { .shape = "2 2 2", .mode = MODE_QUICK }, 6 + 6, 30 },
		{ { .shape = "2 2 2",
		    .kind = SESSION_PAIRS,
		    .mode = MODE_QUICK },
		  30,
		  30 },
		{ { .shape = "3 3 3 2",
		    .kind = SESSION_PAIRS,
		    .mode = MODE_QUICK,
		    .bidirectional = true },
		  110,
		  110 },
		{ { .shape = "4", .kind = SESSION_SWEEP, .op = OP_ALLREDUCE },
		  0,
		  12 },
	};
	struct bed bed;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		bed_run(&bed, &rows[i].c, NULL);
		assert_int_equal(bed.session.coverage.pairs_total,
		                 rows[i].total);
		assert_in_range(bed.session.coverage.pairs_measured,
		                rows[i].measured, rows[i].total);
		assert_int_equal(bed.session.verdict, VERDICT_HEALTHY);
		session_bed_close(&bed);
	}
}

static void test_both_ways(void **state)
{
	const struct bed_case c = { .shape = "4 4 4 4 4",
		                    .kind = SESSION_PAIRS,
		                    .mode = MODE_QUICK,
		                    .bidirectional = true };
	struct bed bed;

	(void)state;
	bed_run(&bed, &c, NULL);
	assert_int_equal(bed.session.results.n_trials, 20 * 19 / 2);
	assert_int_equal(bed.session.coverage.pairs_measured, 20 * 19);
	assert_false(bed.fake.contended);
	assert_int_equal(bed.session.verdict, VERDICT_HEALTHY);
	session_bed_close(&bed);
}

/* Rounds in which a device sends to one and receives from another are split
 * when traffic goes both ways; rails of one host do not get in the way. */
static void test_both_ways_rounds(void **state)
{
	struct plan_pair pairs[] = {
		{ 0, 0, 2 }, { 0, 2, 4 }, { 0, 4, 0 },
		{ 0, 1, 3 }, { 1, 2, 0 }, { 1, 0, 1 },
	};
	struct plan_pairs plan = { pairs, COUNT(pairs), 2 };
	struct build_run b;
	size_t i, k;

	(void)state;
	build_job(&b, "2 2 2", BUILD_RAILS);
	assert_int_equal(session_plan_both_ways(&b.job, &plan, NULL), FP_OK);
	/* 4 -> 0 and 2 -> 0 go the other way */
	assert_int_equal(plan.n, 4);
	assert_int_equal(plan.n_rounds, 3);
	for (i = 0; i < plan.n; i++)
		for (k = 0; k < i; k++)
			assert_false(pairs[i].round == pairs[k].round &&
			             (pairs[i].src == pairs[k].dst ||
			              pairs[i].dst == pairs[k].src));
	assert_int_equal(pairs[0].round, pairs[1].round);
	build_done(&b);
}

static void test_one_rank(void **state)
{
	struct bed bed;

	(void)state;
	bed_run(&bed, &(struct bed_case){ .shape = "1" }, NULL);
	assert_int_equal(bed.session.verdict, VERDICT_INCOMPLETE);
	assert_int_equal(session_exit_status(&bed.session), 3);
	assert_true(bed_has_skip(&bed, "mpirun -np N"));
	assert_true(bed_has_skip(&bed, "--local N"));
	session_bed_close(&bed);
}

/* Many hosts: only some matchings, said so, and that is no lack. */
static void test_sampled(void **state)
{
	struct bed bed;
	char shape[129] = "";

	(void)state;
	for (size_t i = 0; i < 64; i++)
		memcpy(shape + 2 * i, "1 ", 3);
	bed_run(&bed, &(struct bed_case){ .shape = shape }, NULL);
	assert_int_equal(bed.session.coverage.pairs_measured, 64 * 2);
	assert_true(bed_has_skip(&bed, "2 of 63 matchings"));
	assert_int_equal(bed.session.verdict, VERDICT_HEALTHY);
	session_bed_close(&bed);
}

static void test_options(void **state)
{
	static const struct {
		const char *shape, *word;
		uint32_t kind, xport, op;
		uint64_t min, max;
		double deadline_s, trial_s, load_s;
	} rows[] = {
		{ "2", "--xport", SESSION_SWEEP, XPORT_CUDA, OP_ALLREDUCE, 0, 0,
		  0, 0, 0 },
		{ "1 1", "--xport", SESSION_RUN, XPORT_SHM, OP_WRITE, 0, 0, 0,
		  0, 0 },
		{ "1 1", "--xport", SESSION_SWEEP, XPORT_SHM, OP_ALLREDUCE, 0,
		  0, 0, 0, 0 },
		{ "2", "--op", SESSION_PAIRS, XPORT_AUTO, OP_ALLREDUCE, 0, 0, 0,
		  0, 0 },
		{ "2", "--op", SESSION_SWEEP, XPORT_AUTO, OP_LATENCY, 0, 0, 0,
		  0, 0 },
		{ "2", "-e", SESSION_SWEEP, XPORT_AUTO, OP_ALLREDUCE, 8,
		  2ULL << 40, 0, 0, 0 },
		{ "2", "--trial-timeout", SESSION_RUN, XPORT_AUTO, OP_WRITE, 0,
		  0, 0.1, 0.5, 0 },
		{ "2", "--trial-time", SESSION_RUN, XPORT_AUTO, OP_WRITE, 0, 0,
		  0, -1, 0 },
		{ "2", "--load 5", SESSION_RUN, XPORT_TCP, OP_WRITE, 0, 0, 0, 0,
		  5 },
	};
	struct session_opts opts;
	struct build_run b;
	struct session s;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fp_err err = { 0 };

		build_job(&b, rows[i].shape, BUILD_ONE_DEV);
		session_defaults(&opts);
		opts.kind = rows[i].kind;
		opts.xport = rows[i].xport;
		opts.op = rows[i].op;
		opts.min_bytes = rows[i].min;
		opts.max_bytes = rows[i].max;
		opts.deadline_s = rows[i].deadline_s;
		opts.trial_s = rows[i].trial_s;
		opts.load_s = rows[i].load_s;
		assert_int_equal(session_init(&s, &b.job, &opts, &err),
		                 FP_ERR_USAGE);
		if (!strstr(err.text, rows[i].word))
			fail_msg("row %zu: %s", i, err.text);
		session_done(&s);
		build_done(&b);
	}
}

/* The modes differ in how long they look. */
static void test_modes(void **state)
{
	struct bed bed[MODE_COUNT];

	(void)state;
	for (uint32_t mode = 0; mode < MODE_COUNT; mode++) {
		bed_run(&bed[mode],
		        &(struct bed_case){ .shape = "2 2", .mode = mode },
		        NULL);
		assert_int_equal(bed[mode].session.verdict, VERDICT_HEALTHY);
	}
	assert_true(bed[MODE_QUICK].fake.wall_s <
	            bed[MODE_STANDARD].fake.wall_s);
	assert_true(bed[MODE_STANDARD].fake.wall_s <
	            bed[MODE_DEEP].fake.wall_s);
	assert_true(bed[MODE_QUICK].session.opts.time_limit_s == 60);
	assert_true(bed[MODE_DEEP].session.opts.time_limit_s == 0);
	for (size_t i = 0; i < MODE_COUNT; i++)
		session_bed_close(&bed[i]);
}

static void test_sweep(void **state)
{
	struct bed bed;
	const struct bed_case c = { .shape = "2 1",
		                    .kind = SESSION_SWEEP,
		                    .op = OP_ALLREDUCE };
	const struct results *r;

	(void)state;
	session_bed_open(&bed, &c);
	bed.session.opts.min_bytes = 8;
	bed.session.opts.max_bytes = 128;
	bed.session.opts.factor = 2;
	bed.session.opts.iters = 5;
	assert_int_equal(session_run(&bed.session, &fake_exec_ops, &bed.fake,
	                             NULL, NULL),
	                 FP_OK);
	r = &bed.session.results;
	assert_int_equal(r->n_trials, 10);
	assert_int_equal(r->trials[3].bytes, 16);
	assert_int_equal(r->trials[3].flags, TRIAL_IN_PLACE);
	assert_int_equal(r->trials[3].iters, 5);
	assert_int_equal(r->trials[3].member_count, 3);
	assert_int_equal(bed.session.verdict, VERDICT_HEALTHY);
	session_bed_close(&bed);
}

/* A collective that hangs is not tried at the next size. */
static void test_sweep_hangs(void **state)
{
	struct bed bed;
	const struct bed_case c = { .shape = "4",
		                    .kind = SESSION_SWEEP,
		                    .op = OP_ALLREDUCE,
		                    .rules = { { FAKE_HANG, 1, 2, .from = 2 } },
		                    .n_rules = 1 };

	(void)state;
	session_bed_open(&bed, &c);
	bed.session.opts.min_bytes = 8;
	bed.session.opts.max_bytes = 4096;
	bed.session.opts.factor = 2;
	assert_int_equal(session_run(&bed.session, &fake_exec_ops, &bed.fake,
	                             NULL, NULL),
	                 FP_OK);
	assert_int_equal(bed.fake.n_rounds, 3);
	assert_true(bed_has_skip(&bed, "a collective hung"));
	session_bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_healthy),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_both_ways_rounds),
		cmocka_unit_test(test_one_rank),
		cmocka_unit_test(test_sampled),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_sweep_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
