// SPDX-License-Identifier: Apache-2.0
// From a stage to its rounds of pairs and its trials.
#include <stdlib.h>

#include "probes/session/port.h"
#include "probes/session/rails.h"
#include "topo/model/rails.h"

size_t session_plan_round_end(const struct plan_pairs *plan, size_t i)
{
	uint32_t round = plan->pairs[i].round;

	while (i < plan->n && plan->pairs[i].round == round)
		i++;
	return i;
}

uint32_t session_per_host(const struct topo_job *job, unsigned xport)
{
	int32_t cpus = 0;
	size_t h;

	if (trial_xport_is_gpu(xport))
		return 0;
	for (h = 0; h < job->n_hosts; h++)
		if (!cpus || job->hosts[h].n_cpus < cpus)
			cpus = job->hosts[h].n_cpus;
	return cpus > 3 ? (uint32_t)cpus / 2 : 1;
}

/* Both ways at once is one trial for both directions: keep one of them. */
static bool is_first_way(const struct topo_job *job, const struct plan_pair *p)
{
	int32_t a = job->ranks[p->src].host;
	int32_t b = job->ranks[p->dst].host;

	if (a < 0 || b < 0)
		return false;
	return a != b ? a < b : p->src < p->dst;
}

/* The devices of a job, and in which round each was used last. */
struct ports {
	const struct topo_job *job;
	int32_t *of; /* rank -> device */
	uint32_t *used;
};

/* Takes from @pairs those that share no device with one taken before, and
 * moves them to the front. Inside a host nothing but ranks is shared. */
static size_t take_disjoint(const struct ports *ports, struct plan_pair *pairs,
                            size_t n, uint32_t round)
{
	struct plan_pair kept;
	size_t i, taken = 0;
	int32_t a, b;

	for (i = 0; i < n; i++) {
		kept = pairs[i];
		a = ports->of[kept.src];
		b = ports->of[kept.dst];
		if (!topo_job_same_host(ports->job, kept.src, kept.dst)) {
			if (ports->used[a] == round || ports->used[b] == round)
				continue;
			ports->used[a] = ports->used[b] = round;
		}
		pairs[i] = pairs[taken];
		pairs[taken] = kept;
		pairs[taken++].round = round;
	}
	return taken;
}

/* A round may use a device for one flow out and another in; with traffic both
 * ways that is two in each direction, so split such rounds. */
static void split_rounds(const struct ports *ports, struct plan_pairs *plan)
{
	uint32_t round = 0;
	size_t i = 0, end;

	while (i < plan->n) {
		end = session_plan_round_end(plan, i);
		while (i < end)
			i += take_disjoint(ports, plan->pairs + i, end - i,
			                   ++round);
	}
	plan->n_rounds = round;
}

enum fp_status session_plan_both_ways(const struct topo_job *job,
                                      struct plan_pairs *plan,
                                      struct fp_err *err)
{
	struct ports ports = { .job = job };
	enum fp_status status;
	size_t i, n = 0;

	status = session_ports_make(job, &ports.of, err);
	if (status)
		return status;
	ports.used = calloc(job->n_ranks + 1, sizeof(*ports.used));
	if (!ports.used) {
		free(ports.of);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a plan");
	}
	for (i = 0; i < plan->n; i++)
		if (is_first_way(job, &plan->pairs[i]))
			plan->pairs[n++] = plan->pairs[i];
	plan->n = n;
	split_rounds(&ports, plan);
	free(ports.used);
	free(ports.of);
	return FP_OK;
}

static enum fp_status plan(const struct session_stage *st,
                           const struct session_opts *opts,
                           const struct topo_job *job, const bool *skip,
                           struct plan_pairs *ret, struct fp_err *err)
{
	const struct plan_between how = {
		.job = job,
		.skip = skip,
		.all_ranks = st->all_ranks,
		.rails = st->rails,
		.matchings = st->matchings,
		/* each rail has its own sample */
		.seed = opts->seed +
		        (st->src_ep > 0 ? (uint64_t)st->src_ep : 0),
	};
	enum fp_status status;

	if (st->shape == SHAPE_INSIDE)
		status = plan_inside_hosts(job, skip,
		                           session_per_host(job, st->xport),
		                           st->matchings, ret, err);
	else
		status = plan_between_hosts(&how, ret, err);
	if (status || st->dir != DIR_BI)
		return status;
	status = session_plan_both_ways(job, ret, err);
	if (status)
		plan_pairs_done(ret);
	return status;
}

enum fp_status session_stage_plan(const struct session_stage *st,
                                  const struct session_opts *opts,
                                  const struct topo_job *job, const bool *skip,
                                  struct plan_pairs *ret, struct fp_err *err)
{
	struct topo_job view;
	bool *out = NULL;
	enum fp_status status;

	if (st->xport != XPORT_VERBS)
		return plan(st, opts, job, skip, ret, err);
	status = session_rails_view(st, job, &view, err);
	if (!status)
		status = session_rails_skip(st, &view, skip, &out, err);
	if (!status)
		status = plan(st, opts, &view, out, ret, err);
	free(out);
	topo_job_on_rail_done(&view);
	return status;
}

struct trial session_stage_trial(const struct session_stage *st, uint64_t seed,
                                 int32_t src, int32_t dst)
{
	uint64_t ends = (uint64_t)(uint32_t)src << 32 | (uint32_t)dst;

	return (struct trial){
		.xport = st->xport,
		.op = st->op,
		.mem = trial_xport_is_gpu(st->xport) ? MEM_CUDA : MEM_HOST,
		.dir = st->dir,
		.stage = st->stage,
		.flags = st->flags,
		.bytes = st->bytes,
		.iters = st->iters,
		.warmup = st->warmup,
		.src = src,
		.dst = dst,
		.src_ep = st->src_ep,
		.dst_ep = st->dst_ep,
		.variant = st->variant,
		.type = st->type,
		.redop = st->redop,
		.time_s = st->time_s < st->deadline_s ? st->time_s
		                                      : st->deadline_s,
		.deadline_s = st->deadline_s,
		/* odd factors: every pair gets its own pattern */
		.seed = (seed + 1) * 0x9e3779b97f4a7c15u ^
		        (ends + 1) * 0xbf58476d1ce4e5b9u,
	};
}

bool session_stage_is_of(const struct session_stage *st, const struct trial *t)
{
	const uint8_t place = TRIAL_IN_PLACE;

	return t->xport == st->xport && t->op == st->op && t->dir == st->dir &&
	       t->bytes == st->bytes && t->variant == st->variant &&
	       t->src_ep == st->src_ep && t->dst_ep == st->dst_ep &&
	       (t->flags & place) == (st->flags & place) &&
	       (t->stage == st->stage || t->stage == TRIAL_S7_RETEST);
}
