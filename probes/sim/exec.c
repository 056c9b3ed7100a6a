// SPDX-License-Identifier: Apache-2.0
// Trials on a modelled cluster: each end's outcome as a worker would tell it.
#include "probes/sim/exec.h"

#include <math.h>

#include "probes/session/located.h"

#define ROUND_S 0.5 /* to connect and to warm up */
#define INSIDE_BPS 10e9
#define TCP_LATENCY_S 20e-6
#define GRAMS 8

/* struct scene - a trial, and what it showed. */
struct scene {
	const struct sim_exec *x;
	const struct trial *t;
	const int32_t *members;
	struct locate_look look;
	double expected_Bps, latency_s;
};

static double expected_of(const struct sim_exec *x, const struct trial *t,
                          unsigned cls)
{
	return t->xport == XPORT_SHM ? INSIDE_BPS
	                             : locate_expected_Bps(x->m->f, cls);
}

/* Copies in the host's memory are measured as streams. */
static bool is_stream(const struct trial *t)
{
	return t->op == OP_WRITE && !trial_xport_is_gpu(t->xport) &&
	       t->xport != XPORT_VERBS;
}

/* The same transfer has the same number in every trial. */
static struct locate_look look_at(const struct sim_exec *x,
                                  const struct trial *t,
                                  const struct fabric_transfer *tr)
{
	struct locate_test test = {
		.t = *tr,
		.cls = (uint8_t)locate_class_of(x->m->f, tr),
	};
	bool again = t->stage == TRIAL_S7_RETEST;
	struct sim_model m = *x->m;
	uint64_t src = stats_hash((uint64_t)t->src, (uint64_t)t->src_ep);
	uint64_t dst = stats_hash((uint64_t)t->dst, (uint64_t)t->dst_ep);
	uint64_t key = stats_hash(stats_hash(src, dst),
	                          t->mem + 8u * t->xport + 64u * t->op);

	m.streams = is_stream(t);
	return sim_look(&m, &test, (size_t)(key | 1ull << 63),
	                again ? t->id : 0, again);
}

static void scene_pair(struct scene *s)
{
	const struct sim_exec *x = s->x;
	struct fabric_transfer tr =
		session_trial_transfer(x->m->f, x->job, s->t);

	s->look = look_at(x, s->t, &tr);
	s->expected_Bps = expected_of(x, s->t, locate_class_of(x->m->f, &tr));
}

/* A step of a ring, by the way that a GPU job takes. */
static void scene_edge(struct scene *s, int32_t src, int32_t dst,
                       struct scene *edge)
{
	const struct sim_exec *x = s->x;
	bool inside = topo_job_same_host(x->job, src, dst);
	bool gpus = x->m->f->spec.gpus > 0;
	struct trial t = *s->t;

	t.op = OP_WRITE;
	t.src = src;
	t.dst = dst;
	t.xport = inside ? XPORT_SHM : XPORT_TCP;
	t.mem = MEM_HOST;
	if (gpus) {
		t.xport = inside ? XPORT_CUDA : XPORT_VERBS;
		t.mem = MEM_CUDA;
		t.src_ep =
			fabric_gpu_nic(x->m->f, x->job->ranks[src].local_rank);
		t.dst_ep =
			fabric_gpu_nic(x->m->f, x->job->ranks[dst].local_rank);
	}
	*edge = (struct scene){ .x = x, .t = &t };
	scene_pair(edge);
}

static bool has_host(const struct scene *s, int32_t comp)
{
	int32_t host = fabric_place(s->x->m->f, comp).host;
	uint32_t i;

	for (i = 0; i < s->t->member_count; i++)
		if (s->x->job->ranks[s->members[i]].host == host)
			return true;
	return false;
}

/* Members come host by host. */
static int32_t count_hosts(const struct scene *s)
{
	int32_t n = 0, last = -1, host;
	uint32_t i;

	for (i = 0; i < s->t->member_count; i++) {
		host = s->x->job->ranks[s->members[i]].host;
		n += host != last;
		last = host;
	}
	return n;
}

static bool befalls(const struct scene *s, const struct sim_fault *f)
{
	switch (f->kind) {
	case SIM_COLL_SCALE:
		return count_hosts(s) >= f->from;
	case SIM_COLL_HOST:
		return has_host(s, f->comp);
	case SIM_COLL_PAIR:
		return has_host(s, f->comp) && has_host(s, f->with);
	default:
		return false;
	}
}

static void take_worse(struct scene *s, uint8_t state, uint8_t stage)
{
	if (state <= s->look.state)
		return;
	s->look.state = state;
	s->look.stage = stage;
}

static void scene_coll(struct scene *s)
{
	const struct sim_model *m = s->x->m;
	uint32_t n = s->t->member_count, i;
	double rate = INFINITY, slowest = INFINITY;
	struct scene edge;

	s->look = (struct locate_look){
		.state = OUTCOME_OK,
		.stage = STAGE_DONE,
	};
	for (i = 0; i < n; i++) {
		scene_edge(s, s->members[i], s->members[(i + 1) % n], &edge);
		take_worse(s, edge.look.state, edge.look.stage);
		slowest = fmin(slowest, edge.expected_Bps);
		rate = fmin(rate,
		            edge.expected_Bps * exp(edge.look.capability));
	}
	for (i = 0; i < m->n_faults; i++) {
		const struct sim_fault *f = &m->faults[i];

		if (!befalls(s, f))
			continue;
		take_worse(s, (uint8_t)f->info.state, (uint8_t)f->info.stage);
		rate = fmin(rate, slowest * f->info.ratio);
	}
	s->expected_Bps = slowest;
	s->look.capability = s->look.floor = log(rate / slowest);
}

static void fill_grams(const struct scene *s, bool receiver, struct outcome *o)
{
	bool small = s->look.state == OUTCOME_OK || s->look.small_ok;
	bool full = s->look.state == OUTCOME_OK;

	outcome_put(o, COUNTER_SMALL_SENT, GRAMS);
	outcome_put(o, COUNTER_FULL_SENT, GRAMS);
	o->state = OUTCOME_OK;
	o->stage = STAGE_DONE;
	if (!receiver)
		return;
	outcome_put(o, COUNTER_SMALL_RCVD, small ? GRAMS : 0);
	outcome_put(o, COUNTER_FULL_RCVD, full ? GRAMS : 0);
}

static void fill_latency(const struct scene *s, struct outcome *o)
{
	o->min_s = TCP_LATENCY_S * exp(s->look.latency);
	o->p5_s = o->min_s;
	o->p50_s = o->min_s * 1.02;
	o->p99_s = o->max_s = o->min_s * 1.2;
	o->algbw_Bps = (double)s->t->bytes / o->p50_s;
}

static void fill_rate(const struct scene *s, struct outcome *o)
{
	double factor = trial_busbw_factor(
		s->t->op, s->t->member_count ? s->t->member_count : 2);

	o->busbw_Bps = s->expected_Bps * exp(s->look.capability);
	o->algbw_Bps = o->busbw_Bps / factor;
	o->low_Bps = s->expected_Bps * exp(s->look.floor) / factor;
	o->min_s = o->p5_s = o->p50_s = (double)s->t->bytes / o->algbw_Bps;
	o->p99_s = o->max_s = (double)s->t->bytes / o->low_Bps;
	o->moved_bytes = s->t->bytes * o->n;
}

static struct outcome outcome_of(const struct scene *s, int32_t rank)
{
	bool pair = trial_is_pair(s->t);
	bool receiver = !pair || rank == s->t->dst ||
	                (s->t->op == OP_LATENCY && rank == s->t->src);
	struct outcome o = {
		.trial = s->t->id,
		.rank = rank,
		.state = s->look.state,
		.stage = s->look.stage,
		.flags = receiver ? OUTCOME_RECEIVER : 0,
		.n = is_stream(s->t) ? SIM_INTERVALS : SIM_REPEATS,
		.elapsed_s = s->look.state == OUTCOME_HANG ? s->t->deadline_s
		                                           : s->t->time_s,
	};

	/* Small messages go first, to know the latency. */
	if (pair && s->t->xport >= XPORT_VERBS &&
	    (s->look.state == OUTCOME_OK || s->look.small_ok))
		outcome_put(
			&o, COUNTER_RTT_NS,
			lround(2e9 * SESSION_LATENCY_S * exp(s->look.latency)));
	if (s->t->op == OP_DATAGRAM)
		fill_grams(s, rank == s->t->dst, &o);
	else if (s->look.state == OUTCOME_OK && s->t->op == OP_LATENCY)
		fill_latency(s, &o);
	else if (s->look.state == OUTCOME_OK && receiver)
		fill_rate(s, &o);
	return o;
}

static void tell(const struct exec_sink *sink, const struct scene *s,
                 int32_t rank)
{
	struct outcome o = outcome_of(s, rank);

	sink->outcome(sink->arg, s->t, &o, NULL, 0);
}

static double run_trial(const struct sim_exec *x, const struct batch *b,
                        const struct trial *t, const struct exec_sink *sink)
{
	struct scene s = { .x = x, .t = t };
	uint32_t i;

	if (trial_is_pair(t)) {
		scene_pair(&s);
		tell(sink, &s, t->src);
		if (t->dst != t->src)
			tell(sink, &s, t->dst);
	} else {
		s.members = b->members + t->member_first;
		scene_coll(&s);
		for (i = 0; i < t->member_count; i++)
			tell(sink, &s, s.members[i]);
	}
	return s.look.state == OUTCOME_HANG ? t->deadline_s : t->time_s;
}

static enum fp_status run(void *self, const struct batch *batch,
                          int64_t stop_ns, const struct exec_sink *sink,
                          struct fp_err *err)
{
	const struct sim_exec *x = self;
	struct exec_round round = { 0 };
	size_t i;

	(void)stop_ns;
	(void)err;
	for (i = 0; i < batch->n_trials; i++) {
		const struct trial *t = &batch->trials[i];

		if (i == 0 || t->round != batch->trials[i - 1].round) {
			round.work_s = 0;
			sink->round_begin(sink->arg, &round);
		}
		round.work_s = fmax(round.work_s, run_trial(x, batch, t, sink));
		if (i + 1 == batch->n_trials ||
		    batch->trials[i + 1].round != t->round) {
			round.wall_s = ROUND_S + round.work_s;
			sink->round_end(sink->arg, &round);
			round.round++;
		}
	}
	return FP_OK;
}

const struct exec_ops sim_exec_ops = { .name = "model", .run = run };
