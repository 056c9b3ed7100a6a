/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives in host memory over any point-to-point transport: ring all-
 * reduce, all-gather, reduce-scatter, pipelined broadcast, all-to-all over a
 * mesh, sendrecv. Source: Patarasu & Yuan 2009 for the ring.
 */
#ifndef FP_PROBES_MEASURE_RING_H
#define FP_PROBES_MEASURE_RING_H

#include <stddef.h>
#include <stdint.h>

#include "probes/xport/xport.h"

/**
 * struct ring - one member's view of a collective.
 *
 * What lies where, in elements ("block b" = count of them from b * count):
 *
 *   op             in                      out
 *   all-reduce     data[count]             data[count]
 *   all-gather     block me of data        data[n * count]
 *   reduce-scatter data[n * count]         block me of data
 *   broadcast      data[count] of root     data[count]
 *   sendrecv       data[count]             scratch[count], of prev
 *   all-to-all     send region of mesh[p], scratch: block p is of p
 *                  own block: data[count]
 */
struct ring {
	uint32_t op; /* enum trial_op */
	uint32_t n, me, root;
	size_t count; /* float32 elements, nccl-tests' "count" of the op */
	struct xport_ep *next, *prev;
	struct xport_ep **mesh; /* OP_ALLTOALL: [n], own is NULL */
	/* next's send region, ring_region_bytes() of it; for an all-to-all,
	 * which sends from each of the mesh's, memory of its own */
	float *data;
	float *scratch; /* ring_scratch_bytes(), for what is received */
	int64_t deadline_ns;
	struct board *board;  /* told of what is received; may be NULL */
	uint64_t moved_bytes; /* received, all operations together */
};

/** Room needed in each next/mesh send region and in scratch, bytes; 0 when
 * the product overflows. */
size_t ring_region_bytes(uint32_t op, uint32_t n, size_t count);
size_t ring_scratch_bytes(uint32_t op, uint32_t n, size_t count);

/** ring_clobbered_bytes() - how much of its input, from the start of data, an
 * operation overwrites. */
size_t ring_clobbered_bytes(uint32_t op, uint32_t n, size_t count);

/** ring_count() - nccl-tests' "count" for its "size" of @bytes. */
size_t ring_count(uint32_t op, uint32_t n, uint64_t bytes);

/** ring_size_bytes() - nccl-tests' "size" of @count elements, which is less
 * than what was asked for where that does not divide. */
uint64_t ring_size_bytes(uint32_t op, uint32_t n, size_t count);

/** ring_fill() - this member's input, a function of @seed, rank and index
 * alone, small integers so that float32 sums are exact for any order. What is
 * no input is filled with a number that no result can be. */
void ring_fill(struct ring *r, uint64_t seed);

/**
 * ring_run() - one operation, in place in r->data.
 *
 * Return: FP_OK, or what a step failed with.
 */
enum fp_status ring_run(struct ring *r, struct fp_err *err);

/** ring_verify() - wrong elements' bytes after ring_fill() and one
 * ring_run(). */
uint64_t ring_verify(const struct ring *r, uint64_t seed);

#endif
