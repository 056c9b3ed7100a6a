// SPDX-License-Identifier: Apache-2.0
// The rate of a collective, from those of its pairs.
#include "probes/judge/coll_law.h"

#include <math.h>

#include "probes/judge/ports.h"

#define FLOOR .5 /* of the law */

bool judge_coll_shares_cores(const struct judge_run *now, const struct trial *t)
{
	const int32_t *m = now->results->members + t->member_first;
	uint32_t i;

	if (trial_xport_is_gpu(t->xport))
		return false;
	for (i = 1; i < t->member_count; i++)
		if (!topo_job_same_host(now->job, m[0], m[i]) &&
		    !judge_ports_is_loopback(now->job, m[0], m[i]))
			return false;
	return true;
}

static bool is_way_of(const struct matrix *m, const struct trial *t)
{
	return t->xport == XPORT_AUTO || m->xport == t->xport;
}

/* The usual rate of the slowest class; 0: none is known, or cores decide in
 * it. */
static double slowest(const struct matrices *ms, const struct trial *t)
{
	double rate = INFINITY;
	bool local = false;
	size_t i, k;

	for (i = 0; i < ms->n; i++) {
		const struct matrix *m = &ms->m[i];

		if (m->op != OP_WRITE || m->dir != DIR_UNI ||
		    m->bytes < JUDGE_COLL_LARGE || !is_way_of(m, t))
			continue;
		for (k = 0; k < m->n_classes; k++) {
			if (!(m->classes[k].median > 0) ||
			    m->classes[k].median >= rate)
				continue;
			rate = m->classes[k].median;
			local = m->classes[k].local != 0;
		}
	}
	return isfinite(rate) && !local ? rate : 0;
}

static double latest_s(const struct matrices *ms, const struct trial *t)
{
	double late_s = 0;
	size_t i, k;

	for (i = 0; i < ms->n; i++)
		for (k = 0; ms->m[i].op == OP_LATENCY &&
		            is_way_of(&ms->m[i], t) && k < ms->m[i].n_classes;
		     k++)
			late_s = fmax(late_s, ms->m[i].classes[k].median);
	return late_s;
}

double judge_coll_law(const struct judge_run *now, const struct trial *t)
{
	double factor = trial_busbw_factor(t->op, t->member_count);
	double n = t->member_count, rate, steps, s;

	if (t->member_count < 2 || t->bytes < JUDGE_COLL_LARGE ||
	    judge_coll_shares_cores(now, t))
		return 0;
	rate = slowest(now->matrices, t);
	if (!(rate > 0))
		return 0;
	steps = n * factor;
	s = steps * (latest_s(now->matrices, t) + (double)t->bytes / n / rate);
	return (double)t->bytes / s * factor;
}

double judge_coll_floor(const struct judge_run *now, const struct trial *t)
{
	return FLOOR * judge_coll_law(now, t);
}
