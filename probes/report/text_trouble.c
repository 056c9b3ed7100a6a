// SPDX-License-Identifier: Apache-2.0
// Of a table too large for a terminal: its bad rows, or its bad columns.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/report/text.h"

#define TROUBLE_LINES 12

/* A row (or column) with trouble in it. */
struct line {
	int32_t at;
	size_t n;      /* bad cells */
	uint8_t worst; /* enum cell_state */
};

struct lines {
	struct line *l;
	size_t n; /* with trouble */
};

static int line_compare(const void *va, const void *vb)
{
	const struct line *a = va, *b = vb;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	if (a->worst != b->worst)
		return a->worst > b->worst ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static enum fp_status find_lines(const struct grid *g, bool columns,
                                 struct lines *ret, struct fp_err *err)
{
	struct line *l = calloc((size_t)g->n + 1, sizeof(*l));
	const struct grid_cell *c;
	size_t i;

	*ret = (struct lines){ .l = l };
	if (!l)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a report");
	for (i = 0; i < (size_t)g->n; i++)
		l[i].at = (int32_t)i;
	for (i = 0; i < g->n_cells; i++) {
		c = &g->cells[i];
		if (!grid_is_trouble(c->state))
			continue;
		ret->n += !l[columns ? c->dst : c->src].n++;
		if (c->state > l[columns ? c->dst : c->src].worst)
			l[columns ? c->dst : c->src].worst = c->state;
	}
	qsort(l, (size_t)g->n, sizeof(*l), line_compare);
	return FP_OK;
}

static const char *name_of(const struct report *report, const struct grid *g,
                           int32_t at, char buf[static 96])
{
	const struct topo_job *job = report->session->job;

	if (g->by_host || job->n_hosts == job->n_ranks)
		snprintf(buf, 96, "%s",
		         g->by_host ? job->hosts[at].name
		                    : topo_job_host_name(job, at));
	else
		snprintf(buf, 96, "%d (%s)", (int)at,
		         topo_job_host_name(job, at));
	return buf;
}

/* "h3 <- h0 95.5!, h1 96.1! and 60 more", on one line. */
static void one_line(const struct report *report, const struct grid *g,
                     const struct line *line, bool columns, struct fp_text *out)
{
	const struct grid_unit unit = grid_unit(g, report->gbits);
	size_t i, shown = 0, start = out->len;
	int room = report_columns(report) - 34;
	char text[GRID_TEXT_MAX], name[96];
	const struct grid_cell *c;

	fp_text_printf(out, "  %s %s", name_of(report, g, line->at, name),
	               columns ? "<-" : "->");
	for (i = 0; i < g->n_cells; i++) {
		c = &g->cells[i];
		if (!grid_is_trouble(c->state) ||
		    (columns ? c->dst : c->src) != line->at)
			continue;
		if (out->len - start > (size_t)room)
			break;
		grid_cell_text(c, &unit, text);
		text[strcspn(text, " ")] = '\0';
		fp_text_printf(
			out, "%s %s ", shown ? "," : "",
			name_of(report, g, columns ? c->src : c->dst, name));
		text_tone(report, out, TEXT_BAD, text);
		shown++;
	}
	if (shown < line->n)
		fp_text_printf(out, " and %zu more", line->n - shown);
	fp_text_append(out, "\n", 1);
}

enum fp_status text_troubles(const struct report *report, const struct grid *g,
                             struct fp_text *out, struct fp_err *err)
{
	struct lines rows, columns, *less;
	enum fp_status status;
	size_t i;

	status = find_lines(g, false, &rows, err);
	if (status)
		return status;
	status = find_lines(g, true, &columns, err);
	if (status) {
		free(rows.l);
		return status;
	}
	less = columns.n < rows.n ? &columns : &rows;
	fp_text_printf(out, "too large to show; %s with trouble:\n",
	               less == &rows ? "senders" : "receivers");
	for (i = 0; i < less->n && i < TROUBLE_LINES; i++)
		one_line(report, g, &less->l[i], less == &columns, out);
	if (less->n > TROUBLE_LINES)
		fp_text_printf(out, "  and %zu more (all are in --json)\n",
		               less->n - TROUBLE_LINES);
	free(rows.l);
	free(columns.l);
	return FP_OK;
}
