// SPDX-License-Identifier: Apache-2.0
// Sessions over the model cluster: what runs, what is skipped, what comes out.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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

#define SIX "1 1 1 1 1 1 "

static uint32_t state_of(const struct bed *bed, int32_t src, int32_t dst)
{
	const struct matrix *m = bed_matrix(bed, XPORT_TCP, OP_WRITE, DIR_UNI);
	const struct matrix_cell *cell = m ? matrix_find(m, src, dst) : NULL;

	return cell ? cell->state : CELL_NOTRUN;
}

static void test_slow_receiver(void **state)
{
	const struct bed_case c = {
		.shape = SIX,
		.noise = 0.004,
		.rules = { { FAKE_SLOW, FAKE_ANY, 3, .by_host = true,
		             .factor = 1.25 } },
		.n_rules = 1,
	};
	const struct results *r;
	struct bed bed;
	size_t i, retests = 0, kept = 0;

	(void)state;
	bed_run(&bed, &c, NULL);
	r = &bed.session.results;
	for (i = 0; i < r->n_trials; i++)
		retests += r->trials[i].stage == TRIAL_S7_RETEST;
	kept = r->n_kept;
	assert_int_equal(bed.session.verdict, VERDICT_FAULT);
	assert_non_null(bed_find(&bed, FINDING_NIC_RX_SLOW));
	assert_string_equal(bed_find(&bed, FINDING_NIC_RX_SLOW)->locus.host,
	                    "h3");
	assert_int_equal(bed.session.findings.n, 1);
	assert_int_equal(state_of(&bed, 0, 3), CELL_SLOW);
	assert_int_equal(state_of(&bed, 3, 0), CELL_OK);
	/* five pairs twice at least, samples of both ends kept */
	assert_true(retests >= 10);
	assert_int_equal(kept, 2 * retests);
	session_bed_close(&bed);
}

struct hang_row {
	const char *name;
	struct bed_case c;
	unsigned code;
	double hung_s; /* at most spent on hangs */
	uint32_t hung_rounds;
};

#define BETWEEN(kind_, src_, dst_)                 \
	{                                          \
		kind_, src_, dst_, .by_host = true \
	}

static const struct hang_row hang_rows[] = {
	{ "one direction of a pair",
	  { .shape = SIX, .rules = { BETWEEN(FAKE_HOLE, 1, 4) }, .n_rules = 1 },
	  FINDING_PAIR_BLACKHOLE,
	  8,
	  2 },
	{ "a pair that only streams cannot pass",
	  { .shape = SIX, .rules = { BETWEEN(FAKE_HANG, 1, 4) }, .n_rules = 1 },
	  FINDING_PAIR_HANG,
	  11,
	  3 },
	{ "a pair with full-size packets lost",
	  { .shape = SIX, .rules = { BETWEEN(FAKE_MTU, 1, 4) }, .n_rules = 1 },
	  FINDING_PAIR_MTU,
	  8,
	  2 },
	{ "a dead device among 16",
	  { .shape = SIX SIX "1 1 1 1",
	    .rules = { BETWEEN(FAKE_HOLE, FAKE_ANY, 3),
	               BETWEEN(FAKE_HOLE, 3, FAKE_ANY) },
	    .n_rules = 2 },
	  FINDING_NIC_DEAD,
	  13,
	  3 },
};

static void test_hangs(void **state)
{
	struct bed bed;

	(void)state;
	for (size_t i = 0; i < COUNT(hang_rows); i++) {
		const struct hang_row *row = &hang_rows[i];

		bed_run(&bed, &row->c, NULL);
		assert_int_equal(bed.session.verdict, VERDICT_FAULT);
		if (!bed_find(&bed, row->code))
			fail_msg("%s: not found", row->name);
		if (bed.fake.hung_s > row->hung_s ||
		    bed.fake.n_hung_rounds > row->hung_rounds)
			fail_msg("%s: %u rounds hung for %.1f s", row->name,
			         bed.fake.n_hung_rounds, bed.fake.hung_s);
		assert_true(bed.fake.n_datagrams > 0);
		session_bed_close(&bed);
	}
}

/* A collective hung: the pairs that it is made of, but S3 did not try. */
static void test_neighbours(void **state)
{
	const struct bed_case c = { .shape = "2 2 2",
		                    .rules = { { FAKE_HANG, 1, 2 } },
		                    .n_rules = 1 };
	const struct finding *f;
	struct bed bed;

	(void)state;
	bed_run(&bed, &c, NULL);
	f = bed_find(&bed, FINDING_PAIR_HANG);
	assert_non_null(f);
	assert_int_equal(f->locus.rank, 1);
	assert_int_equal(f->locus.peer_rank, 2);
	assert_int_equal(state_of(&bed, 3, 4), CELL_OK);
	session_bed_close(&bed);
}

/* A worker that must be killed each time costs two deadlines, not more. */
static void test_stuck_worker(void **state)
{
	const struct bed_case c = { .shape = "4 1",
		                    .rules = { { .kind = FAKE_STUCK,
		                                 .src = 2 } },
		                    .n_rules = 1 };
	const struct results *r;
	struct bed bed;
	size_t i;

	(void)state;
	bed_run(&bed, &c, NULL);
	assert_int_equal(bed.session.verdict, VERDICT_FAULT);
	assert_non_null(bed_find(&bed, FINDING_WORKER_HUNG));
	assert_int_equal(bed.fake.n_hung_rounds, 2);
	r = &bed.session.results;
	for (i = 0; i < r->n_trials; i++)
		if (!trial_is_pair(&r->trials[i]))
			assert_int_equal(r->trials[i].member_count, 4);
	session_bed_close(&bed);
}

/* What was skipped because its end was in quarantine is on record. */
static void test_quarantine(void **state)
{
	const struct results *r;
	struct bed bed;
	size_t i, skipped = 0;

	(void)state;
	bed_run(&bed, &hang_rows[3].c, NULL);
	r = &bed.session.results;
	for (i = 0; i < r->n_outcomes; i++)
		skipped += strcmp(r->outcomes[i].err,
		                  "skipped after two hangs") == 0;
	assert_true(skipped > 40);
	for (i = 0; i < 16; i++)
		for (int32_t k = 0; k < 16; k++)
			if ((int32_t)i != k && i != 3 && k != 3)
				assert_int_equal(state_of(&bed, (int32_t)i, k),
				                 CELL_OK);
	session_bed_close(&bed);
}

/* Nothing between hosts gets through at all. */
static void test_hopeless(void **state)
{
	const struct bed_case c = {
		.shape = SIX SIX "1 1 1 1",
		.rules = { BETWEEN(FAKE_HOLE, FAKE_ANY, FAKE_ANY) },
		.n_rules = 1,
	};
	struct bed bed;

	(void)state;
	bed_run(&bed, &c, NULL);
	assert_int_equal(bed.session.verdict, VERDICT_FAULT);
	/* the all-reduce and three rounds of S3 */
	assert_int_equal(bed.fake.n_hung_rounds, 4);
	assert_true(bed_has_skip(&bed, "nothing gets through"));
	session_bed_close(&bed);
}

/* A pair that hung once and never again is no hang. */
static void test_hung_once(void **state)
{
	const struct bed_case c = {
		.shape = SIX,
		.rules = { { FAKE_ONCE, 1, 4, .from = 1 } },
		.n_rules = 1,
	};
	const struct matrix_cell *cell;
	const struct matrix *m;
	struct bed bed;

	(void)state;
	bed_run(&bed, &c, NULL);
	assert_int_equal(bed.fake.n_hung_rounds, 1);
	m = bed_matrix(&bed, XPORT_TCP, OP_WRITE, DIR_UNI);
	assert_non_null(m);
	cell = matrix_find(m, 1, 4);
	assert_non_null(cell);
	assert_int_equal(cell->n_tests, 3);
	assert_int_equal(state_of(&bed, 4, 1), CELL_OK);
	session_bed_close(&bed);
}

/* The other hosts go on, and the lost one gets no more trials. */
static void test_lost_host(void **state)
{
	const struct bed_case c = {
		.shape = "2 2 2 2",
		.rules = { { FAKE_LOST, 2, FAKE_ANY, .by_host = true,
		             .from = 8 } },
		.n_rules = 1,
	};
	const struct results *r;
	struct bed bed;
	size_t i, lost = 0, lost_at = 0, good = 0;
	const struct matrix *m;

	(void)state;
	bed_run(&bed, &c, NULL);
	r = &bed.session.results;
	for (i = 0; i < r->n_outcomes; i++)
		if (r->outcomes[i].state == OUTCOME_LOST) {
			if (!lost++)
				lost_at = r->outcomes[i].trial;
			assert_in_range(r->outcomes[i].rank, 4, 5);
		}
	assert_true(lost > 0 && lost_at > 0);
	assert_int_equal(bed.session.verdict, VERDICT_FAULT);
	m = bed_matrix(&bed, XPORT_TCP, OP_WRITE, DIR_UNI);
	assert_non_null(m);
	for (i = 0; i < m->n_cells; i++)
		good += m->cells[i].state == CELL_OK;
	assert_true(good >= 6);
	assert_true(bed_has_skip(&bed, "lost"));
	assert_false(bed_has_skip(&bed, "not tried"));
	session_bed_close(&bed);
}

/* Rounds that take five seconds each do not fit into a minute. */
static void test_time_limit(void **state)
{
	const struct bed_case c = {
		.shape = SIX SIX "1 1 1 1",
		.time_limit_s = 60,
		.rules = { { .kind = FAKE_STALL, .factor = 5 } },
		.n_rules = 1,
	};
	const struct results *r;
	size_t i, cuts = 0;
	struct bed bed;

	(void)state;
	bed_run(&bed, &c, NULL);
	r = &bed.session.results;
	for (i = 0; i < r->n_events; i++)
		cuts += r->events[i].kind == EVENT_CUT;
	assert_true(cuts > 0);
	assert_true(bed.session.elapsed_s < 66);
	assert_int_equal(bed.session.verdict, VERDICT_INCOMPLETE);
	assert_true(bed_has_skip(&bed, "time limit"));
	session_bed_close(&bed);
}

/* With too little time for both, suspects come before more coverage. */
static void test_time_for_retests(void **state)
{
	const struct bed_case c = {
		.shape = SIX SIX "1 1 1 1",
		.time_limit_s = 20,
		.rules = { { .kind = FAKE_STALL, .factor = 0.6 },
		           { FAKE_SLOW, FAKE_ANY, 3, .by_host = true,
		             .factor = 1.5 } },
		.n_rules = 2,
	};
	const struct results *r;
	size_t i, retests = 0;
	struct bed bed;

	(void)state;
	bed_run(&bed, &c, NULL);
	r = &bed.session.results;
	for (i = 0; i < r->n_trials; i++)
		retests += r->trials[i].stage == TRIAL_S7_RETEST;
	assert_true(retests > 3);
	assert_true(bed.session.elapsed_s < 22);
	session_bed_close(&bed);
}

static void count_progress(void *arg, const struct session_progress *p)
{
	struct bed *bed = arg;

	bed->n_progress++;
	bed->last = *p;
}

static void test_interrupt(void **state)
{
	struct bed bed;
	const struct session_hooks hooks = { .arg = &bed,
		                             .progress = count_progress };
	const struct bed_case c = { .shape = SIX, .stop_round = 7 };

	(void)state;
	bed_run(&bed, &c, &hooks);
	assert_int_equal(bed.status, FP_ERR_INTR);
	assert_true(bed.session.interrupted);
	assert_int_equal(bed.session.verdict, VERDICT_INCOMPLETE);
	assert_int_equal(session_exit_status(&bed.session), 3);
	assert_true(bed_has_skip(&bed, "interrupted"));
	assert_true(bed.session.coverage.pairs_measured > 0);
	assert_int_equal(bed.n_progress, 8);
	assert_true(bed.last.left_s > 0 && bed.last.n_rounds == 10);
	session_bed_close(&bed);
}

static void test_options(void **state)
{
	static const struct {
		const char *shape, *word;
		uint32_t kind, xport, op;
		uint64_t min, max;
		double deadline_s, trial_s;
	} rows[] = {
		{ "2", "--xport", SESSION_RUN, XPORT_VERBS, OP_WRITE, 0, 0, 0,
		  0 },
		{ "1 1", "--xport", SESSION_RUN, XPORT_SHM, OP_WRITE, 0, 0, 0,
		  0 },
		{ "1 1", "--xport", SESSION_SWEEP, XPORT_SHM, OP_ALLREDUCE, 0,
		  0, 0, 0 },
		{ "2", "--op", SESSION_PAIRS, XPORT_AUTO, OP_ALLREDUCE, 0, 0, 0,
		  0 },
		{ "2", "--op", SESSION_SWEEP, XPORT_AUTO, OP_LATENCY, 0, 0, 0,
		  0 },
		{ "2", "-e", SESSION_SWEEP, XPORT_AUTO, OP_ALLREDUCE, 8,
		  2ULL << 40, 0, 0 },
		{ "2", "--trial-timeout", SESSION_RUN, XPORT_AUTO, OP_WRITE, 0,
		  0, 0.1, 0.5 },
		{ "2", "--trial-time", SESSION_RUN, XPORT_AUTO, OP_WRITE, 0, 0,
		  0, -1 },
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
		cmocka_unit_test(test_one_rank),
		cmocka_unit_test(test_sampled),
		cmocka_unit_test(test_slow_receiver),
		cmocka_unit_test(test_hangs),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_stuck_worker),
		cmocka_unit_test(test_quarantine),
		cmocka_unit_test(test_hopeless),
		cmocka_unit_test(test_hung_once),
		cmocka_unit_test(test_lost_host),
		cmocka_unit_test(test_time_limit),
		cmocka_unit_test(test_time_for_retests),
		cmocka_unit_test(test_interrupt),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_sweep_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
