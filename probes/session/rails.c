// SPDX-License-Identifier: Apache-2.0
// Stages of verbs, one for each rail; who has a part in each.
#include "topo/model/rails.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/session/port.h"
#include "probes/session/rails.h"

#define QUICK_MATCHINGS 2 /* of each rail, where there are several */

uint32_t session_rails(const struct topo_job *job, unsigned xport)
{
	return xport == XPORT_VERBS ? topo_job_rails(job) : 1;
}

/* Of ranks of one host the second has a port, and another one. */
static bool have_own_ports(const struct topo_job *job)
{
	const struct topo_rank *r, *first;
	const struct topo_rank **firsts =
		calloc(job->n_hosts + 1, sizeof(const struct topo_rank *));
	bool any = false;

	for (size_t i = 0; firsts && !any && i < job->n_ranks; i++) {
		r = &job->ranks[i];
		if (r->host < 0)
			continue;
		first = firsts[r->host];
		if (!first)
			firsts[r->host] = r;
		else
			any = first->port[0] && r->port[0] &&
			      strcmp(first->port, r->port) != 0;
	}
	free(firsts);
	return any;
}

bool session_rails_are_slots(const struct session_stage *st,
                             const struct topo_job *job)
{
	return trial_xport_is_gpu(st->xport) ||
	       (st->xport == XPORT_VERBS && st->shape == SHAPE_BETWEEN &&
	        have_own_ports(job));
}

static struct session_stage on_rail(const struct session_opts *o,
                                    const struct session_stage *st,
                                    uint32_t rail)
{
	struct session_stage one = *st;
	size_t len = strlen(one.title);

	one.src_ep = one.dst_ep = (int32_t)rail;
	(void)snprintf(one.title + len, sizeof(one.title) - len, ", rail %u",
	               rail);
	if (o->mode == MODE_QUICK && o->kind == SESSION_RUN &&
	    (one.matchings == 0 || one.matchings > QUICK_MATCHINGS))
		one.matchings = QUICK_MATCHINGS;
	return one;
}

/* Matchings that are all there are anyway are no sample. */
static void settle_matchings(const struct topo_job *job,
                             struct session_stage *st)
{
	uint32_t n = st->shape == SHAPE_BETWEEN
	                     ? (uint32_t)session_live_hosts(job, 1)
	                     : session_most_ranks(job);

	if (st->matchings >= plan_rounds(n))
		st->matchings = 0;
}

enum fp_status session_rails_apart(const struct session_opts *opts,
                                   const struct topo_job *job,
                                   struct session_stages *stages,
                                   struct fp_err *err)
{
	uint32_t rails = session_rails(job, opts->xport), k;
	struct session_stage *all;
	size_t i, n = 0;

	if (rails < 2)
		return FP_OK;
	all = calloc(stages->n * rails + 1, sizeof(*all));
	if (!all)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for stages");
	for (i = 0; i < stages->n; i++) {
		if (stages->s[i].xport != XPORT_VERBS ||
		    stages->s[i].shape == SHAPE_FULL) {
			all[n++] = stages->s[i];
			continue;
		}
		for (k = 0; k < rails; k++) {
			all[n] = on_rail(opts, &stages->s[i], k);
			settle_matchings(job, &all[n++]);
		}
	}
	free(stages->s);
	*stages = (struct session_stages){ .s = all, .n = n };
	return FP_OK;
}

enum fp_status session_rails_view(const struct session_stage *st,
                                  const struct topo_job *job,
                                  struct topo_job *ret, struct fp_err *err)
{
	*ret = (struct topo_job){ 0 };
	return topo_job_on_rail(job, st->src_ep, ret, err);
}

enum fp_status session_rails_skip(const struct session_stage *st,
                                  const struct topo_job *view, const bool *skip,
                                  bool **ret, struct fp_err *err)
{
	bool *out = calloc(view->n_ranks + 1, sizeof(*out));
	int32_t *leader = NULL;
	enum fp_status status;
	size_t i;

	if (!out)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a plan");
	status = session_ports_make(view, &leader, err);
	for (i = 0; !status && i < view->n_ranks; i++) {
		out[i] = (skip && skip[i]) ||
		         (st->src_ep >= 0 && !view->ranks[i].port[0]) ||
		         (st->rails && leader[i] != (int32_t)i);
	}
	free(leader);
	if (status)
		free(out);
	else
		*ret = out;
	return status;
}
