// SPDX-License-Identifier: Apache-2.0
// What NCCL's channels go through, host against host: one that does without
// GPUDirect RDMA, or without its HCAs, is the odd one out.
#include <stdbool.h>
#include <stdlib.h>

#include "probes/judge/notes.h"
#include "topo/base/fmt.h"

/* struct ways - the channels of a host's ranks, as its outcomes have them. */
struct ways {
	int64_t net, gdr, socket;
};

static void ways_add(struct ways *w, const struct outcome *o)
{
	w->net += outcome_get(o, COUNTER_CHANNELS_IB, 0);
	w->gdr += outcome_get(o, COUNTER_CHANNELS_GDR, 0);
	w->socket += outcome_get(o, COUNTER_CHANNELS_SOCKET, 0);
}

/* A control arm goes other ways on purpose. */
static bool is_of_job(const struct results *r, const struct outcome *o)
{
	const struct trial *t = results_trial(r, o->trial);

	return !t || !t->variant;
}

static void ways_collect(const struct topo_job *job, const struct results *r,
                         struct ways *ways)
{
	const struct outcome *o;

	for (size_t i = 0; i < r->n_outcomes; i++) {
		o = &r->outcomes[i];
		if (is_of_job(r, o) && o->rank >= 0 &&
		    (size_t)o->rank < job->n_ranks &&
		    job->ranks[o->rank].host >= 0)
			ways_add(&ways[job->ranks[o->rank].host], o);
	}
}

/* struct lack - something that a host does without while others have it. */
struct lack {
	bool (*lacks)(const struct ways *w);
	bool (*has)(const struct ways *w);
	unsigned code;
};

static bool lacks_gdr(const struct ways *w)
{
	return w->net > 0 && w->gdr == 0;
}

static bool has_gdr(const struct ways *w)
{
	return w->gdr > 0;
}

static bool lacks_net(const struct ways *w)
{
	return w->socket > 0 && w->net == 0;
}

static bool has_net(const struct ways *w)
{
	return w->net > 0;
}

static enum fp_status accuse(const struct topo_job *job, size_t host,
                             const struct ways *w, unsigned code,
                             struct findings *list, struct fp_err *err)
{
	struct finding *f = findings_add(list, code);

	if (!f)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	f->locus.kind = LOCUS_HOST;
	fp_copy(f->locus.host, sizeof(f->locus.host), job->hosts[host].name);
	finding_evidence(f,
	                 "NCCL's channels of %s: %lld through HCAs, %lld of "
	                 "them with GPUDirect RDMA, %lld through sockets",
	                 job->hosts[host].name, (long long)w->net,
	                 (long long)w->gdr, (long long)w->socket);
	return FP_OK;
}

/* Where no host has it, it is the cluster's way. */
static enum fp_status odd_hosts(const struct topo_job *job,
                                const struct ways *ways, const struct lack *l,
                                struct findings *list, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	bool somewhere = false;
	size_t h;

	for (h = 0; h < job->n_hosts; h++)
		somewhere |= l->has(&ways[h]);
	for (h = 0; !status && somewhere && h < job->n_hosts; h++)
		if (l->lacks(&ways[h]))
			status = accuse(job, h, &ways[h], l->code, list, err);
	return status;
}

enum fp_status judge_channels(const struct topo_job *job,
                              const struct results *r, struct findings *list,
                              struct fp_err *err)
{
	static const struct lack kinds[] = {
		{ lacks_gdr, has_gdr, FINDING_NCCL_GDR_OFF },
		{ lacks_net, has_net, FINDING_NCCL_SOCKET },
	};
	struct ways *ways = calloc(job->n_hosts + 1, sizeof(*ways));
	enum fp_status status = FP_OK;

	if (!ways)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	ways_collect(job, r, ways);
	for (size_t i = 0; !status && i < sizeof(kinds) / sizeof(*kinds); i++)
		status = odd_hosts(job, ways, &kinds[i], list, err);
	free(ways);
	return status;
}
