// SPDX-License-Identifier: Apache-2.0
// Order statistics, robust spread, and a stream's interval rates.
#include "probes/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A MAD times this is the standard deviation, for normal samples. */
#define MAD_TO_SIGMA 1.4826
/* Standard error of a median over that of a mean: sqrt(pi / 2). */
#define MEDIAN_SE 1.2533

static int double_cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x > y) - (x < y);
}

void stats_sort(double *x, size_t n)
{
	if (n > 1)
		qsort(x, n, sizeof(*x), double_cmp);
}

double stats_quantile(const double *sorted, size_t n, double q)
{
	double at, below;
	size_t i;

	if (n == 0)
		return NAN;
	at = q * (double)(n - 1);
	if (!(at > 0))
		return sorted[0];
	if (at >= (double)(n - 1))
		return sorted[n - 1];
	below = floor(at);
	i = (size_t)below;
	return sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]);
}

double stats_median(double *x, size_t n)
{
	stats_sort(x, n);
	return stats_quantile(x, n, 0.5);
}

double stats_mad(const double *x, size_t n, double med, double *scratch)
{
	size_t i;

	for (i = 0; i < n; i++)
		scratch[i] = fabs(x[i] - med);
	return MAD_TO_SIGMA * stats_median(scratch, n);
}

double stats_sigma_up(const double *x, size_t n, double med, double *scratch)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		if (x[i] >= med)
			scratch[k++] = x[i] - med;
	return MAD_TO_SIGMA * stats_median(scratch, k);
}

void stats_intervals_origin(struct stats_intervals *s, int64_t t_ns)
{
	s->from_ns = t_ns;
	s->bytes = 0;
}

void stats_intervals_add(struct stats_intervals *s, int64_t t_ns,
                         uint64_t bytes)
{
	int64_t len_ns = t_ns - s->from_ns;

	if (s->from_ns == 0) {
		stats_intervals_origin(s, t_ns);
		return;
	}
	s->bytes += bytes;
	if (len_ns <= 0 || len_ns < s->min_ns)
		return;
	if (s->n < s->room)
		s->rates_Bps[s->n++] = (double)s->bytes * 1e9 / (double)len_ns;
	stats_intervals_origin(s, t_ns);
}

bool stats_settled(const double *x, size_t n, size_t min_n, double rel,
                   double *scratch)
{
	double med, error;

	if (n == 0 || n < min_n)
		return false;
	memcpy(scratch, x, n * sizeof(*x));
	med = stats_median(scratch, n);
	error = MEDIAN_SE * stats_mad(x, n, med, scratch) / sqrt((double)n);
	return 2 * error <= rel * med;
}
