// SPDX-License-Identifier: Apache-2.0
// From trials and the outcomes of both ends to directed tests.
#include "probes/judge/test.h"

#include <math.h>
#include <stdlib.h>

#include "topo/model/rails.h"

#define PACE_MESSAGES 8
#define OWN_FLAGS \
	(OUTCOME_KILLED | OUTCOME_WEDGED | OUTCOME_WORKER_DIED | OUTCOME_SILENT)

/* Of driver_types.h, CUDA 13. */
enum cuda_code {
	CUDA_ECC_UNCORRECTABLE = 214,
	CUDA_NVLINK_UNCORRECTABLE = 220,
	CUDA_CONTAINED = 226,
	CUDA_ILLEGAL_ADDRESS = 700,
	CUDA_LAUNCH_TIMEOUT = 702,
	CUDA_HARDWARE_STACK = 714,
	CUDA_LAUNCH_FAILURE = 719,
	CUDA_UNKNOWN = 999,
};

/* This program's kernels do nothing by which they could fail. */
bool judge_gpu_error(int64_t code)
{
	switch (code) {
	case CUDA_ECC_UNCORRECTABLE:
	case CUDA_CONTAINED:
	case CUDA_ILLEGAL_ADDRESS:
	case CUDA_LAUNCH_TIMEOUT:
	case CUDA_HARDWARE_STACK:
	case CUDA_LAUNCH_FAILURE:
	case CUDA_UNKNOWN:
		return true;
	default:
		return judge_link_error(code);
	}
}

bool judge_link_error(int64_t code)
{
	return code == CUDA_NVLINK_UNCORRECTABLE;
}

/* Its GPU or library failed by a code of its own, and the peer only waits, or
 * was told. Where both have one, or it is a link's, it may lie between them:
 * with whom else it comes decides. */
static bool is_device_error(const struct outcome *o, const struct outcome *peer)
{
	int64_t code = outcome_get(o, COUNTER_DEVICE_ERROR, 0);

	return o->state == OUTCOME_ERROR && peer &&
	       peer->state != OUTCOME_NONE && code && !judge_link_error(code) &&
	       !outcome_get(peer, COUNTER_DEVICE_ERROR, 0);
}

bool judge_own_fault(const struct outcome *o, const struct outcome *peer)
{
	if (!o)
		return false;
	if (o->state == OUTCOME_LOST || (o->flags & OWN_FLAGS))
		return true;
	if (is_device_error(o, peer))
		return true;
	/* Failed before it met anybody, and the peer got further or was only
	 * told not to try. */
	return (o->state == OUTCOME_ERROR || o->state == OUTCOME_HANG) &&
	       o->stage <= STAGE_INIT &&
	       (!peer || peer->state == OUTCOME_NOTRUN ||
	        peer->stage > STAGE_INIT);
}

bool judge_still_moved(const struct trial *t, const struct outcome *o)
{
	int64_t idle_ns = outcome_get(o, COUNTER_IDLE_NS, -1);

	return o->state == OUTCOME_HANG && !(o->flags & OWN_FLAGS) &&
	       idle_ns >= 0 && (double)idle_ns / 1e9 < t->deadline_s / 2;
}

static double positive(double x)
{
	return isfinite(x) && x > 0 ? x : 0;
}

/* To screen, any number of messages will do; to convict, a few will not. */
static double message_rate(const struct judge_test *t)
{
	double s = positive(t->rx->p50_s);

	if (t->trial->stage == TRIAL_S7_RETEST && t->rx->n < PACE_MESSAGES)
		return 0;
	return s > 0 ? (double)t->trial->bytes / s : 0;
}

static void write_figures(struct judge_test *t)
{
	t->retrans = t->segs = -1;
	if (t->rx && t->state == OUTCOME_OK) {
		t->value = positive(t->rx->algbw_Bps);
		t->low = positive(t->rx->low_Bps);
		t->pace = message_rate(t);
	}
	if (t->tx) {
		t->retrans = outcome_get(t->tx, COUNTER_RETRANS, -1);
		t->segs = outcome_get(t->tx, COUNTER_SEGS_OUT, -1);
	}
	if (t->retrans < 0 || t->segs < 0)
		t->retrans = t->segs = -1;
}

/* Of a ping-pong the end that began it has the figures. */
static void latency_figures(struct judge_test *t)
{
	const struct outcome *o = t->tx;

	t->retrans = t->segs = -1;
	if (!o || !(o->flags & OUTCOME_RECEIVER))
		o = t->rx;
	if (!o || t->state != OUTCOME_OK)
		return;
	t->value = positive(o->min_s);
	t->low = positive(o->p99_s);
}

static int32_t test_culprit(const struct judge_test *t)
{
	if (judge_own_fault(t->tx, t->rx))
		return t->src;
	return judge_own_fault(t->rx, t->tx) ? t->dst : -1;
}

static uint32_t least_stage(const struct judge_test *t)
{
	uint32_t a = t->tx ? t->tx->stage : STAGE_SPAWN;
	uint32_t b = t->rx ? t->rx->stage : STAGE_SPAWN;

	return a < b ? a : b;
}

/* A modelled run names HCAs of hosts; rails are of ranks with several ports. */
static void rails_of(const struct trial *t, bool back, struct judge_test *ret)
{
	bool rails = t->xport == XPORT_VERBS;

	ret->src_ep = !rails ? -1 : back ? t->dst_ep : t->src_ep;
	ret->dst_ep = !rails ? -1 : back ? t->src_ep : t->dst_ep;
}

static struct judge_test test_of(const struct pair_view *v, bool rails,
                                 bool back)
{
	struct judge_test t = {
		.trial = v->trial,
		.tx = back ? v->dst : v->src,
		.rx = back ? v->src : v->dst,
		.src = back ? v->trial->dst : v->trial->src,
		.dst = back ? v->trial->src : v->trial->dst,
		.src_ep = -1,
		.dst_ep = -1,
		.state = v->state,
	};

	if (rails)
		rails_of(v->trial, back, &t);
	t.stage = least_stage(&t);
	t.culprit = test_culprit(&t);
	t.late = t.state == OUTCOME_HANG &&
	         ((t.tx && judge_still_moved(t.trial, t.tx)) ||
	          (t.rx && judge_still_moved(t.trial, t.rx)));
	t.wrong = t.rx ? t.rx->wrong_bytes : 0;
	if (v->trial->op == OP_LATENCY) {
		latency_figures(&t);
		t.wrong_back = t.tx ? t.tx->wrong_bytes : 0;
	} else {
		write_figures(&t);
	}
	return t;
}

static int u64_cmp(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int rail_cmp(int32_t a, int32_t b)
{
	return (a > b) - (a < b);
}

static int matrix_cmp(const struct judge_test *x, const struct judge_test *y)
{
	const struct trial *a = x->trial, *b = y->trial;
	const int by[] = {
		u64_cmp(a->op, b->op),          u64_cmp(a->xport, b->xport),
		u64_cmp(a->mem, b->mem),        u64_cmp(a->dir, b->dir),
		u64_cmp(a->bytes, b->bytes),    rail_cmp(x->src_ep, y->src_ep),
		rail_cmp(x->dst_ep, y->dst_ep),
	};
	size_t i;

	for (i = 0; i < sizeof(by) / sizeof(by[0]); i++)
		if (by[i])
			return by[i];
	return 0;
}

static int test_cmp(const void *pa, const void *pb)
{
	const struct judge_test *a = pa, *b = pb;
	int by = matrix_cmp(a, b);

	if (by)
		return by;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	if (a->dst != b->dst)
		return a->dst < b->dst ? -1 : 1;
	return u64_cmp(a->trial->id, b->trial->id);
}

bool judge_tests_same_matrix(const struct judge_test *a,
                             const struct judge_test *b)
{
	return matrix_cmp(a, b) == 0;
}

enum fp_status judge_tests_collect(const struct topo_job *job,
                                   const struct results *r,
                                   struct judge_test **ret, size_t *ret_n,
                                   struct fp_err *err)
{
	bool rails = topo_job_rails(job) > 1;
	struct pair_view *views;
	struct judge_test *tests;
	enum fp_status status;
	size_t i, n_views, n = 0;

	status = results_pairs(r, &views, &n_views, err);
	if (status)
		return status;
	tests = calloc(2 * n_views + 1, sizeof(*tests));
	if (!tests) {
		free(views);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	}
	for (i = 0; i < n_views; i++) {
		if (views[i].trial->op == OP_DATAGRAM ||
		    views[i].state == OUTCOME_NONE)
			continue;
		tests[n++] = test_of(&views[i], rails, false);
		if (views[i].trial->op == OP_WRITE &&
		    views[i].trial->dir == DIR_BI)
			tests[n++] = test_of(&views[i], rails, true);
	}
	free(views);
	if (n)
		qsort(tests, n, sizeof(*tests), test_cmp);
	*ret = tests;
	*ret_n = n;
	return FP_OK;
}
