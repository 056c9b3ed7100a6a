// SPDX-License-Identifier: Apache-2.0
// How fast single messages pass where cores are shared.
#include "probes/judge/pace.h"

#include <math.h>

#include "probes/judge/cell.h"

#define PACE_CLASS_MIN 4  /* cells, to say what is usual */
#define MISSES 0.03       /* tests of a slow pair that look well */
#define FALSE_CHANCE 1e-3 /* that noise has one named in a run */

/* struct paced - the paces of one cell's good tests. */
struct paced {
	uint32_t n, slow;
	uint32_t unknown; /* of too few messages */
	bool first;       /* was the first one slow? */
	double best, second;
};

static struct paced paced_of(const struct judge_group *g, size_t cell)
{
	const struct judge_class *k = &g->classes[g->m->cells[cell].cls];
	double limit = exp(k->pace) * (1 - g->opts->pace_drop);
	struct paced p = { 0 };
	size_t i;

	for (i = g->first[cell]; i < g->first[cell + 1]; i++) {
		if (g->tests[i].spoiled)
			continue;
		if (!(g->tests[i].pace > 0)) {
			p.unknown += g->tests[i].state == OUTCOME_OK;
			continue;
		}
		if (p.n == 0)
			p.first = g->tests[i].pace <= limit;
		p.n++;
		p.slow += g->tests[i].pace <= limit;
		p.second = fmax(p.second, fmin(p.best, g->tests[i].pace));
		p.best = fmax(p.best, g->tests[i].pace);
	}
	return p;
}

static bool is_beside(const struct judge_group *g, size_t a, size_t b)
{
	const struct matrix_cell *x = &g->m->cells[a], *y = &g->m->cells[b];

	return a != b && x->cls == y->cls &&
	       (g->classes[x->cls].kind != KIND_SAME_HOST ||
	        topo_job_same_host(g->job, x->src, y->src));
}

/* The second best of the clean pair that did worst, of those measured as often
 * as the suspect; 0: there is none. */
static double worst_clean(const struct judge_group *g, size_t cell, uint32_t n)
{
	double worst = 0;
	struct paced p;
	size_t i;

	for (i = 0; i < g->m->n_cells; i++) {
		if (!is_beside(g, cell, i))
			continue;
		p = paced_of(g, i);
		if (p.n < n || p.first || !judge_cell_is_clean(g, i))
			continue;
		worst = worst > 0 ? fmin(worst, p.second) : p.second;
	}
	return worst;
}

/* One that went well may be chance; then one more has to agree, or the rate: a
 * path that once was as good as others, and is as fast by the margin of its
 * class, is none that is bad. (Pages that share a cache's sets make a segment
 * slow in most tests, and no path is.) */
static bool went_well(const struct judge_group *g, size_t cell,
                      const struct paced *p)
{
	return !p->first || p->slow + 1 < p->n ||
	       (p->slow < p->n &&
	        g->m->cells[cell].ratio > 1 - g->opts->slow_drop_local);
}

/*
 * How often a test is slow where no path is: of pairs that did well at some
 * time. There are machines where whole spells are so, for everybody (a
 * hypervisor that takes a core to another cache).
 */
struct noise {
	double chance;
	size_t cells;
};

static struct noise noise_beside(const struct judge_group *g, size_t cell)
{
	struct noise z = { .cells = 1 };
	double slow = 0, n = 0;
	struct paced p;
	size_t i;

	for (i = 0; i < g->m->n_cells; i++) {
		if (!is_beside(g, cell, i))
			continue;
		z.cells++;
		p = paced_of(g, i);
		if (p.slow == p.n)
			continue;
		slow += p.slow;
		n += p.n;
	}
	z.chance = (slow + 0.5) / (n + 1);
	return z;
}

/* A sequential test (Wald 1945): are the tests of @p so much likelier of a slow
 * path than of noise that this names one of all pairs in less than one run of a
 * thousand? */
static bool is_shown(const struct noise *z, const struct paced *p)
{
	double nats = p->slow * log((1 - MISSES) / z->chance) +
	              (p->n - p->slow) * log(MISSES / (1 - z->chance));

	return nats >= log((double)z->cells / FALSE_CHANCE);
}

/* @p: slow in nearly all tests, and enough of them. */
static enum judge_pace pace_convict(const struct judge_group *g, size_t cell,
                                    const struct paced *p)
{
	struct noise z;

	if (p->second > (1 - g->opts->pace_apart) * worst_clean(g, cell, p->n))
		return PACE_GOOD;
	z = noise_beside(g, cell);
	if (is_shown(&z, p))
		return PACE_SLOW;
	/* No more tests come: what did well once is not held against it. */
	if (p->n + p->unknown > JUDGE_LONE_MAX && p->slow < p->n)
		return PACE_GOOD;
	return PACE_OPEN;
}

enum judge_pace judge_pace_of(const struct judge_group *g, size_t cell,
                              double *ret_pace)
{
	const struct judge_class *k = &g->classes[g->m->cells[cell].cls];
	uint32_t enough = 1 + g->opts->retests_local;
	struct paced p;

	if (!k->local || g->latency || isnan(k->pace) || k->n < PACE_CLASS_MIN)
		return PACE_GOOD;
	p = paced_of(g, cell);
	*ret_pace = p.second;
	if (went_well(g, cell, &p))
		return PACE_GOOD;
	/* So slow that hardly a message passes: the rate has to tell, and can
	 * unless cores are short. */
	if (p.slow < enough)
		return p.unknown < enough || k->crowded ? PACE_OPEN : PACE_GOOD;
	return pace_convict(g, cell, &p);
}
