// SPDX-License-Identifier: Apache-2.0
// Stage S7, its end: what NCCL does wrong is tried again by a plain copy and
// in other environments, one after the other until one tells something. Each
// is a new worker, so only suspects get them, and few.
#include <stdlib.h>
#include <string.h>

#include "probes/judge/arms.h"
#include "probes/session/arms.h"
#include "probes/session/run.h"
#include "probes/trial/variant.h"

#define ARMS_PAIRS 4
#define ARMS_HANGS 2 /* so many in a row, and no control is left to believe */

/* In which order arms are run: what shuts out most comes first. */
static const uint8_t orders[][8] = {
	{ VARIANT_P2P_OFF, VARIANT_NET_ONLY, VARIANT_SHM_OFF, VARIANT_CUMEM_OFF,
	  VARIANT_BARE },
	{ VARIANT_GDR_OFF, VARIANT_SOCKET, VARIANT_HCA, VARIANT_PXN_OFF,
	  VARIANT_MNNVL_OFF, VARIANT_BARE },
	{ VARIANT_RING, VARIANT_SIMPLE, VARIANT_TREE, VARIANT_NVLS_OFF,
	  VARIANT_COLLNET_OFF, VARIANT_LL, VARIANT_LL128, VARIANT_BARE },
};
enum order { ORDER_INSIDE, ORDER_BETWEEN, ORDER_WHOLE };
#define ORDER_LENGTH (sizeof(orders[0]) / sizeof(orders[0][0]))

/* struct suspect - a pair that NCCL does badly. */
struct suspect {
	struct matrix_cell cell;
	uint32_t idx; /* stage that found it */
	enum order order;
	unsigned hangs;
	bool done;
};

struct suspects {
	struct suspect s[ARMS_PAIRS];
	size_t n;
	const struct findings *known; /* without arms; while they are sought */
};

static int32_t stage_like(const struct session_run *run, unsigned xport,
                          const struct matrix *m, unsigned shape)
{
	for (size_t i = 0; i < run->stages.n; i++)
		if (run->stages.s[i].xport == xport &&
		    run->stages.s[i].op == m->op &&
		    run->stages.s[i].dir == m->dir &&
		    run->stages.s[i].shape == shape)
			return (int32_t)i;
	return -1;
}

static void add_suspect(const struct session_run *run, const struct matrix *m,
                        const struct matrix_cell *cell, struct suspects *ret)
{
	bool inside = topo_job_same_host(run->s->job, cell->src, cell->dst);
	int32_t idx = stage_like(run, XPORT_NCCL, m,
	                         inside ? SHAPE_INSIDE : SHAPE_BETWEEN);
	size_t at = ret->n;

	if (idx < 0 || session_run_is_lost(run, cell->src, cell->dst) ||
	    judge_arms_named(ret->known, cell->src) ||
	    judge_arms_named(ret->known, cell->dst))
		return;
	/* What does not end one way costs its deadlines once. */
	for (size_t i = 0; i < ret->n && cell->state >= CELL_ERROR; i++)
		if (ret->s[i].cell.src == cell->dst &&
		    ret->s[i].cell.dst == cell->src &&
		    ret->s[i].cell.state == cell->state)
			return;
	/* The worst of them, and of equals the first. */
	while (at > 0 && ret->s[at - 1].cell.state < cell->state)
		at--;
	if (at == ARMS_PAIRS)
		return;
	if (ret->n < ARMS_PAIRS)
		ret->n++;
	for (size_t i = ret->n - 1; i > at; i--)
		ret->s[i] = ret->s[i - 1];
	ret->s[at] = (struct suspect){
		.cell = *cell,
		.idx = (uint32_t)idx,
		.order = inside ? ORDER_INSIDE : ORDER_BETWEEN,
	};
}

static void suspects_of(const struct session_run *run,
                        const struct matrices *ms, struct suspects *ret)
{
	for (size_t i = 0; i < ms->n; i++) {
		const struct matrix *m = &ms->m[i];

		if (m->xport != XPORT_NCCL || m->op != OP_WRITE ||
		    m->dir != DIR_UNI)
			continue;
		for (size_t k = 0; k < m->n_cells; k++)
			if (judge_arm_is_wanted(&m->cells[k]))
				add_suspect(run, m, &m->cells[k], ret);
	}
}

/* One trial of each pair in @pairs, in rounds in which no rank is twice. */
static enum fp_status run_pairs(struct session_run *run, uint32_t idx,
                                const struct session_stage *st,
                                const struct plan_pair *pairs, size_t n,
                                struct fp_err *err)
{
	const struct session_listed what = {
		.idx = idx,
		.st = st,
		.pairs = pairs,
		.n = n,
	};

	return n ? session_run_listed(run, &what, err) : FP_OK;
}

/* What a plain copy between the same GPUs does now. */
static enum fp_status run_copies(struct session_run *run,
                                 const struct suspects *all, struct fp_err *err)
{
	struct plan_pair pairs[ARMS_PAIRS];
	struct session_stage st;
	int32_t idx = -1;
	size_t n = 0;

	for (size_t i = 0; i < run->stages.n && idx < 0; i++)
		if (run->stages.s[i].xport == XPORT_CUDA &&
		    run->stages.s[i].op == OP_WRITE &&
		    run->stages.s[i].dir == DIR_UNI &&
		    run->stages.s[i].shape == SHAPE_INSIDE)
			idx = (int32_t)i;
	for (size_t i = 0; i < all->n; i++)
		if (all->s[i].order == ORDER_INSIDE)
			pairs[n++] = (struct plan_pair){
				.src = all->s[i].cell.src,
				.dst = all->s[i].cell.dst,
			};
	if (idx < 0)
		return FP_OK;
	st = session_retest_stage(run, (uint32_t)idx);
	return run_pairs(run, (uint32_t)idx, &st, pairs, n, err);
}

/* Where a plain copy is as bad, NCCL's settings will not help. */
static enum fp_status drop_innocent(struct session_run *run,
                                    struct suspects *all, struct fp_err *err)
{
	struct session *s = run->s;
	struct matrices ms = { 0 };
	enum fp_status status;

	status = judge_matrices(s->job, &s->results, &s->opts.judge, &ms, err);
	for (size_t i = 0; !status && i < all->n; i++)
		if (judge_arm_copy(&ms, &all->s[i].cell, NULL) == COPY_BAD)
			all->s[i].done = true;
	matrices_done(&ms);
	return status;
}

static void learn_arm(struct suspect *s, const struct pair_view *v)
{
	if (v->state == OUTCOME_HANG)
		s->hangs++;
	else if (v->state != OUTCOME_NOTRUN)
		s->hangs = 0;
	s->done |= s->hangs >= ARMS_HANGS || judge_arm_passes(&s->cell, v);
}

/* What came of the arm trials since @first. */
static enum fp_status learn_arms(struct session_run *run, size_t first,
                                 struct suspects *all, struct fp_err *err)
{
	struct pair_view *views;
	enum fp_status status;
	size_t n;

	status = results_arms(&run->s->results, &views, &n, err);
	if (status)
		return status;
	for (size_t i = 0; i < n; i++) {
		const struct trial *t = views[i].trial;

		for (size_t k = 0; t->id > first && k < all->n; k++)
			if (all->s[k].cell.src == t->src &&
			    all->s[k].cell.dst == t->dst)
				learn_arm(&all->s[k], &views[i]);
	}
	free(views);
	return FP_OK;
}

/* The next arm of @s: what the @step-th of its order is here; JOB: none. */
static uint32_t arm_of(const struct session_run *run, const struct suspect *s,
                       size_t step)
{
	unsigned variant = orders[s->order][step];

	if (s->done ||
	    !arms_apply(run->s->job, variant, s->cell.src, s->cell.dst))
		return VARIANT_JOB;
	return variant == VARIANT_HCA ? arms_other_hca(run->s->job, s->cell.src)
	                              : variant;
}

/* Suspects from @first on whose arm it is too, in the same stage: together. */
static enum fp_status run_arm(struct session_run *run,
                              const struct suspects *all, size_t first,
                              size_t step, struct fp_err *err)
{
	uint32_t variant = arm_of(run, &all->s[first], step);
	uint32_t idx = all->s[first].idx;
	struct session_stage st = session_retest_stage(run, idx);
	struct plan_pair pairs[ARMS_PAIRS];
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (all->s[i].idx != idx ||
		    arm_of(run, &all->s[i], step) != variant)
			continue;
		if (i < first)
			return FP_OK; /* was run with that */
		pairs[n++] = (struct plan_pair){
			.src = all->s[i].cell.src,
			.dst = all->s[i].cell.dst,
		};
	}
	st.variant = variant;
	return run_pairs(run, idx, &st, pairs, n, err);
}

static enum fp_status run_step(struct session_run *run, struct suspects *all,
                               size_t step, struct fp_err *err)
{
	size_t first = run->s->results.n_trials;
	enum fp_status status = FP_OK;

	for (size_t i = 0; !status && !run->stop && i < all->n; i++)
		if (arm_of(run, &all->s[i], step) != VARIANT_JOB)
			status = run_arm(run, all, i, step, err);
	return status ? status : learn_arms(run, first, all, err);
}

static enum fp_status arms_of_pairs(struct session_run *run,
                                    struct suspects *all, struct fp_err *err)
{
	enum fp_status status = run_copies(run, all, err);

	if (!status)
		status = drop_innocent(run, all, err);
	for (size_t step = 0; !status && !run->stop && step < ORDER_LENGTH;
	     step++)
		status = run_step(run, all, step, err);
	return status;
}

/* Can all that took part in @t take part again? Without one of them it may run
 * for that reason alone. */
static bool are_here(const struct session_run *run, const struct trial *t,
                     const struct findings *known)
{
	const int32_t *m = run->s->results.members + t->member_first;

	for (uint32_t i = 0; i < t->member_count; i++)
		if (run->lost[m[i]] || run->failing[m[i]] ||
		    session_run_is_sick(run, m[i]) ||
		    judge_arms_named(known, m[i]))
			return false;
	return true;
}

/* The stage of NCCL's collective that failed; -1: none did. */
static int32_t failed_whole(const struct session_run *run,
                            const struct findings *known)
{
	const struct results *r = &run->s->results;
	bool ran;

	for (size_t i = 0; i < r->n_trials; i++) {
		const struct trial *t = &r->trials[i];

		if (trial_is_pair(t) || t->variant || t->xport != XPORT_NCCL ||
		    !judge_arms_failed(r, t, &ran) || !are_here(run, t, known))
			continue;
		for (size_t k = 0; k < run->stages.n; k++)
			if (session_stage_is_of(&run->stages.s[k], t))
				return (int32_t)k;
	}
	return -1;
}

static enum fp_status arms_of_whole(struct session_run *run, uint32_t idx,
                                    struct fp_err *err)
{
	const struct results *r = &run->s->results;
	struct session_stage *st = &run->stages.s[idx];
	bool failed = true, ran, hung = run->coll_hung;
	enum fp_status status = FP_OK;
	unsigned hangs = 0;

	for (size_t step = 0; !status && failed && !run->stop &&
	                      hangs < ARMS_HANGS && step < ORDER_LENGTH;
	     step++) {
		if (!arms_apply(run->s->job, orders[ORDER_WHOLE][step], 0, 0) ||
		    !session_run_fits(run, idx, 0))
			continue;
		st->variant = orders[ORDER_WHOLE][step];
		run->coll_hung = false;
		status = session_run_full(run, idx, err);
		hangs = run->coll_hung ? hangs + 1 : 0;
		failed =
			judge_arms_failed(r, &r->trials[r->n_trials - 1], &ran);
	}
	st->variant = VARIANT_JOB;
	run->coll_hung = hung;
	return status;
}

/* Workers of arms that failed are no reason to leave their ranks alone. */
static enum fp_status with_ranks_as_they_were(struct session_run *run,
                                              struct suspects *all,
                                              int32_t whole, struct fp_err *err)
{
	size_t n = run->s->job->n_ranks;
	uint8_t *strain = malloc(n + 1);
	bool *failing = malloc((n + 1) * sizeof(*failing));
	enum fp_status status;

	if (!strain || !failing) {
		free(strain);
		free(failing);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	}
	memcpy(strain, run->strain, n);
	memcpy(failing, run->failing, n * sizeof(*failing));
	status = all->n ? arms_of_pairs(run, all, err) : FP_OK;
	if (!status && !all->n && whole >= 0)
		status = arms_of_whole(run, (uint32_t)whole, err);
	memcpy(run->strain, strain, n);
	memcpy(run->failing, failing, n * sizeof(*failing));
	free(strain);
	free(failing);
	return status;
}

/* Whom arms are for: -1 and no suspects: nobody. */
static enum fp_status look_for(struct session_run *run, struct suspects *all,
                               int32_t *ret_whole, struct fp_err *err)
{
	struct session *s = run->s;
	struct findings known = { 0 };
	struct matrices ms = { 0 };
	enum fp_status status;

	status = judge_matrices(s->job, &s->results, &s->opts.judge, &ms, err);
	if (!status)
		status = judge_findings(s->job, &s->results, &ms,
		                        &s->opts.judge, &known, err);
	if (!status) {
		all->known = &known;
		suspects_of(run, &ms, all);
		all->known = NULL;
		*ret_whole = failed_whole(run, &known);
	}
	findings_done(&known);
	matrices_done(&ms);
	return status;
}

enum fp_status session_run_arms(struct session_run *run, struct fp_err *err)
{
	struct session *s = run->s;
	struct suspects all = { .n = 0 };
	enum fp_status status;
	int32_t whole = -1;

	if (s->opts.kind != SESSION_RUN || s->opts.xport != XPORT_NCCL)
		return FP_OK;
	status = look_for(run, &all, &whole, err);
	if (status || (!all.n && whole < 0))
		return status;
	run->title = "S7 suspects in other environments";
	return with_ranks_as_they_were(run, &all, whole, err);
}
