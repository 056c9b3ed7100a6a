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
	int64_t first_ns; /* EVENT_NO_TIME: none has a time */
	uint32_t order;   /* of the first one, as it was read */
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

static size_t count_kinds(const struct story *s,
                          struct then_row rows[static KIND_COUNT])
{
	const struct events *ev = &s->gather->events;
	size_t n = 0;

	for (uint32_t kind = 0; kind < KIND_COUNT; kind++) {
		uint32_t role = kind_info(kind)->role;
		struct then_row row = { kind, 0, EVENT_NO_TIME, 0 };

		if ((role != ROLE_FOLLOWER && role != ROLE_WEAK) ||
		    is_cause(s, kind))
			continue;
		for (size_t i = 0; i < ev->n; i++) {
			const struct event *e = &ev->e[i];

			if (e->kind != kind)
				continue;
			if (!row.count)
				row.order = (uint32_t)i;
			row.count += e->count;
			if (e->time_ns != EVENT_NO_TIME &&
			    (row.first_ns == EVENT_NO_TIME ||
			     e->time_ns < row.first_ns))
				row.first_ns = e->time_ns;
		}
		if (row.count)
			rows[n++] = row;
	}
	return n;
}

/* By time where both have one, else as they were read. */
static int by_time(const void *a, const void *b)
{
	const struct then_row *x = a, *y = b;

	if (x->first_ns != EVENT_NO_TIME && y->first_ns != EVENT_NO_TIME &&
	    x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* "  +12.0 s  " behind the cause, where both have a time. */
static void put_when(const struct story *s, const struct then_row *row,
                     struct fp_text *out)
{
	int64_t start = s->causes[0].first.time_ns;
	char text[FP_FMT_MAX];

	if (start == EVENT_NO_TIME || row->first_ns == EVENT_NO_TIME ||
	    row->first_ns < start)
		return;
	fp_text_printf(
		out, "%s later: ",
		fp_fmt_seconds((double)(row->first_ns - start) / 1e9, text));
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
