// SPDX-License-Identifier: Apache-2.0
// What a hang may cost a run, and what a run that is cut may not say.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/session_bed.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* One partner inside the host, and one outside that no stage has tried: it is
 * the rank, not two pairs. What hangs over shared memory is tried over loopback
 * once, and collectives do without it. */
static void test_hung_sender(void **state)
{
	static const struct {
		const char *shape;
		uint32_t hung_rounds; /* with the retest, and one a transport */
		uint32_t coll_ranks;
	} rows[] = {
		{ "4", 4, 3 },
		{ "2 2", 4, 2 },
	};
	struct bed_case c = {
		.rules = { { .kind = FAKE_HANG, .src = 1, .dst = FAKE_ANY } },
		.n_rules = 1,
		.mode = MODE_STANDARD,
	};
	const struct results *r;
	struct bed bed;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		c.shape = rows[i].shape;
		bed_run(&bed, &c, NULL);
		assert_non_null(bed_find(&bed, FINDING_RANK_HANG));
		assert_int_equal(bed_find(&bed, FINDING_RANK_HANG)->locus.rank,
		                 1);
		assert_int_equal(
			bed_find(&bed, FINDING_RANK_HANG)->locus.direction,
			DIRECTION_TX);
		assert_int_equal(bed.session.findings.n, 1);
		if (bed.fake.n_hung_rounds > rows[i].hung_rounds)
			fail_msg("row %zu: %u rounds hung", i,
			         bed.fake.n_hung_rounds);
		r = &bed.session.results;
		for (k = 0; k < r->n_trials; k++)
			if (!trial_is_pair(&r->trials[k]))
				assert_int_equal(r->trials[k].member_count,
				                 rows[i].coll_ranks);
		assert_true(bed_has_skip(&bed, "ran without rank"));
		session_bed_close(&bed);
	}
}

static size_t hung(const struct results *r)
{
	size_t i, n = 0;

	for (i = 0; i < r->n_outcomes; i++)
		n += r->outcomes[i].state == OUTCOME_HANG;
	return n;
}

/* The end of the run's time is nobody's hang, whatever was in the air. */
static void test_cut(void **state)
{
	static const struct bed_case cases[] = {
		{ .shape = "4",
		  .kind = SESSION_SWEEP,
		  .op = OP_ALLREDUCE,
		  .time_limit_s = 4,
		  .rules = { { .kind = FAKE_HANG, .src = 1, .dst = 2 } },
		  .n_rules = 1 },
		{ .shape = "1 1 1 1",
		  .time_limit_s = 4,
		  .rules = { { .kind = FAKE_HANG, .src = 1, .dst = 2 } },
		  .n_rules = 1 },
	};
	struct bed bed;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		bed_run(&bed, &cases[i], NULL);
		assert_int_equal(bed.session.verdict, VERDICT_INCOMPLETE);
		assert_int_equal(bed.session.findings.n, 0);
		assert_int_equal(hung(&bed.session.results), 0);
		assert_true(bed_has_skip(&bed, "time limit"));
		session_bed_close(&bed);
	}
}

/* The same with time enough is one. */
static void test_not_cut(void **state)
{
	const struct bed_case c = {
		.shape = "1 1 1 1",
		.rules = { { .kind = FAKE_HANG, .src = 1, .dst = 2 } },
		.n_rules = 1
	};
	struct bed bed;

	(void)state;
	bed_run(&bed, &c, NULL);
	assert_int_equal(bed.session.verdict, VERDICT_FAULT);
	assert_true(hung(&bed.session.results) > 0);
	session_bed_close(&bed);
}

/* A collective that moves on for all its time is tried again with more; it
 * is no hang even if that is not enough. */
static void test_busy(void **state)
{
	static const struct {
		double needs; /* of the deadline */
		unsigned verdict;
		size_t trials;
	} rows[] = {
		{ 0.5, VERDICT_HEALTHY, 2 },
		{ 1.5, VERDICT_HEALTHY, 4 },
		{ 2.5, VERDICT_INCOMPLETE, 4 },
	};
	struct bed_case c = { .shape = "4",
		              .rules = { { .kind = FAKE_BUSY } },
		              .n_rules = 1 };
	const struct results *r;
	struct bed bed;
	size_t i, k, n;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		session_bed_open(&bed, &c);
		c.rules[0].factor = rows[i].needs * bed.session.opts.deadline_s;
		session_bed_close(&bed);
		bed_run(&bed, &c, NULL);
		assert_int_equal(bed.session.findings.n, 0);
		assert_int_equal(bed.session.verdict, rows[i].verdict);
		r = &bed.session.results;
		for (k = n = 0; k < r->n_trials; k++)
			n += !trial_is_pair(&r->trials[k]);
		assert_int_equal(n, rows[i].trials);
		assert_int_equal(bed_has_skip(&bed, "data moved on"),
		                 rows[i].verdict == VERDICT_INCOMPLETE);
		session_bed_close(&bed);
	}
}

/* Many ranks on two cores: a quick run must not need its whole minute. */
static void test_many_ranks(void **state)
{
	static const struct {
		const char *shape;
		unsigned mode;
		bool sampled;
	} rows[] = {
		{ "4", MODE_QUICK, false }, { "8", MODE_QUICK, true },
		{ "16", MODE_QUICK, true }, { "16", MODE_STANDARD, false },
		{ "16", MODE_DEEP, false },
	};
	struct bed_case c = { 0 };
	struct bed bed;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		c.shape = rows[i].shape;
		c.mode = rows[i].mode;
		session_bed_open(&bed, &c);
		bed.build.job.hosts[0].n_cpus = 2;
		assert_int_equal(session_run(&bed.session, &fake_exec_ops,
		                             &bed.fake, NULL, NULL),
		                 FP_OK);
		assert_int_equal(bed.session.verdict, VERDICT_HEALTHY);
		assert_int_equal(bed_has_skip(&bed, "matchings of ranks"),
		                 rows[i].sampled);
		if (c.mode == MODE_QUICK)
			assert_true(bed.fake.wall_s < 15);
		session_bed_close(&bed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hung_sender), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_not_cut),     cmocka_unit_test(test_busy),
		cmocka_unit_test(test_many_ranks),
	};

	return cmocka_run_group_tests_name("session_hung", tests, NULL, NULL);
}
