// SPDX-License-Identifier: Apache-2.0
// Divides the rate at which a receiver takes data.
#include "probes/xport/pacer.h"

#include <string.h>

#define MS 1000000LL

/* What buffers and rate limiters let pass at once is not the rate. */
#define SKIP_BYTES (512u << 10)
#define SKIP_NS (4 * MS)

#define WAITS_NS (4 * MS)
#define WAITS_STEP_NS (1 * MS)
#define SLOW_NS (40 * MS) /* a link so slow is known by two intervals */

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

/* What a buffered receive tells of the link; true: enough. A burst that a rate
 * limiter lets through is in few of the intervals, a core that was away in many:
 * so neither the fastest nor the middle one. */
static bool learn_waits(struct pacer *p, const struct pacer_piece *piece)
{
	struct stats_intervals *s = &p->waits;
	uint64_t by = p->bytes + piece->mark.bytes;

	if (!piece->mark.t_ns)
		return false;
	s->rates_Bps = p->rates;
	s->room = PACER_WAITS;
	s->min_ns = WAITS_NS;
	s->step_ns = WAITS_STEP_NS;
	stats_intervals_add(s, piece->mark.t_ns, by - p->marked);
	p->marked = by;
	if (s->n < PACER_WAITS && (s->n < 2 || p->took_ns < SLOW_NS))
		return false;
	stats_sort(p->rates, s->n);
	p->byte_ns = 1e9 / stats_quantile(p->rates, s->n, 0.75);
	return true;
}

/* What receives tell that never had to wait, or are not buffered. */
static bool learn_receives(struct pacer *p, int64_t took_ns, size_t bytes)
{
	p->learnt[p->n_learnt++ % PACER_LEARN] =
		(double)took_ns / (double)bytes;
	if (p->n_learnt < PACER_LEARN)
		return false;
	p->byte_ns = learnt_ns(p);
	return p->byte_ns > 0;
}

/* The first receive waits for the peer to begin, and tells nothing. */
static bool learn(struct pacer *p, const struct pacer_piece *piece)
{
	int64_t took_ns = piece->end_ns - piece->begin_ns;
	bool enough;

	if (p->receives++ == 0)
		return false;
	enough = piece->buffered && learn_waits(p, piece);
	p->bytes += piece->bytes;
	p->took_ns += took_ns;
	if (enough || (p->bytes < SKIP_BYTES && p->took_ns < SKIP_NS))
		return enough;
	if (piece->buffered && (p->marked || p->took_ns < WAITS_NS))
		return false;
	return learn_receives(p, took_ns, piece->bytes);
}

int64_t pacer_hold(struct pacer *p, const struct pacer_piece *piece,
                   double factor)
{
	if (p->byte_ns <= 0 && !learn(p, piece))
		return piece->end_ns;
	/* Time that nobody wanted to receive in is not made up for. */
	if (p->free_ns < piece->begin_ns)
		p->free_ns = piece->begin_ns;
	p->free_ns += (int64_t)(p->byte_ns * (double)piece->bytes * factor);
	return p->free_ns;
}
