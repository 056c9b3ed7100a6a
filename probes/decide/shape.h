/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of samples: two modes, two directions, a foreign load. */
#ifndef FP_PROBES_DECIDE_SHAPE_H
#define FP_PROBES_DECIDE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct decide_modes - do the samples have two modes? */
struct decide_modes {
	bool two;
	double gap;         /* the largest between neighbours */
	double split;       /* its middle */
	size_t below;       /* samples under it */
	double coefficient; /* Sarle's, corrected; NaN for fewer than 4 */
};

/**
 * decide_modes() - a gap of more than 6 sigma with 15 % of the samples on
 * either side, or a coefficient above 5/9 with 16 samples or more and a gap of
 * more than 3 sigma.
 * @x: sorted in place.
 */
struct decide_modes decide_modes(double *x, size_t n, double sigma);

/** enum decide_way - in which direction a pair is worse. */
enum decide_way { DECIDE_WAY_NONE, DECIDE_WAY_FORTH, DECIDE_WAY_BACK };

/**
 * decide_way() - is a -> b (@forth) or b -> a (@back) worse than the other by
 * more than 10 % and 6 sigma of the class of differences?
 */
enum decide_way decide_way(double forth, double back, double sigma);

/** struct decide_round - what the onlookers of a round saw. */
struct decide_round {
	double canary_x;   /* the canary pair now; NaN: none */
	double canary_med; /* and usually */
	double canary_sigma;
	double foreign_Bps; /* on ports that had nothing to do */
	double line_Bps;    /* of such a port; 0: not known */
	uint64_t paused;    /* pauses and waits counted there */
};

/** enum decide_spoiled - bits: why a round counts for nothing. */
enum decide_spoiled {
	DECIDE_CANARY = 1,  /* a pair known to be good was slow */
	DECIDE_FOREIGN = 2, /* others used more than 1 % of a line */
	DECIDE_PAUSED = 4,
};

/** decide_spoiled() - enum decide_spoiled bits; 0: the round counts. */
unsigned decide_spoiled(const struct decide_round *r);

#endif
