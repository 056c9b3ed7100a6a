// SPDX-License-Identifier: Apache-2.0
// The collective over everybody that a bisection is about, if there is one.
#include <math.h>

#include "probes/judge/coll_law.h"
#include "probes/session/bisect_part.h"
#include "probes/session/located.h"

static bool is_failed(const struct results *r, const struct trial *t)
{
	size_t i;

	for (i = 0; i < r->n_outcomes; i++)
		if (r->outcomes[i].trial == t->id &&
		    (r->outcomes[i].state == OUTCOME_HANG ||
		     r->outcomes[i].state == OUTCOME_ERROR))
			return true;
	return false;
}

double bisect_busbw(const struct results *r, const struct trial *t)
{
	const struct outcome *o;
	double sum = 0;
	size_t i, n = 0;

	for (i = 0; i < r->n_outcomes; i++) {
		o = &r->outcomes[i];
		if (o->trial != t->id || o->state != OUTCOME_OK ||
		    !(o->busbw_Bps > 0))
			continue;
		sum += o->busbw_Bps;
		n++;
	}
	return n ? sum / (double)n : 0;
}

static double since_floor(const struct session *s, const struct trial *whole)
{
	const struct judge_run now = { s->job, &s->results, &s->matrices };

	return s->before ? judge_since_floor(s->before, &now, &s->opts.judge,
	                                     whole)
	                 : 0;
}

/* Over memory of hosts cores decide how much a wider ring gets. */
static bool is_for_cores(const struct session *s, const struct trial *whole)
{
	return !trial_xport_is_gpu(whole->xport) && !session_is_located(s);
}

double bisect_floor_Bps(const struct session *s, const struct trial *whole)
{
	const struct judge_run now = { s->job, &s->results, &s->matrices };
	double since;

	if (s->opts.kind != SESSION_RUN)
		return s->opts.floor_Bps;
	since = since_floor(s, whole);
	/* Groups of what hangs may be as slow as they like; and what cores make
	 * of a ring is in what it was before. */
	if (is_failed(&s->results, whole) ||
	    (since > 0 && is_for_cores(s, whole)))
		return since;
	return fmax(since, judge_coll_floor(&now, whole));
}

bool bisect_is_for_cores(const struct session *s, const struct trial *whole)
{
	return s->opts.kind == SESSION_RUN && is_for_cores(s, whole) &&
	       !is_failed(&s->results, whole) && !(since_floor(s, whole) > 0) &&
	       bisect_floor_Bps(s, whole) > 0;
}

static bool is_slow(const struct session *s, const struct trial *t)
{
	double Bps = bisect_busbw(&s->results, t);

	return Bps > 0 && Bps < bisect_floor_Bps(s, t);
}

/* A collective over all, as the job has it, that @is_it; NULL: none. */
static const struct trial *find(const struct session *s,
                                bool (*is_it)(const struct session *s,
                                              const struct trial *t))
{
	const struct results *r = &s->results;
	size_t i;

	for (i = 0; i < r->n_trials; i++)
		if (!trial_is_pair(&r->trials[i]) && !r->trials[i].variant &&
		    r->trials[i].stage != TRIAL_S7_RETEST &&
		    is_it(s, &r->trials[i]))
			return &r->trials[i];
	return NULL;
}

static bool is_wanted(const struct session *s, const struct trial *t)
{
	return s->opts.kind == SESSION_BISECT || is_failed(&s->results, t);
}

const struct trial *bisect_collective(const struct session *s)
{
	const struct trial *t = find(s, is_wanted);

	return t ? t : find(s, is_slow);
}

/* What a run looks for by itself: a collective that failed and that nobody
 * explains, or a slow one where all else is well. */
bool bisect_is_explained(const struct session *s)
{
	size_t i;
	bool coll = false, fault = false;

	if (s->opts.kind == SESSION_BISECT)
		return false;
	if (s->opts.kind != SESSION_RUN)
		return true;
	for (i = 0; i < s->findings.n; i++) {
		uint32_t code = s->findings.f[i].code;

		coll |= code == FINDING_COLL_HANG || code == FINDING_COLL_ERROR;
		fault |= s->findings.f[i].severity == SEVERITY_FAULT &&
		         code != FINDING_SINCE_COLL;
	}
	return !coll && (fault || !find(s, is_slow));
}
