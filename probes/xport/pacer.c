// SPDX-License-Identifier: Apache-2.0
// Divides the rate at which a receiver takes data.
#include "probes/xport/pacer.h"

#include <stdbool.h>

#include "probes/stats/stats.h"

#define MS 1000000LL

/* What buffers and rate limiters let pass at once is not the rate. */
#define SKIP_BYTES (1u << 20)
#define SKIP_NS (4 * MS)

/* The first receive waits for the peer to begin, and tells nothing. Of those
 * that tell, a core that was taken away spoils a few: hence the median. */
static bool learn(struct pacer *p, int64_t took_ns, size_t bytes)
{
	if (p->receives++ == 0)
		return false;
	p->bytes += bytes;
	p->took_ns += took_ns;
	if (p->bytes < SKIP_BYTES && p->took_ns < SKIP_NS)
		return false;
	p->learnt[p->n_learnt++] = (double)took_ns / (double)bytes;
	if (p->n_learnt < PACER_LEARN)
		return false;
	p->byte_ns = stats_median(p->learnt, PACER_LEARN);
	return p->byte_ns > 0;
}

int64_t pacer_hold(struct pacer *p, int64_t begin_ns, int64_t end_ns,
                   size_t bytes, double factor)
{
	if (p->byte_ns <= 0 && !learn(p, end_ns - begin_ns, bytes)) {
		p->n_learnt %= PACER_LEARN;
		return end_ns;
	}
	/* Time that nobody wanted to receive in is not made up for. */
	if (p->free_ns < begin_ns)
		p->free_ns = begin_ns;
	p->free_ns += (int64_t)(p->byte_ns * (double)bytes * factor);
	return p->free_ns;
}
