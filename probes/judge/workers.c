// SPDX-License-Identifier: Apache-2.0
// Workers that failed by themselves; their partners are only victims.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/judge/notes.h"
#include "probes/judge/rdma.h"
#include "probes/judge/test.h"
#include "probes/judge/words.h"

/* In this order: the first that was seen of a rank names the finding. */
static const struct {
	uint8_t code;  /* enum finding_code */
	uint8_t event; /* EVENT_NONE: only outcomes tell */
	uint8_t flags; /* of an outcome without any event of its rank */
} kinds[] = {
	{ FINDING_WORKER_WEDGED, EVENT_WORKER_WEDGED, OUTCOME_WEDGED },
	{ FINDING_WORKER_START, EVENT_WORKER_FAILED, 0 },
	{ FINDING_WORKER_GARBAGE, EVENT_WORKER_GARBAGE, 0 },
	{ FINDING_WORKER_HUNG, EVENT_WORKER_KILLED,
	  OUTCOME_KILLED | OUTCOME_SILENT },
	{ FINDING_WORKER_DIED, EVENT_WORKER_DIED, OUTCOME_WORKER_DIED },
	{ FINDING_RANK_HANG, EVENT_NONE, 0 },
	{ FINDING_RANK_ERROR, EVENT_NONE, 0 },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* struct say - one line about one rank. */
struct say {
	int32_t rank;
	int32_t ep;     /* of verbs: its port; else -1 */
	uint32_t kind;  /* index into kinds */
	double t_s;     /* of an event; -1: an outcome's */
	uint32_t trial; /* of an outcome; 0: an event's */
	const char *text;
	const struct outcome *outcome; /* NULL: an event's */
};

struct says {
	const struct topo_job *job;
	const struct results *r;
	const bool *lost;
	bool *told; /* [n_ranks] an event told of it */
	struct say *s;
	size_t n;
};

static bool is_known(const struct says *says, int32_t rank)
{
	return rank >= 0 && (size_t)rank < says->job->n_ranks &&
	       !says->lost[rank];
}

/* What becomes of a worker in a control arm is that arm's result. */
static bool is_of_arm(const struct results *r, const struct run_event *e)
{
	const struct trial *t = NULL;

	if ((e->kind == EVENT_WORKER_KILLED || e->kind == EVENT_WORKER_DIED) &&
	    e->value > 0 && e->value <= UINT32_MAX)
		t = results_trial(r, (uint32_t)e->value);
	return t && t->variant;
}

static void note_event(struct says *says, const struct run_event *e)
{
	size_t k;

	for (k = 0; k < KINDS; k++)
		if (e->kind != EVENT_NONE && kinds[k].event == e->kind)
			break;
	if (k == KINDS || !is_known(says, e->rank) || is_of_arm(says->r, e))
		return;
	says->told[e->rank] = true;
	says->s[says->n++] = (struct say){ e->rank, -1,  (uint32_t)k, e->t_s, 0,
		                           e->text, NULL };
}

static size_t kind_of(const struct outcome *o, const struct outcome *peer)
{
	unsigned code = o->state == OUTCOME_HANG ? FINDING_RANK_HANG
	                                         : FINDING_RANK_ERROR;
	size_t k;

	for (k = 0; k < KINDS; k++)
		if (o->flags & kinds[k].flags)
			return k;
	if (!judge_own_fault(o, peer))
		return KINDS;
	for (k = 0; kinds[k].code != code; k++)
		;
	return k;
}

/* What failed by itself may be one of several ports, if a port's codes say so. */
static int32_t port_of(const struct says *says, const struct outcome *o)
{
	const struct trial *t = results_trial(says->r, o->trial);
	const struct rdma_end end = rdma_end_of(o);

	if (!t || t->xport != XPORT_VERBS || !trial_is_pair(t) ||
	    rdma_own(&end).place == RDMA_NOWHERE)
		return -1;
	return trial_ep(t, o->rank);
}

static void note_outcome(struct says *says, const struct outcome *o,
                         const struct outcome *peer)
{
	size_t k;

	if (!o || !is_known(says, o->rank) || says->told[o->rank])
		return;
	k = kind_of(o, peer);
	if (k < KINDS)
		says->s[says->n++] =
			(struct say){ o->rank, port_of(says, o), (uint32_t)k,
			              -1,      o->trial,         o->err,
			              o };
}

/* In a collective nobody is the peer: only what is certain counts. */
static void note_member(struct says *says, const struct results *r,
                        const struct outcome *o)
{
	const struct trial *t = results_trial(r, o->trial);
	const struct outcome met = { .stage = STAGE_INIT };

	if (t && !trial_is_pair(t) && !t->variant)
		note_outcome(says, o, &met);
}

static int say_cmp(const void *pa, const void *pb)
{
	const struct say *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->ep != b->ep)
		return a->ep < b->ep ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->t_s < b->t_s || a->t_s > b->t_s)
		return a->t_s < b->t_s ? -1 : 1;
	if (a->trial != b->trial)
		return a->trial < b->trial ? -1 : 1;
	return strcmp(a->text, b->text);
}

static void say_line(const struct says *says, const struct say *s,
                     struct finding *f)
{
	const struct trial *t = results_trial(says->r, s->trial);
	char name[WORDS_RANK_MAX], what[WORDS_TRIAL_MAX];

	(void)words_rank(says->job, s->rank, name);
	if (!t)
		finding_evidence(f, "%s: %s, %.1f s into the run", name,
		                 s->text, s->t_s);
	else
		finding_evidence(f, "%s, %s: %s, trial %u", name,
		                 words_trial(t, what),
		                 s->text[0] ? s->text : "failed", s->trial);
}

/* A rank that failed by what its RDMA port is like: then it is the port. */
static void rdma_words(const struct says *says, const struct say *s,
                       struct finding *f)
{
	const struct trial *t = results_trial(says->r, s->trial);
	struct rdma_verdict v;
	struct rdma_end end;

	if (!t || t->xport != XPORT_VERBS || !s->outcome)
		return;
	end = rdma_end_of(s->outcome);
	v = rdma_own(&end);
	if (v.place == RDMA_NOWHERE)
		return;
	f->code = rdma_told(says->r, v.code, s->trial, s->rank);
	f->severity = finding_info(f->code)->severity;
	rdma_locus(says->job, s->rank, s->ep, &f->locus);
}

/* A rank whose GPU broke: then that is what is to be repaired. The first
 * failure says so; what comes after it has met nobody. */
static void gpu_words(const struct says *says, size_t first, struct finding *f)
{
	for (size_t i = first; f->code == FINDING_RANK_ERROR && i < says->n &&
	                       says->s[i].rank == says->s[first].rank;
	     i++) {
		const struct outcome *o = says->s[i].outcome;

		if (!o ||
		    !judge_gpu_error(outcome_get(o, COUNTER_DEVICE_ERROR, 0)))
			continue;
		f->code = FINDING_GPU_ERROR;
		f->severity = finding_info(f->code)->severity;
	}
}

static enum fp_status report(struct says *says, struct findings *list,
                             struct fp_err *err)
{
	struct finding *f = NULL;
	size_t i;

	if (says->n)
		qsort(says->s, says->n, sizeof(*says->s), say_cmp);
	for (i = 0; i < says->n; i++) {
		if (i == 0 || says->s[i].rank != says->s[i - 1].rank ||
		    says->s[i].ep != says->s[i - 1].ep) {
			f = findings_add(list, kinds[says->s[i].kind].code);
			if (!f)
				return fp_err_set(err, FP_ERR_NOMEM,
				                  "no memory to judge");
			words_locus_rank(says->job, says->s[i].rank, &f->locus);
			rdma_words(says, &says->s[i], f);
			gpu_words(says, i, f);
		}
		say_line(says, &says->s[i], f);
	}
	return FP_OK;
}

static void collect(struct says *says, const struct results *r,
                    const struct pair_view *views, size_t n_views)
{
	size_t i;

	for (i = 0; i < r->n_events; i++)
		note_event(says, &r->events[i]);
	for (i = 0; i < n_views; i++) {
		note_outcome(says, views[i].src, views[i].dst);
		note_outcome(says, views[i].dst, views[i].src);
	}
	for (i = 0; i < r->n_outcomes; i++)
		note_member(says, r, &r->outcomes[i]);
}

enum fp_status judge_workers(const struct topo_job *job,
                             const struct results *r, const bool *lost,
                             struct findings *list, struct fp_err *err)
{
	struct says says = {
		.job = job,
		.r = r,
		.lost = lost,
		.told = calloc(job->n_ranks + 1, sizeof(*says.told)),
		.s = calloc(r->n_events + r->n_outcomes + 1, sizeof(*says.s)),
	};
	struct pair_view *views = NULL;
	enum fp_status status;
	size_t n_views = 0;

	status = results_pairs(r, &views, &n_views, err);
	if (!status && (!says.told || !says.s)) {
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	} else if (!status) {
		collect(&says, r, views, n_views);
		status = report(&says, list, err);
	}
	free(views);
	free(says.told);
	free(says.s);
	return status;
}
