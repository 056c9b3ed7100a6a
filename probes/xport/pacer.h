/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides the rate at which a receiver takes data. The rate that would be is
 * learnt first: once the receiver holds back, what has piled up before it
 * comes faster than the link is. Pure arithmetic on times.
 *
 * A receiver that is fed from a buffer, and shares its core, mostly finds what
 * piled up while it was away. But when it waits, the buffer is empty: between
 * two such moments comes what the link lets through.
 */
#ifndef FP_PROBES_XPORT_PACER_H
#define FP_PROBES_XPORT_PACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/stats/stats.h"
#include "probes/xport/xport.h"

#define PACER_LEARN 16
#define PACER_WAITS 6

/** struct pacer - zero-initialise. */
struct pacer {
	uint64_t receives, bytes; /* so far, while learning */
	int64_t took_ns;
	double learnt[PACER_LEARN]; /* ns a byte, of the latest receives */
	uint32_t n_learnt;
	struct stats_intervals waits; /* between moments when it waited */
	double rates[PACER_WAITS];
	uint64_t marked; /* bytes by the latest of them */
	double byte_ns;  /* what comes of it; 0: still learning */
	int64_t free_ns; /* when the next receive may end */
};

/** struct pacer_piece - @bytes were received from @begin_ns to @end_ns. */
struct pacer_piece {
	int64_t begin_ns, end_ns;
	size_t bytes;
	bool buffered;          /* by what may hold more than a receive */
	struct xport_mark mark; /* in it, where buffered */
};

/**
 * pacer_hold() - a piece was received.
 * @factor: what the rate is to be divided by.
 *
 * Return: the time to hold it back to; not later than its end: do not.
 */
int64_t pacer_hold(struct pacer *p, const struct pacer_piece *piece,
                   double factor);

#endif
