// SPDX-License-Identifier: Apache-2.0
// Stage S7, its end: pairs that are bad by one rail, with a port of the next
// rail at one end, then at the other. Only suspects, and few.
#include "probes/judge/swaps.h"

#include "probes/session/run.h"
#include "topo/model/rails.h"

#define SWAPS_PAIRS 4

/* struct swap - a pair to be tried, of stage idx. */
struct swap {
	int32_t src, dst;
	uint32_t idx, state;
};

static int32_t stage_of(const struct session_run *run, const struct matrix *m)
{
	const struct session_stage *st;

	for (size_t i = 0; i < run->stages.n; i++) {
		st = &run->stages.s[i];
		if (st->xport == m->xport && st->op == m->op &&
		    st->dir == m->dir && st->bytes == m->bytes &&
		    st->src_ep == m->src_ep && st->shape == SHAPE_BETWEEN)
			return (int32_t)i;
	}
	return -1;
}

/* The worst of them first. */
static size_t add(struct swap *all, size_t n, struct swap one)
{
	size_t at = n < SWAPS_PAIRS ? n : SWAPS_PAIRS;

	while (at > 0 && all[at - 1].state < one.state)
		at--;
	if (at == SWAPS_PAIRS)
		return n;
	n = n < SWAPS_PAIRS ? n + 1 : n;
	for (size_t i = n - 1; i > at; i--)
		all[i] = all[i - 1];
	all[at] = one;
	return n;
}

static size_t collect(const struct session_run *run, const struct matrices *ms,
                      struct swap all[static SWAPS_PAIRS])
{
	size_t n = 0;

	for (size_t i = 0; i < ms->n; i++) {
		const struct matrix *m = &ms->m[i];
		int32_t idx = stage_of(run, m);

		for (size_t k = 0; idx >= 0 && k < m->n_cells; k++) {
			const struct matrix_cell *c = &m->cells[k];

			if (swap_is_wanted(m, c) &&
			    !session_run_is_out(run, c->src, c->dst) &&
			    !topo_job_same_host(run->s->job, c->src, c->dst))
				n = add(all, n,
				        (struct swap){ c->src, c->dst,
				                       (uint32_t)idx,
				                       c->state });
		}
	}
	return n;
}

static enum fp_status run_one(struct session_run *run, const struct swap *s,
                              int32_t src_ep, int32_t dst_ep,
                              struct fp_err *err)
{
	const struct topo_rank *ranks = run->s->job->ranks;
	struct session_stage st = session_retest_stage(run, s->idx);
	const struct plan_pair pair = { .src = s->src, .dst = s->dst };
	const struct session_listed what = {
		.idx = s->idx,
		.st = &st,
		.pairs = &pair,
		.n = 1,
	};
	char port[TOPO_PORT_MAX];

	if (run->stop || !topo_rank_port(&ranks[s->src], src_ep, port)[0] ||
	    !topo_rank_port(&ranks[s->dst], dst_ep, port)[0])
		return FP_OK;
	st.src_ep = src_ep;
	st.dst_ep = dst_ep;
	return session_run_listed(run, &what, err);
}

enum fp_status session_run_swaps(struct session_run *run, struct fp_err *err)
{
	struct swap all[SWAPS_PAIRS];
	struct session *s = run->s;
	struct matrices ms = { 0 };
	enum fp_status status;
	size_t i, n;

	if (run->n_rails < 2)
		return FP_OK;
	status = judge_matrices(s->job, &s->results, &s->opts.judge, &ms, err);
	if (status)
		return status;
	n = collect(run, &ms, all);
	matrices_done(&ms);
	run->title = "S7 suspects by other ports";
	for (i = 0; !status && i < n; i++) {
		int32_t own = run->stages.s[all[i].idx].src_ep;
		int32_t other = (own + 1) % (int32_t)run->n_rails;

		status = run_one(run, &all[i], other, own, err);
		if (!status)
			status = run_one(run, &all[i], own, other, err);
	}
	return status;
}
