// SPDX-License-Identifier: Apache-2.0
// One round: what it is made of, and what is learnt from it.
#include <math.h>
#include <stdlib.h>

#include "probes/judge/test.h"
#include "probes/session/run.h"
#include "probes/trial/grow.h"
#include "probes/trial/wire.h"

/* What the two ends of a pair's trial came to. */
struct round_view {
	uint8_t state; /* enum outcome_state, the worse */
	uint8_t n;     /* ends heard of */
	double elapsed_s;
	bool moved; /* out of time, but data moved on */
	bool met;   /* an end got beyond meeting the other */
	int64_t small_rcvd, full_sent, full_rcvd; /* -1: not told */
};

static void view_outcome(struct round_view *v, const struct trial *t,
                         const struct outcome *o)
{
	v->n++;
	if (o->state > v->state)
		v->state = o->state;
	v->elapsed_s = fmax(v->elapsed_s, o->elapsed_s);
	v->moved |= judge_still_moved(t, o);
	v->met |= o->stage > STAGE_CONNECT;
	if (o->rank == t->src)
		v->full_sent = outcome_get(o, COUNTER_FULL_SENT, -1);
	if (o->rank != t->dst)
		return;
	v->small_rcvd = outcome_get(o, COUNTER_SMALL_RCVD, -1);
	v->full_rcvd = outcome_get(o, COUNTER_FULL_RCVD, -1);
}

static void view_round(const struct session_run *run, const struct batch *batch,
                       size_t first, struct round_view *views)
{
	const struct results *r = &run->s->results;
	uint32_t base = batch->trials[0].id;
	const struct outcome *o;
	size_t i;

	for (i = 0; i < batch->n_trials; i++)
		views[i] = (struct round_view){ .small_rcvd = -1,
			                        .full_sent = -1,
			                        .full_rcvd = -1 };
	for (i = first; i < r->n_outcomes; i++) {
		o = &r->outcomes[i];
		if (o->trial >= base && o->trial - base < batch->n_trials)
			view_outcome(&views[o->trial - base],
			             &batch->trials[o->trial - base], o);
	}
}

static enum fp_status learn_gram(struct hang_log *hangs, unsigned family,
                                 const struct trial *t,
                                 const struct round_view *v, struct fp_err *err)
{
	if (v->state != OUTCOME_OK || v->small_rcvd < 0)
		return FP_OK;
	/* Full ones that could not even be sent say nothing of the way. */
	return hang_log_gram(hangs, family, t, v->small_rcvd > 0,
	                     v->full_rcvd > 0 || v->full_sent == 0, err);
}

/* Passes first: that one end got through speaks for it, whatever hung with
 * it in the same round. */
static enum fp_status learn(struct session_run *run, uint32_t idx,
                            const struct batch *batch,
                            const struct round_view *views, struct fp_err *err)
{
	struct hang_log *hangs = session_run_hangs(run, idx);
	enum fp_status status = FP_OK;
	const struct trial *t;
	unsigned family;
	size_t i;

	for (i = 0; i < batch->n_trials; i++) {
		t = &batch->trials[i];
		if (views[i].state != OUTCOME_OK || views[i].n < 2 ||
		    t->op == OP_DATAGRAM)
			continue;
		hang_log_pass(hangs, hang_family(run->s->job, t), t);
		run->pace[idx].typical_s =
			fmax(run->pace[idx].typical_s, views[i].elapsed_s);
	}
	for (i = 0; !status && i < batch->n_trials; i++) {
		t = &batch->trials[i];
		family = hang_family(run->s->job, t);
		if (t->op == OP_DATAGRAM)
			status = learn_gram(hangs, family, t, &views[i], err);
		else if (views[i].state == OUTCOME_HANG)
			status = hang_log_hang(hangs, family, t, idx,
			                       views[i].met, err);
	}
	hang_log_settle(hangs);
	return status;
}

/* One that moved on to the end may only want more time. */
static void note_collective(struct session_run *run, const struct round_view *v)
{
	bool late = v->state == OUTCOME_HANG && v->moved;

	run->coll_late = late;
	run->coll_hung |= v->state == OUTCOME_HANG && !late;
}

static enum fp_status run_batch(struct session_run *run, uint32_t idx,
                                struct batch *batch, bool pairs,
                                struct fp_err *err)
{
	size_t first = run->s->results.n_outcomes;
	struct round_view *views;
	enum fp_status status;

	status = session_run_add_batch(run, batch, err);
	if (status)
		return status;
	session_run_execute(run, batch);
	views = calloc(batch->n_trials, sizeof(*views));
	if (!views)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a round");
	view_round(run, batch, first, views);
	/* By ports that are no rail, as in another environment: no stage's. */
	if (pairs && !batch->trials[0].variant &&
	    batch->trials[0].src_ep == batch->trials[0].dst_ep)
		status = learn(run, idx, batch, views, err);
	if (!pairs)
		note_collective(run, &views[0]);
	free(views);
	return status;
}

static void trial_of_round(struct session_run *run, uint32_t idx,
                           const struct session_stage *st,
                           const struct plan_pair *p, struct trial *ret)
{
	double deadline_s = session_run_deadline_s(run, idx);

	*ret = session_stage_trial(st, run->s->opts.seed, p->src, p->dst);
	ret->round = run->round;
	if (deadline_s < ret->deadline_s)
		ret->deadline_s = deadline_s;
	run->round_cut = session_run_limit(run, ret);
	if (ret->time_s > ret->deadline_s)
		ret->time_s = ret->deadline_s;
}

enum fp_status session_run_round_once(struct session_run *run, uint32_t idx,
                                      const struct session_stage *st,
                                      const struct plan_pair *pairs, size_t n,
                                      struct fp_err *err)
{
	struct batch batch = { 0 };
	enum fp_status status = FP_OK;
	size_t i;

	batch.trials = calloc(n + 1, sizeof(*batch.trials));
	if (!batch.trials)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a round");
	for (i = 0; !status && i < n; i++) {
		if (session_run_is_lost(run, pairs[i].src, pairs[i].dst))
			status = session_run_skip(run, idx, pairs[i].src,
			                          pairs[i].dst,
			                          "an end of it is lost", err);
		else
			trial_of_round(run, idx, st, &pairs[i],
			               &batch.trials[batch.n_trials++]);
	}
	if (!status && batch.n_trials)
		status = run_batch(run, idx, &batch, true, err);
	free(batch.trials);
	return status;
}

static enum fp_status put_off(struct session_run *run, uint32_t idx,
                              const struct plan_pair *p,
                              enum hang_advice advice, struct fp_err *err)
{
	enum fp_status status =
		grow_room(&run->put_off, &run->room_put_off, run->n_put_off + 1,
	                  sizeof(*run->put_off), err);

	if (status)
		return status;
	run->put_off[run->n_put_off++] = (struct session_put_off){
		.stage = idx,
		.src = p->src,
		.dst = p->dst,
		.advice = (uint8_t)advice,
	};
	return FP_OK;
}

enum fp_status session_run_round_checked(struct session_run *run, uint32_t idx,
                                         const struct session_stage *st,
                                         const struct plan_pair *pairs,
                                         size_t n, struct fp_err *err)
{
	struct plan_pair *go = calloc(n + 1, sizeof(*go));
	enum fp_status status = FP_OK;
	enum hang_advice advice;
	size_t i, n_go = 0;
	unsigned family;

	if (!go)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a round");
	for (i = 0; !status && i < n; i++) {
		family = session_run_family(run, idx, pairs[i].src,
		                            pairs[i].dst);
		advice = hang_log_advice(session_run_hangs(run, idx), family,
		                         pairs[i].src, pairs[i].dst);
		if (session_run_is_sick(run, pairs[i].src) ||
		    session_run_is_sick(run, pairs[i].dst))
			advice = HANG_SICK;
		if (advice == HANG_GO)
			go[n_go++] = pairs[i];
		else
			status = put_off(run, idx, &pairs[i], advice, err);
	}
	if (!status && n_go)
		status = session_run_round(run, idx, st, go, n_go, err);
	free(go);
	return status;
}

/* Of a pair that hung either end may be at fault, unless one of them is known
 * to be. Collectives go by the first rail. */
static void bar_hung(const struct session_run *run, bool *barred)
{
	const struct hang_log *hangs = &run->hangs[0];
	const struct hang_pair *p;
	size_t i;

	for (i = 0; i < run->s->job->n_ranks; i++)
		barred[i] |= hang_log_is_blocked(hangs, (int32_t)i);
	for (i = 0; i < hangs->n_pairs; i++) {
		p = &hangs->pairs[i];
		if (p->passes || hang_log_is_blocked(hangs, p->src) ||
		    hang_log_is_blocked(hangs, p->dst))
			continue;
		barred[p->src] = barred[p->dst] = true;
	}
}

static enum fp_status live_members(const struct session_run *run,
                                   struct batch *ret, struct fp_err *err)
{
	size_t i, n = run->s->job->n_ranks;
	bool *barred = calloc(n + 1, sizeof(*barred));

	if (!barred)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a round");
	bar_hung(run, barred);
	for (i = 0; i < n; i++)
		if (!run->lost[i] && !run->failing[i] && !barred[i] &&
		    !session_run_is_sick(run, (int32_t)i))
			ret->members[ret->n_members++] = (int32_t)i;
	free(barred);
	return FP_OK;
}

static const char *why_no_collective(const struct session_run *run, size_t n)
{
	if (run->coll_hung)
		return "skipped: a collective hung before";
	if (n < 2)
		return "fewer than two ranks are left that do not hang";
	if (n > WIRE_MEMBERS_MAX)
		return "more ranks than a collective can have";
	return NULL;
}

/* What should have been there is on record with all its ranks. */
static enum fp_status skip_full(struct session_run *run, struct batch *batch,
                                const char *why, struct fp_err *err)
{
	enum fp_status status;
	size_t i;

	batch->n_members = run->s->job->n_ranks;
	for (i = 0; i < batch->n_members; i++)
		batch->members[i] = (int32_t)i;
	batch->trials->member_count = (uint32_t)batch->n_members;
	status = session_run_add_batch(run, batch, err);
	if (!status)
		status = session_run_not_run(run, batch->trials, 0, why, err);
	return status;
}

/* Once more, with twice the time, if there is so much. */
static enum fp_status run_collective(struct session_run *run, uint32_t idx,
                                     struct batch *batch, struct fp_err *err)
{
	struct trial *t = batch->trials;
	enum fp_status status = run_batch(run, idx, batch, false, err);

	if (status || run->stop || !run->coll_late)
		return status;
	t->deadline_s *= 2;
	t->round = run->round;
	if (session_run_left_s(run) < t->deadline_s)
		return FP_OK;
	return run_batch(run, idx, batch, false, err);
}

enum fp_status session_run_full(struct session_run *run, uint32_t idx,
                                struct fp_err *err)
{
	struct plan_pair root = { .dst = -1 };
	struct trial t;
	struct batch batch = { .trials = &t, .n_trials = 1 };
	enum fp_status status;
	const char *why;

	batch.members = calloc(run->s->job->n_ranks, sizeof(*batch.members));
	if (!batch.members)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a round");
	status = live_members(run, &batch, err);
	if (status)
		goto free_members;
	if (batch.n_members)
		root.src = batch.members[0];
	trial_of_round(run, idx, &run->stages.s[idx], &root, &t);
	t.member_count = (uint32_t)batch.n_members;
	why = why_no_collective(run, batch.n_members);
	if (why)
		status = skip_full(run, &batch, why, err);
	else
		status = run_collective(run, idx, &batch, err);
free_members:
	free(batch.members);
	return status;
}
