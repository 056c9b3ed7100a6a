// SPDX-License-Identifier: Apache-2.0
// What the planners share: who is there, and a schedule that grows.
#include "probes/plan/list.h"

#include <stdlib.h>

#include "probes/trial/grow.h"

static bool takes_part(const struct topo_job *job, const bool *skip, size_t i)
{
	int32_t host = job->ranks[i].host;

	return !(skip && skip[i]) && host >= 0 && (size_t)host < job->n_hosts;
}

/* A counting sort by host; then hosts without ranks are squeezed out. */
static void roster_fill(struct plan_roster *r, const struct topo_job *job,
                        const bool *skip)
{
	size_t h, i;

	for (i = 0; i < job->n_ranks; i++)
		if (takes_part(job, skip, i))
			r->first[(size_t)job->ranks[i].host + 1]++;
	for (h = 0; h < job->n_hosts; h++)
		r->first[h + 1] += r->first[h];
	for (i = job->n_ranks; i-- > 0;)
		if (takes_part(job, skip, i))
			r->ranks[--r->first[(size_t)job->ranks[i].host + 1]] =
				(int32_t)i;
}

static void roster_squeeze(struct plan_roster *r, size_t n_hosts,
                           size_t n_ranks)
{
	size_t h, end;

	/* first[h + 1] is where host h begins, after roster_fill(). */
	for (h = 0; h < n_hosts; h++) {
		end = h + 1 < n_hosts ? r->first[h + 2] : n_ranks;
		if (end > r->first[h + 1])
			r->first[r->n_hosts++] = r->first[h + 1];
	}
	r->first[r->n_hosts] = n_ranks;
}

enum fp_status plan_roster_init(struct plan_roster *r,
                                const struct topo_job *job, const bool *skip,
                                struct fp_err *err)
{
	size_t i, n = 0;

	for (i = 0; i < job->n_ranks; i++)
		n += takes_part(job, skip, i);
	*r = (struct plan_roster){
		.first = calloc(job->n_hosts + 2, sizeof(*r->first)),
		.ranks = calloc(n + 1, sizeof(*r->ranks)),
	};
	if (!r->first || !r->ranks) {
		plan_roster_done(r);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a plan");
	}
	roster_fill(r, job, skip);
	roster_squeeze(r, job->n_hosts, n);
	return FP_OK;
}

void plan_roster_done(struct plan_roster *r)
{
	if (!r)
		return;
	free(r->first);
	free(r->ranks);
	*r = (struct plan_roster){ 0 };
}

enum fp_status plan_list_add(struct plan_list *l, struct plan_pair pair,
                             struct fp_err *err)
{
	enum fp_status status;

	if (l->n >= PLAN_PAIRS_MAX)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "a plan of more than %u pairs",
		                  PLAN_PAIRS_MAX);
	status = grow_room(&l->pairs, &l->room, l->n + 1, sizeof(*l->pairs),
	                   err);
	if (status)
		return status;
	l->pairs[l->n++] = pair;
	return FP_OK;
}

static int pair_cmp(const void *pa, const void *pb)
{
	const struct plan_pair *a = pa, *b = pb;

	if (a->round != b->round)
		return a->round < b->round ? -1 : 1;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

void plan_list_finish(struct plan_list *l, struct plan_pairs *ret)
{
	if (l->n)
		qsort(l->pairs, l->n, sizeof(*l->pairs), pair_cmp);
	*ret = (struct plan_pairs){
		.pairs = l->pairs,
		.n = l->n,
		.n_rounds = l->n ? l->pairs[l->n - 1].round + 1 : 0,
	};
	*l = (struct plan_list){ 0 };
}

void plan_list_done(struct plan_list *l)
{
	if (!l)
		return;
	free(l->pairs);
	*l = (struct plan_list){ 0 };
}
