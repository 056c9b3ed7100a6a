// SPDX-License-Identifier: Apache-2.0
// Collectives of two runs side by side.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "probes/judge/coll_law.h"
#include "probes/judge/since_part.h"
#include "topo/base/fmt.h"

/* struct coll_time - one collective, all its members together. */
struct coll_time {
	const struct trial *t;
	uint32_t n_ok;
	double sum_s; /* of a typical operation, over its members */
};

/* Of the job's own environment: what a control arm does tells of that arm. */
static bool is_coll(const struct trial *t)
{
	return !trial_is_pair(t) && !t->variant;
}

static enum fp_status times_make(const struct results *r,
                                 struct coll_time **ret, struct fp_err *err)
{
	struct coll_time *all = calloc(r->n_trials + 1, sizeof(*all));
	const struct outcome *o;
	const struct trial *t;
	size_t i;

	if (!all)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to compare");
	for (i = 0; i < r->n_trials; i++)
		all[i].t = &r->trials[i];
	for (i = 0; i < r->n_outcomes; i++) {
		o = &r->outcomes[i];
		t = results_trial(r, o->trial);
		if (!t || !is_coll(t) || o->state != OUTCOME_OK ||
		    !(o->p50_s > 0))
			continue;
		all[t->id - 1].n_ok++;
		all[t->id - 1].sum_s += o->p50_s;
	}
	*ret = all;
	return FP_OK;
}

/* 0: it did not end well everywhere. */
static double mean_s(const struct coll_time *c)
{
	return c->n_ok && c->n_ok == c->t->member_count ? c->sum_s / c->n_ok
	                                                : 0;
}

static bool is_same(const struct trial *a, const struct trial *b)
{
	return is_coll(a) && is_coll(b) && a->op == b->op &&
	       a->bytes == b->bytes && a->type == b->type &&
	       a->redop == b->redop &&
	       !((a->flags ^ b->flags) & TRIAL_REGISTERED) &&
	       a->xport == b->xport && a->mem == b->mem &&
	       a->member_count == b->member_count;
}

/* Of equal ones the best: others only ever disturb. */
static double best_s(const struct coll_time *all, size_t n,
                     const struct trial *like)
{
	double best = 0, s;
	size_t i;

	for (i = 0; i < n; i++) {
		s = is_same(all[i].t, like) ? mean_s(&all[i]) : 0;
		if (s > 0 && (best <= 0 || s < best))
			best = s;
	}
	return best;
}

static bool is_first(const struct coll_time *all, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (is_same(all[k].t, all[i].t))
			return false;
	return true;
}

static double busbw(const struct trial *t, double s)
{
	return (double)t->bytes / s *
	       trial_busbw_factor(t->op, t->member_count);
}

/* struct coll_case - what since_add() needs besides its values. */
struct coll_case {
	const struct judge_run *now;
	const struct judge_opts *opts;
	struct since *rows;
	struct findings *list;
};

/* There is one of a kind, and nothing tells its spread: only what a pair of a
 * small class would be accused of. */
static enum fp_status compare(const struct coll_case *c, const struct trial *t,
                              double before_s, double now_s, struct fp_err *err)
{
	bool local = judge_coll_shares_cores(c->now, t);
	double least = local || t->bytes < JUDGE_COLL_LARGE
	                       ? c->opts->small_drop_local
	                       : c->opts->small_drop;
	struct since_row row = {
		.bytes = t->bytes,
		.n = 1,
		.before = busbw(t, before_s),
		.now = busbw(t, now_s),
		.slower = 1 - before_s / now_s >= least,
	};
	struct finding *f;
	char size[FP_FMT_MAX];

	/* One rank, or no byte: nothing passes between ranks. */
	if (!(row.before > 0))
		return FP_OK;
	(void)snprintf(row.name, sizeof(row.name), "%s %s over %u ranks",
	               trial_xport_name(t->xport), trial_op_name(t->op),
	               t->member_count);
	if (row.slower) {
		f = findings_add(c->list, FINDING_SINCE_COLL);
		if (!f)
			return fp_err_set(err, FP_ERR_NOMEM,
			                  "no memory to compare");
		if (local)
			f->severity = SEVERITY_WARN;
		f->expected = row.before;
		f->observed = row.now;
		fp_copy(f->unit, sizeof(f->unit), "B/s");
		(void)snprintf(f->detail, sizeof(f->detail), "%s, %s: busbw",
		               row.name, fp_fmt_bytes(t->bytes, size));
	}
	return since_add_row(c->rows, &row, err);
}

double judge_since_floor(const struct judge_run *before,
                         const struct judge_run *now,
                         const struct judge_opts *opts, const struct trial *t)
{
	struct coll_time *all;
	double s;

	if (judge_coll_shares_cores(now, t) || t->bytes < JUDGE_COLL_LARGE ||
	    times_make(before->results, &all, NULL))
		return 0;
	s = best_s(all, before->results->n_trials, t);
	free(all);
	return s > 0 ? busbw(t, s) * (1 - opts->small_drop) : 0;
}

enum fp_status since_collectives(const struct judge_run *before,
                                 const struct judge_run *now,
                                 const struct judge_opts *opts,
                                 struct since *rows, struct findings *list,
                                 struct fp_err *err)
{
	const struct coll_case c = { now, opts, rows, list };
	struct coll_time *a = NULL, *b = NULL;
	enum fp_status status = times_make(before->results, &a, err);
	double before_s, now_s;
	size_t i;

	if (!status)
		status = times_make(now->results, &b, err);
	for (i = 0; !status && a && b && i < now->results->n_trials; i++) {
		if (!is_coll(b[i].t) || !is_first(b, i))
			continue;
		before_s = best_s(a, before->results->n_trials, b[i].t);
		now_s = best_s(b, now->results->n_trials, b[i].t);
		if (before_s > 0 && now_s > 0)
			status = compare(&c, b[i].t, before_s, now_s, err);
	}
	free(a);
	free(b);
	return status;
}
