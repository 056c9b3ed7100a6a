// SPDX-License-Identifier: Apache-2.0
// The conductor against agents that fail in every phase of a trial: each
// member of each trial gets exactly one outcome, and the others go on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>

#include "tests/unit/conductor_bed.h"
#include "topo/base/clock.h"

/* Rank 1 behaves as said; trial 1 is 0->1, trial 2 is 2->3, in one round;
 * trial 3 is 0->2 in the next. */
struct failing {
	enum manner manner;
	uint8_t state_0, state_1; /* of trial 1 */
	unsigned lost_events;
};

static void others_go_on_test(void **state)
{
	static const struct failing cases[] = {
		{ M_GOOD, OUTCOME_OK, OUTCOME_OK, 0 },
		{ M_TWICE, OUTCOME_OK, OUTCOME_OK, 0 },
		{ M_OTHER_TRIAL, OUTCOME_OK, OUTCOME_OK, 0 },
		{ M_NO_WORKER, OUTCOME_NOTRUN, OUTCOME_NOTRUN, 0 },
		{ M_NO_ENDPOINT, OUTCOME_NOTRUN, OUTCOME_HANG, 0 },
		{ M_CANNOT_PREPARE, OUTCOME_NOTRUN, OUTCOME_ERROR, 0 },
		{ M_NO_OUTCOME, OUTCOME_OK, OUTCOME_HANG, 0 },
		{ M_CLOSE_PREPARE, OUTCOME_NOTRUN, OUTCOME_LOST, 1 },
		{ M_CLOSE_GO, OUTCOME_OK, OUTCOME_LOST, 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trial trials[] = { conductor_bed_pair(1, 0, 0, 1),
			                  conductor_bed_pair(2, 0, 2, 3),
			                  conductor_bed_pair(3, 1, 0, 2) };
		enum manner manners[RANKS] = { M_GOOD };
		int64_t begun_ns, bound_ns;
		struct conductor_bed b;

		manners[1] = cases[i].manner;
		conductor_bed_open(&b, manners, RANKS);
		begun_ns = fp_now_ns();
		assert_int_equal(conductor_bed_run(&b, trials, 3, INT64_MAX),
		                 FP_OK);
		bound_ns = (int64_t)((PREPARE_S + DEADLINE_S + GRACE_S) * 1e9);
		/* one deadline of each kind at most, and scheduling slack */
		assert_true(fp_now_ns() - begun_ns <
		            bound_ns + 2 * FP_NS_PER_S);
		assert_int_equal(b.n_outcomes, 6);
		assert_int_equal(conductor_bed_outcome(&b, 1, 0)->state,
		                 cases[i].state_0);
		assert_int_equal(conductor_bed_outcome(&b, 1, 1)->state,
		                 cases[i].state_1);
		assert_int_equal(conductor_bed_outcome(&b, 2, 2)->state,
		                 OUTCOME_OK);
		assert_int_equal(conductor_bed_outcome(&b, 2, 3)->state,
		                 OUTCOME_OK);
		assert_int_equal(conductor_bed_outcome(&b, 3, 0)->state,
		                 OUTCOME_OK);
		assert_int_equal(conductor_bed_outcome(&b, 3, 2)->state,
		                 OUTCOME_OK);
		assert_int_equal(b.lost_events, cases[i].lost_events);
		assert_int_equal(b.rounds, 4);
		assert_int_equal(conductor_finish(b.conductor),
		                 cases[i].lost_events == 0);
		conductor_bed_close(&b);
	}
}

/* A silent agent is lost after what it was given, not before: --lost-after is
 * the one rule, and one that comes back in time is not lost at all. */
static void silent_agent_test(void **state)
{
	static const struct {
		enum manner manner;
		uint8_t state_0, state_1; /* of trial 1 */
		unsigned lost_events;
	} cases[] = {
		{ M_SILENT_PREPARE, OUTCOME_NOTRUN, OUTCOME_LOST, 1 },
		{ M_SILENT_GO, OUTCOME_OK, OUTCOME_LOST, 1 },
		{ M_PAUSE, OUTCOME_OK, OUTCOME_OK, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct trial trials[] = { conductor_bed_pair(1, 0, 0, 1) };
		enum manner manners[RANKS] = { M_GOOD };
		struct conductor_bed b;
		double took_s, least_s;
		int64_t begun_ns;

		manners[1] = cases[i].manner;
		least_s = cases[i].lost_events ? DEAD_S : PAUSE_S;
		/* before it is heard for the last time */
		begun_ns = fp_now_ns();
		conductor_bed_open(&b, manners, RANKS);
		assert_int_equal(conductor_bed_run(&b, trials, 1, INT64_MAX),
		                 FP_OK);
		took_s = (double)(fp_now_ns() - begun_ns) / 1e9;
		assert_true(took_s >= least_s - 1e-3);
		assert_true(took_s < DEAD_S + PREPARE_S + DEADLINE_S + GRACE_S +
		                             2 /* of a busy machine */);
		assert_int_equal(conductor_bed_outcome(&b, 1, 0)->state,
		                 cases[i].state_0);
		assert_int_equal(conductor_bed_outcome(&b, 1, 1)->state,
		                 cases[i].state_1);
		assert_int_equal(b.lost_events, cases[i].lost_events);
		conductor_bed_close(&b);
	}
}

static void lost_stays_lost_test(void **state)
{
	struct trial first[] = { conductor_bed_pair(1, 0, 0, 1) };
	struct trial second[] = { conductor_bed_pair(2, 0, 1, 0) };
	enum manner manners[RANKS] = { M_GOOD, M_CLOSE_GO };
	struct conductor_bed b;

	(void)state;
	conductor_bed_open(&b, manners, RANKS);
	assert_int_equal(conductor_bed_run(&b, first, 1, INT64_MAX), FP_OK);
	assert_int_equal(conductor_bed_run(&b, second, 1, INT64_MAX), FP_OK);
	assert_int_equal(conductor_bed_outcome(&b, 2, 1)->state, OUTCOME_LOST);
	assert_int_equal(conductor_bed_outcome(&b, 2, 0)->state,
	                 OUTCOME_NOTRUN);
	conductor_bed_close(&b);
}

static void missing_rank_test(void **state)
{
	struct trial trials[] = { conductor_bed_pair(1, 0, 0, 3),
		                  conductor_bed_pair(2, 0, 1, 2) };
	enum manner manners[RANKS] = { M_GOOD };
	struct conductor_bed b;

	(void)state;
	conductor_bed_open(&b, manners, RANKS - 1);
	assert_int_equal(conductor_bed_run(&b, trials, 2, INT64_MAX), FP_OK);
	assert_int_equal(conductor_bed_outcome(&b, 1, 3)->state, OUTCOME_LOST);
	assert_int_equal(conductor_bed_outcome(&b, 1, 0)->state,
	                 OUTCOME_NOTRUN);
	assert_int_equal(conductor_bed_outcome(&b, 2, 1)->state, OUTCOME_OK);
	assert_int_equal(conductor_job(b.conductor)->ranks[3].host, -1);
	assert_false(conductor_finish(b.conductor));
	conductor_bed_close(&b);
}

static void time_limit_test(void **state)
{
	struct trial trials[] = { conductor_bed_pair(1, 0, 0, 1),
		                  conductor_bed_pair(2, 1, 2, 3) };
	enum manner manners[RANKS] = { M_GOOD };
	struct conductor_bed b;

	(void)state;
	conductor_bed_open(&b, manners, RANKS);
	assert_int_equal(conductor_bed_run(&b, trials, 2, fp_now_ns()), FP_OK);
	assert_int_equal(conductor_bed_outcome(&b, 1, 0)->state,
	                 OUTCOME_NOTRUN);
	assert_int_equal(conductor_bed_outcome(&b, 2, 3)->state,
	                 OUTCOME_NOTRUN);
	conductor_bed_close(&b);
}

/* This very process stops: what the others do then is no fault of theirs. */
static void stood_still_test(void **state)
{
	struct trial trials[] = { conductor_bed_pair(1, 0, 2, 3) };
	enum manner manners[RANKS] = { M_GOOD, M_GOOD, M_GIVE_UP, M_GIVE_UP };
	struct conductor_bed b;

	(void)state;
	conductor_bed_open(&b, manners, RANKS);
	assert_int_equal(conductor_bed_run(&b, trials, 1, INT64_MAX),
	                 FP_ERR_INTR);
	assert_int_equal(b.lost_events, 1);
	assert_int_equal(b.lost_rank, 0);
	assert_int_equal(conductor_bed_outcome(&b, 1, 2)->state,
	                 OUTCOME_NOTRUN);
	assert_int_equal(conductor_bed_outcome(&b, 1, 3)->state,
	                 OUTCOME_NOTRUN);
	conductor_bed_close(&b);
}

static void stop_now(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	conductor_stop(arg, SIGTERM);
}

static void stop_names_what_is_in_the_air_test(void **state)
{
	struct trial trials[] = { conductor_bed_pair(1, 0, 0, 1),
		                  conductor_bed_pair(2, 1, 2, 3) };
	enum manner manners[RANKS] = { M_GOOD, M_NO_OUTCOME };
	const struct timeval soon = { .tv_usec = 50000 };
	struct conductor_bed b;

	(void)state;
	conductor_bed_open(&b, manners, RANKS);
	event_base_once(b.base, -1, EV_TIMEOUT, stop_now, b.conductor, &soon);
	assert_int_equal(conductor_bed_run(&b, trials, 2, INT64_MAX),
	                 FP_ERR_INTR);
	assert_int_equal(conductor_bed_outcome(&b, 1, 1)->state,
	                 OUTCOME_NOTRUN);
	assert_non_null(
		strstr(conductor_bed_outcome(&b, 1, 1)->err, "interrupted"));
	assert_int_equal(b.n_outcomes, 2); /* round 2 was never begun */
	assert_int_equal(conductor_stopped(b.conductor), SIGTERM);
	assert_false(conductor_finish(b.conductor));
	conductor_bed_close(&b);
}

static void rank_twice_in_a_round_test(void **state)
{
	struct trial trials[] = { conductor_bed_pair(1, 0, 0, 1),
		                  conductor_bed_pair(2, 0, 1, 2) };
	enum manner manners[RANKS] = { M_GOOD };
	struct conductor_bed b;

	(void)state;
	conductor_bed_open(&b, manners, RANKS);
	assert_int_equal(conductor_bed_run(&b, trials, 2, INT64_MAX), FP_OK);
	assert_int_equal(b.n_outcomes, 4);
	assert_int_equal(conductor_bed_outcome(&b, 1, 1)->state, OUTCOME_OK);
	assert_int_equal(conductor_bed_outcome(&b, 2, 1)->state,
	                 OUTCOME_NOTRUN);
	conductor_bed_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_go_on_test),
		cmocka_unit_test(silent_agent_test),
		cmocka_unit_test(lost_stays_lost_test),
		cmocka_unit_test(missing_rank_test),
		cmocka_unit_test(time_limit_test),
		cmocka_unit_test(stood_still_test),
		cmocka_unit_test(stop_names_what_is_in_the_air_test),
		cmocka_unit_test(rank_twice_in_a_round_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
