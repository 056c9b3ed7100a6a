// SPDX-License-Identifier: Apache-2.0
// Unit tests of the guards of records that come from outside.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/trial/trial.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))
#define N_RANKS 8
#define N_MEMBERS 20

static const struct trial fit_pair = {
	.id = 1,
	.xport = XPORT_TCP,
	.op = OP_WRITE,
	.bytes = 1 << 20,
	.dst = 1,
	.src_ep = -1,
	.dst_ep = -1,
	.time_s = 0.12,
	.deadline_s = 5,
};

static const struct trial fit_ring = {
	.id = 2,
	.op = OP_ALLREDUCE,
	.bytes = 65536,
	.iters = 20,
	.src = -1,
	.dst = -1,
	.member_first = 12,
	.member_count = N_RANKS,
	.src_ep = -1,
	.dst_ep = -1,
	.deadline_s = 5,
};

static const struct outcome fit_outcome = {
	.trial = 1,
	.rank = 7,
	.state = OUTCOME_OK,
	.stage = STAGE_DONE,
	.flags = OUTCOME_RECEIVER | OUTCOME_SETTLED,
	.n = 100,
	.min_s = 1e-3,
	.p5_s = 1e-3,
	.p50_s = 2e-3,
	.p99_s = 3e-3,
	.max_s = 4e-3,
	.algbw_Bps = 1e9,
	.busbw_Bps = 1e9,
	.low_Bps = 9e8,
	.start_s = 123456,
	.elapsed_s = 0.2,
	.cc = "cubic",
};

static const struct run_event fit_event = {
	.t_s = 1.5,
	.kind = EVENT_WORKER_DIED,
	.rank = 3,
	.text = "signal 9",
};

/** struct row - one member of a fit record set to another value. */
struct row {
	size_t at, size;
	const void *value;
	const char *why; /* what is said of it; NULL: it is fit still */
};

#define ROW(type, member, new_value, text)                               \
	{                                                                \
		.at = offsetof(struct type, member),                     \
		.size = sizeof(((struct type *)0)->member),              \
		.value =                                                 \
			&(const __typeof__(((struct type *)0)->member)){ \
				new_value                                \
			},                                               \
		.why = (text)                                            \
	}

static void apply(void *record, const struct row *row)
{
	memcpy((char *)record + row->at, row->value, row->size);
}

/* NULL and NULL, or a text that has what it should have. */
static void check_why(const char *why, const char *want)
{
	if (!want) {
		assert_null(why);
		return;
	}
	assert_non_null(why);
	assert_non_null(strstr(why, want));
}

static const struct row pair_rows[] = {
	ROW(trial, op, OP_LATENCY, NULL),
	ROW(trial, bytes, TRIAL_BYTES_MAX, NULL),
	ROW(trial, iters, TRIAL_ITERS_MAX, NULL),
	ROW(trial, dst_ep, 255, NULL),
	ROW(trial, deadline_s, 0.12, NULL),
	ROW(trial, member_first, 99, NULL),
	ROW(trial, id, 0, "id"),
	ROW(trial, xport, XPORT_COUNT, "transport"),
	ROW(trial, op, OP_COUNT, "operation"),
	ROW(trial, mem, MEM_COUNT, "memory"),
	ROW(trial, dir, DIR_COUNT, "direction"),
	ROW(trial, stage, TRIAL_STAGE_COUNT, "stage"),
	ROW(trial, flags, 4, NULL),
	ROW(trial, flags, 8, "flag"),
	ROW(trial, type, TYPE_HALF, "only NCCL"),
	ROW(trial, type, TYPE_COUNT, "type"),
	ROW(trial, redop, REDOP_MAX, "only NCCL"),
	ROW(trial, redop, REDOP_COUNT, "type or reduction"),
	ROW(trial, variant, 1, "only NCCL"),
	ROW(trial, variant, 1000, "variant"),
	ROW(trial, bytes, 0, "size is 0"),
	ROW(trial, bytes, TRIAL_BYTES_MAX + 1, "size"),
	ROW(trial, bytes, UINT64_MAX, "size"),
	ROW(trial, iters, TRIAL_ITERS_MAX + 1, "iterations"),
	ROW(trial, warmup, UINT32_MAX, "warm-up"),
	ROW(trial, time_s, -1, "measuring time"),
	ROW(trial, time_s, (double)NAN, "measuring time"),
	ROW(trial, time_s, 1e9, "measuring time"),
	ROW(trial, time_s, 6, "shorter"),
	ROW(trial, deadline_s, (double)NAN, "deadline"),
	ROW(trial, deadline_s, (double)INFINITY, "deadline"),
	ROW(trial, src, N_RANKS, "source"),
	ROW(trial, src, -1, "source is missing"),
	ROW(trial, src, INT32_MIN, "source"),
	ROW(trial, dst, N_RANKS, "destination"),
	ROW(trial, dst, -1, "destination is missing"),
	ROW(trial, dst, 0, "one rank"),
	ROW(trial, src_ep, -2, "endpoint"),
	ROW(trial, src_ep, 256, "endpoint"),
	ROW(trial, dst_ep, -2, "endpoint"),
	ROW(trial, dst_ep, 256, "endpoint"),
	ROW(trial, member_count, 2, "pair"),
};

static const struct row ring_rows[] = {
	ROW(trial, bytes, 0, NULL),
	ROW(trial, member_count, 2, NULL),
	ROW(trial, deadline_s, 0, "deadline"),
	ROW(trial, src, N_RANKS, "source"),
	ROW(trial, dst, N_RANKS, "destination"),
	ROW(trial, op, OP_BROADCAST, "source is missing"),
	ROW(trial, member_count, 1, "two members"),
	ROW(trial, member_count, N_RANKS + 1, "than ranks"),
	ROW(trial, member_first, 13, "table"),
	ROW(trial, member_first, UINT32_MAX, "table"),
};

static void check_trials(const struct trial *fit, const struct row *rows,
                         size_t n)
{
	assert_null(trial_check(fit, N_RANKS, N_MEMBERS));
	for (size_t i = 0; i < n; i++) {
		struct trial t = *fit;

		apply(&t, &rows[i]);
		check_why(trial_check(&t, N_RANKS, N_MEMBERS), rows[i].why);
	}
}

static void test_trials_of_pairs(void **state)
{
	(void)state;
	check_trials(&fit_pair, pair_rows, N_ROWS(pair_rows));
}

static void test_trials_of_collectives(void **state)
{
	(void)state;
	check_trials(&fit_ring, ring_rows, N_ROWS(ring_rows));
}

static void test_operations_differ_in_what_they_need(void **state)
{
	struct trial datagram = fit_pair, root = fit_ring;

	(void)state;
	datagram.op = OP_DATAGRAM;
	datagram.bytes = 0;
	assert_null(trial_check(&datagram, N_RANKS, N_MEMBERS));
	datagram.op = OP_LATENCY;
	check_why(trial_check(&datagram, N_RANKS, N_MEMBERS), "size is 0");
	root.op = OP_BROADCAST;
	root.src = 7;
	assert_null(trial_check(&root, N_RANKS, N_MEMBERS));
}

static const struct row outcome_rows[] = {
	ROW(outcome, wrong_bytes, INT64_MAX, NULL),
	ROW(outcome, trial, 0, "no trial"),
	ROW(outcome, rank, -1, "no rank"),
	ROW(outcome, rank, N_RANKS, "no rank"),
	ROW(outcome, state, OUTCOME_NONE, "state"),
	ROW(outcome, state, OUTCOME_STATE_COUNT, "state"),
	ROW(outcome, stage, OUTCOME_STAGE_COUNT, "stage"),
	ROW(outcome, flags, 1 << 7, "flag"),
	ROW(outcome, min_s, -1e-9, "time"),
	ROW(outcome, p5_s, (double)NAN, "time"),
	ROW(outcome, p50_s, (double)INFINITY, "time"),
	ROW(outcome, p99_s, 1e8, "time"),
	ROW(outcome, max_s, (double)-INFINITY, "time"),
	ROW(outcome, elapsed_s, (double)NAN, "time"),
	ROW(outcome, start_s, -1, "start"),
	ROW(outcome, start_s, (double)NAN, "start"),
	ROW(outcome, algbw_Bps, 1e16, "rate"),
	ROW(outcome, busbw_Bps, (double)NAN, "rate"),
	ROW(outcome, low_Bps, -1, "rate"),
	ROW(outcome, wrong_bytes, UINT64_MAX, "bytes"),
	ROW(outcome, moved_bytes, UINT64_MAX, "bytes"),
	ROW(outcome, values[7].id, OUTCOME_COUNTER_COUNT, "counter"),
};

static void test_outcomes(void **state)
{
	static const struct outcome bare[] = {
		{ .trial = 1, .state = OUTCOME_LOST },
		{ .trial = UINT32_MAX, .state = OUTCOME_NOTRUN },
	};

	(void)state;
	assert_null(outcome_check(&fit_outcome, N_RANKS));
	for (size_t i = 0; i < N_ROWS(bare); i++)
		assert_null(outcome_check(&bare[i], N_RANKS));
	for (size_t i = 0; i < N_ROWS(outcome_rows); i++) {
		struct outcome o = fit_outcome;

		apply(&o, &outcome_rows[i]);
		check_why(outcome_check(&o, N_RANKS), outcome_rows[i].why);
	}
}

static const struct row event_rows[] = {
	ROW(run_event, rank, -1, NULL),
	ROW(run_event, kind, EVENT_NONE, "kind"),
	ROW(run_event, kind, EVENT_KIND_COUNT, "kind"),
	ROW(run_event, rank, -2, "rank"),
	ROW(run_event, rank, N_RANKS, "rank"),
	ROW(run_event, t_s, -1, "time"),
	ROW(run_event, t_s, (double)NAN, "time"),
};

static void test_events(void **state)
{
	(void)state;
	assert_null(run_event_check(&fit_event, N_RANKS));
	for (size_t i = 0; i < N_ROWS(event_rows); i++) {
		struct run_event e = fit_event;

		apply(&e, &event_rows[i]);
		check_why(run_event_check(&e, N_RANKS), event_rows[i].why);
	}
}

static void test_texts_must_end(void **state)
{
	struct outcome o = fit_outcome;
	struct run_event e = fit_event;

	(void)state;
	memset(o.err, 'x', sizeof(o.err));
	check_why(outcome_check(&o, N_RANKS), "text");
	o = fit_outcome;
	memset(o.cc, 'x', sizeof(o.cc));
	check_why(outcome_check(&o, N_RANKS), "text");
	memset(e.text, 'x', sizeof(e.text));
	check_why(run_event_check(&e, N_RANKS), "text");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trials_of_pairs),
		cmocka_unit_test(test_trials_of_collectives),
		cmocka_unit_test(test_operations_differ_in_what_they_need),
		cmocka_unit_test(test_outcomes),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_texts_must_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
