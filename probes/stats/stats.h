/* SPDX-License-Identifier: Apache-2.0 */
/* Order statistics, robust spread and a stream's interval rates; pure. */
#ifndef FP_PROBES_STATS_STATS_H
#define FP_PROBES_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** stats_sort() - ascending; NaNs last. */
void stats_sort(double *x, size_t n);

/**
 * stats_quantile() - of *sorted* @x, @q in [0, 1], linear between order
 * statistics (R's type 7). NaN for n == 0.
 */
double stats_quantile(const double *sorted, size_t n, double q);

/** stats_median() - sorts @x in place. NaN for n == 0. */
double stats_median(double *x, size_t n);

/**
 * stats_mad() - median |x - med|, times 1.4826. Clobbers @x's order; @scratch
 * has room for n.
 */
double stats_mad(const double *x, size_t n, double med, double *scratch);

/**
 * stats_sigma_up() - 1.4826 * median(x - med | x >= med): spread from the
 * upper half, mirrored: slow members, on one side, do not inflate it.
 */
double stats_sigma_up(const double *x, size_t n, double med, double *scratch);

/**
 * struct stats_intervals - receiver intervals of a stream: completions are
 * fed in order; whenever @min_ns have passed since the last boundary an
 * interval is closed and its rate kept. See measure.c for the origin rule.
 */
struct stats_intervals {
	double *rates_Bps; /* room for @room, lent by the caller */
	size_t n, room;
	int64_t min_ns;
	int64_t from_ns; /* last boundary; 0: none */
	uint64_t bytes;  /* since then */
};

/** stats_intervals_origin() - begin anew at @t_ns; drops a started interval. */
void stats_intervals_origin(struct stats_intervals *s, int64_t t_ns);

/** stats_intervals_add() - @bytes completed at @t_ns. Full: ignored. */
void stats_intervals_add(struct stats_intervals *s, int64_t t_ns,
                         uint64_t bytes);

/**
 * stats_settled() - is the median of @x known to within @rel (e.g. 0.01)?
 * n >= @min_n and 1.2533 * 1.4826 * MAD / sqrt(n) * 2 <= rel * median (two
 * standard errors of a median). @scratch has room for n.
 */
bool stats_settled(const double *x, size_t n, size_t min_n, double rel,
                   double *scratch);

#endif
