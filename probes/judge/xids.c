// SPDX-License-Identifier: Apache-2.0
// Xids that came while it was measured, by NVML.
#include "probes/judge/xids.h"

#include <stdio.h>

#include "probes/finding/xid.h"
#include "probes/judge/watched.h"
#include "probes/judge/words.h"

/* struct xid - one number of one GPU. */
struct xid {
	const struct topo_job *job;
	const struct results *r;
	const struct watched *w;
	int32_t number;
	int64_t count;
	uint32_t first, last; /* trials; 0: not known */
};

static bool is_of(const struct watch_value *v, int32_t number)
{
	return v->id == GPU_XIDS && v->link == number;
}

static void gather(struct xid *x)
{
	for (size_t i = 0; i < x->w->n; i++) {
		const struct watch *w = x->w->records[i];

		for (uint32_t k = 0; k < w->n; k++) {
			if (!is_of(&w->values[k], x->number))
				continue;
			x->count += w->values[k].value;
			if (w->last && !x->first)
				x->first = w->first;
			if (w->last)
				x->last = w->last;
		}
	}
}

/* Is it the first record, and place in it, with this number? */
static bool is_first(const struct watched *w, size_t record, int32_t number)
{
	for (size_t i = 0; i < record; i++)
		for (uint32_t k = 0; k < w->records[i]->n; k++)
			if (is_of(&w->records[i]->values[k], number))
				return false;
	return true;
}

static bool has_died(const struct xid *x)
{
	for (size_t i = 0; i < x->r->n_events; i++) {
		const struct run_event *e = &x->r->events[i];

		if (e->rank == x->w->rank && (e->kind == EVENT_WORKER_KILLED ||
		                              e->kind == EVENT_WORKER_DIED))
			return true;
	}
	return false;
}

/* Does any watched GPU report a link of its own? */
static bool any_link(const struct results *r)
{
	for (size_t i = 0; i < r->n_watches; i++) {
		const struct watch *w = &r->watches[i];

		for (uint32_t k = 0; k < w->n; k++)
			if (w->values[k].id == GPU_XIDS &&
			    w->values[k].link >= FINDING_XID_LINK_FIRST &&
			    w->values[k].link <= FINDING_XID_LINK_LAST &&
			    w->values[k].link != FINDING_XID_REMAPPED)
				return true;
	}
	return false;
}

static bool is_about(const struct finding *f, int32_t rank)
{
	return f->locus.rank == rank ||
	       (f->locus.kind == LOCUS_PAIR && f->locus.peer_rank == rank);
}

static void say(const struct xid *x, char line[FINDING_TEXT_MAX])
{
	char who[WORDS_RANK_MAX], when[64], times[32] = "";

	watched_while(x->first, x->last, when, sizeof(when));
	if (x->count > 1)
		(void)snprintf(times, sizeof(times), ", %lld times",
		               (long long)x->count);
	(void)snprintf(line, FINDING_TEXT_MAX, "GPU of %.64s: Xid %d%s %s",
	               words_rank(x->job, x->w->rank, who), (int)x->number,
	               times, when);
}

/* What the GPU says of itself is worth more than the last of many lines. */
static void support(struct finding *f, const char *line)
{
	if (f->n_evidence == FINDING_EVIDENCE_MAX)
		f->n_evidence--;
	finding_evidence(f, "%s", line);
}

static enum fp_status accuse(const struct xid *x, struct findings *list,
                             struct fp_err *err)
{
	unsigned code = finding_of_xid(x->number);
	char line[FINDING_TEXT_MAX];
	struct finding *f;
	struct locus place;

	say(x, line);
	for (size_t i = 0; i < list->n; i++)
		if (is_about(&list->f[i], x->w->rank))
			support(&list->f[i], line);
	watched_place(x->job, x->w, -1, &place);
	f = watched_known(list, code, &place);
	if (!f) {
		f = findings_add(list, code);
		if (!f)
			return fp_err_set(err, FP_ERR_NOMEM,
			                  "no memory to judge");
		f->locus = place;
		if (x->number == FINDING_XID_REMAPPED)
			f->severity =
				any_link(x->r) ? SEVERITY_INFO : SEVERITY_WARN;
	}
	finding_evidence(f, "%s", line);
	return FP_OK;
}

/* The event does not say what a recovery action was changed to. */
static bool is_wanted(const struct xid *x)
{
	return x->number != FINDING_XID_RECOVERY &&
	       (finding_of_xid(x->number) != FINDING_XID_APPLICATION ||
	        !has_died(x));
}

static enum fp_status judge_gpu(struct xid x, struct findings *list,
                                struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < x.w->n; i++) {
		const struct watch *w = x.w->records[i];

		for (uint32_t k = 0; k < w->n && !status; k++) {
			struct xid one = x;

			one.number = w->values[k].link;
			if (w->values[k].id != GPU_XIDS ||
			    !is_first(x.w, i, one.number))
				continue;
			gather(&one);
			if (is_wanted(&one))
				status = accuse(&one, list, err);
		}
	}
	return status;
}

enum fp_status judge_xids(const struct topo_job *job, const struct results *r,
                          struct findings *list, struct fp_err *err)
{
	struct watched_all all;
	enum fp_status status = watched_make(r, &all, err);

	if (status)
		return status;
	for (size_t i = 0; i < all.n && !status; i++)
		if (all.ranks[i].xids &&
		    job->ranks[all.ranks[i].rank].host >= 0)
			status = judge_gpu((struct xid){ .job = job,
			                                 .r = r,
			                                 .w = &all.ranks[i] },
			                   list, err);
	watched_done(&all);
	return status;
}
