/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From when on the bytes of a stream are counted, and which moments end an
 * interval of them. Pure arithmetic on times that it is told.
 *
 * Where a receiver waits for data it knows exactly what has come; data comes
 * in chunks, and it waits right after one. After a break it takes what has
 * waited in buffers, as fast as it can, and the first such moment may lie
 * anywhere between two chunks. So the second one is the origin: from there on
 * every interval holds whole chunks and the time of each.
 *
 * A pause between batches is a break where the path may have stood still for
 * it, because nobody made room. Where the path's buffers held what came
 * meanwhile there was no break, and counting goes on through the pause: what a
 * link lets through in a burst after it has been idle belongs to the idle time,
 * and counted without that it would look faster than the link.
 */
#ifndef FP_PROBES_MEASURE_TALLY_H
#define FP_PROBES_MEASURE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/stats/stats.h"
#include "probes/xport/xport.h"

#define TALLY_INTERVAL_NS 8000000LL
#define TALLY_STEP_NS 1000000LL
#define TALLY_PATIENCE_NS 5000000LL
#define TALLY_HELD_BYTES 65536u /* any receive buffer holds so much */

/** struct tally - of one stream. Read only outside; zeroed: of none. */
struct tally {
	uint64_t skip;     /* of the stream come before the origin at least */
	int64_t marked_ns; /* it waited last; breaks left out */
	bool in_step;      /* the moment before the origin has been */
	int64_t origin_ns; /* since the latest break; 0: not reached */
	int64_t point_ns;  /* the latest moment when it was known how many */
	uint64_t bytes;    /* of the stream had come by then */
	uint64_t counted;  /* timed bytes since their origins, to points */
	int64_t counted_ns;
};

/** struct tally_pause - what is between two batches. */
struct tally_pause {
	int64_t from_ns, to_ns; /* equal before the first batch */
	uint64_t received;      /* bytes of the stream, before it */
	double backlog;         /* bytes that may have come in it */
	uint64_t skip_most;     /* after a break skip no more than this */
};

/**
 * tally_begin() - a batch begins, @p lies behind. Whether its receiver waits is
 * what it did before.
 *
 * Return: does counting go on through the pause? Else it begins anew.
 */
bool tally_begin(struct tally *t, const struct tally_pause *p);

/**
 * tally_piece() - a piece of @len bytes, behind @received others of the
 * stream, was whole at @now_ns. A receiver that has not waited for
 * TALLY_PATIENCE_NS never may: then the ends of pieces are as good.
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
