// SPDX-License-Identifier: Apache-2.0
// Guards of records that come from outside: what a fit one looks like.
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "probes/trial/trial.h"
#include "probes/trial/variant.h"
#include "topo/model/model.h"

#define TRIAL_FLAGS_ALL \
	(TRIAL_KEEP_SAMPLES | TRIAL_IN_PLACE | TRIAL_REGISTERED | TRIAL_LOAD)
#define OUTCOME_FLAGS_ALL                                         \
	(OUTCOME_RECEIVER | OUTCOME_KILLED | OUTCOME_WEDGED |     \
	 OUTCOME_WORKER_DIED | OUTCOME_SETTLED | OUTCOME_SILENT | \
	 OUTCOME_RETIRED)

#define OUTCOME_TIME_MAX_S 1e7   /* 115 days */
#define OUTCOME_CLOCK_MAX_S 1e10 /* of an uptime */
#define OUTCOME_RATE_MAX_BPS 1e15

/* False for NaN, too. */
static bool in_range(double value, double min, double max)
{
	return value >= min && value <= max;
}

static bool is_rank(int32_t rank, size_t n_ranks)
{
	return rank >= 0 && (size_t)rank < n_ranks;
}

static bool is_terminated(const char *field, size_t size)
{
	return memchr(field, '\0', size) != NULL;
}

static const char *check_kind(const struct trial *t)
{
	if (t->id == 0)
		return "trial has no id";
	if (t->xport >= XPORT_COUNT)
		return "transport is unknown";
	if (t->op >= OP_COUNT)
		return "operation is unknown";
	if (t->mem >= MEM_COUNT)
		return "kind of memory is unknown";
	if (t->dir >= DIR_COUNT)
		return "direction is unknown";
	if (t->stage >= TRIAL_STAGE_COUNT)
		return "stage is unknown";
	if (t->flags & ~TRIAL_FLAGS_ALL)
		return "flag is unknown";
	if (t->flags & TRIAL_LOAD && !trial_xport_is_gpu(t->xport))
		return "flag of a load is for GPUs";
	if (t->variant >= VARIANT_COUNT && !variant_is_without(t->variant))
		return "variant is unknown";
	if (t->type >= TYPE_COUNT || t->redop >= REDOP_COUNT)
		return "type or reduction is unknown";
	if ((t->type || t->redop) && t->xport != XPORT_NCCL)
		return "only NCCL has other types than float, and their sums";
	if (t->variant && t->xport != XPORT_NCCL)
		return "only NCCL has variants";
	return NULL;
}

static const char *check_amount(const struct trial *t)
{
	if (t->bytes > TRIAL_BYTES_MAX)
		return "message size is absurd";
	if (t->bytes == 0 && (t->op == OP_WRITE || t->op == OP_LATENCY))
		return "message size is 0";
	if (t->iters > TRIAL_ITERS_MAX)
		return "number of iterations is absurd";
	if (t->warmup > TRIAL_ITERS_MAX)
		return "number of warm-up iterations is absurd";
	if (!in_range(t->time_s, 0, TRIAL_TIME_MAX_S))
		return "measuring time is absurd";
	if (!in_range(t->deadline_s, 0, TRIAL_TIME_MAX_S))
		return "deadline is absurd";
	if (t->deadline_s <= 0 || t->deadline_s < t->time_s)
		return "deadline is shorter than the measuring time";
	return NULL;
}

/* Memory to GPU, or out of an HCA and back: one rank is enough. */
static bool is_alone(const struct trial *t)
{
	return t->op == OP_WRITE &&
	       (t->xport == XPORT_CUDA || t->xport == XPORT_VERBS);
}

static const char *check_ends(const struct trial *t, size_t n_ranks)
{
	bool pair = trial_is_pair(t);

	if (t->src < -1 || (t->src >= 0 && !is_rank(t->src, n_ranks)))
		return "source is no rank of this job";
	if (t->dst < -1 || (t->dst >= 0 && !is_rank(t->dst, n_ranks)))
		return "destination is no rank of this job";
	if (t->src < 0 && (pair || t->op == OP_BROADCAST))
		return "source is missing";
	if (t->dst < 0 && pair)
		return "destination is missing";
	if (t->src == t->dst && pair && !is_alone(t))
		return "source and destination are one rank";
	if (t->src_ep < -1 || t->src_ep >= TOPO_MAX_NETDEVS || t->dst_ep < -1 ||
	    t->dst_ep >= TOPO_MAX_NETDEVS)
		return "endpoint is no device of a host";
	return NULL;
}

static const char *check_members(const struct trial *t, size_t n_ranks,
                                 size_t n_members)
{
	if (trial_is_pair(t))
		return t->member_count ? "a pair has no members" : NULL;
	if (t->member_count < 2)
		return "a collective needs two members";
	if (t->member_count > n_ranks)
		return "more members than ranks";
	if (t->member_first > n_members ||
	    t->member_count > n_members - t->member_first)
		return "members lie outside of the batch's table";
	return NULL;
}

const char *trial_check(const struct trial *t, size_t n_ranks, size_t n_members)
{
	const char *wrong = check_kind(t);

	if (!wrong)
		wrong = check_amount(t);
	if (!wrong)
		wrong = check_ends(t, n_ranks);
	if (!wrong)
		wrong = check_members(t, n_ranks, n_members);
	return wrong;
}

static const char *check_figures(const struct outcome *o)
{
	const double times[] = { o->min_s, o->p5_s,  o->p50_s,
		                 o->p99_s, o->max_s, o->elapsed_s };
	const double rates[] = { o->algbw_Bps, o->busbw_Bps, o->low_Bps };

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		if (!in_range(times[i], 0, OUTCOME_TIME_MAX_S))
			return "a time is absurd";
	}
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		if (!in_range(rates[i], 0, OUTCOME_RATE_MAX_BPS))
			return "a rate is absurd";
	}
	if (!in_range(o->start_s, 0, OUTCOME_CLOCK_MAX_S))
		return "start time is absurd";
	if (o->wrong_bytes > INT64_MAX || o->moved_bytes > INT64_MAX)
		return "a count of bytes is absurd";
	return NULL;
}

const char *outcome_check(const struct outcome *o, size_t n_ranks)
{
	if (o->trial == 0)
		return "outcome of no trial";
	if (!is_rank(o->rank, n_ranks))
		return "outcome of no rank of this job";
	if (o->state == OUTCOME_NONE || o->state >= OUTCOME_STATE_COUNT)
		return "state is unknown";
	if (o->stage >= OUTCOME_STAGE_COUNT)
		return "stage is unknown";
	if (o->flags & ~OUTCOME_FLAGS_ALL)
		return "flag is unknown";
	for (size_t i = 0; i < OUTCOME_VALUES; i++) {
		if (o->values[i].id >= OUTCOME_COUNTER_COUNT)
			return "counter is unknown";
	}
	if (!is_terminated(o->cc, sizeof(o->cc)) ||
	    !is_terminated(o->err, sizeof(o->err)))
		return "text has no end";
	return check_figures(o);
}

const char *run_event_check(const struct run_event *e, size_t n_ranks)
{
	if (e->kind == EVENT_NONE || e->kind >= EVENT_KIND_COUNT)
		return "kind of event is unknown";
	if (e->rank != -1 && !is_rank(e->rank, n_ranks))
		return "event of no rank of this job";
	if (!in_range(e->t_s, 0, OUTCOME_CLOCK_MAX_S))
		return "time of event is absurd";
	if (!is_terminated(e->text, sizeof(e->text)))
		return "text has no end";
	return NULL;
}
