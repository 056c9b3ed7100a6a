// SPDX-License-Identifier: Apache-2.0
// How often tests look bad where nothing is.
#include "probes/judge/noise.h"

#include <math.h>
#include <stdlib.h>

#define RARE_MANY 5      /* tests of others, to say so */
#define RARE_SHARE 0.1   /* of them get there as well */
#define UNSEEN (1.0 / 3) /* of what was never seen: the median of what may be */
#define FALSE_CHANCE 1e-3 /* that noise has one pair named in a run */

enum fp_status judge_noise_make(struct judge_group *g, struct fp_err *err)
{
	const struct judge_test *t;
	size_t cell, i;

	g->flags = calloc(g->n_tests + 1, sizeof(*g->flags));
	if (!g->flags)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	for (cell = 0; cell < g->m->n_cells; cell++) {
		for (i = g->first[cell]; i < g->first[cell + 1]; i++) {
			t = &g->tests[i];
			if (t->value > 0 && !t->spoiled)
				g->flags[i] = (uint8_t)judge_test_flags(
					g, &g->m->cells[cell], t);
		}
	}
	return FP_OK;
}

/* struct seen - of the good tests of a cell. */
struct seen {
	uint32_t n, hits;
};

static struct seen seen_in(const struct judge_group *g, size_t cell,
                           enum judge_flag flag)
{
	struct seen s = { 0 };
	size_t i;
	bool hit;

	for (i = g->first[cell]; i < g->first[cell + 1]; i++) {
		if (!(g->tests[i].value > 0) || g->tests[i].spoiled)
			continue;
		hit = g->flags[i] >> flag & 1;
		s.n++;
		s.hits += hit;
	}
	return s;
}

/* Inside a host every rank is an end of its own. */
static bool shares_end(const struct judge_group *g, const struct matrix_cell *a,
                       const struct matrix_cell *b)
{
	const int32_t *port = g->ports->of_rank;

	if (g->classes[a->cls].local)
		return a->src == b->src || a->dst == b->dst;
	return port[a->src] == port[b->src] || port[a->dst] == port[b->dst];
}

bool judge_noise_is_rare(const struct judge_group *g,
                         const struct matrix_cell *cell, double x)
{
	const struct matrix_cell *other;
	size_t i, k, n = 0, hits = 0;

	if (g->classes[cell->cls].local)
		return false;
	for (i = 0; i < g->m->n_cells; i++) {
		other = &g->m->cells[i];
		if (other->cls != cell->cls || shares_end(g, cell, other))
			continue;
		for (k = g->first[i]; k < g->first[i + 1]; k++) {
			if (!(g->tests[k].value > 0))
				continue;
			n++;
			hits += judge_test_x(&g->tests[k]) <= x;
		}
	}
	return n >= RARE_MANY && (double)hits <= RARE_SHARE * (double)n;
}

/* Of @n, @k and more, where each has the chance @p. */
static double binomial_tail(double p, uint32_t n, uint32_t k)
{
	double tail = 0;

	for (; k <= n; k++)
		tail += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
		            k * log(p) + (n - k) * log1p(-p));
	return tail;
}

struct judge_noise judge_noise_beside(const struct judge_group *g, size_t cell,
                                      enum judge_flag flag)
{
	const struct matrix_cell *c = &g->m->cells[cell], *other;
	uint32_t need = judge_class_limit(g, c->cls).retests;
	struct judge_noise z = { .cells = g->classes[c->cls].n };
	struct seen s;
	size_t i;

	for (i = 0; i < g->m->n_cells; i++) {
		other = &g->m->cells[i];
		if (other->cls != c->cls || shares_end(g, c, other))
			continue;
		s = seen_in(g, i, flag);
		if (s.hits == s.n && s.n > need)
			continue;
		z.n += s.n;
		z.hits += s.hits;
	}
	return z;
}

/* Of @n, @k and more: what a chance makes that is drawn from Beta(a, b). */
static double beta_tail(double a, double b, uint32_t n, uint32_t k)
{
	double tail = 0;

	for (; k <= n; k++)
		tail += exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
		            lgamma(a + k) + lgamma(b + n - k) -
		            lgamma(a + b + n) - lgamma(a) - lgamma(b) +
		            lgamma(a + b));
	return tail;
}

bool judge_noise_shows(const struct judge_noise *z, uint32_t n, uint32_t hits)
{
	double chance;

	if (z->n == 0)
		return true;
	if (z->hits > 0)
		return beta_tail(z->hits + 0.5, z->n - z->hits + 0.5, n, hits) *
		               (double)z->cells <=
		       FALSE_CHANCE;
	chance = UNSEEN / (z->n + 2 * UNSEEN);
	return binomial_tail(chance, n, hits) * (double)z->cells <=
	       FALSE_CHANCE;
}
