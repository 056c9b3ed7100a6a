// SPDX-License-Identifier: Apache-2.0
// What the codes of failed RDMA transfers mean, and where.
#include "probes/judge/rdma.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/judge.h"
#include "tests/unit/build_run.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define EVENT(type) ((type) + 1)
#define NOTHING FINDING_CODE_COUNT

static const struct {
	struct rdma_end tx, rx;
	unsigned code;
	uint32_t place;
} verdicts[] = {
	{ { .wc_status = 12 }, { 0 }, NOTHING, RDMA_NOWHERE },
	{ { 0 }, { 0 }, NOTHING, RDMA_NOWHERE },
	/* an end's own trouble explains what the other saw */
	{ { .wc_status = 12 },
	  { .event = EVENT(10) },
	  FINDING_PORT_DOWN,
	  RDMA_RX },
	{ { .setup_errno = ENETDOWN }, { 0 }, FINDING_PORT_DOWN, RDMA_TX },
	{ { .event = EVENT(18) },
	  { .wc_status = 12 },
	  FINDING_RDMA_GID,
	  RDMA_TX },
	{ { .setup_errno = ENODATA }, { 0 }, FINDING_RDMA_GID, RDMA_TX },
	{ { 0 }, { .setup_errno = ENOMEM }, FINDING_MEMLOCK, RDMA_RX },
	{ { .event = EVENT(8), .setup_errno = ENETDOWN },
	  { 0 },
	  FINDING_HCA_DEAD,
	  RDMA_TX },
	/* a port that came back is no fault */
	{ { .wc_status = 12, .event = EVENT(9) },
	  { 0 },
	  NOTHING,
	  RDMA_NOWHERE },
	/* between them */
	{ { .setup_errno = EINVAL }, { 0 }, FINDING_RDMA_GID, RDMA_BETWEEN },
	{ { 0 },
	  { .setup_errno = ENETUNREACH },
	  FINDING_RDMA_ROUTE,
	  RDMA_BETWEEN },
	{ { .setup_errno = ETIMEDOUT }, { 0 }, NOTHING, RDMA_NOWHERE },
	{ { .wc_status = 10 },
	  { .wc_status = 5 },
	  FINDING_RDMA_REFUSED,
	  RDMA_BETWEEN },
	{ { 0 }, { .wc_status = 9 }, FINDING_RDMA_REFUSED, RDMA_BETWEEN },
	{ { .wc_status = 5 }, { .wc_status = 5 }, NOTHING, RDMA_NOWHERE },
	/* they met, then nothing large came */
	{ { .wc_status = 12, .stage = STAGE_WARM, .there = true },
	  { .stage = STAGE_WARM, .there = true },
	  FINDING_HCA_MTU,
	  RDMA_BETWEEN },
	{ { .wc_status = 12, .stage = STAGE_WARM, .there = true },
	  { .stage = STAGE_WARM, .there = true, .moved = 65536 },
	  NOTHING,
	  RDMA_NOWHERE },
	{ { .wc_status = 12, .stage = STAGE_CONNECT, .there = true },
	  { .stage = STAGE_CONNECT, .there = true },
	  NOTHING,
	  RDMA_NOWHERE },
};

static void test_verdicts(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(verdicts); i++) {
		struct rdma_verdict v =
			rdma_judge(&verdicts[i].tx, &verdicts[i].rx);

		if (v.place != verdicts[i].place ||
		    (v.place != RDMA_NOWHERE && v.code != verdicts[i].code))
			fail_msg("row %zu: code %u at %u", i, v.code, v.place);
	}
}

static void test_names(void **state)
{
	static const struct {
		unsigned code, direction, want;
	} rows[] = {
		{ FINDING_NIC_TX_SLOW, DIRECTION_TX, FINDING_PORT_TX_SLOW },
		{ FINDING_NIC_RX_SLOW, DIRECTION_RX, FINDING_PORT_RX_SLOW },
		{ FINDING_NIC_LOSS, DIRECTION_TX, FINDING_PORT_TX_LOSSY },
		{ FINDING_NIC_LOSS, DIRECTION_RX, FINDING_PORT_RX_LOSSY },
		{ FINDING_NIC_RX_DEAD, DIRECTION_RX, FINDING_HCA_DEAD },
		{ FINDING_PAIR_SLOW, DIRECTION_TX, FINDING_PAIR_SLOW },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(rdma_code(rows[i].code, rows[i].direction),
		                 rows[i].want);
}

/* Both ends of a failed test are looked up; a trial of tcp is not judged. */
static void test_cell(void **state)
{
	struct trial trials[] = {
		{ .id = 1, .xport = XPORT_VERBS, .src = 4, .dst = 2 },
		{ .id = 2, .xport = XPORT_TCP, .src = 4, .dst = 2 },
	};
	struct outcome outcomes[] = {
		{ .trial = 1, .rank = 4 },
		{ .trial = 1, .rank = 2 },
		{ .trial = 2, .rank = 2 },
	};
	const struct results r = { .trials = trials,
		                   .n_trials = 2,
		                   .outcomes = outcomes,
		                   .n_outcomes = 3 };
	struct rdma_verdict v;
	int32_t rank;

	(void)state;
	outcome_put(&outcomes[1], COUNTER_SETUP_ERRNO, ENETDOWN);
	outcome_put(&outcomes[2], COUNTER_SETUP_ERRNO, ENETDOWN);
	v = rdma_cell(&r, 1, &rank);
	assert_int_equal(v.place, RDMA_RX);
	assert_int_equal(v.code, FINDING_PORT_DOWN);
	assert_int_equal(rank, 2);
	v = rdma_cell(&r, 2, &rank);
	assert_int_equal(v.place, RDMA_NOWHERE);
	assert_int_equal(rank, -1);
	v = rdma_cell(&r, 3, &rank);
	assert_int_equal(v.place, RDMA_NOWHERE);
}

/* -- ports that went down, in a run of four hosts ----------------------------- */

/* A test that failed, or went well, and what its ends told. */
struct told {
	int32_t src, dst;
	uint8_t src_state, dst_state, src_stage, dst_stage;
	struct rdma_end tx, rx;
};

/* The round in which port 1 goes; peers see silence, or are flushed. */
#define HUNG OUTCOME_HANG, OUTCOME_HANG, STAGE_WARM, STAGE_WARM
#define BROKE OUTCOME_ERROR, OUTCOME_ERROR, STAGE_XFER, STAGE_XFER
#define CLOSED OUTCOME_ERROR, OUTCOME_NOTRUN, STAGE_SPAWN, STAGE_SPAWN
#define WELL OUTCOME_OK, OUTCOME_OK, STAGE_DONE, STAGE_DONE

static const struct {
	const char *name;
	struct told t[6]; /* src == dst: no more */
	unsigned code;    /* of the one finding about it; NOTHING: none */
} runs[] = {
	{ "all is well", { { 0, 1, WELL, { 0 }, { 0 } } }, NOTHING },
	{ "down, and stays so: the flushed peer is told with it",
	  { { 2, 1, BROKE, { .wc_status = 12 }, { .event = EVENT(10) } },
	    { 1, 0, CLOSED, { .setup_errno = ENETDOWN }, { 0 } },
	    { 1, 3, CLOSED, { .setup_errno = ENETDOWN }, { 0 } } },
	  FINDING_PORT_DOWN },
	{ "its own end was flushed before the event came",
	  { { 1, 2, BROKE, { .wc_status = 5 }, { .wc_status = 5 } },
	    { 1, 0, CLOSED, { .setup_errno = ENETDOWN }, { 0 } },
	    { 1, 3, CLOSED, { .setup_errno = ENETDOWN }, { 0 } } },
	  FINDING_PORT_DOWN },
	{ "nothing moved, then it was down",
	  { { 2, 1, HUNG, { 0 }, { 0 } },
	    { 1, 0, CLOSED, { .setup_errno = ENETDOWN }, { 0 } } },
	  FINDING_PORT_DOWN },
	{ "flap: failed once, then well twice",
	  { { 2, 1, BROKE, { .wc_status = 12 }, { .event = EVENT(10) } },
	    { 2, 1, WELL, { 0 }, { 0 } },
	    { 2, 1, WELL, { 0 }, { 0 } } },
	  FINDING_LINK_FLAP },
	{ "flap that nothing survived, told in the next test",
	  { { 2, 1, HUNG, { 0 }, { 0 } },
	    { 1, 3, WELL, { .event = EVENT(9) }, { 0 } },
	    { 2, 1, WELL, { 0 }, { 0 } },
	    { 2, 1, WELL, { 0 }, { 0 } } },
	  FINDING_LINK_FLAP },
	{ "flap: its own end could not begin, then could",
	  { { 1, 0, CLOSED, { .setup_errno = ENETDOWN }, { 0 } },
	    { 1, 0, WELL, { 0 }, { 0 } } },
	  FINDING_LINK_FLAP },
	{ "hung, and nobody's port was down: no flap",
	  { { 2, 1, HUNG, { 0 }, { 0 } }, { 2, 1, HUNG, { 0 }, { 0 } } },
	  FINDING_PAIR_HANG },
	{ "both ports were down: the pair's own",
	  { { 2, 1, HUNG, { 0 }, { 0 } },
	    { 1, 3, WELL, { .event = EVENT(9) }, { 0 } },
	    { 2, 3, WELL, { .event = EVENT(9) }, { 0 } },
	    { 2, 1, HUNG, { 0 }, { 0 } } },
	  FINDING_PAIR_HANG },
};

static void put_end(struct outcome *o, const struct rdma_end *e)
{
	if (e->setup_errno)
		outcome_put(o, COUNTER_SETUP_ERRNO, e->setup_errno);
	if (e->wc_status)
		outcome_put(o, COUNTER_WC_STATUS, e->wc_status);
	if (e->event)
		outcome_put(o, COUNTER_PORT_EVENT, e->event);
}

static void put_test(struct build_run *b, const struct told *told)
{
	const struct build_test t = {
		.src = told->src,
		.dst = told->dst,
		.xport = XPORT_VERBS,
		.src_state = told->src_state,
		.dst_state = told->dst_state,
		.src_stage = told->src_stage,
		.dst_stage = told->dst_stage,
		.value = told->src_state == OUTCOME_OK ? 1e9 : 0,
	};
	struct results *r = &b->results;

	(void)build_test(b, &t);
	put_end(&r->outcomes[r->n_outcomes - 2], &told->tx);
	put_end(&r->outcomes[r->n_outcomes - 1], &told->rx);
}

/* Everybody with everybody went well; then what @run says. */
static void build_ports(struct build_run *b, const struct told *run)
{
	struct told well = { 0, 1, WELL, { 0 }, { 0 } };

	build_job(b, "1 1 1 1", BUILD_RAILS);
	for (size_t i = 0; i < b->job.n_ranks; i++)
		(void)snprintf(b->job.ranks[i].port,
		               sizeof(b->job.ranks[i].port), "rxe%zu/1", i);
	for (well.src = 0; well.src < 4; well.src++)
		for (well.dst = 0; well.dst < 4; well.dst++)
			if (well.src != well.dst &&
			    !(well.src == run->src && well.dst == run->dst))
				put_test(b, &well);
	for (; run->src != run->dst; run++)
		put_test(b, run);
}

static void test_ports_over_a_run(void **state)
{
	struct judge_opts opts;
	struct findings list;
	struct matrices ms;
	struct build_run b;
	const struct finding *f;

	(void)state;
	judge_defaults(&opts);
	for (size_t i = 0; i < COUNT(runs); i++) {
		build_ports(&b, runs[i].t);
		assert_int_equal(
			judge_matrices(&b.job, &b.results, &opts, &ms, NULL),
			FP_OK);
		assert_int_equal(judge_findings(&b.job, &b.results, &ms, &opts,
		                                &list, NULL),
		                 FP_OK);
		f = list.f;
		if (list.n != (runs[i].code != NOTHING) ||
		    (f && f->code != runs[i].code) ||
		    (f && f->severity == SEVERITY_FAULT) !=
		            (f && f->code != FINDING_LINK_FLAP) ||
		    (f && f->code != FINDING_PAIR_HANG &&
		     strcmp(f->locus.device, "rxe1/1") != 0))
			fail_msg("%s: %zu findings, %s at %s", runs[i].name,
			         list.n, f ? finding_info(f->code)->id : "",
			         f ? f->locus.device : "");
		findings_done(&list);
		matrices_done(&ms);
		build_done(&b);
	}
}

/* What host 2 sends waits for acknowledgements, which come to it slowly: that
 * is told with its slow receiving, and not as a pair's own trouble. */
static void test_ways_back(void **state)
{
	struct build_test t = { .xport = XPORT_VERBS, .segs = 1000 };
	struct judge_opts opts;
	struct findings list;
	struct matrices ms;
	struct build_run b;

	(void)state;
	judge_defaults(&opts);
	build_job(&b, "1 1 1 1", BUILD_RAILS);
	for (int turn = 0; turn < 4; turn++)
		for (int32_t i = 0; i < 16; i++) {
			t.src = i / 4;
			t.dst = i % 4;
			t.stage = turn ? TRIAL_S7_RETEST : TRIAL_S3_RAIL;
			t.value = t.dst == 2 ? 1e6 : 5e6 + 1e3 * i;
			t.low = t.value * (t.src == 2 && t.dst == 0 ? .2 : .98);
			t.retrans = t.src == 2 && t.dst == 3 ? 20 : 0;
			if (t.src != t.dst)
				(void)build_test(&b, &t);
		}
	assert_int_equal(judge_matrices(&b.job, &b.results, &opts, &ms, NULL),
	                 FP_OK);
	assert_true(matrix_find(&ms.m[0], 2, 0)->why & CELL_WHY_UNSTEADY);
	assert_true(matrix_find(&ms.m[0], 2, 3)->why & CELL_WHY_LOSS);
	assert_int_equal(
		judge_findings(&b.job, &b.results, &ms, &opts, &list, NULL),
		FP_OK);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.f[0].code, FINDING_PORT_RX_SLOW);
	findings_done(&list);
	matrices_done(&ms);
	build_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_cell),
		cmocka_unit_test(test_ports_over_a_run),
		cmocka_unit_test(test_ways_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
