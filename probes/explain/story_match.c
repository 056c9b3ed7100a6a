// SPDX-License-Identifier: Apache-2.0
// Which rows of the catalogue the events speak for, the likeliest first.
#include <stdlib.h>
#include <string.h>

#include "probes/explain/story.h"
#include "probes/finding/finding.h"

#define CONFIDENCE_MORE 0.04 /* for each further kind of sign */
#define CONFIDENCE_MOST 0.97
#define KINDS_COUNTED 5

static bool fits(const struct cause_sign *sign, const struct event *e)
{
	if (!sign->kind || sign->kind != e->kind)
		return false;
	if (!sign->numbers[0])
		return true;
	for (size_t i = 0; i < CAUSE_NUMBERS && sign->numbers[i]; i++)
		if (sign->numbers[i] == e->n[0])
			return true;
	return false;
}

static bool seen(const struct events *ev, const struct cause_sign *sign)
{
	for (size_t i = 0; ev->kinds[sign->kind] && i < ev->n; i++)
		if (fits(sign, &ev->e[i]))
			return true;
	return false;
}

static bool holds(const struct events *ev, const struct cause *cause)
{
	bool any = !cause->any[0].kind;

	for (size_t i = 0; i < CAUSE_NONE; i++)
		if (cause->none[i].kind && seen(ev, &cause->none[i]))
			return false;
	for (size_t i = 0; i < CAUSE_ALL; i++)
		if (cause->all[i].kind && !seen(ev, &cause->all[i]))
			return false;
	for (size_t i = 0; i < CAUSE_ANY && !any; i++)
		any = cause->any[i].kind && seen(ev, &cause->any[i]);
	return any;
}

/*
 * Clocks decide where they can. Lines of one file are in the order in which
 * they were written; what else is left is a guess, and is not told as more.
 */
static bool is_earlier(const struct story *s, const struct event *a,
                       const struct event *b)
{
	enum clock_order order = clocks_order(&s->clocks, a, b);
	bool timed = a->time_ns != EVENT_NO_TIME && b->time_ns != EVENT_NO_TIME;

	if (order != CLOCK_UNKNOWN)
		return order == CLOCK_BEFORE;
	if (a->file == b->file)
		return a->line < b->line;
	if (clocks_can_compare(&s->clocks, a, b))
		return clocks_since_ns(&s->clocks, a, b) > 0;
	if (timed && a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->file < b->file;
}

/* A derived event stands on a line that is evidence already. */
static bool shown(const struct events *ev, const struct story_cause *c,
                  const struct event *e)
{
	for (size_t i = 0; i < c->n_evidence; i++) {
		const struct event *have = &ev->e[c->evidence[i]];

		if (e->line && have->file == e->file && have->line == e->line)
			return true;
	}
	return false;
}

/* The earliest one; of a hang, whatever the row's first sign saw. An error of
 * PCIe is told by the port above: what else there is names the device. */
static bool begins(const struct story *s, const struct story_cause *c,
                   const struct event *e)
{
	if (!c->n_events)
		return true;
	if (e->kind == KIND_AER_FATAL && c->first.kind != e->kind)
		return false;
	return (c->cause->who != WHO_HANG || c->first.kind == e->kind) &&
	       is_earlier(s, e, &c->first);
}

/* Keep the events of @sign as evidence, in the order of the row's signs. */
static void collect(const struct story *s, const struct cause_sign *sign,
                    struct story_cause *c)
{
	const struct events *ev = &s->gather->events;
	bool one = false;

	for (size_t i = 0; ev->kinds[sign->kind] && i < ev->n; i++) {
		const struct event *e = &ev->e[i];

		if (!fits(sign, e))
			continue;
		if (begins(s, c, e))
			c->first = *e;
		one = true;
		c->n_events += e->count;
		if (c->n_evidence < STORY_EVIDENCE_MAX && !shown(ev, c, e))
			c->evidence[c->n_evidence++] = (uint32_t)i;
	}
	if (one)
		c->confidence += CONFIDENCE_MORE;
}

static struct story_cause weigh(const struct story *s,
                                const struct cause *cause)
{
	struct story_cause c = {
		.cause = cause,
		.confidence = cause->confidence - CONFIDENCE_MORE,
		.severity = cause_tier_severity(cause->tier),
	};

	for (size_t i = 0; i < CAUSE_ALL; i++)
		collect(s, &cause->all[i], &c);
	for (size_t i = 0; i < CAUSE_ANY; i++)
		collect(s, &cause->any[i], &c);
	if (c.confidence > CONFIDENCE_MOST)
		c.confidence = CONFIDENCE_MOST;
	return c;
}

/* Of one tier the earlier one began it. */
static bool goes_before(const struct story *s, const struct story_cause *a,
                        const struct story_cause *b)
{
	if (a->cause->tier != b->cause->tier)
		return a->cause->tier < b->cause->tier;
	return is_earlier(s, &a->first, &b->first);
}

static void insert(struct story *s, const struct story_cause *c)
{
	size_t at = s->n < STORY_CAUSES_MAX ? s->n : STORY_CAUSES_MAX - 1;

	if (s->n == STORY_CAUSES_MAX && !goes_before(s, c, &s->causes[at]))
		return;
	while (at > 0 && goes_before(s, c, &s->causes[at - 1])) {
		s->causes[at] = s->causes[at - 1];
		at--;
	}
	s->causes[at] = *c;
	if (s->n < STORY_CAUSES_MAX)
		s->n++;
}

/* What only says that something is wrong is no news beside what is wrong. */
static void drop_weak(struct story *s)
{
	size_t n = 0;

	if (!s->n || s->causes[0].cause->tier >= CAUSE_WEAK)
		return;
	for (size_t i = 0; i < s->n; i++)
		if (s->causes[i].cause->tier < CAUSE_WEAK ||
		    s->causes[i].cause->tier == CAUSE_SLOW ||
		    s->causes[i].cause->tier == CAUSE_NOTE)
			s->causes[n++] = s->causes[i];
	s->n = n;
}

/* Beside a weaker cause, what is open is that cause's own question. */
static void drop_open(struct story *s)
{
	size_t n = 0;
	bool weak = s->n && s->causes[0].cause->tier == CAUSE_WEAK;

	for (size_t i = 0; i < s->n; i++)
		if (!weak || (s->causes[i].cause->tier != CAUSE_OPEN &&
		              s->causes[i].cause->tier != CAUSE_STALL))
			s->causes[n++] = s->causes[i];
	s->n = n;
}

void story_match(struct story *s)
{
	size_t n;
	const struct cause_table *const *tables = cause_tables(&n);
	const struct events *ev = &s->gather->events;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < tables[i]->n; k++) {
			const struct cause *cause = &tables[i]->rows[k];
			struct story_cause c;

			if (!holds(ev, cause))
				continue;
			c = weigh(s, cause);
			insert(s, &c);
		}
	drop_weak(s);
	drop_open(s);
}
