/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From when on the bytes of a batch are counted, and which moments end an
 * interval of them. Pure arithmetic on times that it is told.
 *
 * Where a receiver waits for data it knows exactly what has come; data comes
 * in chunks, and it waits right after one. Before the first such moment of a
 * batch it takes what has waited in buffers, as fast as it can, and that first
 * moment may lie anywhere between two chunks. So the second one is the origin:
 * from there on every interval holds whole chunks and the time of each.
 */
#ifndef FP_PROBES_MEASURE_TALLY_H
#define FP_PROBES_MEASURE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/stats/stats.h"
#include "probes/xport/xport.h"

#define TALLY_INTERVAL_NS 5000000LL

/** struct tally - of one batch. Read only outside. */
struct tally {
	uint64_t skip;     /* bytes that come before the origin at least */
	int64_t marked_ns; /* it waited last; pauses between batches left out */
	bool in_step;      /* the moment before the origin has been */
	int64_t origin_ns; /* 0: not reached */
	uint64_t origin_bytes;
	int64_t point_ns; /* the latest moment when it was known how many */
	uint64_t bytes;   /* had come by then */
};

/**
 * tally_begin() - a batch begins at @now_ns, @paused_ns after the end of the
 * one that @t was about (zeroed: of none), @skip bytes of which may be in
 * buffers already. Whether its receiver waits is what it did before.
 */
void tally_begin(struct tally *t, int64_t now_ns, int64_t paused_ns,
                 uint64_t skip);

/**
 * tally_piece() - a piece of @len bytes, behind @received others of the batch,
 * was whole at @now_ns. A receiver that has not waited for TALLY_INTERVAL_NS
 * never may: then the ends of pieces are as good.
 * @mark: the last moment in it when more was waited for.
 * @out: closed intervals are added; NULL: the batch is not timed, but its
 *       origin is known.
 */
struct tally_piece {
	int64_t now_ns;
	uint64_t received, len;
	struct xport_mark mark;
};
void tally_piece(struct tally *t, const struct tally_piece *piece,
                 struct stats_intervals *out);

#endif
