// SPDX-License-Identifier: Apache-2.0
// What stands out in a matrix of rates.
#include <math.h>
#include <stdlib.h>

#include "probes/explain/matrix.h"
#include "probes/stats/stats.h"

#define PCIE_GBPS 63.0 /* PCIe 5.0 x16, one way */
#define SLACK 1.03     /* of clocks and rounding */

/* Slowest and fastest of a part of the pairs. */
struct range {
	double min, max;
	size_t n;
};

static void widen(struct range *r, double value)
{
	if (isnan(value))
		return;
	r->min = r->n && r->min < value ? r->min : value;
	r->max = r->n && r->max > value ? r->max : value;
	r->n++;
}

/* All pairs of @gpu, or all others. */
static struct range of_gpu(const struct square *s, uint32_t gpu, bool its)
{
	struct range r = { 0 };

	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t j = 0; j < s->n; j++)
			if (i != j && (i == gpu || j == gpu) == its)
				widen(&r, s->cell[i][j]);
	return r;
}

bool square_slow_gpu(const struct square *s, struct square_oddity *ret)
{
	if (s->n < 3 || s->what == SQUARE_LATENCY)
		return false;
	for (uint32_t g = 0; g < s->n; g++) {
		struct range its = of_gpu(s, g, true);
		struct range others = of_gpu(s, g, false);

		if (its.n < 2 || others.n < 2 || its.max >= 0.5 * others.min)
			continue;
		*ret = (struct square_oddity){
			.gpu = (int32_t)g,
			.peer = -1,
			.value = its.max,
			.others = others.min,
			.local = s->cell[g][g],
			.local_others = s->cell[g ? 0 : 1][g ? 0 : 1],
		};
		return true;
	}
	return false;
}

/* All cells but those of @i and @j with each other. */
static struct range but_pair(const struct square *s, uint32_t i, uint32_t j)
{
	struct range r = { 0 };

	for (uint32_t a = 0; a < s->n; a++)
		for (uint32_t b = 0; b < s->n; b++)
			if (a != b && !(a == i && b == j) &&
			    !(a == j && b == i))
				widen(&r, s->cell[a][b]);
	return r;
}

/* One direction is slow while all pairs else are alike both ways. */
static bool one_way(const struct square *s, uint32_t i, uint32_t j)
{
	if (!(s->cell[i][j] < 0.6 * s->cell[j][i]))
		return false;
	for (uint32_t a = 0; a < s->n; a++)
		for (uint32_t b = 0; b < a; b++) {
			double there = s->cell[a][b], back = s->cell[b][a];
			bool it = (a == i && b == j) || (a == j && b == i);

			if (!it && (there < 0.85 * back || back < 0.85 * there))
				return false;
		}
	return true;
}

bool square_slow_pair(const struct square *s, struct square_oddity *ret)
{
	if (s->n < 4 || s->what == SQUARE_LATENCY)
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t j = 0; j < s->n; j++) {
			struct range others;

			if (i == j || isnan(s->cell[i][j]))
				continue;
			others = but_pair(s, i, j);
			if (s->cell[i][j] >= 0.5 * others.min &&
			    !one_way(s, i, j))
				continue;
			*ret = (struct square_oddity){
				.gpu = (int32_t)i,
				.peer = (int32_t)j,
				.value = s->cell[i][j],
				.others = others.min,
				.local = NAN,
				.local_others = NAN,
			};
			return true;
		}
	return false;
}

static double limit(const struct square *s)
{
	return SLACK * PCIE_GBPS * (s->what == SQUARE_BOTH_WAYS ? 2 : 1);
}

/* @gpu is above the limit to two or more, and nobody else to anybody. */
static bool is_star(const struct square *s, uint32_t gpu)
{
	struct range its = of_gpu(s, gpu, true);
	struct range others = of_gpu(s, gpu, false);

	return its.n >= 4 && others.n >= 2 && its.min > limit(s) &&
	       others.max < limit(s);
}

bool square_too_fast(const struct square *s, bool no_nvlink,
                     struct square_oddity *ret)
{
	if (s->what != SQUARE_ONE_WAY && s->what != SQUARE_BOTH_WAYS)
		return false;
	for (uint32_t g = 0; g < s->n; g++) {
		struct range its = of_gpu(s, g, true);

		if (!is_star(s, g) &&
		    !(no_nvlink && its.n && its.max > limit(s)))
			continue;
		*ret = (struct square_oddity){
			.gpu = (int32_t)g,
			.peer = -1,
			.value = its.max,
			.others = limit(s) / SLACK,
			.local = NAN,
			.local_others = NAN,
		};
		return true;
	}
	return false;
}

double square_median(const struct square *s)
{
	double *all = calloc((size_t)SQUARE_MAX * SQUARE_MAX, sizeof(*all));
	double median;
	size_t n = 0;

	if (!all)
		return NAN;
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t j = 0; j < s->n; j++)
			if (i != j && !isnan(s->cell[i][j]))
				all[n++] = s->cell[i][j];
	median = n ? stats_median(all, n) : NAN;
	free(all);
	return median;
}
