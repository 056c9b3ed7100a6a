// SPDX-License-Identifier: Apache-2.0
// Unit tests of injected faults, over the loop transport.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fault_link.h"
#include "topo/base/clock.h"

/* One piece of data of @len bytes of @fill from near to far. */
static enum fp_status pass(struct fault_link *l, uint8_t fill, uint8_t *buf,
                           size_t len, double limit_s)
{
	const struct xport_step tx = {
		.to = l->near,
		.tx_len = len,
		.deadline_ns = fp_after_ns(FAULT_LINK_LIMIT_S),
	};
	const struct xport_step rx = {
		.from = l->far,
		.rbuf = buf,
		.rx_len = len,
		.deadline_ns = fp_after_ns(limit_s),
	};
	struct fp_err err = { 0 };

	memset(l->near->ops->tx_region(l->near), fill, len);
	assert_int_equal(l->near->ops->step(&tx, &err), FP_OK);
	return l->far->ops->step(&rx, &err);
}

static size_t differing(const uint8_t *buf, size_t len, uint8_t fill)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += buf[i] != fill;
	return n;
}

static void test_no_rules_no_wrapper(void **state)
{
	struct trial t = fault_link_trial(OP_WRITE, 100);
	struct fault_link l;

	(void)state;
	fault_link_open(&l, &t, "");
	assert_ptr_equal(l.far->ops, &loop_xport_ops);
	fault_link_close(&l);
	fault_link_open(&l, &t, "\n  \n");
	assert_ptr_equal(l.far->ops, &loop_xport_ops);
	fault_link_close(&l);
}

static void test_rules_are_one_a_line(void **state)
{
	struct fault_set set = { 0 };
	struct fp_err err = { 0 };

	(void)state;
	assert_int_equal(fault_set_parse("hang src=1\n\ndie rank=2\n"
	                                 "slow factor=3",
	                                 &set, &err),
	                 FP_OK);
	assert_int_equal(set.n, 3);
	assert_int_equal(set.rules[2].kind, INJECT_SLOW);
	fault_set_done(&set);
	assert_int_equal(set.n, 0);
	assert_int_equal(fault_set_parse("hang src=1\nhung", &set, &err),
	                 FP_ERR_USAGE);
	assert_non_null(strstr(err.text, "hung"));
	assert_int_equal(set.n, 0);
	fault_set_done(NULL);
}

static void test_corrupt_flips_so_many_bytes(void **state)
{
	static const struct {
		const char *rule;
		size_t wrong;
	} rows[] = {
		{ "corrupt src=1 dst=3", 1 },
		{ "corrupt bytes=7", 7 },
		{ "corrupt bytes=1M", 1000 },
		{ "corrupt src=1 dst=3 xport=shm", 1 }, /* the loop's id */
		{ "corrupt xport=tcp", 0 },
		{ "corrupt src=3 dst=1", 0 },
		{ "corrupt op=latency", 0 },
		{ "corrupt after=1", 0 },
		{ "corrupt min=1001", 0 },
		{ "corrupt p=0", 0 },
		{ "die rank=3", 0 },
	};
	uint8_t buf[1000];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct trial t = fault_link_trial(OP_WRITE, sizeof(buf));
		struct fault_link l;

		fault_link_open(&l, &t, rows[i].rule);
		assert_int_equal(
			pass(&l, 9, buf, sizeof(buf), FAULT_LINK_LIMIT_S),
			FP_OK);
		assert_int_equal(differing(buf, sizeof(buf), 9), rows[i].wrong);
		fault_link_close(&l);
	}
}

static void test_words_are_left_alone(void **state)
{
	struct trial t = fault_link_trial(OP_WRITE, 1000);
	uint8_t buf[1000];
	struct fault_link l;

	(void)state;
	fault_link_open(&l, &t, "corrupt");
	assert_int_equal(pass(&l, 9, buf, 16, FAULT_LINK_LIMIT_S), FP_OK);
	assert_int_equal(differing(buf, 16, 9), 0);
	fault_link_close(&l);
	t.bytes = 16; /* then it is a message */
	fault_link_open(&l, &t, "corrupt");
	assert_int_equal(pass(&l, 9, buf, 16, FAULT_LINK_LIMIT_S), FP_OK);
	assert_int_equal(differing(buf, 16, 9), 1);
	fault_link_close(&l);
}

/* A message of several pieces is hit once, in its last one. */
static void test_pieces_make_a_message(void **state)
{
	struct trial t = fault_link_trial(OP_WRITE, 300);
	uint8_t buf[300];
	struct fault_link l;

	(void)state;
	fault_link_open(&l, &t, "corrupt");
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(pass(&l, 9, buf, 100, FAULT_LINK_LIMIT_S),
		                 FP_OK);
		assert_int_equal(differing(buf, 100, 9), i % 3 == 2);
	}
	fault_link_close(&l);
}

static void count_hits(const char *rule, bool hits[static 400])
{
	struct trial t = fault_link_trial(OP_WRITE, 20);
	uint8_t buf[20];
	struct fault_link l;

	fault_link_open(&l, &t, rule);
	for (size_t i = 0; i < 400; i++) {
		assert_int_equal(pass(&l, 1, buf, 20, FAULT_LINK_LIMIT_S),
		                 FP_OK);
		hits[i] = differing(buf, 20, 1) > 0;
	}
	fault_link_close(&l);
}

static void test_chance_follows_the_seed(void **state)
{
	bool a[400], b[400], c[400];
	size_t n = 0;

	(void)state;
	count_hits("corrupt p=0.25", a);
	count_hits("corrupt p=0.25", b);
	count_hits("corrupt p=0.25 seed=2", c);
	assert_memory_equal(a, b, sizeof(a));
	assert_memory_not_equal(a, c, sizeof(a));
	for (size_t i = 0; i < 400; i++)
		n += a[i];
	assert_in_range(n, 60, 140);
}

static void test_hang_waits_for_the_deadline(void **state)
{
	struct trial t = fault_link_trial(OP_WRITE, 100);
	int64_t begin_ns;
	uint8_t buf[100];
	struct fault_link l;

	(void)state;
	fault_link_open(&l, &t, "hang src=1 dst=3");
	begin_ns = fp_now_ns();
	assert_int_equal(pass(&l, 1, buf, 100, 0.03), FP_ERR_TIMEOUT);
	assert_true(fp_now_ns() - begin_ns >= 30000000);
	fault_link_close(&l);
}

/* One half of a step at the far end, for which nothing was sent. */
static enum fp_status far_receive(struct fault_link *l, uint8_t *buf,
                                  size_t len)
{
	const struct xport_step rx = {
		.from = l->far,
		.rbuf = buf,
		.rx_len = len,
		.deadline_ns = fp_after_ns(FAULT_LINK_LIMIT_S),
	};

	return l->far->ops->step(&rx, NULL);
}

static void test_hang_ends_by_the_abort_word(void **state)
{
	struct trial t = fault_link_trial(OP_WRITE, 100);
	uint8_t buf[100];
	struct fault_link l;

	(void)state;
	fault_link_open(&l, &t, "hang");
	atomic_store(&l.board.abort, t.id);
	assert_int_equal(far_receive(&l, buf, 100), FP_ERR_INTR);
	fault_link_close(&l);
}

static void test_hang_ends_by_until(void **state)
{
	struct trial t = fault_link_trial(OP_WRITE, 100);
	int64_t begin_ns = fp_now_ns();
	uint8_t buf[100];
	struct fault_link l;

	(void)state;
	fault_link_open(&l, &t, "hang until=0.05");
	assert_int_equal(pass(&l, 1, buf, 100, FAULT_LINK_LIMIT_S), FP_OK);
	assert_true(fp_now_ns() - begin_ns >= 50000000);
	assert_int_equal(differing(buf, 100, 1), 0);
	fault_link_close(&l);
}

static enum fp_status near_receive(struct fault_link *l, uint8_t *buf,
                                   size_t len)
{
	const struct xport_step rx = {
		.from = l->near,
		.rbuf = buf,
		.rx_len = len,
		.deadline_ns = fp_after_ns(FAULT_LINK_LIMIT_S),
	};

	return l->near->ops->step(&rx, NULL);
}

static void test_drop_closes(void **state)
{
	struct trial t = fault_link_trial(OP_WRITE, 100);
	struct outcome o = { 0 };
	uint8_t buf[100];
	struct fault_link l;

	(void)state;
	fault_link_open(&l, &t, "drop");
	assert_int_equal(pass(&l, 1, buf, 100, FAULT_LINK_LIMIT_S), FP_ERR_SYS);
	l.far->ops->counters(l.far, &o);
	assert_null(l.far->ops->tx_region(l.far));
	/* The other end sees it: there is nobody who could read this. */
	assert_int_equal(near_receive(&l, buf, 16), FP_ERR_PEER);
	fault_link_close(&l);
}

static void test_jitter_holds_back(void **state)
{
	struct trial t = fault_link_trial(OP_WRITE, 100);
	int64_t begin_ns;
	uint8_t buf[100];
	struct fault_link l;

	(void)state;
	fault_link_open(&l, &t, "jitter ms=20 p=1");
	begin_ns = fp_now_ns();
	assert_int_equal(pass(&l, 1, buf, 100, FAULT_LINK_LIMIT_S), FP_OK);
	assert_true(fp_now_ns() - begin_ns >= 20000000);
	assert_int_equal(pass(&l, 1, buf, 100, 0.001), FP_ERR_TIMEOUT);
	fault_link_close(&l);
}

static void test_slow_holds_back(void **state)
{
	struct trial t = fault_link_trial(OP_WRITE, 1000);
	uint8_t buf[1000];
	struct fault_link l;
	int64_t begin_ns;

	(void)state;
	fault_link_open(&l, &t, "slow src=1 dst=3 factor=1000000");
	begin_ns = fp_now_ns();
	/* It learns for some ms of receiving; then a single one is too much
	 * for any deadline. */
	while (pass(&l, 1, buf, sizeof(buf), 0.05) == FP_OK)
		assert_true(fp_now_ns() - begin_ns < 30 * FP_NS_PER_S);
	fault_link_close(&l);
}

static void test_datagrams_vanish(void **state)
{
	static const struct {
		const char *rule;
		int64_t received;
	} rows[] = {
		{ "hang src=1 dst=3", 0 },
		{ "drop src=1", 0 },
		{ "hang op=datagram", 0 },
		{ "hang op=write", 8 },
		{ "hang src=3 dst=1", 8 },
		{ "corrupt", 8 },
		{ "", 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct trial t = fault_link_trial(OP_DATAGRAM, 0);
		struct fault_set set = { .rank = 3 };
		struct outcome o = { 0 };

		assert_int_equal(fault_set_parse(rows[i].rule, &set, NULL),
		                 FP_OK);
		outcome_put(&o, COUNTER_SMALL_RCVD, 8);
		outcome_put(&o, COUNTER_FULL_RCVD, 8);
		fault_datagram(&set, &t, 1, &o);
		assert_int_equal(outcome_get(&o, COUNTER_SMALL_RCVD, -1),
		                 rows[i].received);
		assert_int_equal(outcome_get(&o, COUNTER_FULL_RCVD, -1),
		                 rows[i].received);
		assert_int_equal(outcome_get(&o, COUNTER_SMALL_SENT, -1), -1);
		fault_set_done(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_rules_no_wrapper),
		cmocka_unit_test(test_rules_are_one_a_line),
		cmocka_unit_test(test_corrupt_flips_so_many_bytes),
		cmocka_unit_test(test_words_are_left_alone),
		cmocka_unit_test(test_pieces_make_a_message),
		cmocka_unit_test(test_chance_follows_the_seed),
		cmocka_unit_test(test_hang_waits_for_the_deadline),
		cmocka_unit_test(test_hang_ends_by_the_abort_word),
		cmocka_unit_test(test_hang_ends_by_until),
		cmocka_unit_test(test_drop_closes),
		cmocka_unit_test(test_jitter_holds_back),
		cmocka_unit_test(test_slow_holds_back),
		cmocka_unit_test(test_datagrams_vanish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
