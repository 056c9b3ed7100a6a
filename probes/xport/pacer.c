// SPDX-License-Identifier: Apache-2.0
// Divides the rate at which a receiver takes data.
#include "probes/xport/pacer.h"

#include <stdbool.h>
#include <string.h>

#include "probes/stats/stats.h"

#define MS 1000000LL

/* What buffers and rate limiters let pass at once is not the rate. */
#define SKIP_BYTES (512u << 10)
#define SKIP_NS (4 * MS)

/* What took so much longer than most was without its core. */
#define STOLEN_TIMES 8

/* Receives are quick and slow by turns, so their mean it is, of those that kept
 * their core. What a core that was away finds in buffers afterwards comes
 * faster than the link is, and is left out as well. */
static double learnt_ns(const struct pacer *p)
{
	double sorted[PACER_LEARN], sum = 0, usual;
	bool behind = false;
	unsigned i, n = 0;

	memcpy(sorted, p->learnt, sizeof(sorted));
	usual = stats_median(sorted, PACER_LEARN);
	for (i = 0; i < PACER_LEARN; i++) {
		if (p->learnt[i] > STOLEN_TIMES * usual)
			behind = true;
		else if (p->learnt[i] >= usual / 2)
			behind = false;
		if (behind)
			continue;
		sum += p->learnt[i];
		n++;
	}
	return n ? sum / n : 0;
}

/* The first receive waits for the peer to begin, and tells nothing. */
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
	p->byte_ns = learnt_ns(p);
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
