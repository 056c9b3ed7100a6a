// SPDX-License-Identifier: Apache-2.0
// Unit tests of the worker: trials over shared memory and loopback.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/worker_agent.h"
#include "topo/base/fmt.h"

#define N_MAX 5

static struct trial collective_of(uint32_t id, uint16_t op, uint32_t n)
{
	struct trial t = test_trial(id, XPORT_AUTO, op, 100000);

	t.member_count = n;
	t.dst = op == OP_BROADCAST ? -1 : t.dst;
	t.iters = 5;
	return t;
}

static void assert_streamed(const struct outcome *src,
                            const struct outcome *dst)
{
	if (src->state != OUTCOME_OK || dst->state != OUTCOME_OK)
		fail_msg("%s; %s", src->err, dst->err);
	assert_int_equal(dst->stage, STAGE_DONE);
	assert_true(dst->flags & OUTCOME_RECEIVER);
	assert_true(dst->algbw_Bps > 0);
	assert_int_equal(dst->wrong_bytes, 0);
	assert_true(dst->moved_bytes > 0);
	assert_true(dst->elapsed_s > 0);
}

static void test_pair_trials(void **state)
{
	static const uint16_t xports[] = { XPORT_SHM, XPORT_TCP, XPORT_AUTO };
	struct test_worker w[2];
	struct outcome o[2];
	uint32_t id = 0;

	(void)state;
	test_workers_ready(w, 2, "");
	for (size_t i = 0; i < 3; i++) {
		struct trial t = test_trial(++id, xports[i], OP_WRITE, 100000);

		test_trial_run(w, 2, &t, o);
		assert_streamed(&o[0], &o[1]);
		assert_int_equal(o[0].moved_bytes, o[1].moved_bytes);
		assert_int_equal(o[1].cc[0] != '\0', xports[i] == XPORT_TCP);
		t.id = ++id;
		t.dir = DIR_BI;
		test_trial_run(w, 2, &t, o);
		assert_streamed(&o[0], &o[1]);
		assert_streamed(&o[1], &o[0]);
		t = test_trial(++id, xports[i], OP_LATENCY, 8);
		t.iters = 50;
		test_trial_run(w, 2, &t, o);
		assert_int_equal(o[0].n, 50);
		assert_true(o[0].min_s > 0);
		assert_int_equal(atomic_load(&w[0].board->trial), 0);
	}
	test_workers_stop(w, 2);
}

static void test_samples_come_before_the_outcome(void **state)
{
	struct trial t = test_trial(4, XPORT_SHM, OP_LATENCY, 8);
	struct test_worker w[2];
	struct wire_samples head;
	struct wire_frame f;
	double first;

	(void)state;
	t.flags = TRIAL_KEEP_SAMPLES;
	t.iters = 33;
	test_workers_ready(w, 2, "");
	test_trial_start(w, 2, &t);
	f = test_worker_expect(&w[0], WIRE_SAMPLES);
	memcpy(&head, f.payload, sizeof(head));
	memcpy(&first, f.payload + sizeof(head), sizeof(first));
	assert_int_equal(head.trial, 4);
	assert_int_equal(head.rank, 0);
	assert_int_equal(head.n, 33);
	assert_true(first > 0 && first < 50);
	assert_int_equal(test_outcome(&w[0]).n, 33);
	assert_int_equal(test_outcome(&w[1]).n, 0);
	test_workers_stop(w, 2);
}

static void test_datagrams(void **state)
{
	struct trial t = test_trial(2, XPORT_TCP, OP_DATAGRAM, 0);
	struct test_worker w[2];
	struct outcome o[2];

	(void)state;
	test_workers_ready(w, 2, "");
	test_trial_run(w, 2, &t, o);
	assert_int_equal(o[0].state, OUTCOME_OK);
	assert_int_equal(o[1].state, OUTCOME_OK);
	assert_true(outcome_get(&o[0], COUNTER_SMALL_SENT, -1) > 0);
	assert_true(outcome_get(&o[1], COUNTER_SMALL_RCVD, -1) > 0);
	t.id = 3;
	t.xport = XPORT_SHM;
	test_trial_run(w, 2, &t, o);
	assert_int_equal(o[0].state, OUTCOME_NOTRUN);
	test_workers_stop(w, 2);
}

static void assert_collective(struct test_worker *w, uint32_t n,
                              const struct trial *t)
{
	struct outcome o[N_MAX];

	test_trial_run(w, n, t, o);
	for (uint32_t m = 0; m < n; m++) {
		if (o[m].state != OUTCOME_OK)
			fail_msg("%s", o[m].err);
		assert_int_equal(o[m].wrong_bytes, 0);
		assert_true(o[m].busbw_Bps > 0);
	}
}

static void test_collectives(void **state)
{
	struct test_worker w[N_MAX];

	(void)state;
	for (uint32_t n = 2; n <= N_MAX; n++) {
		test_workers_ready(w, n, "");
		for (unsigned op = OP_ALLREDUCE; op < OP_COUNT; op++) {
			struct trial t = collective_of(op, (uint16_t)op, n);

			t.xport = op % 2 ? XPORT_TCP : XPORT_AUTO;
			assert_collective(w, n, &t);
		}
		test_workers_stop(w, n);
	}
}

/* Two "hosts" of two: a ring whose edges are shared memory and tcp in turn. */
static void test_mixed_edges(void **state)
{
	struct test_worker w[4];

	(void)state;
	for (int32_t i = 0; i < 4; i++) {
		struct wire_setup s = test_worker_setup(i, 4);

		fp_copy(s.host_id, sizeof(s.host_id), i < 2 ? "a" : "b");
		test_worker_ready(&w[i], &s);
	}
	for (unsigned op = OP_ALLREDUCE; op < OP_COUNT; op++) {
		struct trial t = collective_of(op, (uint16_t)op, 4);

		t.bytes = 4 << 20;
		assert_collective(w, 4, &t);
	}
	test_workers_stop(w, 4);
}

static void test_cancel_is_silent(void **state)
{
	static const int32_t members[] = { 0, 1 };
	struct trial t = test_trial(5, XPORT_SHM, OP_WRITE, 8);
	uint32_t other = 77;
	struct test_worker w[2];
	struct outcome o[2];

	(void)state;
	test_workers_ready(w, 2, "");
	test_prepare(&w[0], &t, members, 2, 0);
	(void)test_worker_expect(&w[0], WIRE_ENDPOINT);
	test_worker_send(&w[0], WIRE_CANCEL, &other, sizeof(other), NULL, 0);
	assert_int_equal(atomic_load(&w[0].board->trial), 5);
	test_worker_send(&w[0], WIRE_CANCEL, &t.id, sizeof(t.id), NULL, 0);
	while (atomic_load(&w[0].board->trial) != 0)
		usleep(1000);
	t.id = 6;
	test_trial_run(w, 2, &t, o);
	assert_streamed(&o[0], &o[1]);
	test_workers_stop(w, 2);
}

/* One end of a trial whose other end never gets GO. */
static void start_alone(struct test_worker w[static 2], const struct trial *t)
{
	static const int32_t members[] = { 0, 1 };
	const struct wire_go go = { .trial = t->id, .n = 1 };
	struct wire_frame f;

	test_prepare(&w[0], t, members, 2, 0);
	test_prepare(&w[1], t, members, 2, 1);
	(void)test_worker_expect(&w[0], WIRE_ENDPOINT);
	f = test_worker_expect(&w[1], WIRE_ENDPOINT);
	test_worker_send(&w[0], WIRE_GO, &go, sizeof(go), f.payload,
	                 sizeof(struct wire_endpoint));
}

static void test_the_abort_word_ends_a_trial(void **state)
{
	struct trial t = test_trial(8, XPORT_TCP, OP_WRITE, 8);
	struct test_worker w[2];
	struct outcome o;

	(void)state;
	test_workers_ready(w, 2, "");
	start_alone(w, &t);
	atomic_store(&w[0].board->abort, t.id);
	o = test_outcome(&w[0]);
	assert_int_equal(o.state, OUTCOME_HANG);
	assert_int_equal(o.stage, STAGE_CONNECT);
	test_workers_stop(w, 2);
}

static void test_a_deadline_ends_a_trial(void **state)
{
	struct trial t = test_trial(8, XPORT_TCP, OP_WRITE, 8);
	struct test_worker w[2];
	struct outcome o;

	(void)state;
	t.deadline_s = 0.1;
	test_workers_ready(w, 2, "");
	start_alone(w, &t);
	o = test_outcome(&w[0]);
	assert_int_equal(o.state, OUTCOME_HANG);
	assert_int_equal(o.stage, STAGE_CONNECT);
	assert_true(o.elapsed_s >= 0.1);
	test_workers_stop(w, 2);
}

static void test_a_killed_peer_is_an_error(void **state)
{
	static const uint16_t xports[] = { XPORT_SHM, XPORT_TCP };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct trial t = test_trial(8, xports[i], OP_WRITE, 1000);
		struct test_worker w[2];
		struct outcome o;

		t.iters = TRIAL_ITERS_MAX;
		test_workers_ready(w, 2, "");
		test_trial_start(w, 2, &t);
		while (atomic_load(&w[1].board->iter) < 10)
			usleep(1000);
		test_worker_kill(&w[0]);
		o = test_outcome(&w[1]);
		assert_int_equal(o.state, OUTCOME_ERROR);
		assert_true(o.stage >= STAGE_WARM && o.stage < STAGE_DONE);
		assert_non_null(strstr(o.err, "peer rank 0"));
		assert_true(o.moved_bytes >= 10000);
		test_worker_stop(&w[1]);
	}
}

static void test_a_missing_endpoint_is_an_outcome(void **state)
{
	static const int32_t members[] = { 0, 1 };
	const struct wire_go go = { .trial = 1 };
	struct trial t = test_trial(1, XPORT_SHM, OP_WRITE, 8);
	struct wire_setup setup = test_worker_setup(0, 2);
	struct test_worker w;
	struct outcome o;

	(void)state;
	test_worker_ready(&w, &setup);
	test_prepare(&w, &t, members, 2, 0);
	(void)test_worker_expect(&w, WIRE_ENDPOINT);
	test_worker_send(&w, WIRE_GO, &go, sizeof(go), NULL, 0);
	o = test_outcome(&w);
	assert_int_equal(o.state, OUTCOME_ERROR);
	assert_non_null(strstr(o.err, "rank 1"));
	test_worker_stop(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pair_trials),
		cmocka_unit_test(test_samples_come_before_the_outcome),
		cmocka_unit_test(test_datagrams),
		cmocka_unit_test(test_collectives),
		cmocka_unit_test(test_mixed_edges),
		cmocka_unit_test(test_cancel_is_silent),
		cmocka_unit_test(test_the_abort_word_ends_a_trial),
		cmocka_unit_test(test_a_deadline_ends_a_trial),
		cmocka_unit_test(test_a_killed_peer_is_an_error),
		cmocka_unit_test(test_a_missing_endpoint_is_an_outcome),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
