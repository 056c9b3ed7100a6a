// SPDX-License-Identifier: Apache-2.0
// What is usual in a class.
#include "probes/decide/baseline.h"

#include <math.h>

#include "probes/stats/stats.h"

/* A slow part of a class moves its median, and with it the spread above: it
 * is left out and both are taken again. */
#define CLIP_Z (-3.0)
#define EXPECTED_FAIL 0.80
#define EXPECTED_WARN 0.90

/* Of sorted values, so that the slowest are in front. */
static struct decide_baseline of_sorted(double *x, size_t n, double floor,
                                        double *scratch)
{
	struct decide_baseline b = { .med = stats_quantile(x, n, .5) };

	b.sigma = fmax(stats_sigma_up(x, n, b.med, scratch), floor);
	return b;
}

struct decide_baseline decide_baseline(double *x, size_t n, double floor,
                                       double *scratch)
{
	struct decide_baseline b = { .med = NAN, .sigma = NAN };
	size_t clipped = 0, before = SIZE_MAX;

	stats_sort(x, n);
	while (n && clipped != before) {
		before = clipped;
		b = of_sorted(x + clipped, n - clipped, floor, scratch);
		while (2 * clipped < n && decide_z(&b, x[clipped]) < CLIP_Z)
			clipped++;
	}
	b.n = n;
	b.able = n >= DECIDE_CLASS_MIN;
	return b;
}

double decide_drop(const struct decide_baseline *b, double x)
{
	return 1 - exp(x - b->med);
}

/* Comparisons with NaN are false: no opinion, no bit. */
unsigned decide_against(const struct decide_opinions *o, double x, double drop)
{
	unsigned bits = 0;
	double limit = log(1 - drop);

	if (x - o->class_med < limit)
		bits |= DECIDE_BELOW_CLASS;
	if (x - o->expected < log(EXPECTED_FAIL))
		bits |= DECIDE_BELOW_EXPECTED;
	else if (x - o->expected < log(EXPECTED_WARN))
		bits |= DECIDE_NEAR_EXPECTED;
	if (x - o->saved < limit)
		bits |= DECIDE_BELOW_SAVED;
	return bits;
}
