// SPDX-License-Identifier: Apache-2.0
// Tables for a terminal: by rank, by host, as a map, or only what is bad.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/report/text.h"

#define LABEL_MAX 20

/* How a table is laid out. */
struct layout {
	const struct report *report;
	const struct grid *g;
	struct grid_unit unit;
	int columns;
	int label;    /* columns of a row's label, blank included */
	int cell;     /* of a cell, blank or mark included */
	bool numbers; /* columns are headed by numbers: names are too long */
};

static const char *row_name(const struct layout *l, int32_t row)
{
	const struct topo_job *job = l->report->session->job;

	return l->g->by_host ? job->hosts[row].name
	                     : topo_job_host_name(job, row);
}

static bool is_one_per_host(const struct report *report)
{
	const struct topo_job *job = report->session->job;

	return job->n_hosts == job->n_ranks;
}

/* "3 h1": rank and host, or a number where column heads need one. */
static void row_label(const struct layout *l, int32_t row,
                      char buf[static LABEL_MAX])
{
	bool name_only =
		(l->g->by_host || is_one_per_host(l->report)) && !l->numbers;

	if (name_only)
		snprintf(buf, LABEL_MAX, "%.*s", LABEL_MAX - 1,
		         row_name(l, row));
	else
		snprintf(buf, LABEL_MAX, "%d %.*s", (int)row, LABEL_MAX - 12,
		         row_name(l, row));
}

static void head_label(const struct layout *l, int32_t column,
                       char buf[static LABEL_MAX])
{
	if (l->numbers)
		snprintf(buf, LABEL_MAX, "%d", (int)column);
	else
		snprintf(buf, LABEL_MAX, "%.*s", LABEL_MAX - 1,
		         row_name(l, column));
}

static int widest_label(const struct layout *l)
{
	char text[LABEL_MAX];
	int len, most = 0;
	int32_t i;

	for (i = 0; i < l->g->n; i++) {
		row_label(l, i, text);
		len = (int)strlen(text);
		most = len > most ? len : most;
	}
	return most + 1;
}

static int widest_cell(const struct layout *l)
{
	char text[GRID_TEXT_MAX];
	int len, most = 3;
	size_t i;

	for (i = 0; i < l->g->n_cells; i++) {
		grid_cell_text(&l->g->cells[i], &l->unit, text);
		len = (int)strlen(text);
		most = len > most ? len : most;
	}
	return most;
}

static int widest_name(const struct layout *l)
{
	int len, most = 0;
	int32_t i;

	for (i = 0; i < l->g->n; i++) {
		len = (int)strlen(row_name(l, i));
		most = len > most ? len : most;
	}
	return most;
}

static void measure(struct layout *l)
{
	char number[LABEL_MAX];
	int width;

	l->cell = widest_cell(l);
	l->numbers = (!l->g->by_host && !is_one_per_host(l->report)) ||
	             widest_name(l) >= l->cell + 2;
	width = l->numbers ? snprintf(number, sizeof(number), "%d ",
	                              (int)l->g->n - 1)
	                   : widest_name(l) + 1;
	l->cell = width > l->cell ? width : l->cell;
	l->label = widest_label(l);
}

static bool fits(const struct layout *l)
{
	return (int64_t)l->label + (int64_t)l->g->n * l->cell <=
	       (int64_t)l->columns + 1; /* the last blank may fall off */
}

/* In full if that fits, else with as few characters as can be read. */
static void lay_out(const struct report *report, const struct grid *g,
                    struct layout *l)
{
	*l = (struct layout){
		.report = report,
		.g = g,
		.unit = grid_unit(g, report->gbits),
		.columns = report_columns(report),
	};
	measure(l);
	if (fits(l))
		return;
	l->unit.compact = true;
	measure(l);
}

static enum text_tone tone_of(const struct grid_cell *c)
{
	if (!c || !grid_is_trouble(c->state))
		return TEXT_PLAIN;
	return c->state < CELL_SLOW ? TEXT_WARN : TEXT_BAD;
}

/* Blanks at the end of a line help nobody. */
static void end_line(struct fp_text *out)
{
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	fp_text_append(out, "\n", 1);
}

/* A blank behind the value is no part of it: it keeps its plain colour. */
static void table_cell(const struct layout *l, const struct grid_cell *c,
                       bool self, struct fp_text *out)
{
	char text[GRID_TEXT_MAX];
	size_t len;
	bool blank;

	grid_cell_text(c, &l->unit, text);
	if (!c && self)
		snprintf(text, sizeof(text), ". ");
	len = strlen(text);
	fp_text_printf(out, "%*s", l->cell - (int)len, "");
	blank = len && text[len - 1] == ' ';
	if (blank)
		text[len - 1] = '\0';
	text_tone(l->report, out, tone_of(c), text);
	if (blank)
		fp_text_append(out, " ", 1);
}

static void table_row(const struct layout *l, int32_t row, struct fp_text *out)
{
	char label[LABEL_MAX];
	int32_t i;

	row_label(l, row, label);
	fp_text_printf(out, "%-*s", l->label, label);
	for (i = 0; i < l->g->n; i++)
		table_cell(l, grid_find(l->g, row, i), i == row, out);
	end_line(out);
}

static void table(const struct layout *l, struct fp_text *out)
{
	char label[LABEL_MAX];
	int32_t i;

	fp_text_printf(out, "%-*s", l->label, "");
	for (i = 0; i < l->g->n; i++) {
		head_label(l, i, label);
		fp_text_printf(out, "%*s ", l->cell - 1, label);
	}
	end_line(out);
	for (i = 0; i < l->g->n; i++)
		table_row(l, i, out);
}

/* One letter a cell: the pattern shows whose fault it is. */
static void map(const struct layout *l, struct fp_text *out)
{
	char label[LABEL_MAX];
	int32_t i, k;

	for (i = 0; i < l->g->n; i++) {
		row_label(l, i, label);
		fp_text_printf(out, "%-*s", l->label, label);
		for (k = 0; k < l->g->n; k++)
			fp_text_printf(out, "%c",
			               grid_cell_letter(grid_find(l->g, i, k)));
		end_line(out);
	}
}

/* A table of ranks of which most were never meant to meet is no table. */
static bool is_dense(const struct grid *g)
{
	uint64_t all = (uint64_t)g->n * (uint64_t)(g->n - 1);

	return g->n_cells * 2 >= all;
}

static enum fp_status show_grid(const struct report *report,
                                const struct grid *g, struct fp_text *out,
                                struct fp_err *err)
{
	bool always = g->of[0]->op == OP_WRITE && g->of[0]->dir == DIR_UNI;
	size_t troubles = grid_troubles(g);
	struct layout l;

	if (!always && !troubles)
		return FP_OK;
	lay_out(report, g, &l);
	if (fits(&l)) {
		text_legend(g, l.unit.name,
		            l.unit.compact ? TEXT_COMPACT : TEXT_FULL,
		            l.columns, out);
		table(&l, out);
		text_rails(report, g, out);
		return FP_OK;
	}
	l.numbers = false;
	l.label = widest_label(&l);
	if (troubles && is_dense(g) && l.label + g->n <= l.columns) {
		text_legend(g, NULL, TEXT_LETTERS, l.columns, out);
		map(&l, out);
		text_rails(report, g, out);
		return FP_OK;
	}
	return troubles ? text_troubles(report, g, out, err) : FP_OK;
}

static enum fp_status show(const struct report *report, const struct grid *g,
                           struct fp_text *out, struct fp_err *err)
{
	struct grid hosts;
	struct layout l;
	enum fp_status status;

	status = text_headings(report, g, out, err);
	if (status)
		return status;
	lay_out(report, g, &l);
	if ((fits(&l) && is_dense(g)) || report->session->job->n_hosts < 2 ||
	    is_one_per_host(report))
		return show_grid(report, g, out, err);
	status = grid_by_host(report->session, g, &hosts, err);
	if (status)
		return status;
	status = show_grid(report, &hosts, out, err);
	grid_done(&hosts);
	return status;
}

enum fp_status text_matrices(const struct report *report, struct fp_text *out,
                             struct fp_err *err)
{
	const struct session *s = report->session;
	bool *used = calloc(s->matrices.n + 1, sizeof(*used));
	enum fp_status status = FP_OK;
	struct grid g;
	size_t i;

	if (!used)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a report");
	for (i = 0; !status && i < s->matrices.n; i++) {
		/* single pairs: findings have them as evidence */
		if (used[i] ||
		    s->matrices.m[i].src_ep != s->matrices.m[i].dst_ep)
			continue;
		status = grid_make(s, i, used, false, &g, err);
		if (status)
			break;
		status = show(report, &g, out, err);
		grid_done(&g);
	}
	free(used);
	return status;
}
