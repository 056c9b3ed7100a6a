/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does loss explain a low rate, or a limit the loss? A sender whose packets
 * get lost at random carries no more than its loss and round trip allow
 * (Mathis et al., "The macroscopic behavior of the TCP congestion avoidance
 * algorithm", 1997: 1.22 MSS / (RTT sqrt(p))). What a limit drops it drops
 * together, when a queue is full: several packets for one answer of the sender,
 * which carries a multiple of that.
 */
#ifndef FP_PROBES_JUDGE_LOSSY_H
#define FP_PROBES_JUDGE_LOSSY_H

#include <stdbool.h>
#include <stddef.h>

#include "probes/judge/matrix.h"
#include "probes/judge/test.h"

/** struct judge_lossy - a mean over tests; zeroed: of none. */
struct judge_lossy {
	double sum; /* of ln(share) */
	size_t n;
};

/** judge_lossy_add() - one more test; one that lost nothing, or does not tell
 * its round trip, is left out. */
void judge_lossy_add(struct judge_lossy *l, const struct judge_test *t);

/** judge_lossy_share() - rate over what its loss allows, geometric mean; 0:
 * of nothing. */
double judge_lossy_share(const struct judge_lossy *l);

/** judge_lossy_explains() - is @cell's rate what loss at random leaves? */
bool judge_lossy_explains(const struct matrix_cell *cell);

#endif
