// SPDX-License-Identifier: Apache-2.0
// Unit tests of the measuring loops: peers that die, hang or talk nonsense.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/measure/lane.h"
#include "probes/measure/part.h"
#include "probes/measure/pattern.h"
#include "tests/unit/measure_party.h"
#include "topo/base/clock.h"

/* The sender dies in mid-stream: this one plays it as far as it goes. */
static void *half_sender(void *arg)
{
	struct party_member *x = arg;
	struct xport_ep *ep = x->m.ep;
	struct measure_lane lane = {
		.ep = ep,
		.word_off = measure_lane_word_off(x->m.trial->bytes),
		.deadline_ns = x->m.deadline_ns,
	};
	const struct measure_word word = { .iters = 1, .piece = 256 << 10 };

	x->status = measure_lane_tell(&lane, word, NULL);
	if (x->status == FP_OK)
		x->status = measure_lane_send(&lane, 0, 1000, NULL);
	return NULL;
}

static void run_against_half_sender(struct party *p, bool closes)
{
	half_sender(&p->members[0]);
	assert_int_equal(p->members[0].status, FP_OK);
	if (closes)
		p->members[0].m.ep->ops->ep_close(p->members[0].m.ep);
	party_member_run(&p->members[1]);
}

static void test_a_gone_peer_is_an_error(void **state)
{
	struct trial t = party_trial(OP_WRITE, 4000);
	struct party p;

	(void)state;
	party_open(&p, &t, 2);
	run_against_half_sender(&p, true);
	assert_int_equal(p.members[1].status, FP_ERR_PEER);
	assert_int_equal(p.members[1].o.state, OUTCOME_ERROR);
	assert_int_equal(p.members[1].o.stage, STAGE_WARM);
	assert_non_null(strstr(p.members[1].o.err, "peer rank 10 closed"));
	assert_null(outcome_check(&p.members[1].o, 100));
	party_close(&p);
}

static void test_a_silent_peer_is_a_hang(void **state)
{
	struct trial t = party_trial(OP_WRITE, 1000);
	struct party p;

	(void)state;
	t.deadline_s = 0.05;
	party_open(&p, &t, 2);
	run_against_half_sender(&p, false);
	assert_int_equal(p.members[1].status, FP_ERR_TIMEOUT);
	assert_int_equal(p.members[1].o.state, OUTCOME_HANG);
	assert_int_equal(p.members[1].o.stage, STAGE_WARM);
	assert_int_equal(p.members[1].o.moved_bytes, 1000);
	assert_true(p.members[1].o.err[0] != '\0');
	assert_true(p.members[1].o.elapsed_s >= 0.05);
	party_close(&p);
}

static void test_the_abort_word_is_a_hang(void **state)
{
	struct trial t = party_trial(OP_WRITE, 4000);
	struct party p;

	(void)state;
	party_open(&p, &t, 2);
	atomic_store(&p.members[0].board.abort, t.id);
	run_against_half_sender(&p, false);
	assert_int_equal(p.members[1].status, FP_ERR_INTR);
	assert_int_equal(p.members[1].o.state, OUTCOME_HANG);
	party_close(&p);
}

/* Data that always moves must end by its deadline, too. */
static void test_a_stream_without_end_is_a_hang(void **state)
{
	struct trial t = party_trial(OP_WRITE, 4096);
	struct party p;

	(void)state;
	t.iters = TRIAL_ITERS_MAX;
	t.deadline_s = 0.1;
	party_open(&p, &t, 2);
	party_run(&p);
	assert_int_equal(p.members[1].status, FP_ERR_TIMEOUT);
	assert_int_equal(p.members[1].o.stage, STAGE_XFER);
	party_close(&p);
}

/* A receiver that talks nonsense must not make the sender do so. */
static void test_a_damaged_answer_is_an_error(void **state)
{
	static const struct measure_word answers[] = {
		{ .batch = 1, .iters = 1, .piece = MEASURE_PIECE_MIN },
		{ .batch = 0, .iters = 0, .piece = MEASURE_PIECE_MIN },
		{ .batch = 0, .iters = UINT32_MAX, .piece = MEASURE_PIECE_MIN },
		{ .batch = 0, .iters = 1, .piece = 0 },
		{ .batch = 0, .iters = 1, .piece = UINT32_MAX },
	};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct trial t = party_trial(OP_WRITE, 100);
		struct measure_lane lane = { 0 };
		struct measure_word word = { .iters = 4 };
		struct party p;

		party_open(&p, &t, 2);
		lane.ep = p.members[1].m.ep;
		lane.deadline_ns = p.members[1].m.deadline_ns;
		if (i < 5)
			word = answers[i];
		assert_int_equal(measure_lane_tell(&lane, word, NULL), FP_OK);
		if (i == 5) { /* in flight */
			uint8_t *region = lane.ep->ops->tx_region(lane.ep);

			region[4] ^= 1;
			assert_int_equal(measure_lane_send(&lane, 0, 16, NULL),
			                 FP_OK);
		}
		party_member_run(&p.members[0]);
		assert_int_equal(p.members[0].status, FP_ERR_PROTO);
		assert_int_equal(p.members[0].o.state, OUTCOME_ERROR);
		assert_true(p.members[0].o.wrong_bytes > 0);
		party_close(&p);
	}
}

/* Steps that need no waiting do not look at the clock. */
static void test_moving_looks_at_the_clock(void **state)
{
	struct board board = { 0 };
	struct measure_lane lane = {
		.board = &board,
		.deadline_ns = fp_now_ns() + 1000,
	};

	(void)state;
	assert_int_equal(
		measure_lane_moved(&lane, lane.deadline_ns - 1, 7, NULL),
		FP_OK);
	assert_int_equal(atomic_load(&board.bytes), 7);
	assert_int_equal(atomic_load(&board.beat_ns), lane.deadline_ns - 1);
	assert_int_equal(measure_lane_moved(&lane, lane.deadline_ns, 7, NULL),
	                 FP_ERR_TIMEOUT);
}

/* What was right once must not pass for what comes next. */
static void test_checked_data_is_spoilt(void **state)
{
	uint8_t *buf = measure_buffer(10000);

	(void)state;
	assert_non_null(buf);
	assert_true(measure_check(buf, 10000, 5) > 9900);
	pattern_fill(buf, 10000, 5);
	assert_int_equal(measure_check(buf, 10000, 5), 0);
	/* Three pages, and the last byte. */
	assert_int_equal(measure_check(buf, 10000, 5), 4);
	free(buf);
}

static void test_words_know_damage(void **state)
{
	struct measure_word word = { .batch = 3,
		                     .iters = 70000,
		                     .piece = 65536 };
	uint8_t *bytes = (uint8_t *)&word;

	(void)state;
	word = measure_word_seal(word);
	assert_true(measure_word_intact(&word));
	for (size_t i = 0; i < sizeof(word); i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			bytes[i] ^= (uint8_t)(1u << bit);
			assert_false(measure_word_intact(&word));
			bytes[i] ^= (uint8_t)(1u << bit);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_gone_peer_is_an_error),
		cmocka_unit_test(test_a_silent_peer_is_a_hang),
		cmocka_unit_test(test_the_abort_word_is_a_hang),
		cmocka_unit_test(test_a_stream_without_end_is_a_hang),
		cmocka_unit_test(test_a_damaged_answer_is_an_error),
		cmocka_unit_test(test_moving_looks_at_the_clock),
		cmocka_unit_test(test_checked_data_is_spoilt),
		cmocka_unit_test(test_words_know_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
