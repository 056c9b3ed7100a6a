// SPDX-License-Identifier: Apache-2.0
// Builds jobs and results of tests from short descriptions.
#include "tests/unit/build_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/base/fmt.h"
#include "topo/model/model_map.h"

static void add_netdev(struct topo_netdev *dev, enum build_devs devs, size_t i)
{
	*dev = (struct topo_netdev){
		.speed_bps = devs == BUILD_LOOPBACK ? -1 : 1000000000,
		.mtu_bytes = 1500,
		.up = true,
		.loopback = devs == BUILD_LOOPBACK,
	};
	if (dev->loopback)
		fp_copy(dev->name, sizeof(dev->name), "lo");
	else
		snprintf(dev->name, sizeof(dev->name), "eth%zu", i);
	snprintf(dev->addr, sizeof(dev->addr), "10.0.%zu.1", i % 250);
}

static void add_host(struct build_run *b, size_t n_ranks, enum build_devs devs)
{
	size_t n_devs = devs == BUILD_RAILS ? n_ranks : 1, i;
	struct topo_netdev *netdevs = calloc(n_devs, sizeof(*netdevs));
	struct topo_host host = { .n_cpus = 8,
		                  .netdevs = netdevs,
		                  .n_netdevs = n_devs };
	size_t first = 0;

	assert_non_null(netdevs);
	snprintf(host.name, sizeof(host.name), "h%zu", b->job.n_hosts);
	snprintf(host.host_id, sizeof(host.host_id), "id%zu", b->job.n_hosts);
	for (i = 0; i < n_devs; i++)
		add_netdev(&netdevs[i], devs, i);
	while (first < b->job.n_ranks && b->job.ranks[first].host >= 0)
		first++;
	for (i = first; i < first + n_ranks; i++) {
		assert_int_equal(
			topo_job_place(&b->job, (int32_t)i, &host, NULL),
			FP_OK);
		b->job.ranks[i].netdev =
			devs == BUILD_RAILS ? (int32_t)(i - first) : 0;
	}
	free(netdevs);
}

void build_job(struct build_run *b, const char *shape, enum build_devs devs)
{
	size_t counts[1024], n = 0, total = 0, i;
	const char *at = shape;
	char *end;

	*b = (struct build_run){ 0 };
	for (; n < 1024; n++, at = end) {
		counts[n] = strtoul(at, &end, 10);
		if (end == at)
			break;
		total += counts[n];
	}
	assert_int_equal(topo_job_init(&b->job, total, NULL), FP_OK);
	for (i = 0; i < n; i++)
		add_host(b, counts[i], devs);
}

void build_gpus(struct topo_host *host, size_t n, const char *name)
{
	struct map_gpu *gpu;

	host->map = calloc(1, sizeof(*host->map));
	assert_non_null(host->map);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(topo_map_add_gpu(host->map, &gpu, NULL),
		                 FP_OK);
		fp_copy(gpu->name, sizeof(gpu->name), name);
	}
}

void build_done(struct build_run *b)
{
	topo_job_done(&b->job);
	results_done(&b->results);
}

static uint32_t add_trial(struct build_run *b, struct trial *t,
                          int32_t *members, size_t n_members)
{
	struct batch batch = { t, 1, members, n_members };

	t->round = b->round++;
	t->src_ep = t->dst_ep = -1;
	t->deadline_s = 5;
	assert_int_equal(results_add_batch(&b->results, &batch, NULL), FP_OK);
	return t->id;
}

static void add_outcome(struct build_run *b, const struct outcome *o)
{
	assert_int_equal(results_add_outcome(&b->results, o, NULL, 0, NULL),
	                 FP_OK);
}

static uint8_t or_default(uint8_t value, uint8_t none)
{
	return value ? value : none;
}

static struct outcome end_outcome(const struct build_test *t, bool at_dst)
{
	struct outcome o = {
		.rank = at_dst ? t->dst : t->src,
		.state = or_default(at_dst ? t->dst_state : t->src_state,
		                    OUTCOME_OK),
		.flags = at_dst ? t->dst_flags : t->src_flags,
		.wrong_bytes = at_dst ? t->wrong : t->wrong_back,
	};

	o.stage = at_dst ? t->dst_stage : t->src_stage;
	if (!o.stage)
		o.stage = o.state == OUTCOME_OK       ? STAGE_DONE
		          : o.state == OUTCOME_NOTRUN ? STAGE_SPAWN
		                                      : STAGE_XFER;
	if (o.state == OUTCOME_HANG && t->idle_ns)
		outcome_put(&o, COUNTER_IDLE_NS, t->idle_ns);
	if (o.state != OUTCOME_OK)
		fp_copy(o.err, sizeof(o.err), t->err ? t->err : "");
	return o;
}

static void rate_in(struct outcome *o, double rate, double low)
{
	if (o->state != OUTCOME_OK)
		return;
	o->flags |= OUTCOME_RECEIVER;
	o->algbw_Bps = o->busbw_Bps = rate;
	o->low_Bps = low > 0 ? low : rate * 0.98;
}

static void figures(const struct build_test *t, struct outcome *src,
                    struct outcome *dst)
{
	if (t->op == OP_LATENCY && src->state == OUTCOME_OK) {
		src->flags |= OUTCOME_RECEIVER;
		src->min_s = t->value;
		src->p50_s = t->value * 1.2;
		src->p99_s = src->max_s = t->low > 0 ? t->low : t->value * 2;
	}
	if (t->op != OP_WRITE)
		return;
	rate_in(dst, t->value, t->low);
	if (t->pace > 0 && dst->state == OUTCOME_OK)
		dst->p50_s = (1u << 20) / t->pace;
	dst->n = t->messages ? t->messages : 100;
	if (t->dir == DIR_BI)
		rate_in(src, t->back > 0 ? t->back : t->value, 0);
	if (t->segs >= 0) {
		outcome_put(src, COUNTER_RETRANS, t->retrans);
		outcome_put(src, COUNTER_SEGS_OUT, t->segs ? t->segs : 10000);
	}
	if (t->rtt_s > 0) {
		outcome_put(src, COUNTER_RTT_NS, (int64_t)(1e9 * t->rtt_s));
		outcome_put(src, COUNTER_SND_MSS, 1448);
	}
}

static void datagrams(const struct build_test *t, struct outcome *src,
                      struct outcome *dst)
{
	int32_t full = t->full_sent < 0 ? 0 : t->full_sent ? t->full_sent : 8;

	outcome_put(src, COUNTER_SMALL_SENT, 8);
	outcome_put(src, COUNTER_FULL_SENT, full);
	outcome_put(dst, COUNTER_SMALL_RCVD, t->small_rcvd);
	outcome_put(dst, COUNTER_FULL_RCVD, t->full_rcvd);
	outcome_put(src, COUNTER_FULL_BYTES, 1500);
}

uint32_t build_test(struct build_run *b, const struct build_test *t)
{
	bool write = t->op == OP_WRITE;
	struct trial trial = {
		.xport = t->xport ? t->xport : (uint16_t)XPORT_TCP,
		.op = t->op,
		.dir = t->dir,
		.stage = or_default(t->stage, TRIAL_S3_RAIL),
		.bytes = t->bytes ? t->bytes
		         : write  ? 1u << 20
		                  : 8,
		.src = t->src,
		.dst = t->dst,
	};
	struct outcome src = end_outcome(t, false);
	struct outcome dst = end_outcome(t, true);

	src.trial = dst.trial = add_trial(b, &trial, NULL, 0);
	figures(t, &src, &dst);
	if (t->op == OP_DATAGRAM)
		datagrams(t, &src, &dst);
	add_outcome(b, &src);
	add_outcome(b, &dst);
	return trial.id;
}

void build_event(struct build_run *b, unsigned kind, int32_t rank, double t_s,
                 const char *text)
{
	struct run_event e = {
		.kind = kind, .rank = rank, .t_s = t_s, .value = 1
	};

	fp_copy(e.text, sizeof(e.text), text);
	assert_int_equal(results_add_event(&b->results, &e, NULL), FP_OK);
}

uint32_t build_coll(struct build_run *b, uint16_t op, const uint8_t *states,
                    const uint8_t *stages)
{
	size_t n = b->job.n_ranks, i;
	int32_t *members = calloc(n, sizeof(*members));
	struct trial trial = {
		.op = op,
		.stage = TRIAL_S6_COLL,
		.bytes = 65536,
		.src = 0,
		.dst = -1,
		.member_count = (uint32_t)n,
	};

	assert_non_null(members);
	for (i = 0; i < n; i++)
		members[i] = (int32_t)i;
	add_trial(b, &trial, members, n);
	free(members);
	for (i = 0; i < n; i++) {
		struct outcome o = {
			.trial = trial.id,
			.rank = (int32_t)i,
			.state = states ? states[i] : OUTCOME_OK,
			.stage = stages ? stages[i] : STAGE_DONE,
			.p50_s = 1e-3,
			.algbw_Bps = 1e8,
		};

		add_outcome(b, &o);
	}
	return trial.id;
}

double build_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

double build_normal(uint64_t *state)
{
	double u = 1 - build_random(state), v = build_random(state);

	return sqrt(-2 * log(u)) * cos(2 * acos(-1.0) * v);
}

#define SHUFFLE(array, n, state)                                        \
	for (size_t i_ = (n); i_ > 1; i_--) {                           \
		size_t j_ = (size_t)(build_random(state) * (double)i_); \
		memcpy(spare, &(array)[i_ - 1], sizeof(*(array)));      \
		(array)[i_ - 1] = (array)[j_];                          \
		memcpy(&(array)[j_], spare, sizeof(*(array)));          \
	}

void build_shuffle(struct build_run *b, uint64_t seed)
{
	char spare[sizeof(struct outcome)];

	SHUFFLE(b->results.outcomes, b->results.n_outcomes, &seed)
	SHUFFLE(b->results.events, b->results.n_events, &seed)
}
