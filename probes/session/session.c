// SPDX-License-Identifier: Apache-2.0
// The sequence of a run: stage after stage, then what is open, then judging.
#include "probes/session/session.h"

#include <stdlib.h>

#include "probes/judge/watch.h"
#include "probes/judge/xids.h"
#include "probes/session/bisect.h"
#include "probes/session/checks.h"
#include "probes/session/cover.h"
#include "probes/session/located.h"
#include "probes/session/run.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"

#define SUSPECTS_EVERY_S 2.0

enum fp_status session_init(struct session *s, const struct topo_job *job,
                            const struct session_opts *opts, struct fp_err *err)
{
	struct session_stages stages = { 0 };
	enum fp_status status;

	*s = (struct session){
		.opts = *opts,
		.job = job,
		.verdict = VERDICT_INCOMPLETE,
		.start_ns = fp_now_ns(),
	};
	session_opts_fill(&s->opts);
	status = session_opts_check(&s->opts, job, err);
	/* Made here only to see that they can be. */
	if (!status)
		status = session_stages_make(&s->opts, job, &stages, err);
	session_stages_done(&stages);
	if (status)
		s->job = NULL;
	return status;
}

void session_done(struct session *s)
{
	if (!s)
		return;
	results_done(&s->results);
	matrices_done(&s->matrices);
	findings_done(&s->findings);
	free(s->check_skips);
	session_coverage_done(&s->coverage);
	locate_done(s->locate);
	free(s->locate);
	free(s->round_overhead_s);
	*s = (struct session){ 0 };
}

int session_exit_status(const struct session *s)
{
	static const int status[] = {
		[VERDICT_HEALTHY] = 0,
		[VERDICT_FAULT] = 1,
		[VERDICT_INCOMPLETE] = 3,
	};

	return status[s->verdict];
}

static bool was_interrupted(const struct results *r)
{
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].kind == EVENT_INTERRUPTED)
			return true;
	return false;
}

/* What an earlier run has to say. */
static enum fp_status hold_against(struct session *s, struct fp_err *err)
{
	const struct judge_run now = { s->job, &s->results, &s->matrices };
	enum fp_status status = judge_since(s->before, &now, &s->opts.judge,
	                                    NULL, &s->findings, err);

	findings_sort(&s->findings);
	return status;
}

enum fp_status session_judge(struct session *s, struct fp_err *err)
{
	/* Where a machine looked for culprits, pairs speak through it. */
	const struct matrices nothing = { 0 };
	enum fp_status status;
	bool missing = true;

	matrices_done(&s->matrices);
	s->matrices = (struct matrices){ 0 };
	findings_done(&s->findings);
	s->findings = (struct findings){ 0 };
	s->verdict = VERDICT_INCOMPLETE;
	s->interrupted |= was_interrupted(&s->results);
	status = judge_matrices(s->job, &s->results, &s->opts.judge,
	                        &s->matrices, err);
	if (!status)
		status = judge_findings(s->job, &s->results,
		                        session_is_located(s) ? &nothing
		                                              : &s->matrices,
		                        &s->opts.judge, &s->findings, err);
	if (!status)
		status = session_bisect_judge(s, err);
	if (!status)
		status = session_check(s, err);
	if (!status)
		status = judge_watch(s->job, &s->results, &s->findings, err);
	if (!status)
		status = judge_xids(s->job, &s->results, &s->findings, err);
	findings_sort(&s->findings);
	if (!status && s->locate && session_has_leaves(s))
		status = session_hosts_judge(s, err);
	if (!status)
		status = (s->locate && session_is_located(s)
		                  ? session_located_judge
		                  : session_cover)(s, &missing, err);
	if (!status && s->before)
		status = hold_against(s, err);
	if (status)
		return status;
	if (findings_worst(&s->findings) == SEVERITY_FAULT)
		s->verdict = VERDICT_FAULT;
	else if (!s->interrupted && !missing)
		s->verdict = VERDICT_HEALTHY;
	return FP_OK;
}

static void cut(struct session_run *run, size_t pairs_left)
{
	char limit[FP_FMT_MAX];

	session_run_event(run, EVENT_CUT, (int64_t)pairs_left,
	                  "%s: cut to end within the time limit of %s",
	                  run->title,
	                  fp_fmt_seconds(run->s->opts.time_limit_s, limit));
}

static uint32_t count_rounds(const struct plan_pairs *plan, uint32_t *ret_width)
{
	uint32_t n = 0;
	size_t i, end;

	*ret_width = 0;
	for (i = 0; i < plan->n; i = end, n++) {
		end = session_plan_round_end(plan, i);
		if (end - i > *ret_width)
			*ret_width = (uint32_t)(end - i);
	}
	return n;
}

enum fp_status session_run_planned(struct session_run *run,
                                   const struct session_listed *what,
                                   const struct plan_pairs *plan,
                                   struct fp_err *err)
{
	enum fp_status status = FP_OK;
	double reserve_s = session_run_leaves_reserve_s(run);
	uint32_t width;
	size_t i, end;

	run->stage_rounds = count_rounds(plan, &width);
	run->stage_round = 0;
	run->trials_planned = run->trials_done + plan->n;
	for (i = 0; !status && !run->stop && i < plan->n; i = end) {
		end = session_plan_round_end(plan, i);
		if (what->checked)
			reserve_s = session_run_reserve_s(run, what->idx);
		if (!session_run_fits(run, what->idx, reserve_s)) {
			cut(run, plan->n - i);
			break;
		}
		status = (what->checked ? session_run_round_checked
		                        : session_run_round)(
			run, what->idx, what->st, plan->pairs + i, end - i,
			err);
		if (!status && what->checked &&
		    session_run_elapsed_s(run) - run->suspects_at_s >
		            SUSPECTS_EVERY_S)
			status = session_run_count_suspects(run, err);
	}
	return status;
}

enum fp_status session_run_listed(struct session_run *run,
                                  const struct session_listed *what,
                                  struct fp_err *err)
{
	struct plan_pairs plan;
	enum fp_status status;

	status = plan_listed(session_run_job(run, what->st), what->pairs,
	                     what->n, what->per_round, &plan, err);
	if (status)
		return status;
	status = session_run_planned(run, what, &plan, err);
	plan_pairs_done(&plan);
	return status;
}

/* Pairs of lost ranks are not planned; they are on record all the same. */
static enum fp_status record_lost(struct session_run *run, uint32_t idx,
                                  struct fp_err *err)
{
	const struct session *s = run->s;
	struct plan_pairs all;
	enum fp_status status;
	bool any = false;
	size_t i;

	for (i = 0; i < s->job->n_ranks; i++)
		any |= run->lost[i];
	if (!any)
		return FP_OK;
	status = session_stage_plan(&run->stages.s[idx], &s->opts, s->job, NULL,
	                            &all, err);
	if (status)
		return status;
	for (i = 0; !status && i < all.n; i++)
		if (session_run_is_lost(run, all.pairs[i].src,
		                        all.pairs[i].dst))
			status = session_run_skip(run, idx, all.pairs[i].src,
			                          all.pairs[i].dst,
			                          "an end of it is lost", err);
	plan_pairs_done(&all);
	return status;
}

static enum fp_status run_pairs(struct session_run *run, uint32_t idx,
                                struct fp_err *err)
{
	const struct session_listed what = {
		.idx = idx,
		.st = &run->stages.s[idx],
		.checked = true,
	};
	struct plan_pairs plan;
	enum fp_status status;

	status = record_lost(run, idx, err);
	if (!status)
		status = session_stage_plan(what.st, &run->s->opts, run->s->job,
		                            run->lost, &plan, err);
	if (status)
		return status;
	(void)count_rounds(&plan, &run->pace[idx].width);
	status = session_run_planned(run, &what, &plan, err);
	plan_pairs_done(&plan);
	if (!status && !run->stop)
		status = session_run_count_suspects(run, err);
	return status;
}

static enum fp_status run_stage(struct session_run *run, uint32_t idx,
                                struct fp_err *err)
{
	run->title = run->stages.s[idx].title;
	if (run->stages.s[idx].shape != SHAPE_FULL)
		return run_pairs(run, idx, err);
	run->stage_round = 0;
	run->stage_rounds = 1;
	run->trials_planned = run->trials_done + 1;
	if (session_run_fits(run, idx, 0))
		return session_run_full(run, idx, err);
	cut(run, 1);
	return FP_OK;
}

static enum fp_status run_stages(struct session_run *run, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	uint32_t i;

	status = session_run_local(run, err);
	for (i = 0; !status && !run->stop && i < run->stages.n; i++)
		status = run_stage(run, i, err);
	if (!status && !run->stop)
		status = session_retest_edges(run, err);
	if (!status && !run->stop)
		status = session_retest_partners(run, err);
	if (!status && !run->stop)
		status = session_retest_grams(run, err);
	if (!status && !run->stop)
		status = session_retest_suspects(run, err);
	if (!status)
		status = session_retest_hung(run, err);
	if (!status && !run->stop)
		status = session_run_arms(run, err);
	if (!status && !run->stop)
		status = session_run_swaps(run, err);
	return status;
}

static void run_done(struct session_run *run)
{
	session_stages_done(&run->stages);
	session_run_rails_done(run);
	free(run->pace);
	free(run->lost);
	free(run->strain);
	free(run->failing);
	free(run->put_off);
}

static void find_lost(struct session_run *run)
{
	const struct session *s = run->s;
	const struct run_event *e;
	size_t i;

	for (i = 0; i < s->job->n_ranks; i++)
		run->lost[i] = s->job->ranks[i].host < 0;
	for (i = 0; i < s->results.n_events; i++) {
		e = &s->results.events[i];
		if ((e->kind == EVENT_AGENT_LOST ||
		     e->kind == EVENT_AGENT_MISSING) &&
		    e->rank >= 0 && (size_t)e->rank < s->job->n_ranks)
			run->lost[e->rank] = true;
	}
}

static enum fp_status run_init(struct session_run *run, struct session *s,
                               struct fp_err *err)
{
	enum fp_status status;

	run->s = s;
	run->title = "";
	status = session_stages_make(&s->opts, s->job, &run->stages, err);
	if (!status)
		status = session_run_rails(run, err);
	if (status)
		return status;
	run->pace = calloc(run->stages.n + 1, sizeof(*run->pace));
	run->lost = calloc(s->job->n_ranks + 1, sizeof(*run->lost));
	run->strain = calloc(s->job->n_ranks + 1, sizeof(*run->strain));
	run->failing = calloc(s->job->n_ranks + 1, sizeof(*run->failing));
	if (!run->pace || !run->lost || !run->strain || !run->failing)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	find_lost(run);
	return FP_OK;
}

enum fp_status session_run(struct session *s, const struct exec_ops *exec,
                           void *exec_self, const struct session_hooks *hooks,
                           struct fp_err *err)
{
	struct session_run run = {
		.exec = exec,
		.exec_self = exec_self,
		.hooks = hooks,
	};
	enum fp_status status, judged;

	status = run_init(&run, s, err);
	if (!status)
		status = (session_is_located(s) ? session_run_located
		                                : run_stages)(&run, err);
	if (!status && !run.stop && session_has_leaves(s))
		status = session_run_located(&run, err);
	if (!status && !run.stop)
		status = session_bisect(&run, err);
	session_run_look(&run);
	if (!status && run.status)
		status = fp_err_set(err, run.status, "%s", run.err.text);
	s->elapsed_s = session_run_elapsed_s(&run);
	run_done(&run);
	judged = session_judge(s, err);
	return status ? status : judged;
}
