// SPDX-License-Identifier: Apache-2.0
// The median of rows' and columns' medians.
#include "probes/judge/center.h"

#include <math.h>
#include <stdlib.h>

static int double_cmp(double a, double b)
{
	return (a > b) - (a < b);
}

/* tx is the end here, rx tells a sender from a receiver. */
static int by_end(const void *pa, const void *pb)
{
	const struct judge_point *a = pa, *b = pb;

	if (a->rx != b->rx)
		return a->rx < b->rx ? -1 : 1;
	if (a->tx != b->tx)
		return a->tx < b->tx ? -1 : 1;
	return double_cmp(a->v, b->v);
}

static int by_value(const void *pa, const void *pb)
{
	const struct judge_point *a = pa, *b = pb;

	return double_cmp(a->v, b->v);
}

double judge_center(const struct judge_point *points, size_t n,
                    struct judge_point *scratch)
{
	size_t i, begin, k = 0, ends = 0;

	for (i = 0; i < n; i++) {
		if (isnan(points[i].v))
			continue;
		scratch[k++] =
			(struct judge_point){ points[i].tx, 0, points[i].v };
		scratch[k++] =
			(struct judge_point){ points[i].rx, 1, points[i].v };
	}
	if (k == 0)
		return NAN;
	qsort(scratch, k, sizeof(*scratch), by_end);
	for (begin = i = 0; i < k; i++) {
		if (i + 1 < k && scratch[i + 1].tx == scratch[begin].tx &&
		    scratch[i + 1].rx == scratch[begin].rx)
			continue;
		scratch[ends++] = scratch[begin + (i + 1 - begin) / 2];
		begin = i + 1;
	}
	qsort(scratch, ends, sizeof(*scratch), by_value);
	return scratch[ends / 2].v;
}
