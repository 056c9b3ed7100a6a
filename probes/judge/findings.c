// SPDX-License-Identifier: Apache-2.0
// From cells, outcomes and events to findings.
#include <stdlib.h>
#include <string.h>

#include "probes/judge/accuse.h"
#include "probes/judge/arms.h"
#include "probes/judge/foreign.h"
#include "probes/judge/load.h"
#include "probes/judge/local.h"
#include "probes/judge/marks.h"
#include "probes/judge/notes.h"
#include "probes/judge/swaps.h"
#include "topo/model/rails.h"

static enum fp_status hear_all(struct judge_case *c, const struct matrices *ms,
                               const struct grams *grams, struct findings *list,
                               struct fp_err *err)
{
	enum fp_status status = FP_OK;
	unsigned s;

	for (s = 0; !status && s < SYMPTOM_COUNT; s++)
		status = judge_marks_hear(c, ms, grams, (enum symptom)s, err);
	if (!status)
		status = judge_blame_resolve(c, err);
	if (!status)
		status = judge_accuse(c, grams, list, err);
	return status;
}

/* Findings about pairs, from matrices that see the same job. */
static enum fp_status judge_view(const struct topo_job *job,
                                 const struct results *r,
                                 const struct matrices *ms,
                                 const struct judge_opts *opts,
                                 struct findings *list, struct fp_err *err)
{
	struct judge_ports ports = { 0 };
	struct judge_case c = {
		.job = job,
		.results = r,
		.ports = &ports,
		.opts = opts,
	};
	struct grams grams = { 0 };
	enum fp_status status;

	status = judge_grams_collect(r, &grams, err);
	if (!status)
		status = judge_ports_init(&ports, job, err);
	if (!status)
		status = hear_all(&c, ms, &grams, list, err);
	free(c.marks);
	free(c.blames);
	judge_ports_done(&ports);
	judge_grams_done(&grams);
	return status;
}

/* Of which rail is @m? All that is not of verbs goes together. */
static int32_t rail_of(const struct matrix *m)
{
	return m->xport == XPORT_VERBS ? m->src_ep : -1;
}

static bool is_verbs(const struct matrix *m)
{
	return m->xport == XPORT_VERBS;
}

/* Those of @ms that are heard with the @at-th, which is the first of them.
 * Rail against rail says nothing of a port: judge_rails(). */
static void take_rail(const struct matrices *ms, size_t at,
                      struct matrices *ret)
{
	const struct matrix *m = &ms->m[at];

	ret->n = 0;
	for (size_t i = at; i < ms->n; i++)
		if (is_verbs(&ms->m[i]) == is_verbs(m) &&
		    rail_of(&ms->m[i]) == rail_of(m) &&
		    ms->m[i].src_ep == ms->m[i].dst_ep)
			ret->m[ret->n++] = ms->m[i];
}

static bool is_first_of_rail(const struct matrices *ms, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (is_verbs(&ms->m[i]) == is_verbs(&ms->m[at]) &&
		    rail_of(&ms->m[i]) == rail_of(&ms->m[at]) &&
		    ms->m[i].src_ep == ms->m[i].dst_ep)
			return false;
	return ms->m[at].src_ep == ms->m[at].dst_ep;
}

static enum fp_status judge_rail(const struct topo_job *job,
                                 const struct results *r,
                                 const struct matrices *ms,
                                 const struct judge_opts *opts,
                                 struct findings *list, struct fp_err *err)
{
	struct topo_job view = { 0 };
	enum fp_status status;

	if (!is_verbs(&ms->m[0]))
		return judge_view(job, r, ms, opts, list, err);
	status = topo_job_on_rail(job, rail_of(&ms->m[0]), &view, err);
	if (!status)
		status = judge_view(&view, r, ms, opts, list, err);
	topo_job_on_rail_done(&view);
	return status;
}

/* Each rail by itself: its ports are devices of their own. */
static enum fp_status judge_pairs(const struct topo_job *job,
                                  const struct results *r,
                                  const struct matrices *ms,
                                  const struct judge_opts *opts,
                                  struct findings *list, struct fp_err *err)
{
	struct matrices some = { .m = calloc(ms->n + 1, sizeof(*some.m)) };
	enum fp_status status = FP_OK;
	size_t i;

	if (!some.m)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	if (!ms->n)
		status = judge_view(job, r, ms, opts, list, err);
	for (i = 0; !status && i < ms->n; i++) {
		if (!is_first_of_rail(ms, i))
			continue;
		take_rail(ms, i, &some);
		status = judge_rail(job, r, &some, opts, list, err);
	}
	free(some.m);
	return status;
}

static void take_evidence(struct finding *into, const struct finding *from)
{
	uint32_t i;

	for (i = 0; i < from->n_evidence; i++)
		finding_evidence(into, "%s", from->evidence[i]);
}

/* Wrong data is never excused by a host that died later. */
static bool is_gone_with(const struct finding *f, const struct finding *lost)
{
	const struct locus *l = &f->locus;

	if (f->code == FINDING_DATA_CORRUPT || f->code >= FINDING_COLL_HANG)
		return false;
	if (lost->code == FINDING_HOST_LOST)
		return strcmp(l->host, lost->locus.host) == 0 ||
		       strcmp(l->peer_host, lost->locus.host) == 0;
	return lost->code == FINDING_AGENT_LOST &&
	       (l->kind == LOCUS_RANK || l->kind == LOCUS_PAIR) &&
	       (l->rank == lost->locus.rank ||
	        l->peer_rank == lost->locus.rank);
}

/* What was seen of a host or rank before it was gone is part of its going.
 * The first @n_lost findings say who is gone. */
static void absorb_lost(struct findings *list, size_t n_lost)
{
	size_t i, k, n = n_lost;

	for (i = n_lost; i < list->n; i++) {
		for (k = 0; k < n_lost; k++)
			if (is_gone_with(&list->f[i], &list->f[k]))
				break;
		if (k < n_lost)
			take_evidence(&list->f[k], &list->f[i]);
		else if (n++ != i)
			list->f[n - 1] = list->f[i];
	}
	list->n = n;
}

/* The same said twice, of two transports or from two sides, is said once. */
static void merge_same(struct findings *list)
{
	struct finding *last;
	size_t i, n = 0;

	for (i = 0; i < list->n; i++) {
		last = n ? &list->f[n - 1] : NULL;
		if (last && last->code == list->f[i].code &&
		    last->severity == list->f[i].severity &&
		    locus_cmp(&last->locus, &list->f[i].locus) == 0) {
			take_evidence(last, &list->f[i]);
			if (list->f[i].confidence > last->confidence)
				last->confidence = list->f[i].confidence;
		} else if (n++ != i) {
			list->f[n - 1] = list->f[i];
		}
	}
	list->n = n;
}

enum fp_status judge_findings(const struct topo_job *job,
                              const struct results *results,
                              const struct matrices *matrices,
                              const struct judge_opts *opts,
                              struct findings *ret, struct fp_err *err)
{
	struct findings list = { 0 };
	enum fp_status status;
	bool *lost = NULL;
	size_t n_lost;

	status = judge_lost(job, results, &list, &lost, err);
	n_lost = list.n;
	if (!status)
		status = judge_workers(job, results, lost, &list, err);
	if (!status)
		status = judge_pairs(job, results, matrices, opts, &list, err);
	free(lost);
	if (!status) {
		absorb_lost(&list, n_lost);
		findings_sort(&list);
		status = judge_collectives(job, results, &list, err);
	}
	if (!status)
		status = judge_asides(job, results, &list, err);
	if (!status)
		status = judge_foreign(job, results, &list, err);
	if (!status)
		status = judge_channels(job, results, &list, err);
	if (!status)
		status = judge_local(job, results, &list, err);
	if (!status)
		status = judge_load(job, results, &list, err);
	if (!status)
		status = judge_arms(job, results, matrices, &list, err);
	if (!status)
		judge_swaps(job, matrices, &list);
	if (status) {
		findings_done(&list);
		return status;
	}
	findings_sort(&list);
	merge_same(&list);
	*ret = list;
	return FP_OK;
}
