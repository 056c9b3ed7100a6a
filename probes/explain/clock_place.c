// SPDX-License-Identifier: Apache-2.0
// From moments that several clocks saw to how far each clock is off.
#include <stdlib.h>

#include "probes/explain/clock_part.h"

#define SLACK_NS (CLOCK_SLACK_S * CLOCK_NS_PER_S)
#define SLACK_MAX_NS (INT64_C(300) * CLOCK_NS_PER_S) /* no estimate at all */
#define ISLANDS_MAX 64      /* the largest come first; the rest stay alone */
#define FEW 3               /* of these the largest deviation counts */
#define MAD_TO_SIGMA 1.4826 /* of a normal distribution */

struct placing {
	struct clocks *clocks;
	const struct clock_sight *s; /* by moment */
	size_t n;
	size_t *by_clock; /* indices of sights, by clock */
	size_t *first;    /* of each clock in by_clock; one more */
	int64_t *agreed;  /* of each sight's moment, as placed clocks tell */
	bool *has;        /* agreed is there */
	int64_t *x;       /* scratch of n */
	uint32_t island;
};

static bool is_placed(const struct placing *p, uint32_t clock)
{
	return p->clocks->c[clock].island == p->island;
}

/* Counting sort: sights of each clock together. */
static void index_clocks(struct placing *p)
{
	size_t n_clocks = p->clocks->n, sum = 0;

	for (size_t i = 0; i < p->n; i++)
		p->first[p->s[i].clock]++;
	for (size_t c = 0; c <= n_clocks; c++) {
		size_t own = p->first[c];

		p->first[c] = sum;
		sum += own;
	}
	for (size_t i = 0; i < p->n; i++)
		p->by_clock[p->first[p->s[i].clock]++] = i;
	for (size_t c = n_clocks; c > 0; c--)
		p->first[c] = p->first[c - 1];
	p->first[0] = 0;
}

/* What the island's clocks, put right, tell of each moment. */
static void agree(struct placing *p)
{
	for (size_t i = 0, end; i < p->n; i = end) {
		size_t n = 0;
		int64_t ns;

		for (end = i; end < p->n && p->s[end].moment == p->s[i].moment;
		     end++) {
			uint32_t c = p->s[end].clock;

			if (is_placed(p, c))
				p->x[n++] =
					p->s[end].ns - p->clocks->c[c].ahead_ns;
		}
		ns = clock_median(p->x, n);
		for (size_t k = i; k < end; k++) {
			p->agreed[k] = ns;
			p->has[k] = n > 0;
		}
	}
}

/* The slack of the median of @n deviations, which are sorted. */
static int64_t slack_of(int64_t *deviation, size_t n)
{
	int64_t mad = clock_median(deviation, n), slack;

	if (n <= FEW)
		slack = n ? deviation[n - 1] : 0;
	else
		slack = (int64_t)(MAD_TO_SIGMA * (double)mad);
	return slack > SLACK_NS ? slack : SLACK_NS;
}

/* By its sights of moments that are agreed upon; false: too little. */
static bool estimate(const struct placing *p, uint32_t clock,
                     struct clock_row *row)
{
	size_t n = 0;
	uint32_t weight = 0;

	for (size_t k = p->first[clock]; k < p->first[clock + 1]; k++) {
		size_t i = p->by_clock[k];

		if (!p->has[i])
			continue;
		p->x[n++] = p->s[i].ns - p->agreed[i];
		weight += p->s[i].weight;
	}
	if (weight < CLOCK_SURE)
		return false;
	row->ahead_ns = clock_median(p->x, n);
	row->n_shared = (uint32_t)n;
	for (size_t k = 0; k < n; k++)
		p->x[k] = llabs(p->x[k] - row->ahead_ns);
	row->slack_ns = slack_of(p->x, n);
	return row->slack_ns <= SLACK_MAX_NS;
}

/* One round: whoever shares a moment with the island joins it. */
static bool join_some(struct placing *p)
{
	bool any = false;

	agree(p);
	for (uint32_t c = 0; c < p->clocks->n; c++) {
		struct clock_row row = p->clocks->c[c];

		if (row.island || !estimate(p, c, &row))
			continue;
		row.island = p->island;
		p->clocks->c[c] = row;
		any = true;
	}
	return any;
}

/* Now that all are there, by all of them. */
static void refine(struct placing *p)
{
	agree(p);
	for (uint32_t c = 0; c < p->clocks->n; c++) {
		struct clock_row row = p->clocks->c[c];

		if (is_placed(p, c) && estimate(p, c, &row))
			p->clocks->c[c] = row;
	}
}

/* Most clocks are right: what is said of one is against them. */
static void centre(struct placing *p)
{
	size_t n = 0;
	int64_t middle;

	for (size_t c = 0; c < p->clocks->n; c++)
		if (p->clocks->c[c].island == p->island)
			p->x[n++] = p->clocks->c[c].ahead_ns;
	middle = clock_median(p->x, n);
	for (size_t c = 0; c < p->clocks->n; c++)
		if (p->clocks->c[c].island == p->island)
			p->clocks->c[c].ahead_ns -= middle;
	if (n < 2)
		for (size_t c = 0; c < p->clocks->n; c++)
			if (p->clocks->c[c].island == p->island)
				p->clocks->c[c].n_shared = 0;
}

/* The clock without an island that saw most; false: none did. */
static bool next_reference(const struct placing *p, uint32_t *ret)
{
	size_t most = 0;

	for (uint32_t c = 0; c < p->clocks->n; c++) {
		size_t n = p->first[c + 1] - p->first[c];

		if (p->clocks->c[c].island || n <= most)
			continue;
		most = n;
		*ret = c;
	}
	return most > 0;
}

static void place_all(struct placing *p)
{
	uint32_t reference;

	index_clocks(p);
	while (p->island < ISLANDS_MAX && next_reference(p, &reference)) {
		p->island++;
		p->clocks->c[reference].island = p->island;
		p->clocks->c[reference].slack_ns = SLACK_NS;
		while (join_some(p))
			;
		refine(p);
		centre(p);
	}
}

enum fp_status clock_place(struct clocks *clocks,
                           const struct clock_sight *sights, size_t n,
                           struct fp_err *err)
{
	struct placing p = { .clocks = clocks, .s = sights, .n = n };
	size_t most = n > clocks->n ? n : clocks->n;

	p.by_clock = calloc(n + 1, sizeof(*p.by_clock));
	p.first = calloc(clocks->n + 2, sizeof(*p.first));
	p.agreed = calloc(n + 1, sizeof(*p.agreed));
	p.has = calloc(n + 1, sizeof(*p.has));
	p.x = calloc(most + 1, sizeof(*p.x));
	if (p.by_clock && p.first && p.agreed && p.has && p.x)
		place_all(&p);
	else
		fp_err_set(err, FP_ERR_NOMEM, "no memory");
	free(p.by_clock);
	free(p.first);
	free(p.agreed);
	free(p.has);
	free(p.x);
	return err->status;
}
