// SPDX-License-Identifier: Apache-2.0
// What came of it: kinds of event that follow, in the order they came.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/render.h"
#include "probes/report/parts.h"

#define THEN_MAX 6

/* All events of one kind. */
struct then_row {
	uint32_t kind;
	size_t count;
	bool timed;       /* since_ns is known */
	int64_t since_ns; /* of the first one, behind what the others count from */
	uint32_t order; /* of the first one, as it was read */
};

static bool is_sign(const struct cause_sign *signs, size_t n, uint32_t kind)
{
	for (size_t i = 0; i < n; i++)
		if (signs[i].kind == kind)
			return true;
	return false;
}

/* A sign of what is named already. */
static bool is_cause(const struct story *s, uint32_t kind)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct cause *cause = s->causes[i].cause;

		if (is_sign(cause->any, CAUSE_ANY, kind) ||
		    is_sign(cause->all, CAUSE_ALL, kind))
			return true;
	}
	return false;
}

/* What times are counted from: the cause, else the first that has one. */
static const struct event *start_of(const struct story *s)
{
	const struct events *ev = &s->gather->events;

	if (s->causes[0].first.clock)
		return &s->causes[0].first;
	for (size_t i = 0; i < ev->n; i++)
		if (ev->e[i].clock)
			return &ev->e[i];
	return &s->causes[0].first;
}

static void count_in(const struct story *s, uint32_t i,
                     const struct event *start, struct then_row *row)
{
	const struct event *e = &s->gather->events.e[i];
	int64_t since;

	if (!row->count)
		row->order = i;
	row->count += e->count;
	if (!clocks_can_compare(&s->clocks, start, e))
		return;
	since = clocks_since_ns(&s->clocks, start, e);
	if (!row->timed || since < row->since_ns)
		row->since_ns = since;
	row->timed = true;
}

static size_t count_kinds(const struct story *s,
                          struct then_row rows[static KIND_COUNT])
{
	const struct events *ev = &s->gather->events;
	const struct event *start = start_of(s);
	size_t n = 0;

	for (uint32_t kind = 0; kind < KIND_COUNT; kind++) {
		uint32_t role = kind_info(kind)->role;
		struct then_row row = { .kind = kind };

		if ((role != ROLE_FOLLOWER && role != ROLE_WEAK) ||
		    is_cause(s, kind))
			continue;
		for (uint32_t i = 0; i < ev->n; i++)
			if (ev->e[i].kind == kind)
				count_in(s, i, start, &row);
		if (row.count)
			rows[n++] = row;
	}
	return n;
}

/* By time, then those without one as they were read. */
static int by_time(const void *a, const void *b)
{
	const struct then_row *x = a, *y = b;

	if (x->timed != y->timed)
		return x->timed ? -1 : 1;
	if (x->timed && x->since_ns != y->since_ns)
		return x->since_ns < y->since_ns ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* "12.0 s later: ", where both have a time that can be compared. */
static void put_when(const struct story *s, const struct then_row *row,
                     struct fp_text *out)
{
	char text[FP_FMT_MAX];

	if (!row->timed || row->since_ns < 0 || !s->causes[0].first.clock)
		return;
	fp_text_printf(out, "%s later: ",
	               fp_fmt_seconds((double)row->since_ns / 1e9, text));
}

void render_then(const struct story *s, const struct render_look *look,
                 struct fp_text *out)
{
	struct then_row rows[KIND_COUNT];
	size_t n = s->n ? count_kinds(s, rows) : 0;

	if (!n)
		return;
	qsort(rows, n, sizeof(rows[0]), by_time);
	fp_text_printf(out, "\nThen\n");
	for (size_t i = 0; i < n && i < THEN_MAX; i++) {
		struct fp_text line = { 0 };

		put_when(s, &rows[i], &line);
		fp_text_printf(&line, "%s", kind_info(rows[i].kind)->words);
		if (rows[i].count > 1)
			fp_text_printf(&line, ", %zu times", rows[i].count);
		fp_text_printf(out, "  ");
		report_wrap(out, look->columns, 2, 4, fp_text_str(&line));
		fp_text_free(&line);
	}
}
