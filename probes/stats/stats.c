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

static struct stats_point *point_at(struct stats_intervals *s, size_t i)
{
	return &s->points[(s->first + i) % STATS_POINTS_MAX];
}

static void point_put(struct stats_intervals *s, int64_t t_ns)
{
	if (s->open == STATS_POINTS_MAX)
		return;
	*point_at(s, s->open++) = (struct stats_point){
		.t_ns = t_ns,
		.bytes = s->bytes,
	};
}

/* An interval from its first open point to @t_ns. */
static void interval_close(struct stats_intervals *s, int64_t t_ns)
{
	const struct stats_point from = *point_at(s, 0);
	int64_t fresh_ns = s->end_ns > from.t_ns ? s->end_ns : from.t_ns;
	double len_ns = (double)(t_ns - from.t_ns);

	s->first = (s->first + 1) % STATS_POINTS_MAX;
	s->open--;
	if (s->n == s->room)
		return;
	s->rates_Bps[s->n++] = (double)(s->bytes - from.bytes) * 1e9 / len_ns;
	s->alone += (double)(t_ns - fresh_ns) / len_ns;
	s->end_ns = t_ns;
}

void stats_intervals_origin(struct stats_intervals *s, int64_t t_ns)
{
	s->open = 0;
	point_put(s, t_ns);
}

void stats_intervals_add(struct stats_intervals *s, int64_t t_ns,
                         uint64_t bytes)
{
	int64_t len_ns;

	if (s->open == 0) {
		stats_intervals_origin(s, t_ns);
		return;
	}
	s->bytes += bytes;
	len_ns = t_ns - point_at(s, s->open - 1)->t_ns;
	while (s->open > 0 && t_ns > point_at(s, 0)->t_ns &&
	       t_ns - point_at(s, 0)->t_ns >= s->min_ns)
		interval_close(s, t_ns);
	if (s->open == 0 || len_ns >= s->step_ns)
		point_put(s, t_ns);
}

bool stats_settled(const struct stats_intervals *s, double min, double rel,
                   double *scratch)
{
	double med, error;

	if (s->n == 0 || s->alone < min)
		return false;
	memcpy(scratch, s->rates_Bps, s->n * sizeof(*scratch));
	med = stats_median(scratch, s->n);
	error = MEDIAN_SE * stats_mad(s->rates_Bps, s->n, med, scratch) /
	        sqrt(s->alone);
	return 2 * error <= rel * med;
}
