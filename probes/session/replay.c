// SPDX-License-Identifier: Apache-2.0
// The machine of probes/locate, fed from a record: it asks as it did then, and
// gets the answers that it had.
#include <stdlib.h>

#include "probes/session/located.h"
#include "topo/base/clock.h"

/* struct record - the trials of a machine among saved results. */
struct record {
	const struct results *r;
	struct session_run *run; /* who is fed */
	size_t at, end;          /* trials: the next one, behind the last one */
	size_t outcome;          /* the next one */
	size_t *last;            /* [ranks] behind each one's last trial */
	size_t asks;             /* when it had to stop; 0: that is not known */
	bool whole;              /* it ended by itself */
};

/* False: no machine looked for anybody. */
static bool find_machine(const struct results *r, struct record *ret)
{
	const struct run_event *e;
	bool found = false;
	size_t i;

	*ret = (struct record){ .r = r, .end = r->n_trials };
	for (i = 0; i < r->n_events; i++) {
		e = &r->events[i];
		if (e->kind == EVENT_LOCATE) {
			ret->at = (size_t)e->value;
			found = true;
		}
		if (e->kind == EVENT_LOCATE_CUT)
			ret->asks = (size_t)e->value;
		if (e->kind == EVENT_LOCATED) {
			ret->end = (size_t)e->value;
			ret->whole = ret->asks == 0;
		}
	}
	return found && ret->at <= ret->end && ret->end <= r->n_trials;
}

static void find_last(struct record *rec)
{
	const struct trial *t;
	size_t i;

	for (i = rec->at; i < rec->end; i++) {
		t = &rec->r->trials[i];
		if (trial_is_pair(t))
			rec->last[t->src] = rec->last[t->dst] = i + 1;
	}
}

/* Collectives are tried in between. */
static void pass_collectives(struct record *rec)
{
	while (rec->at < rec->end && !trial_is_pair(&rec->r->trials[rec->at]))
		rec->at++;
}

/* Who has no trial any more was lost, or failed whatever it did. Had it been
 * there, all that it is asked for would have been tried. */
static void bury(const struct record *rec)
{
	size_t i;

	for (i = 0; i < rec->run->s->job->n_ranks; i++)
		if (rec->last[i] <= rec->at)
			rec->run->lost[i] = true;
}

static bool is_same(const struct trial *a, const struct trial *b)
{
	return a->xport == b->xport && a->op == b->op && a->mem == b->mem &&
	       a->stage == b->stage && a->src == b->src && a->dst == b->dst &&
	       a->src_ep == b->src_ep && a->dst_ep == b->dst_ep;
}

/* Is the round that is asked for the next one on record, no more and no less?
 */
static bool is_next(const struct record *rec, const struct batch *batch)
{
	const struct trial *had = &rec->r->trials[rec->at];
	size_t n = batch->n_trials, left = rec->end - rec->at, i;

	if (left < n || (left > n && had[n].round == had[0].round))
		return false;
	for (i = 0; i < n; i++)
		if (!is_same(&had[i], &batch->trials[i]))
			return false;
	return true;
}

/* What the run's end cut off hung for no other reason. */
static void play(struct record *rec, const struct batch *batch,
                 const struct exec_sink *sink)
{
	struct outcome o;
	size_t at;

	for (; rec->outcome < rec->r->n_outcomes; rec->outcome++) {
		o = rec->r->outcomes[rec->outcome];
		at = (size_t)o.trial - 1;
		if (at >= rec->at + batch->n_trials)
			break;
		if (at < rec->at)
			continue;
		if (o.state == OUTCOME_HANG &&
		    rec->r->trials[at].deadline_s <
		            batch->trials[at - rec->at].deadline_s)
			o.state = OUTCOME_NOTRUN;
		o.trial = batch->trials[at - rec->at].id;
		sink->outcome(sink->arg, &batch->trials[at - rec->at], &o, NULL,
		              0);
	}
}

static enum fp_status run_record(void *self, const struct batch *batch,
                                 int64_t stop_ns, const struct exec_sink *sink,
                                 struct fp_err *err)
{
	struct record *rec = self;

	(void)stop_ns;
	(void)err;
	pass_collectives(rec);
	if (!is_next(rec, batch))
		return FP_ERR_INTR;
	play(rec, batch, sink);
	rec->at += batch->n_trials;
	pass_collectives(rec);
	if (rec->whole || rec->at < rec->end) {
		bury(rec);
		return FP_OK;
	}
	/* There was no more time: in this batch, or before the next one. */
	return rec->run->s->locate->n_asks < rec->asks ? FP_OK : FP_ERR_INTR;
}

static const struct exec_ops record_exec_ops = { .name = "record",
	                                         .run = run_record };

/* A session of its own: what it asks for is on record already. */
static enum fp_status feed(struct session *s, const struct record *found,
                           struct fp_err *err)
{
	struct record rec = *found;
	struct session fed = {
		.opts = s->opts,
		.job = s->job,
		.fabric = s->fabric,
		.start_ns = fp_now_ns(),
	};
	struct session_run run = {
		.s = &fed,
		.exec = &record_exec_ops,
		.exec_self = &rec,
		.title = "",
		.lost = calloc(s->job->n_ranks + 1, sizeof(*run.lost)),
		.strain = calloc(s->job->n_ranks + 1, sizeof(*run.strain)),
		.failing = calloc(s->job->n_ranks + 1, sizeof(*run.failing)),
	};
	enum fp_status status = FP_OK;

	fed.opts.time_limit_s = 0;
	rec.run = &run;
	rec.last = calloc(s->job->n_ranks + 1, sizeof(*rec.last));
	if (!run.lost || !run.strain || !run.failing || !rec.last) {
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	} else {
		find_last(&rec);
		bury(&rec);
		status = session_run_located(&run, err);
	}
	s->locate = fed.locate;
	fed.locate = NULL;
	session_done(&fed);
	free(run.lost);
	free(run.strain);
	free(run.failing);
	free(rec.last);
	return status;
}

enum fp_status session_replay(struct session *s, struct fp_err *err)
{
	struct record rec;
	enum fp_status status = FP_OK;

	if ((session_is_located(s) || session_has_leaves(s)) &&
	    find_machine(&s->results, &rec))
		status = feed(s, &rec, err);
	return status ? status : session_judge(s, err);
}
