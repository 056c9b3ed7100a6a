// SPDX-License-Identifier: Apache-2.0
// Divides the rate at which a receiver takes data.
#include "probes/xport/pacer.h"

#include <stdbool.h>

#define MS 1000000LL

#define LEARN_NS (8 * MS)
#define LEARN_RECEIVES 4
#define LEARN_MAX_NS (200 * MS)

/* The first receive waits for the peer to begin, and tells nothing. */
static bool learn(struct pacer *p, int64_t took_ns, size_t bytes)
{
	if (p->receives++ == 0)
		return false;
	p->bytes += bytes;
	p->took_ns += took_ns;
	if (p->took_ns < LEARN_MAX_NS &&
	    (p->took_ns < LEARN_NS || p->receives <= LEARN_RECEIVES))
		return false;
	p->byte_ns = (double)p->took_ns / (double)p->bytes;
	return true;
}

int64_t pacer_hold(struct pacer *p, int64_t begin_ns, int64_t end_ns,
                   size_t bytes, double factor)
{
	if (p->byte_ns <= 0 && !learn(p, end_ns - begin_ns, bytes))
		return end_ns;
	/* Time that nobody wanted to receive in is not made up for. */
	if (p->free_ns < begin_ns)
		p->free_ns = begin_ns;
	p->free_ns += (int64_t)(p->byte_ns * (double)bytes * factor);
	return p->free_ns;
}
