/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix of rates between the GPUs of a host, and what stands out in it. */
#ifndef FP_PROBES_EXPLAIN_MATRIX_H
#define FP_PROBES_EXPLAIN_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SQUARE_MAX 72 /* GPUs of the largest NVLink domain */

/** enum square_what - what the cells are. */
enum square_what {
	SQUARE_NONE,
	SQUARE_ONE_WAY,   /* GB/s */
	SQUARE_BOTH_WAYS, /* GB/s, both directions added */
	SQUARE_LATENCY    /* us */
};

/** struct square - cells; NAN where there is none. */
struct square {
	uint32_t what;     /* enum square_what */
	uint32_t n;        /* rows and columns */
	bool p2p, p2p_off; /* the title says so */
	double cell[SQUARE_MAX][SQUARE_MAX];
};

/** struct square_oddity - a GPU or a pair that is not as the others. */
struct square_oddity {
	int32_t gpu, peer; /* peer: -1 for all of the GPU's pairs */
	double value, others;
	double local, local_others; /* copies in its own memory; or NAN */
};

/**
 * square_slow_gpu() - the GPU all of whose pairs are below half of the
 * slowest pair of the others; three GPUs at least.
 */
bool square_slow_gpu(const struct square *s, struct square_oddity *ret);

/**
 * square_slow_pair() - the one pair, or direction of a pair, that is below
 * half of all others, or of its own way back; four GPUs at least.
 */
bool square_slow_pair(const struct square *s, struct square_oddity *ret);

/**
 * square_too_fast() - a GPU that is faster than PCIe 5.0 x16 (63 GB/s a way)
 * to two or more that are not so among each other: no NVLink looks like that
 * and no other link is as fast. With @no_nvlink any pair above it.
 */
bool square_too_fast(const struct square *s, bool no_nvlink,
                     struct square_oddity *ret);

/** square_median() - of all pairs; NAN if there are none. */
double square_median(const struct square *s);

#endif
