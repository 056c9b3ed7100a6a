// SPDX-License-Identifier: Apache-2.0
// Stage S7: suspects again, at lower concurrency each time.
#include <math.h>
#include <stdlib.h>

#include "probes/session/located.h"
#include "probes/session/run.h"

#define LOCAL_TIME_S 0.15
#define GRAM_PHASE_S 4.0 /* datagrams after a hang, all rounds of them */
#define LEAVES_SHARE .25 /* of the time limit, for whoever looks for a leaf */

/* The stage that first tested a cell of @m; -1: none of this run's. */
static int32_t stage_of_cell(const struct session_run *run,
                             const struct matrix *m, int32_t src, int32_t dst)
{
	bool inside = topo_job_same_host(run->s->job, src, dst);
	const struct session_stage *st;

	for (size_t i = 0; i < run->stages.n; i++) {
		st = &run->stages.s[i];
		if (st->xport == m->xport && st->op == m->op &&
		    st->src_ep == m->src_ep && st->dst_ep == m->dst_ep &&
		    st->dir == m->dir && st->bytes == m->bytes &&
		    st->shape == (inside ? SHAPE_INSIDE : SHAPE_BETWEEN))
			return (int32_t)i;
	}
	return -1;
}

/* What hung is not for here: it costs deadlines. */
static bool is_retestable(const struct session_run *run, int32_t idx,
                          const struct plan_pair *p)
{
	unsigned family;

	if (idx < 0 || session_run_is_out(run, p->src, p->dst))
		return false;
	family = session_run_family(run, (uint32_t)idx, p->src, p->dst);
	return hang_log_advice(session_run_hangs(run, (uint32_t)idx), family,
	                       p->src, p->dst) == HANG_GO;
}

static enum fp_status suspects_of(const struct session_run *run,
                                  const struct matrix *m,
                                  struct session_todo *todos,
                                  struct fp_err *err)
{
	struct plan_pair *pairs = NULL;
	enum fp_status status;
	int32_t idx;
	size_t i, n = 0;

	status = judge_suspects(m, &run->s->opts.judge, &pairs, &n, err);
	if (status)
		return status;
	for (i = 0; !status && i < n; i++) {
		idx = stage_of_cell(run, m, pairs[i].src, pairs[i].dst);
		if (is_retestable(run, idx, &pairs[i]))
			status = session_todo_add(&todos[idx], pairs[i].src,
			                          pairs[i].dst, err);
	}
	free(pairs);
	return status;
}

/* Everything suspect so far, by stage. Sets run->suspects. */
static enum fp_status collect_suspects(struct session_run *run,
                                       struct session_todo *todos,
                                       struct fp_err *err)
{
	struct session *s = run->s;
	struct matrices ms = { 0 };
	enum fp_status status;
	size_t i;

	status = judge_matrices(s->job, &s->results, &s->opts.judge, &ms, err);
	if (status)
		return status;
	for (i = 0; !status && i < ms.n; i++)
		status = suspects_of(run, &ms.m[i], todos, err);
	matrices_done(&ms);
	run->suspects = 0;
	for (i = 0; i < run->stages.n; i++)
		run->suspects += (uint32_t)todos[i].n;
	run->suspects_at_s = session_run_elapsed_s(run);
	return status;
}

enum fp_status session_run_count_suspects(struct session_run *run,
                                          struct fp_err *err)
{
	struct session_todo *todos;
	enum fp_status status = session_todos_make(run, &todos, err);

	if (status)
		return status;
	status = collect_suspects(run, todos, err);
	session_todos_done(todos, run->stages.n);
	return status;
}

static uint32_t halved(const struct session_run *run, uint32_t idx,
                       uint32_t times)
{
	uint32_t n = times < 31 ? run->pace[idx].width >> times : 0;

	return n ? n : 1;
}

double session_run_reserve_s(const struct session_run *run, uint32_t idx)
{
	const struct session_opts *o = &run->s->opts;
	double round_s = fmax(run->pace[idx].typical_s, o->trial_s) + 0.05;
	double rounds = ceil((double)run->suspects / halved(run, idx, 1));
	double s = rounds * o->judge.retests * round_s;

	if (session_run_any_hang(run))
		s += GRAM_PHASE_S + session_run_deadline_s(run, idx);
	return fmin(s, o->time_limit_s / 2);
}

double session_run_leaves_reserve_s(const struct session_run *run)
{
	return session_has_leaves(run->s)
	               ? run->s->opts.time_limit_s * LEAVES_SHARE
	               : 0;
}

struct session_stage session_retest_stage(const struct session_run *run,
                                          uint32_t idx)
{
	struct session_stage st = run->stages.s[idx];

	st.stage = TRIAL_S7_RETEST;
	st.flags |= TRIAL_KEEP_SAMPLES;
	/* Where cores are shared, few messages pass in a short time. */
	if (st.shape == SHAPE_INSIDE)
		st.time_s = fmax(st.time_s, LOCAL_TIME_S);
	return st;
}

enum fp_status session_run_todos(struct session_run *run,
                                 const struct session_todo *todos, bool again,
                                 uint32_t halvings, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct session_listed what;
	struct session_stage st;
	uint32_t i;

	for (i = 0; !status && !run->stop && i < run->stages.n; i++) {
		st = again ? session_retest_stage(run, i) : run->stages.s[i];
		what = (struct session_listed){
			.idx = i,
			.st = &st,
			.pairs = todos[i].pairs,
			.n = todos[i].n,
			.per_round = halved(run, i, halvings),
			.checked = !again,
		};
		if (what.n)
			status = session_run_listed(run, &what, err);
	}
	return status;
}

enum fp_status session_retest_suspects(struct session_run *run,
                                       struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct session_todo *todos;
	uint32_t k;

	run->title = "S7 suspects again";
	for (k = 1; !status && k <= JUDGE_LONE_MAX; k++) {
		status = session_todos_make(run, &todos, err);
		if (status)
			return status;
		status = collect_suspects(run, todos, err);
		if (!status)
			status = session_run_todos(run, todos, true, k, err);
		session_todos_done(todos, run->stages.n);
		if (!run->suspects || run->stop)
			break;
	}
	return status;
}
