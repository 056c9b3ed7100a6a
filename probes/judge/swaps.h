/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports by turns: a pair that is bad by one rail, once more with the port of
 * another rail at one of its ends, then at the other. Whose port it takes to
 * be bad, is at fault. Pure.
 */
#ifndef FP_PROBES_JUDGE_SWAPS_H
#define FP_PROBES_JUDGE_SWAPS_H

#include "probes/finding/finding.h"
#include "probes/judge/matrix.h"
#include "topo/model/model.h"

/** enum swap_look - what the pair did with another port at one end. */
enum swap_look { SWAP_UNTRIED, SWAP_GOOD, SWAP_BAD, SWAP_LOOKS };

/** enum swap_verdict - what that says. */
enum swap_verdict {
	SWAP_OPEN,    /* nothing: not tried, or failed in other ways */
	SWAP_SRC,     /* the sender's port: with its other one all is well */
	SWAP_DST,     /* the receiver's */
	SWAP_BETWEEN, /* either port does well with others: the path of the two */
	SWAP_HOSTS, /* neither helps: what their hosts' ports have in common */
};

/** swap_judge() - from the looks with another port at @src, at @dst. */
enum swap_verdict swap_judge(enum swap_look src, enum swap_look dst);

/** swap_is_wanted() - is @cell of @m worth it: written one way by one rail of
 * several, and bad? */
bool swap_is_wanted(const struct matrix *m, const struct matrix_cell *cell);

/** judge_swaps() - move findings about such pairs to the port at fault, and add
 * what was seen to those about the port. */
void judge_swaps(const struct topo_job *job, const struct matrices *ms,
                 struct findings *list);

#endif
