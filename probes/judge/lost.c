// SPDX-License-Identifier: Apache-2.0
// Agents that are gone, and what that says: a rank, a host, or our own end.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probes/judge/notes.h"
#include "probes/judge/words.h"

#define AT_ONCE_S 2.0

/* struct absent - one rank's agent. */
struct absent {
	bool lost;
	double t_s;       /* NaN: not known */
	const char *text; /* "" */
};

struct absences {
	const struct topo_job *job;
	struct absent *ranks; /* [n_ranks] */
	uint32_t *of_host;    /* [n_hosts] lost ranks of each */
	uint32_t *all_of_host;
	bool suspect; /* the conductor itself suspected its end */
};

static bool is_absence(uint32_t kind)
{
	return kind == EVENT_AGENT_LOST || kind == EVENT_AGENT_MISSING;
}

/* The earliest word counts, in whatever order the events are. */
static void note_event(struct absences *a, const struct run_event *e)
{
	struct absent *who;

	a->suspect |= e->kind == EVENT_CONTROL_SUSPECT;
	if (!is_absence(e->kind) || e->rank < 0 ||
	    (size_t)e->rank >= a->job->n_ranks)
		return;
	who = &a->ranks[e->rank];
	if (who->lost &&
	    (who->t_s < e->t_s ||
	     (who->t_s <= e->t_s && strcmp(who->text, e->text) <= 0)))
		return;
	*who = (struct absent){ true, e->t_s, e->text };
}

static void note_outcome(struct absences *a, const struct outcome *o)
{
	struct absent *who;

	if (o->state != OUTCOME_LOST || o->rank < 0 ||
	    (size_t)o->rank >= a->job->n_ranks)
		return;
	who = &a->ranks[o->rank];
	if (!who->lost)
		*who = (struct absent){ true, NAN, "" };
	if (isnan(who->t_s) && strcmp(o->err, who->text) > 0)
		who->text = o->err;
}

static void count_hosts(struct absences *a)
{
	size_t i;

	for (i = 0; i < a->job->n_ranks; i++) {
		int32_t host = a->job->ranks[i].host;

		if (host < 0)
			continue;
		a->all_of_host[host]++;
		a->of_host[host] += a->ranks[i].lost;
	}
}

static bool host_is_lost(const struct absences *a, size_t host)
{
	return a->of_host[host] > 0 && a->of_host[host] == a->all_of_host[host];
}

/* Were most of those on other hosts than rank 0's lost, on several of them,
 * and all at once (or did the conductor say so)? */
static bool is_control_link(const struct absences *a)
{
	int32_t home = a->job->n_ranks ? a->job->ranks[0].host : -1;
	double first = INFINITY, last = -INFINITY;
	size_t i, n = 0, lost = 0, hosts = 0;

	for (i = 0; i < a->job->n_hosts; i++)
		hosts += (int32_t)i != home && host_is_lost(a, i);
	for (i = 1; i < a->job->n_ranks; i++) {
		if (home >= 0 && a->job->ranks[i].host == home)
			continue;
		n++;
		if (!a->ranks[i].lost)
			continue;
		lost++;
		first = fmin(first, a->ranks[i].t_s);
		last = fmax(last, a->ranks[i].t_s);
	}
	return hosts >= 2 && 2 * lost > n &&
	       (a->suspect || last - first <= AT_ONCE_S);
}

static void say_absent(const struct absences *a, size_t rank, struct finding *f)
{
	const struct absent *who = &a->ranks[rank];
	char name[WORDS_RANK_MAX];

	(void)words_rank(a->job, (int32_t)rank, name);
	if (isnan(who->t_s))
		finding_evidence(f, "%s: %s", name,
		                 who->text[0] ? who->text : "lost");
	else
		finding_evidence(f, "%s: %s, %.1f s into the run", name,
		                 who->text[0] ? who->text : "lost", who->t_s);
}

static bool report_control(const struct absences *a, struct findings *list)
{
	struct finding *f = findings_add(list, FINDING_CONTROL_LINK);
	size_t i;

	if (!f)
		return false;
	words_locus_rank(a->job, 0, &f->locus);
	if (f->locus.host[0]) {
		f->locus.kind = LOCUS_HOST;
		f->locus.rank = -1;
	}
	f->confidence = 0.8;
	for (i = 0; i < a->job->n_ranks; i++)
		if (a->ranks[i].lost)
			say_absent(a, i, f);
	return true;
}

static bool report_host(const struct absences *a, size_t host,
                        struct findings *list)
{
	struct finding *f = findings_add(list, FINDING_HOST_LOST);
	size_t i;

	if (!f)
		return false;
	f->locus.kind = LOCUS_HOST;
	memcpy(f->locus.host, a->job->hosts[host].name, sizeof(f->locus.host));
	for (i = 0; i < a->job->n_ranks; i++)
		if (a->job->ranks[i].host == (int32_t)host)
			say_absent(a, i, f);
	return true;
}

static bool report_rank(const struct absences *a, size_t rank,
                        struct findings *list)
{
	struct finding *f = findings_add(list, FINDING_AGENT_LOST);

	if (!f)
		return false;
	words_locus_rank(a->job, (int32_t)rank, &f->locus);
	say_absent(a, rank, f);
	return true;
}

static bool report_all(const struct absences *a, struct findings *list)
{
	bool ok = true;
	size_t i;

	if (is_control_link(a))
		return report_control(a, list);
	for (i = 0; ok && i < a->job->n_hosts; i++)
		if (host_is_lost(a, i))
			ok = report_host(a, i, list);
	for (i = 0; ok && i < a->job->n_ranks; i++) {
		int32_t host = a->job->ranks[i].host;

		if (a->ranks[i].lost &&
		    (host < 0 || !host_is_lost(a, (size_t)host)))
			ok = report_rank(a, i, list);
	}
	return ok;
}

enum fp_status judge_lost(const struct topo_job *job, const struct results *r,
                          struct findings *list, bool **ret_lost,
                          struct fp_err *err)
{
	struct absences a = {
		.job = job,
		.ranks = calloc(job->n_ranks + 1, sizeof(*a.ranks)),
		.of_host = calloc(job->n_hosts + 1, sizeof(*a.of_host)),
		.all_of_host = calloc(job->n_hosts + 1, sizeof(*a.of_host)),
	};
	bool *lost = calloc(job->n_ranks + 1, sizeof(*lost));
	bool ok = a.ranks && a.of_host && a.all_of_host && lost;
	size_t i;

	if (ok) {
		for (i = 0; i < r->n_events; i++)
			note_event(&a, &r->events[i]);
		for (i = 0; i < r->n_outcomes; i++)
			note_outcome(&a, &r->outcomes[i]);
		count_hosts(&a);
		for (i = 0; i < job->n_ranks; i++)
			lost[i] = a.ranks[i].lost;
		ok = report_all(&a, list);
	}
	free(a.ranks);
	free(a.of_host);
	free(a.all_of_host);
	if (!ok) {
		free(lost);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	}
	*ret_lost = lost;
	return FP_OK;
}
