// SPDX-License-Identifier: Apache-2.0
// Two modes, two directions, a foreign load.
#include "probes/decide/shape.h"

#include <math.h>

#include "probes/stats/stats.h"

#define GAP_SIGMAS 6
#define GAP_SIGMAS_MILD 3
#define SIDE_SHARE .15
#define COEFFICIENT_MIN_N 16
#define COEFFICIENT_LIMIT (5.0 / 9)
#define WAY_DROP .10
#define FOREIGN_SHARE .01

/* Both sides must hold their share, so only gaps between are looked at. */
static void largest_gap(const double *x, size_t n, struct decide_modes *m)
{
	size_t side = (size_t)ceil(SIDE_SHARE * (double)n), i;

	for (i = side; i > 0 && i + side <= n; i++) {
		if (x[i] - x[i - 1] <= m->gap)
			continue;
		m->gap = x[i] - x[i - 1];
		m->split = (x[i] + x[i - 1]) / 2;
		m->below = i;
	}
}

static double sarle(const double *x, size_t n)
{
	double mean = 0, m2 = 0, m3 = 0, m4 = 0, d, k = (double)n;
	double skew, kurtosis;
	size_t i;

	if (n < 4)
		return NAN;
	for (i = 0; i < n; i++)
		mean += x[i] / k;
	for (i = 0; i < n; i++) {
		d = x[i] - mean;
		m2 += d * d / k;
		m3 += d * d * d / k;
		m4 += d * d * d * d / k;
	}
	if (!(m2 > 0))
		return NAN;
	skew = m3 / (m2 * sqrt(m2)) * sqrt(k * (k - 1)) / (k - 2);
	kurtosis = (k - 1) / ((k - 2) * (k - 3)) *
	           ((k + 1) * (m4 / (m2 * m2) - 3) + 6);
	return (skew * skew + 1) /
	       (kurtosis + 3 * (k - 1) * (k - 1) / ((k - 2) * (k - 3)));
}

struct decide_modes decide_modes(double *x, size_t n, double sigma)
{
	struct decide_modes m = { .split = NAN };

	stats_sort(x, n);
	largest_gap(x, n, &m);
	m.coefficient = sarle(x, n);
	m.two = m.gap > GAP_SIGMAS * sigma ||
	        (n >= COEFFICIENT_MIN_N && m.coefficient > COEFFICIENT_LIMIT &&
	         m.gap > GAP_SIGMAS_MILD * sigma);
	return m;
}

enum decide_way decide_way(double forth, double back, double sigma)
{
	double differ = forth - back;

	if (!(fabs(differ) > GAP_SIGMAS * sigma) ||
	    !(fabs(differ) > -log(1 - WAY_DROP)))
		return DECIDE_WAY_NONE;
	return differ < 0 ? DECIDE_WAY_FORTH : DECIDE_WAY_BACK;
}

unsigned decide_spoiled(const struct decide_round *r)
{
	unsigned bits = 0;

	if (r->canary_x < r->canary_med - GAP_SIGMAS * r->canary_sigma)
		bits |= DECIDE_CANARY;
	if (r->line_Bps > 0 && r->foreign_Bps > FOREIGN_SHARE * r->line_Bps)
		bits |= DECIDE_FOREIGN;
	if (r->paused)
		bits |= DECIDE_PAUSED;
	return bits;
}
