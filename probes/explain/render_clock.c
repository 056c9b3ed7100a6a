// SPDX-License-Identifier: Apache-2.0
// What is said of clocks: those that are off, and what they leave open.
#include <stdlib.h>
#include <string.h>

#include "probes/explain/render.h"
#include "probes/report/parts.h"

#define CLOCKS_MAX 6
#define ZONE_S 1800.0   /* zones are this far apart, or a multiple of it */
#define ZONE_NEAR_S 300 /* and clocks of one no further than this */

bool render_clock_is_off(const struct clock_row *row)
{
	return row->island && row->n_shared &&
	       llabs(row->ahead_ns) > row->slack_ns;
}

void render_clock_name(const struct events *ev, const struct clock_row *row,
                       struct fp_text *out)
{
	const char *file = event_str(ev, row->file);

	if (row->host)
		fp_text_printf(out, "%s", event_str(ev, row->host));
	else if (row->rank >= 0)
		fp_text_printf(out, "rank %d", row->rank);
	else
		fp_text_printf(out, "%s",
		               strrchr(file, '/') ? strrchr(file, '/') + 1
		                                  : file);
	if (row->era)
		fp_text_printf(out, ", since it was set back");
}

/* Whole hours, and half ones, are no drift. */
static bool is_zone(double seconds)
{
	double halves = seconds / ZONE_S;
	long whole = (long)(halves + 0.5);

	return whole > 0 && seconds - (double)whole * ZONE_S < ZONE_NEAR_S &&
	       (double)whole * ZONE_S - seconds < ZONE_NEAR_S;
}

static void put_row(const struct story *s, const struct clock_row *row,
                    const struct render_look *look, struct fp_text *out)
{
	double seconds = (double)llabs(row->ahead_ns) / 1e9;
	char ahead[FP_FMT_MAX], slack[FP_FMT_MAX];
	struct fp_text line = { 0 };

	fp_text_printf(&line, "clock of ");
	render_clock_name(&s->gather->events, row, &line);
	fp_text_printf(&line,
	               " is %s %s%s, by %u event%s that others saw too "
	               "(+-%s)",
	               fp_fmt_seconds(seconds, ahead),
	               row->ahead_ns > 0 ? "ahead" : "behind",
	               is_zone(seconds) ? ", as of another time zone" : "",
	               row->n_shared, row->n_shared == 1 ? "" : "s",
	               fp_fmt_seconds((double)row->slack_ns / 1e9, slack));
	fp_text_printf(out, "  ");
	report_wrap(out, look->columns, 2, 4, fp_text_str(&line));
	fp_text_free(&line);
}

static const struct clock_row *row_of(const struct story *s,
                                      const struct story_cause *c)
{
	return c->first.clock && c->first.clock <= s->clocks.n
	               ? &s->clocks.c[c->first.clock - 1]
	               : NULL;
}

/* A cause that could as well have been first; NULL: none. */
static const struct story_cause *rival_of(const struct story *s)
{
	const struct story_cause *a = &s->causes[0];

	for (size_t i = 1; i < s->n; i++) {
		const struct story_cause *b = &s->causes[i];

		if (b->cause->tier == a->cause->tier &&
		    a->first.clock != b->first.clock && row_of(s, a) &&
		    row_of(s, b) &&
		    clocks_order(&s->clocks, &a->first, &b->first) ==
		            CLOCK_UNKNOWN)
			return b;
	}
	return NULL;
}

static void put_rival(const struct story *s, const struct story_cause *b,
                      const struct render_look *look, struct fp_text *out)
{
	const struct story_cause *a = &s->causes[0];
	struct fp_text line = { 0 };

	fp_text_printf(&line, "whether this or \"%s\" was first is open: ",
	               b->cause->title);
	render_clock_name(&s->gather->events, row_of(s, a), &line);
	fp_text_printf(&line, " and ");
	render_clock_name(&s->gather->events, row_of(s, b), &line);
	fp_text_printf(&line,
	               clocks_can_compare(&s->clocks, &a->first, &b->first)
	                       ? " have clocks that are not known well enough"
	                       : " saw nothing at once by which their clocks "
	                         "could be compared");
	fp_text_printf(out, "  ");
	report_wrap(out, look->columns, 2, 4, fp_text_str(&line));
	fp_text_free(&line);
}

void render_clocks(const struct story *s, const struct render_look *look,
                   struct fp_text *out)
{
	const struct story_cause *rival = s->n ? rival_of(s) : NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->clocks.n; i++) {
		if (!render_clock_is_off(&s->clocks.c[i]))
			continue;
		if (!n++)
			fp_text_printf(out, "\nClocks\n");
		if (n <= CLOCKS_MAX)
			put_row(s, &s->clocks.c[i], look, out);
	}
	if (n > CLOCKS_MAX)
		fp_text_printf(out, "  ... and %zu more\n", n - CLOCKS_MAX);
	if (!rival)
		return;
	if (!n)
		fp_text_printf(out, "\nClocks\n");
	put_rival(s, rival, look, out);
}
