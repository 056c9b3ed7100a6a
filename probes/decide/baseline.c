// SPDX-License-Identifier: Apache-2.0
// What is usual in a class.
#include "probes/decide/baseline.h"

#include <math.h>

#include "probes/stats.h"

#define EXPECTED_FAIL 0.80
#define EXPECTED_WARN 0.90

struct decide_baseline decide_baseline(double *x, size_t n, double floor,
                                       double *scratch)
{
	struct decide_baseline b = {
		.n = n,
		.able = n >= DECIDE_CLASS_MIN,
	};

	b.med = stats_median(x, n);
	b.sigma = n ? fmax(stats_sigma_up(x, n, b.med, scratch), floor) : NAN;
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
