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

#define STATS_POINTS_MAX 16

/** struct stats_point - so much of a stream was complete at that moment. */
struct stats_point {
	int64_t t_ns;
	uint64_t bytes;
};

/**
 * struct stats_intervals - rates over intervals of a stream. Completions are
 * fed in order; from one of them in each @step_ns an interval begins, and it
 * ends at the first one @min_ns later or more. So intervals overlap: what
 * stalls and is made up for is seen together by most of them, and a burst is
 * in as many as any other moment is. The first four are the caller's;
 * @min_ns <= (STATS_POINTS_MAX - 1) * @step_ns.
 */
struct stats_intervals {
	double *rates_Bps; /* room for @room, lent by the caller */
	size_t room;
	int64_t min_ns, step_ns;
	size_t n;
	double alone;       /* intervals that do not overlap would be so many */
	uint64_t bytes;     /* since the first point, ever */
	int64_t end_ns;     /* of the latest interval */
	size_t first, open; /* points that wait for their interval's end */
	struct stats_point points[STATS_POINTS_MAX];
};

/** stats_intervals_origin() - begin anew at @t_ns; drops started intervals. */
void stats_intervals_origin(struct stats_intervals *s, int64_t t_ns);

/** stats_intervals_add() - @bytes completed at @t_ns. The first ever is where
 * the first interval begins. Full: ignored. */
void stats_intervals_add(struct stats_intervals *s, int64_t t_ns,
                         uint64_t bytes);

/**
 * stats_settled() - is the median of @s's rates known to within @rel (0.01,
 * say)? alone >= @min and 1.2533 * 1.4826 * MAD / sqrt(alone) * 2 <=
 * rel * median (two standard errors of a median). @scratch has room for
 * s->n.
 */
bool stats_settled(const struct stats_intervals *s, double min, double rel,
                   double *scratch);

#endif
