// SPDX-License-Identifier: Apache-2.0
// After hangs: pairs that nobody tried yet, but that tell who it is. Those that a
// collective is made of, and other partners of both ends of a pair.
#include <stdlib.h>

#include "probes/session/run.h"
#include "probes/session/seen.h"

/* The stage that streams between two such ranks, on rail @ep where there are
 * several; -1: this run has none. */
static int32_t stage_of_edge(const struct session_run *run, int32_t ep,
                             int32_t src, int32_t dst)
{
	bool inside = topo_job_same_host(run->s->job, src, dst);
	const struct session_stage *st;

	for (size_t i = 0; i < run->stages.n; i++) {
		st = &run->stages.s[i];
		if (st->op == OP_WRITE && st->dir == DIR_UNI &&
		    (st->src_ep < 0 || st->src_ep == ep) &&
		    st->shape == (inside ? SHAPE_INSIDE : SHAPE_BETWEEN))
			return (int32_t)i;
	}
	return -1;
}

static int32_t next_live(const struct session_run *run, int32_t rank)
{
	int32_t n = (int32_t)run->s->job->n_ranks, i, r;

	for (i = 1; i < n; i++) {
		r = (rank + i) % n;
		if (!session_run_is_out(run, r, r))
			return r;
	}
	return -1;
}

/* Rank to rank, as the rings go. */
static enum fp_status collect(const struct session_run *run,
                              const struct session_seen *seen,
                              struct session_todo *todos, struct fp_err *err)
{
	int32_t n = (int32_t)run->s->job->n_ranks, src, dst, idx;
	enum fp_status status = FP_OK;

	for (src = 0; !status && src < n; src++) {
		dst = session_run_is_out(run, src, src) ? -1
		                                        : next_live(run, src);
		idx = dst < 0 ? -1 : stage_of_edge(run, 0, src, dst);
		if (idx >= 0 &&
		    session_seen_why_not(seen, &run->stages.s[idx], src, dst))
			status = session_todo_add(&todos[idx], src, dst, err);
	}
	return status;
}

enum fp_status session_retest_edges(struct session_run *run, struct fp_err *err)
{
	struct session_todo *todos;
	struct session_seen seen = { 0 };
	enum fp_status status;

	if (!run->coll_hung)
		return FP_OK;
	run->title = "S7 neighbours of the collective";
	status = session_todos_make(run, &todos, err);
	if (status)
		return status;
	status = session_seen_make(&run->s->results, NULL, &seen, err);
	if (!status)
		status = collect(run, &seen, todos, err);
	if (!status)
		status = session_run_todos(run, todos, false, 0, err);
	session_seen_done(&seen);
	session_todos_done(todos, run->stages.n);
	return status;
}

static bool is_tried(const struct session_run *run,
                     const struct session_seen *seen, int32_t ep, int32_t src,
                     int32_t dst)
{
	int32_t idx = stage_of_edge(run, ep, src, dst);

	return idx >= 0 &&
	       !session_seen_why_not(seen, &run->stages.s[idx], src, dst);
}

/* struct asked - whose other partner is looked for: that of @end, which sends
 * (or receives) on rail @ep; @but is the one that it hung with. */
struct asked {
	int32_t ep, end, but;
	bool sends;
};

static bool is_fit(const struct session_run *run, const struct asked *q,
                   int32_t rank)
{
	return rank != q->end && rank != q->but &&
	       !session_run_is_out(run, rank, rank) && !run->failing[rank] &&
	       !hang_log_is_blocked(&run->hangs[q->ep], rank) &&
	       stage_of_edge(run, q->ep, q->end, rank) >= 0;
}

/* What hangs between hosts may be a device that pairs inside do not use. */
static bool tells(const struct session_run *run, const struct asked *q,
                  int32_t rank)
{
	const struct topo_job *job = run->s->job;

	return topo_job_same_host(job, q->end, q->but) ||
	       !topo_job_same_host(job, q->end, rank);
}

/* A rank that would do; -1: there is none, or one was tried already. */
static int32_t other_partner(const struct session_run *run,
                             const struct session_seen *seen,
                             const struct asked *q)
{
	int32_t n = (int32_t)run->s->job->n_ranks, i, r, found = -1;

	for (i = 1; i < n; i++) {
		r = (q->end + i) % n;
		if (r == q->but || !tells(run, q, r))
			continue;
		if (is_tried(run, seen, q->ep, q->sends ? q->end : r,
		             q->sends ? r : q->end))
			return -1;
		if (found < 0 && is_fit(run, q, r))
			found = r;
	}
	return found;
}

static enum fp_status add_partner(const struct session_run *run,
                                  const struct session_seen *seen,
                                  const struct asked *q,
                                  struct session_todo *todos,
                                  struct fp_err *err)
{
	int32_t other = other_partner(run, seen, q);

	if (other < 0)
		return FP_OK;
	return session_todo_add(
		&todos[stage_of_edge(run, q->ep, q->end, other)],
		q->sends ? q->end : other, q->sends ? other : q->end, err);
}

static enum fp_status collect_partners(const struct session_run *run,
                                       int32_t ep,
                                       const struct session_seen *seen,
                                       struct session_todo *todos,
                                       struct fp_err *err)
{
	const struct hang_pair *p;
	enum fp_status status = FP_OK;
	size_t i;

	for (i = 0; !status && i < run->hangs[ep].n_pairs; i++) {
		p = &run->hangs[ep].pairs[i];
		if (p->passes || session_run_is_out(run, p->src, p->dst))
			continue;
		status = add_partner(
			run, seen, &(struct asked){ ep, p->src, p->dst, true },
			todos, err);
		if (!status)
			status = add_partner(
				run, seen,
				&(struct asked){ ep, p->dst, p->src, false },
				todos, err);
	}
	return status;
}

enum fp_status session_retest_partners(struct session_run *run,
                                       struct fp_err *err)
{
	struct session_todo *todos;
	struct session_seen seen = { 0 };
	enum fp_status status;

	if (!session_run_any_hang(run))
		return FP_OK;
	run->title = "S7 other partners of what hung";
	status = session_todos_make(run, &todos, err);
	if (status)
		return status;
	status = session_seen_make(&run->s->results, NULL, &seen, err);
	for (uint32_t k = 0; !status && k < run->n_rails; k++)
		status = collect_partners(run, (int32_t)k, &seen, todos, err);
	if (!status)
		status = session_run_todos(run, todos, false, 0, err);
	session_seen_done(&seen);
	session_todos_done(todos, run->stages.n);
	return status;
}
