// SPDX-License-Identifier: Apache-2.0
// Unit tests of the measuring loops: what goes well.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/measure/lane.h"
#include "tests/unit/measure_party.h"

static void assert_fine(const struct party_member *x)
{
	if (x->status != FP_OK)
		fail_msg("%s", x->err.text);
	assert_int_equal(x->o.state, OUTCOME_OK);
	assert_int_equal(x->o.stage, STAGE_DONE);
	assert_int_equal(x->o.trial, 7);
	assert_int_equal(x->o.rank, PARTY_FIRST_RANK + (int32_t)x->m.me);
	assert_int_equal(x->o.wrong_bytes, 0);
	assert_true(x->o.moved_bytes > 0);
	assert_int_equal(x->o.moved_bytes, atomic_load(&x->board.bytes));
	assert_null(outcome_check(&x->o, PARTY_FIRST_RANK + PARTY_MAX));
}

static void assert_rates(const struct outcome *o)
{
	assert_true(o->flags & OUTCOME_RECEIVER);
	assert_true(o->algbw_Bps > 0 && o->busbw_Bps > 0);
	assert_true(o->low_Bps > 0 && o->low_Bps <= o->algbw_Bps);
	assert_true(o->n > 0 && o->min_s > 0);
	assert_true(o->min_s <= o->p5_s && o->p5_s <= o->p50_s &&
	            o->p50_s <= o->p99_s && o->p99_s <= o->max_s);
	assert_true(o->start_s > 0 && o->elapsed_s > 0);
}

static void test_one_way(void **state)
{
	static const uint64_t sizes[] = {
		1, 8, 16, 4095, 65536, 65537, 3 << 20
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct trial t = party_trial(OP_WRITE, sizes[i]);
		struct party p;

		party_open(&p, &t, 2);
		party_run(&p);
		assert_fine(&p.members[0]);
		assert_fine(&p.members[1]);
		assert_rates(&p.members[1].o);
		assert_false(p.members[0].o.flags & OUTCOME_RECEIVER);
		assert_true(p.members[0].o.algbw_Bps <= 0);
		assert_true(p.members[0].o.start_s > 0);
		assert_int_equal(p.members[0].o.moved_bytes,
		                 p.members[1].o.moved_bytes);
		assert_true(outcome_get(&p.members[1].o, COUNTER_STALL_NS, -1) >
		            0);
		party_close(&p);
	}
}

static void test_one_way_given_iterations(void **state)
{
	struct trial t = party_trial(OP_WRITE, 1000);
	struct party p;

	(void)state;
	t.iters = 500;
	t.warmup = 10;
	t.flags = TRIAL_KEEP_SAMPLES;
	party_open(&p, &t, 2);
	party_run(&p);
	assert_fine(&p.members[1]);
	assert_rates(&p.members[1].o);
	/* Those that lie behind the origin of a batch give a sample. */
	assert_true(p.members[1].o.n > 0 && p.members[1].o.n <= 500);
	assert_int_equal(p.members[1].m.n_samples, p.members[1].o.n);
	assert_true(p.members[1].o.moved_bytes >= 510 * 1000);
	assert_int_equal(p.members[1].o.moved_bytes % 1000, 0);
	assert_int_equal(atomic_load(&p.members[1].board.iter),
	                 p.members[1].o.moved_bytes / 1000);
	party_close(&p);
}

static void test_both_ways(void **state)
{
	struct trial t = party_trial(OP_WRITE, 100000);
	struct party p;

	(void)state;
	t.dir = DIR_BI;
	party_open(&p, &t, 2);
	party_run(&p);
	for (uint32_t i = 0; i < 2; i++) {
		assert_fine(&p.members[i]);
		assert_rates(&p.members[i].o);
	}
	party_close(&p);
}

static void test_latency(void **state)
{
	static const struct {
		uint64_t bytes;
		uint32_t iters, warmup, min, max; /* samples */
	} rows[] = {
		{ 8, 100, 0, 100, 100 },     { 16, 1, 1, 1, 1 },
		{ 8, 3000, 40, 3000, 3000 }, { 8, 0, 0, 1, 1000 },
		{ 100000, 10, 0, 10, 10 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct trial t = party_trial(OP_LATENCY, rows[i].bytes);
		struct party p;

		t.iters = rows[i].iters;
		t.warmup = rows[i].warmup;
		party_open(&p, &t, 2);
		party_run(&p);
		assert_fine(&p.members[0]);
		assert_fine(&p.members[1]);
		assert_true(p.members[0].o.flags & OUTCOME_RECEIVER);
		assert_false(p.members[1].o.flags & OUTCOME_RECEIVER);
		assert_in_range(p.members[0].o.n, rows[i].min, rows[i].max);
		assert_int_equal(p.members[0].m.n_samples, p.members[0].o.n);
		assert_true(p.members[0].o.min_s > 0);
		assert_int_equal(p.members[1].o.n, 0);
		assert_int_equal(p.members[0].o.moved_bytes,
		                 p.members[1].o.moved_bytes);
		party_close(&p);
	}
}

static void assert_collective(const struct trial *t, uint32_t n)
{
	struct party p;

	party_open(&p, t, n);
	party_run(&p);
	for (uint32_t i = 0; i < n; i++) {
		const struct outcome *o = &p.members[i].o;

		if (t->op == OP_BROADCAST && i == 0) {
			assert_int_equal(p.members[i].status, FP_OK);
			assert_int_equal(o->moved_bytes, 0);
		} else {
			assert_fine(&p.members[i]);
		}
		assert_rates(o);
		assert_true(o->busbw_Bps ==
		            o->algbw_Bps * trial_busbw_factor(t->op, n));
		if (t->iters)
			assert_in_range(o->n, 1, t->iters);
	}
	party_close(&p);
}

static void test_collectives(void **state)
{
	static const uint16_t ops[] = { OP_ALLREDUCE,     OP_ALLGATHER,
		                        OP_REDUCESCATTER, OP_BROADCAST,
		                        OP_ALLTOALL,      OP_SENDRECV };

	(void)state;
	for (size_t o = 0; o < sizeof(ops) / sizeof(*ops); o++) {
		for (uint32_t n = 2; n <= 5; n++) {
			struct trial t = party_trial(ops[o], 40000);

			t.member_count = n;
			assert_collective(&t, n);
			t.iters = 7;
			t.warmup = 2;
			assert_collective(&t, n);
			t.flags = TRIAL_IN_PLACE;
			assert_collective(&t, n);
		}
	}
}

static void test_broadcast_root_is_a_rank(void **state)
{
	struct trial t = party_trial(OP_BROADCAST, 4000);
	struct party p;

	(void)state;
	t.src = PARTY_FIRST_RANK + 2;
	t.iters = 3;
	party_open(&p, &t, 3);
	party_run(&p);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(p.members[i].o.wrong_bytes, 0);
	assert_int_equal(p.members[2].o.moved_bytes, 0);
	assert_true(p.members[0].o.moved_bytes > 0);
	party_close(&p);
}

/* A collective whose size is less than one element each. */
static void test_empty_collective(void **state)
{
	struct trial t = party_trial(OP_ALLGATHER, 4);
	struct party p;

	(void)state;
	t.iters = 5;
	party_open(&p, &t, 3);
	party_run(&p);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(p.members[i].status, FP_OK);
		assert_true(p.members[i].o.algbw_Bps <= 0);
	}
	party_close(&p);
}

static void test_needs(void **state)
{
	struct trial t = party_trial(OP_WRITE, 1000);
	struct measure_needs needs;
	struct fp_err err = { 0 };

	(void)state;
	assert_int_equal(measure_needs(&t, 2, 0, &needs, &err), FP_OK);
	assert_true(needs.data_bytes >= 1000 + MEASURE_WORD_BYTES);
	assert_int_equal(needs.memory_bytes, 1000);
	assert_int_equal(measure_needs(&t, 2, 1, &needs, &err), FP_OK);
	assert_in_range(needs.data_bytes, MEASURE_WORD_BYTES, 64);
	t.op = OP_LATENCY;
	assert_int_equal(measure_needs(&t, 2, 1, &needs, &err), FP_OK);
	assert_true(needs.data_bytes >= 1000 + MEASURE_WORD_BYTES);
	assert_int_equal(needs.memory_bytes, 2000);
	t.op = OP_ALLGATHER;
	t.bytes = 4000;
	assert_int_equal(measure_needs(&t, 4, 1, &needs, &err), FP_OK);
	assert_true(needs.data_bytes >= 4000 + MEASURE_WORD_BYTES);
	assert_int_equal(needs.memory_bytes, 4000);
	t.op = OP_ALLREDUCE; /* data, scratch, and the input kept aside */
	assert_int_equal(measure_needs(&t, 4, 1, &needs, &err), FP_OK);
	assert_int_equal(needs.memory_bytes, 12000);
	t.flags = TRIAL_IN_PLACE;
	assert_int_equal(measure_needs(&t, 4, 1, &needs, &err), FP_OK);
	assert_int_equal(needs.memory_bytes, 8000);
	t.bytes = UINT64_MAX - 7;
	assert_int_equal(measure_needs(&t, 4, 1, &needs, &err), FP_ERR_LIMIT);
	t.op = OP_WRITE;
	assert_int_equal(measure_needs(&t, 2, 0, &needs, &err), FP_ERR_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_way),
		cmocka_unit_test(test_one_way_given_iterations),
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_collectives),
		cmocka_unit_test(test_broadcast_root_is_a_rank),
		cmocka_unit_test(test_empty_collective),
		cmocka_unit_test(test_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
