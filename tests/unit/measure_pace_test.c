// SPDX-License-Identifier: Apache-2.0
// Unit tests of how a receiver paces a stream: against a modelled sender.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/measure/lane.h"
#include "probes/measure/pace.h"

#define MS 1000000LL
#define BATCHES_MAX 100000

/* What came of a stream whose messages take @message_ns each. */
struct run {
	uint64_t warm, timed; /* messages */
	uint32_t longest;     /* batch */
	uint32_t last_piece;
	int64_t warm_ns, timed_ns;
	uint32_t batches;
};

/* @known_after: timed batches after which the rate is known; 0: never. */
static struct run model(const struct trial *t, int64_t message_ns,
                        uint32_t known_after)
{
	struct measure_batch now = measure_pace_first(), ahead;
	struct measure_pace p;
	struct run run = { 0 };
	int64_t now_ns = 1000 * MS;
	uint32_t timed_batches = 0;

	measure_pace_init(&p, t, now_ns);
	for (; !now.last; run.batches++) {
		bool timed = p.timed;
		int64_t took_ns = (int64_t)now.iters * message_ns;

		assert_true(run.batches < BATCHES_MAX);
		assert_true(now.iters > 0 && now.iters <= MEASURE_BATCH_MAX);
		now_ns += took_ns;
		*(timed ? &run.timed : &run.warm) += now.iters;
		*(timed ? &run.timed_ns : &run.warm_ns) += took_ns;
		run.longest = now.iters > run.longest ? now.iters : run.longest;
		run.last_piece = now.piece;
		timed_batches += timed;
		ahead = p.ahead;
		if (!ahead.last)
			(void)measure_pace_next(
				&p, &now, now_ns,
				known_after && timed_batches >= known_after);
		now = ahead;
	}
	return run;
}

static struct trial trial_of(uint64_t bytes, double time_s)
{
	return (struct trial){
		.bytes = bytes,
		.time_s = time_s,
		.deadline_s = 60,
	};
}

static void test_given_iterations_are_timed_exactly(void **state)
{
	static const uint32_t iters[] = { 1, 2, 3, 7, 20, 100, 1000, 54321 };
	static const int64_t message_ns[] = { 50,      1000,    20000,
		                              1000000, 9000000, 400000000 };

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		for (size_t k = 0; k < 6; k++) {
			struct trial t = trial_of(65536, 0.1);
			struct run run;

			t.iters = iters[i];
			t.warmup = 5;
			run = model(&t, message_ns[k], 1);
			assert_int_equal(run.timed, iters[i]);
			assert_true(run.warm >= 5);
		}
	}
}

static void test_time_is_kept(void **state)
{
	static const int64_t message_ns[] = { 50, 1000, 20000, 1000000,
		                              9000000 };
	static const double time_s[] = { 0.05, 0.12, 0.5, 2.0 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		for (size_t k = 0; k < 5; k++) {
			struct trial t = trial_of(65536, time_s[i]);
			struct run run = model(&t, message_ns[k], 0);
			double took_s = (double)run.timed_ns / 1e9;

			/* One batch more or less. */
			assert_true(took_s >= time_s[i] * 0.8);
			assert_true(took_s <= time_s[i] * 1.2 + 0.010);
			assert_true((double)run.warm_ns / 1e9 >=
			            (time_s[i] < 0.5 ? time_s[i] / 10 : 0.05));
			assert_true((double)run.warm_ns / 1e9 <=
			            time_s[i] / 2 + 0.020);
		}
	}
}

static void test_a_known_rate_ends_it(void **state)
{
	struct trial t = trial_of(1 << 20, 10);
	struct run run = model(&t, 8770000, 3); /* 1 MiB at 1 Gbit/s */

	(void)state;
	/* The batch under way when it became known is in, too. */
	assert_true(run.timed_ns <= 4 * 45 * MS);
	assert_true(run.timed >= 4);
}

static void test_batches_fill_their_time(void **state)
{
	struct trial t = trial_of(4096, 1);
	struct run run = model(&t, 1000, 0);

	(void)state;
	assert_int_equal(run.longest, 40000);
	t.bytes = 1;
	run = model(&t, 1, 0);
	assert_int_equal(run.longest, MEASURE_BATCH_MAX);
	run = model(&t, 5000 * MS, 0);
	assert_int_equal(run.longest, 1);
}

static void test_pieces_follow_the_rate(void **state)
{
	static const struct {
		uint64_t bytes;
		int64_t message_ns;
		uint32_t piece;
	} rows[] = {
		{ 1 << 20, 8770000, 64 << 10 },     /* 1 Gbit/s */
		{ 1 << 30, 8980000000, 256 << 10 }, /* over too soon */
		{ 1 << 20, 100000, 8 << 20 },       /* 10 GB/s */
		{ 1 << 20, 877000, 1 << 20 },       /* 10 Gbit/s */
		{ 8, 100, MEASURE_PIECE_MIN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct trial t = trial_of(rows[i].bytes, 0.5);
		struct run run = model(&t, rows[i].message_ns, 0);

		assert_int_equal(run.last_piece, rows[i].piece);
	}
}

/* A single message longer than all the time that there is. */
static void test_huge_messages_need_few(void **state)
{
	struct trial t = trial_of(1ULL << 32, 0.1);
	struct run run = model(&t, 2000 * MS, 0);

	(void)state;
	assert_int_equal(run.warm, 1);
	assert_int_equal(run.timed, 1);
}

static void test_time_leaves_the_deadline_room(void **state)
{
	struct trial t = trial_of(65536, 5);
	struct run run;

	(void)state;
	t.deadline_s = 5;
	run = model(&t, 100000, 0);
	assert_true(run.timed_ns + run.warm_ns < 4000 * MS);
	assert_int_equal(measure_time_ns(&t), 3000 * MS);
}

/* Estimates from buffered data are off: no batch may grow out of bounds. */
static void test_growth_is_limited(void **state)
{
	struct trial t = trial_of(65536, 1);
	struct measure_batch now = measure_pace_first(), next;
	struct measure_pace p;

	(void)state;
	measure_pace_init(&p, &t, 0);
	next = measure_pace_next(&p, &now, 1, MEASURE_SOME);
	assert_int_equal(next.iters, 8);
	next = measure_pace_next(&p, &now, 2, MEASURE_SOME);
	assert_int_equal(next.iters, 64);
}

/* Time that a stolen core has eaten is given again, up to four times. */
static void test_next_to_nothing_gets_more_time(void **state)
{
	static const struct {
		enum measure_known known;
		int64_t after_ns;
		bool last;
	} cases[] = {
		{ MEASURE_SOME, 999 * MS, false },
		{ MEASURE_SOME, 1100 * MS, true },
		{ MEASURE_FEW, 1100 * MS, false },
		{ MEASURE_FEW, 4100 * MS, true },
		{ MEASURE_KNOWN, 1 * MS, true },
	};
	struct trial t = trial_of(65536, 1);
	struct measure_pace begun;

	(void)state;
	t.deadline_s = 100;
	measure_pace_init(&begun, &t, 0);
	begun.timed = true;
	begun.timed_ns = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct measure_batch done = { .iters = 1, .timed = true };
		struct measure_pace p = begun;

		p.done_ns = cases[i].after_ns - 1;
		assert_int_equal(measure_pace_next(&p, &done, cases[i].after_ns,
		                                   cases[i].known)
		                         .last,
		                 cases[i].last);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_given_iterations_are_timed_exactly),
		cmocka_unit_test(test_time_is_kept),
		cmocka_unit_test(test_a_known_rate_ends_it),
		cmocka_unit_test(test_batches_fill_their_time),
		cmocka_unit_test(test_pieces_follow_the_rate),
		cmocka_unit_test(test_huge_messages_need_few),
		cmocka_unit_test(test_time_leaves_the_deadline_room),
		cmocka_unit_test(test_growth_is_limited),
		cmocka_unit_test(test_next_to_nothing_gets_more_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
