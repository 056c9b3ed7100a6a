// SPDX-License-Identifier: Apache-2.0
// The log of hangs: who is locked up, what may be tried again.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/session/hang.h"
#include "tests/unit/build_run.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* Rounds in a few letters: "0>3h 1>2." is two trials of one round, one that
 * hung and one that passed, "0>3u" one whose ends never met; rounds are
 * separated by '/'. */
static void play(struct hang_log *log, const char *rounds)
{
	struct trial t = { .xport = XPORT_TCP, .bytes = 1u << 20 };
	const char *at;

	for (at = rounds; *at; at++) {
		if (*at == '/')
			hang_log_settle(log);
		if (*at != '>')
			continue;
		t.src = at[-1] - '0';
		t.dst = at[1] - '0';
		if (at[2] == '.')
			hang_log_pass(log, HANG_TCP_NET, &t);
		else
			assert_int_equal(hang_log_hang(log, HANG_TCP_NET, &t, 0,
			                               at[2] == 'h', NULL),
			                 FP_OK);
	}
	hang_log_settle(log);
}

static void check_role(const struct hang_log *log, size_t row,
                       enum hang_role role, const char *locked)
{
	int32_t e, n = (int32_t)log->job->n_ranks;
	bool is;

	for (e = 0; e < n; e++) {
		is = hang_log_side(log, HANG_TCP_NET, e, role)->quarantined;
		if (is != (strchr(locked, '0' + e) != NULL))
			fail_msg("row %zu: endpoint %d", row, (int)e);
	}
}

static void test_quarantine(void **state)
{
	static const struct {
		const char *shape, *rounds;
		const char *tx, *rx; /* in quarantine, by number */
	} rows[] = {
		/* once is not enough */
		{ "1 1 1 1", "0>3h", "", "" },
		{ "1 1 1 1", "0>3h / 3>0h", "", "" },
		/* with two: 3 it is */
		{ "1 1 1 1", "0>3h / 1>3h", "3", "3" },
		{ "1 1 1 1", "0>3h 1>2. / 3>1h 0>2.", "3", "3" },
		/* only what it receives: it sends well in between */
		{ "1 1 1 1", "0>3h / 3>1. / 1>3h", "", "3" },
		/* a pass in the same role takes it all back */
		{ "1 1 1 1", "0>3h / 2>3. / 1>3h", "", "" },
		/* two dead ones: the good ones hung with both */
		{ "1 1 1 1 1 1", "0>4h 1>5h / 0>5h 1>4h", "", "" },
		{ "1 1 1 1 1 1", "0>4h 1>5h / 0>5h 1>4h / 2>4h 0>1. 3>5h", "45",
		  "45" },
		{ "1 1 1 1 1 1", "0>4h / 1>4h / 0>5h / 1>5h", "45", "45" },
		/* ranks of one host share its device */
		{ "1 1 2", "0>2h / 1>3h", "2", "2" },
		{ "2 2 2", "0>2h / 1>4h", "0", "0" },
	};
	struct build_run b;
	struct hang_log log;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		build_job(&b, rows[i].shape, BUILD_ONE_DEV);
		assert_int_equal(hang_log_init(&log, &b.job, NULL), FP_OK);
		play(&log, rows[i].rounds);
		check_role(&log, i, HANG_TX, rows[i].tx);
		check_role(&log, i, HANG_RX, rows[i].rx);
		hang_log_done(&log);
		build_done(&b);
	}
}

static void test_advice(void **state)
{
	struct build_run b;
	struct hang_log log;

	(void)state;
	build_job(&b, "2 2 1 1", BUILD_ONE_DEV);
	assert_int_equal(hang_log_init(&log, &b.job, NULL), FP_OK);
	assert_false(hang_log_any(&log));
	play(&log, "0>2h");
	assert_true(hang_log_any(&log));
	/* the pair of hosts, whichever ranks and whichever way */
	assert_int_equal(hang_log_advice(&log, HANG_TCP_NET, 0, 2), HANG_DEFER);
	assert_int_equal(hang_log_advice(&log, HANG_TCP_NET, 3, 1), HANG_DEFER);
	assert_int_equal(hang_log_advice(&log, HANG_TCP_NET, 0, 4), HANG_GO);
	/* big ones warn of small ones, other paths are not concerned */
	assert_int_equal(hang_log_advice(&log, HANG_TCP_NET_SMALL, 2, 0),
	                 HANG_DEFER);
	assert_int_equal(hang_log_advice(&log, HANG_SHM, 0, 1), HANG_GO);
	assert_int_equal(hang_log_advice(&log, HANG_FAMILY_COUNT, 0, 1),
	                 HANG_GO);
	play(&log, "0>2.");
	assert_int_equal(hang_log_advice(&log, HANG_TCP_NET, 3, 1), HANG_GO);
	play(&log, "0>5h / 3>5h");
	assert_int_equal(hang_log_advice(&log, HANG_TCP_NET, 5, 4),
	                 HANG_QUARANTINE);
	assert_false(hang_log_is_clean(&log, HANG_TCP_NET, 5));
	assert_true(hang_log_is_clean(&log, HANG_TCP_NET, 4));
	play(&log, "4>5h / 4>5h / 4>5h");
	assert_int_equal(hang_log_advice(&log, HANG_TCP_NET, 1, 2),
	                 HANG_HOPELESS);
	hang_log_done(&log);
	hang_log_done(NULL);
	build_done(&b);
}

static bool chance(struct hang_log *log, int32_t src, int32_t dst)
{
	return hang_log_second_chance(log, HANG_TCP_NET, src, dst);
}

static void test_second_chance(void **state)
{
	struct build_run b;
	struct hang_log log;

	(void)state;
	build_job(&b, "2 2 1 1", BUILD_ONE_DEV);
	assert_int_equal(hang_log_init(&log, &b.job, NULL), FP_OK);
	play(&log, "0>2h");
	/* itself until it is settled; the way back once, by any ranks */
	assert_true(chance(&log, 0, 2));
	assert_false(chance(&log, 1, 3));
	assert_true(chance(&log, 2, 0));
	assert_false(chance(&log, 3, 1));
	play(&log, "0>2h");
	assert_false(chance(&log, 0, 2));
	/* in quarantine: one a side */
	play(&log, "4>1. 3>4. / 5>4h / 5>1h");
	assert_int_equal(hang_log_advice(&log, HANG_TCP_NET, 5, 2),
	                 HANG_QUARANTINE);
	assert_true(chance(&log, 5, 2));
	assert_false(chance(&log, 5, 3));
	assert_true(chance(&log, 2, 5));
	/* small ones wait for the big ones */
	assert_false(hang_log_second_chance(&log, HANG_TCP_NET_SMALL, 5, 2));
	play(&log, "5>2.");
	assert_false(hang_log_second_chance(&log, HANG_TCP_NET_SMALL, 5, 2));
	play(&log, "2>5.");
	assert_true(hang_log_second_chance(&log, HANG_TCP_NET_SMALL, 5, 2));
	hang_log_done(&log);
	build_done(&b);
}

/* To meet takes both directions: one chance stands for both, and for both
 * roles of an end in quarantine. */
static void test_second_chance_of_the_unmet(void **state)
{
	struct build_run b;
	struct hang_log log;

	(void)state;
	build_job(&b, "1 1 1 1", BUILD_ONE_DEV);
	assert_int_equal(hang_log_init(&log, &b.job, NULL), FP_OK);
	play(&log, "0>1u");
	assert_false(chance(&log, 1, 0));
	assert_true(chance(&log, 0, 1));
	play(&log, "0>1u / 2>1u");
	assert_int_equal(hang_log_advice(&log, HANG_TCP_NET, 1, 3),
	                 HANG_QUARANTINE);
	assert_true(chance(&log, 2, 1));
	assert_false(chance(&log, 1, 3));
	assert_false(chance(&log, 3, 1));
	/* once they met, the way back is another matter */
	play(&log, "0>3u / 0>3h");
	assert_true(chance(&log, 3, 0));
	hang_log_done(&log);
	build_done(&b);
}

static void test_grams(void **state)
{
	static const struct {
		const char *grams; /* "0>1f", "0>1s": small only, "0>1x" */
		int32_t src, dst;
		bool ruled_out;
	} rows[] = {
		{ "", 0, 1, false },
		{ "0>1f 1>0f", 0, 1, false },
		{ "0>1s 1>0f", 0, 1, true },
		{ "0>1f 1>0s", 0, 1, false },
		{ "0>1f 1>0x", 0, 1, true },
		/* of an end two partners must agree */
		{ "0>1x", 0, 2, false },
		{ "0>1x 0>3x", 0, 2, true },
		{ "0>1x 0>3f", 0, 2, false },
		{ "1>0s 3>0s", 0, 2, false },
		{ "1>0x 3>0x", 0, 2, true },
		{ "1>0s 3>0s", 2, 0, true },
	};
	struct build_run b;
	struct hang_log log;

	(void)state;
	build_job(&b, "1 1 1 1", BUILD_ONE_DEV);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct trial t = { .op = OP_DATAGRAM };
		const char *at;

		assert_int_equal(hang_log_init(&log, &b.job, NULL), FP_OK);
		for (at = rows[i].grams; *at; at++) {
			if (*at != '>')
				continue;
			t.src = at[-1] - '0';
			t.dst = at[1] - '0';
			assert_int_equal(hang_log_gram(&log, HANG_TCP_NET, &t,
			                               at[2] != 'x',
			                               at[2] == 'f', NULL),
			                 FP_OK);
		}
		if (hang_log_is_ruled_out(&log, HANG_TCP_NET, rows[i].src,
		                          rows[i].dst) != rows[i].ruled_out)
			fail_msg("row %zu", i);
		hang_log_done(&log);
	}
	build_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quarantine),
		cmocka_unit_test(test_advice),
		cmocka_unit_test(test_second_chance),
		cmocka_unit_test(test_second_chance_of_the_unmet),
		cmocka_unit_test(test_grams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
