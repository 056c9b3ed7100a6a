/* SPDX-License-Identifier: Apache-2.0 */
/* A middle that a few bad ends cannot move. */
#ifndef FP_PROBES_JUDGE_CENTER_H
#define FP_PROBES_JUDGE_CENTER_H

#include <stddef.h>
#include <stdint.h>

/** struct judge_point - a value measured between two ends. */
struct judge_point {
	int32_t tx, rx;
	double v; /* more is better */
};

/**
 * judge_center() - the median over senders' and receivers' medians, all of
 * them upper ones. Of four ends one that is bad both ways spoils half of the
 * pairs, and the plain median with them, but two of eight rows and columns.
 * NaN values are left out.
 * @scratch: room for 2 * n points.
 *
 * Return: NaN when there is no value.
 */
double judge_center(const struct judge_point *points, size_t n,
                    struct judge_point *scratch);

#endif
