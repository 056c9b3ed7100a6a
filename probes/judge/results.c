// SPDX-License-Identifier: Apache-2.0
// Everything measured in a run: grown arrays addressed by index.
#include "probes/judge/results.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "probes/trial/grow.h"

#define RESULTS_GROW(r, field, more, err)                                   \
	grow_room(&(r)->field, &(r)->room_##field, (r)->n_##field + (more), \
	          sizeof(*(r)->field), err)

enum fp_status results_add_batch(struct results *r, struct batch *batch,
                                 struct fp_err *err)
{
	enum fp_status status;
	struct trial *stored;
	size_t i;

	if (r->n_trials + batch->n_trials > UINT32_MAX - 1 ||
	    r->n_members + batch->n_members > UINT32_MAX)
		return fp_err_set(err, FP_ERR_LIMIT, "too many trials");
	status = RESULTS_GROW(r, trials, batch->n_trials, err);
	if (!status)
		status = RESULTS_GROW(r, members, batch->n_members, err);
	if (status)
		return status;
	for (i = 0; i < batch->n_trials; i++) {
		batch->trials[i].id = (uint32_t)(r->n_trials + i + 1);
		stored = &r->trials[r->n_trials + i];
		*stored = batch->trials[i];
		if (stored->member_count)
			stored->member_first += (uint32_t)r->n_members;
	}
	if (batch->n_members)
		memcpy(r->members + r->n_members, batch->members,
		       batch->n_members * sizeof(*r->members));
	r->n_trials += batch->n_trials;
	r->n_members += batch->n_members;
	return FP_OK;
}

static enum fp_status add_samples(struct results *r, const struct outcome *o,
                                  const double *samples, size_t n,
                                  struct fp_err *err)
{
	enum fp_status status;

	status = RESULTS_GROW(r, samples, n, err);
	if (!status)
		status = RESULTS_GROW(r, kept, 1, err);
	if (status)
		return status;
	memcpy(r->samples + r->n_samples, samples, n * sizeof(*samples));
	r->kept[r->n_kept++] = (struct results_samples){
		.trial = o->trial,
		.rank = o->rank,
		.first = r->n_samples,
		.n = n,
	};
	r->n_samples += n;
	return FP_OK;
}

enum fp_status results_add_outcome(struct results *r, const struct outcome *o,
                                   const double *samples, size_t n_samples,
                                   struct fp_err *err)
{
	enum fp_status status = RESULTS_GROW(r, outcomes, 1, err);

	if (!status && samples && n_samples)
		status = add_samples(r, o, samples, n_samples, err);
	if (status)
		return status;
	r->outcomes[r->n_outcomes++] = *o;
	return FP_OK;
}

enum fp_status results_add_event(struct results *r, const struct run_event *e,
                                 struct fp_err *err)
{
	enum fp_status status = RESULTS_GROW(r, events, 1, err);

	if (!status)
		r->events[r->n_events++] = *e;
	return status;
}

enum fp_status results_add_watch(struct results *r, const struct watch *w,
                                 struct fp_err *err)
{
	enum fp_status status = RESULTS_GROW(r, watches, 1, err);

	if (!status)
		r->watches[r->n_watches++] = *w;
	return status;
}

const struct trial *results_trial(const struct results *r, uint32_t id)
{
	if (id < 1 || id > r->n_trials)
		return NULL;
	return &r->trials[id - 1];
}

void results_done(struct results *r)
{
	if (!r)
		return;
	free(r->trials);
	free(r->members);
	free(r->outcomes);
	free(r->events);
	free(r->watches);
	free(r->samples);
	free(r->kept);
	*r = (struct results){ 0 };
}

static double receiver_rate(const struct outcome *o)
{
	if (!o || o->state != OUTCOME_OK || !(o->flags & OUTCOME_RECEIVER) ||
	    !isfinite(o->algbw_Bps))
		return 0;
	return o->algbw_Bps;
}

static double pair_latency(const struct outcome *o)
{
	if (!o || o->state != OUTCOME_OK || !(o->flags & OUTCOME_RECEIVER) ||
	    !isfinite(o->min_s))
		return 0;
	return o->min_s;
}

static void view_finish(struct pair_view *v)
{
	uint8_t src = v->src ? v->src->state : OUTCOME_NONE;
	uint8_t dst = v->dst ? v->dst->state : OUTCOME_NONE;

	v->state = src > dst ? src : dst;
	/* One end alone is no result, unless it says what went wrong. */
	if (v->state == OUTCOME_OK && (!v->src || !v->dst))
		v->state = OUTCOME_NONE;
	if (v->trial->op == OP_WRITE)
		v->rate_Bps = receiver_rate(v->dst);
	if (v->trial->op == OP_LATENCY)
		v->latency_s = v->src && v->src->flags & OUTCOME_RECEIVER
		                       ? pair_latency(v->src)
		                       : pair_latency(v->dst);
}

/* The latest outcome of an end counts: a worker may answer after its agent
 * was given up. */
static void views_attach(const struct results *r, struct pair_view *by_id)
{
	const struct outcome *o;
	const struct trial *t;
	size_t i;

	for (i = 0; i < r->n_outcomes; i++) {
		o = &r->outcomes[i];
		t = results_trial(r, o->trial);
		if (!t || !trial_is_pair(t))
			continue;
		if (o->rank == t->src)
			by_id[o->trial - 1].src = o;
		else if (o->rank == t->dst)
			by_id[o->trial - 1].dst = o;
	}
}

static enum fp_status views_make(const struct results *r, bool arms,
                                 struct pair_view **ret_views, size_t *ret_n,
                                 struct fp_err *err)
{
	struct pair_view *views;
	size_t i, n = 0;

	views = calloc(r->n_trials + 1, sizeof(*views));
	if (!views)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for results");
	views_attach(r, views);
	for (i = 0; i < r->n_trials; i++) {
		if (!trial_is_pair(&r->trials[i]) ||
		    trial_is_alone(&r->trials[i]) ||
		    (r->trials[i].variant != 0) != arms)
			continue;
		views[i].trial = &r->trials[i];
		view_finish(&views[i]);
		views[n++] = views[i];
	}
	*ret_views = views;
	*ret_n = n;
	return FP_OK;
}

enum fp_status results_pairs(const struct results *r,
                             struct pair_view **ret_views, size_t *ret_n,
                             struct fp_err *err)
{
	return views_make(r, false, ret_views, ret_n, err);
}

enum fp_status results_arms(const struct results *r,
                            struct pair_view **ret_views, size_t *ret_n,
                            struct fp_err *err)
{
	return views_make(r, true, ret_views, ret_n, err);
}
