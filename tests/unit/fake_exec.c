// SPDX-License-Identifier: Apache-2.0
// An executor over a small model of a cluster, in virtual time.
#include "tests/unit/fake_exec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/fake_model.h"
#include "topo/base/fmt.h"

#define FAKE_COLL_BPS 3e9
#define FAKE_CONNECT_S 0.004
#define FAKE_ROUND_S 0.002
#define FAKE_GRAMS 8

void fake_exec_init(struct fake_exec *f, const struct topo_job *job)
{
	*f = (struct fake_exec){ .job = job, .rng = 88172645463325252u };
}

void fake_exec_rule(struct fake_exec *f, struct fake_rule rule)
{
	if (f->n_rules < FAKE_RULES)
		f->rules[f->n_rules++] = rule;
}

static void fill_times(struct outcome *o, double s)
{
	o->n = 100;
	o->min_s = s;
	o->p5_s = s * 1.01;
	o->p50_s = s * 1.05;
	o->p99_s = s * 1.4;
	o->max_s = s * 2;
}

static void fill_stream(const struct fake_flow *flow, struct outcome *o)
{
	double rate = fake_rate(flow);

	o->algbw_Bps = o->busbw_Bps = rate;
	o->low_Bps = rate * 0.98;
	o->flags |= OUTCOME_RECEIVER | OUTCOME_SETTLED;
	o->moved_bytes = (uint64_t)(rate * flow->t->time_s);
	fill_times(o, (double)flow->t->bytes / rate);
	if (fake_find_rule(flow, FAKE_CORRUPT))
		o->wrong_bytes = 4096;
}

static void fill_gram(const struct fake_flow *flow, bool src, struct outcome *o)
{
	bool hole = fake_find_rule(flow, FAKE_HOLE);
	bool full = !hole && !fake_find_rule(flow, FAKE_MTU);

	outcome_put(o, src ? COUNTER_SMALL_SENT : COUNTER_SMALL_RCVD,
	            src || !hole ? FAKE_GRAMS : 0);
	outcome_put(o, src ? COUNTER_FULL_SENT : COUNTER_FULL_RCVD,
	            src || full ? FAKE_GRAMS : 0);
	outcome_put(o, COUNTER_FULL_BYTES, 1500);
}

static void fill_failure(const struct fake_flow *flow, struct outcome *o,
                         bool hangs)
{
	o->state = hangs ? OUTCOME_HANG : OUTCOME_ERROR;
	o->stage = hangs ? STAGE_XFER : STAGE_CONNECT;
	o->elapsed_s = hangs ? flow->t->deadline_s : FAKE_CONNECT_S;
	fp_copy(o->err, sizeof(o->err),
	        hangs ? "no data" : "connection refused");
}

static void give(const struct exec_sink *sink, const struct trial *t,
                 const struct outcome *o)
{
	const double samples[] = { o->min_s, o->p50_s, o->max_s };

	sink->outcome(sink->arg, t, o, samples,
	              t->flags & TRIAL_KEEP_SAMPLES ? 3 : 0);
}

static bool rank_is_lost(const struct fake_exec *f, int32_t rank)
{
	const struct fake_rule *r;

	for (r = f->rules; r < f->rules + f->n_rules; r++)
		if (r->kind == FAKE_LOST && f->n_rounds >= r->from &&
		    fake_end_matches(r, f->job, r->src, rank))
			return true;
	return false;
}

/* Outcomes of a trial with somebody lost in it; false if there is none. */
static bool give_lost(struct fake_exec *f, const struct trial *t,
                      const int32_t *members, uint32_t n,
                      const struct exec_sink *sink)
{
	bool any = false;
	struct outcome o;
	uint32_t i;

	for (i = 0; i < n; i++)
		any |= rank_is_lost(f, members[i]);
	for (i = 0; any && i < n; i++) {
		o = (struct outcome){ .trial = t->id, .rank = members[i] };
		o.state = rank_is_lost(f, members[i]) ? OUTCOME_LOST
		                                      : OUTCOME_NOTRUN;
		fp_copy(o.err, sizeof(o.err), "a member is lost");
		give(sink, t, &o);
	}
	return any;
}

/* What the port of an end counted: its data, and as much of others'. */
static void fill_port(const struct fake_flow *flow, int64_t moved,
                      struct outcome *o)
{
	int64_t others = fake_is_shared(flow->f, o->rank) ? moved : 0;
	bool src = o->rank == flow->src;

	outcome_put(o, COUNTER_PMTU, 4096);
	outcome_put(o, COUNTER_PORT_TX_BYTES, others + (src ? moved : 0));
	outcome_put(o, COUNTER_PORT_RX_BYTES, others + (src ? 0 : moved));
}

static double run_pair(struct fake_flow *flow, const struct exec_sink *sink)
{
	const struct trial *t = flow->t;
	struct fake_flow back = fake_reversed(flow);
	struct outcome src = { .trial = t->id, .rank = t->src };
	struct outcome dst = { .trial = t->id, .rank = t->dst };
	bool gram = t->op == OP_DATAGRAM;
	bool dies = fake_worker(flow->f, FAKE_DIES, t->src) ||
	            fake_worker(flow->f, FAKE_DIES, t->dst);
	bool error = !gram && (dies || fake_find_rule(flow, FAKE_ERROR));
	bool hangs = !gram && !error && fake_hangs(flow);

	src.state = dst.state = OUTCOME_OK;
	src.stage = dst.stage = STAGE_DONE;
	src.elapsed_s = dst.elapsed_s = FAKE_CONNECT_S + t->time_s;
	if (error || hangs) {
		fill_failure(flow, &src, hangs);
		fill_failure(flow, &dst, hangs);
	} else if (gram) {
		fill_gram(flow, true, &src);
		fill_gram(flow, false, &dst);
	} else if (t->op == OP_LATENCY) {
		fill_times(&src, fake_latency(flow));
		src.flags |= OUTCOME_RECEIVER;
	} else {
		fill_stream(flow, &dst);
		if (t->dir == DIR_BI)
			fill_stream(&back, &src);
	}
	if (t->xport == XPORT_VERBS && t->op == OP_WRITE) {
		fill_port(flow, (int64_t)dst.moved_bytes, &src);
		fill_port(flow, (int64_t)dst.moved_bytes, &dst);
	}
	give(sink, t, &src);
	give(sink, t, &dst);
	flow->f->n_datagrams += gram;
	return dst.elapsed_s;
}

/* Seconds that collectives need on a busy machine; 0: it is not busy. */
static double busy_s(const struct fake_exec *f)
{
	const struct fake_rule *r;

	for (r = f->rules; r < f->rules + f->n_rules; r++)
		if (r->kind == FAKE_BUSY)
			return r->factor;
	return 0;
}

static void fill_busy(const struct trial *t, struct outcome *o)
{
	o->state = OUTCOME_HANG;
	o->stage = STAGE_XFER;
	o->elapsed_s = t->deadline_s;
	outcome_put(o, COUNTER_IDLE_NS, 1000);
}

static double run_coll(struct fake_exec *f, const struct trial *t,
                       const int32_t *members, const struct exec_sink *sink)
{
	uint32_t i, n = t->member_count;
	bool hangs = false, busy = busy_s(f) > t->deadline_s;
	struct outcome o;
	double s;

	for (i = 0; i < n; i++) {
		struct fake_flow flow = { f, t, members[i],
			                  members[(i + 1) % n] };

		hangs |= fake_hangs(&flow);
	}
	s = 20e-6 * n + (double)t->bytes * trial_busbw_factor(t->op, n) /
	                        (FAKE_COLL_BPS * fake_noise(f));
	for (i = 0; i < n; i++) {
		o = (struct outcome){ .trial = t->id, .rank = members[i] };
		o.state = hangs ? OUTCOME_HANG : OUTCOME_OK;
		o.stage = hangs ? STAGE_XFER : STAGE_DONE;
		o.elapsed_s = hangs ? t->deadline_s : 0.05;
		fill_times(&o, s);
		o.algbw_Bps = (double)t->bytes / o.p50_s;
		o.busbw_Bps = o.algbw_Bps * trial_busbw_factor(t->op, n);
		if (busy)
			fill_busy(t, &o);
		give(sink, t, &o);
	}
	return hangs || busy ? t->deadline_s : 0.05;
}

/* Two flows the same way at one rank, or at one device between hosts. */
static bool flows_clash(const struct topo_job *job, const struct trial *a,
                        const struct trial *b)
{
	const struct topo_rank *as = &job->ranks[a->src];
	const struct topo_rank *bs = &job->ranks[b->src];
	const struct topo_rank *ad = &job->ranks[a->dst];
	const struct topo_rank *bd = &job->ranks[b->dst];
	bool out = as->host != ad->host && bs->host != bd->host;

	if (a->src == b->src || a->dst == b->dst || a->src == b->dst ||
	    a->dst == b->src)
		return true;
	if (!out)
		return false;
	if ((as->host == bs->host && as->netdev == bs->netdev) ||
	    (ad->host == bd->host && ad->netdev == bd->netdev))
		return true;
	/* Both ways at once: a sender is a receiver, too. */
	return a->dir == DIR_BI &&
	       ((as->host == bd->host && as->netdev == bd->netdev) ||
	        (ad->host == bs->host && ad->netdev == bs->netdev));
}

static void watch_contention(struct fake_exec *f, const struct batch *batch)
{
	size_t i, k;

	for (i = 0; i < batch->n_trials; i++)
		for (k = 0; k < i; k++)
			f->contended |= trial_is_pair(&batch->trials[i]) &&
			                flows_clash(f->job, &batch->trials[i],
			                            &batch->trials[k]);
	if (batch->n_trials > f->most_in_round)
		f->most_in_round = (uint32_t)batch->n_trials;
}

static void tell_lost(struct fake_exec *f, const struct exec_sink *sink)
{
	struct run_event e = { .kind = EVENT_AGENT_LOST, .t_s = f->wall_s };
	struct fake_rule *r;
	size_t i;

	for (r = f->rules; r < f->rules + f->n_rules; r++) {
		if (r->kind != FAKE_LOST || r->spent || f->n_rounds < r->from)
			continue;
		r->spent = true;
		for (i = 0; i < f->job->n_ranks; i++) {
			if (!fake_end_matches(r, f->job, r->src, (int32_t)i))
				continue;
			e.rank = (int32_t)i;
			fp_copy(e.text, sizeof(e.text), "connection closed");
			sink->event(sink->arg, &e);
		}
	}
}

static void tell_worker(const struct fake_exec *f, int32_t rank,
                        const struct exec_sink *sink)
{
	struct run_event e = { .rank = rank, .t_s = f->wall_s };

	if (fake_worker(f, FAKE_STUCK, rank))
		e.kind = EVENT_WORKER_KILLED;
	else if (fake_worker(f, FAKE_DIES, rank))
		e.kind = EVENT_WORKER_DIED;
	else
		return;
	fp_copy(e.text, sizeof(e.text), "worker 1234");
	sink->event(sink->arg, &e);
}

static double run_trial(struct fake_exec *f, const struct batch *batch,
                        const struct trial *t, const struct exec_sink *sink)
{
	const int32_t pair[] = { t->src, t->dst };
	bool is_pair = trial_is_pair(t);
	const int32_t *members =
		is_pair ? pair : batch->members + t->member_first;
	struct fake_flow flow = { f, t, t->src, t->dst };
	uint32_t i, n = is_pair ? 2 : t->member_count;

	if (give_lost(f, t, members, n, sink))
		return FAKE_CONNECT_S;
	for (i = 0; i < n; i++)
		tell_worker(f, members[i], sink);
	return is_pair ? run_pair(&flow, sink) : run_coll(f, t, members, sink);
}

static double stall_s(const struct fake_exec *f)
{
	const struct fake_rule *r;

	for (r = f->rules; r < f->rules + f->n_rules; r++)
		if (r->kind == FAKE_STALL)
			return r->factor;
	return 0;
}

static enum fp_status fake_run(void *self, const struct batch *batch,
                               int64_t stop_ns, const struct exec_sink *sink,
                               struct fp_err *err)
{
	struct fake_exec *f = self;
	struct exec_round round = { .n_rounds = 1 };
	size_t i;

	(void)stop_ns;
	round.n_trials = (uint32_t)batch->n_trials;
	sink->round_begin(sink->arg, &round);
	tell_lost(f, sink);
	watch_contention(f, batch);
	for (i = 0; i < batch->n_trials; i++) {
		if (f->stop_round && f->n_rounds == f->stop_round && i > 0)
			break;
		round.work_s =
			fmax(round.work_s,
		             run_trial(f, batch, &batch->trials[i], sink));
	}
	round.wall_s = round.work_s + FAKE_ROUND_S + stall_s(f);
	f->n_trials += i;
	f->wall_s += round.wall_s;
	if (round.work_s >= 1) {
		f->n_hung_rounds++;
		f->hung_s += round.work_s;
	}
	sink->round_end(sink->arg, &round);
	if (f->stop_round && f->n_rounds++ == f->stop_round)
		return fp_err_set(err, FP_ERR_INTR, "stopped by a signal");
	f->n_rounds += !f->stop_round;
	return FP_OK;
}

const struct exec_ops fake_exec_ops = {
	.name = "fake",
	.run = fake_run,
};
