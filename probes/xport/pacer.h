/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides the rate at which a receiver takes data. The rate that would be is
 * learnt first: once the receiver holds back, what has piled up before it
 * comes faster than the link is. Pure arithmetic on times.
 */
#ifndef FP_PROBES_XPORT_PACER_H
#define FP_PROBES_XPORT_PACER_H

#include <stddef.h>
#include <stdint.h>

#define PACER_LEARN 16

/** struct pacer - zero-initialise. */
struct pacer {
	uint64_t receives, bytes; /* so far, while learning */
	int64_t took_ns;
	double learnt[PACER_LEARN]; /* ns a byte, of the latest receives */
	uint32_t n_learnt;
	double byte_ns;  /* what comes of it; 0: still learning */
	int64_t free_ns; /* when the next receive may end */
};

/**
 * pacer_hold() - @bytes were received from @begin_ns to @end_ns.
 * @factor: what the rate is to be divided by.
 *
 * Return: the time to hold them back to; not later than @end_ns: do not.
 */
int64_t pacer_hold(struct pacer *p, int64_t begin_ns, int64_t end_ns,
                   size_t bytes, double factor);

#endif
