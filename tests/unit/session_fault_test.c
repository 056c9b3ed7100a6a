// SPDX-License-Identifier: Apache-2.0
// Sessions over the model cluster with something wrong in it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/session_bed.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))
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
	const struct bed_case c = {
		.shape = "2 2 2",
		.rules = { { .kind = FAKE_HANG, .src = 1, .dst = 2 } },
		.n_rules = 1
	};
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

/* A worker that ends each time gets three tries. */
static void test_dying_worker(void **state)
{
	const struct bed_case c = { .shape = "5 1",
		                    .rules = { { .kind = FAKE_DIES,
		                                 .src = 2 } },
		                    .n_rules = 1 };
	const struct results *r;
	struct bed bed;
	size_t i, errors = 0;

	(void)state;
	bed_run(&bed, &c, NULL);
	r = &bed.session.results;
	for (i = 0; i < r->n_outcomes; i++)
		errors += r->outcomes[i].rank == 2 &&
		          r->outcomes[i].state == OUTCOME_ERROR;
	assert_int_equal(errors, 3);
	assert_non_null(bed_find(&bed, FINDING_WORKER_DIED));
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
		                  "skipped: an end of it hung with "
		                  "two others") == 0;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow_receiver),
		cmocka_unit_test(test_hangs),
		cmocka_unit_test(test_neighbours),
		cmocka_unit_test(test_stuck_worker),
		cmocka_unit_test(test_dying_worker),
		cmocka_unit_test(test_quarantine),
		cmocka_unit_test(test_hopeless),
		cmocka_unit_test(test_hung_once),
		cmocka_unit_test(test_lost_host),
		cmocka_unit_test(test_time_limit),
		cmocka_unit_test(test_time_for_retests),
		cmocka_unit_test(test_interrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
