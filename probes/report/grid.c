// SPDX-License-Identifier: Apache-2.0
// Matrices of one kind put together, by rank or by host.
#include "probes/report/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/stats/stats.h"

/* How a state shows: a word in place of the value, or a mark behind it. */
static const struct {
	const char *word, *brief;
	char mark, letter;
} shows[CELL_STATE_COUNT] = {
	[CELL_NOTRUN] = { "-", "-", ' ', ' ' },
	[CELL_OK] = { NULL, NULL, ' ', '.' },
	[CELL_DEGRADED] = { NULL, NULL, ',', ',' },
	[CELL_SUSPECT] = { NULL, NULL, '?', '?' },
	[CELL_FLAKY] = { NULL, NULL, '~', '~' },
	[CELL_SLOW] = { NULL, NULL, '!', '!' },
	[CELL_CORRUPT] = { "BAD", "BAD", ' ', 'B' },
	[CELL_ERROR] = { "ERR", "ERR", ' ', 'E' },
	[CELL_HANG] = { "HANG", "HNG", ' ', 'H' },
	[CELL_LOST] = { "LOST", "LST", ' ', 'L' },
};

bool grid_is_trouble(unsigned state)
{
	return state > CELL_DEGRADED;
}

size_t grid_troubles(const struct grid *g)
{
	size_t n = 0;
	unsigned i;

	for (i = 0; i < CELL_STATE_COUNT; i++)
		n += grid_is_trouble(i) ? g->n_states[i] : 0;
	return n;
}

static int cell_compare(const void *va, const void *vb)
{
	const struct grid_cell *a = va, *b = vb;

	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

static bool is_worse(const struct grid *g, double value, double than)
{
	if (value <= 0)
		return false;
	if (than <= 0)
		return true;
	return g->of[0]->op == OP_LATENCY ? value > than : value < than;
}

/* Sorted cells; equal places become one cell that shows the worst. */
static void merge_cells(struct grid *g)
{
	struct grid_cell *to;
	size_t i, n = 0;

	if (!g->n_cells)
		return;
	qsort(g->cells, g->n_cells, sizeof(*g->cells), cell_compare);
	for (i = 1; i < g->n_cells; i++) {
		to = &g->cells[n];
		if (cell_compare(to, &g->cells[i]) != 0) {
			g->cells[++n] = g->cells[i];
			continue;
		}
		if (g->cells[i].state > to->state ||
		    (g->cells[i].state == to->state &&
		     is_worse(g, g->cells[i].value, to->value)))
			to->rail = g->cells[i].rail;
		if (g->cells[i].state > to->state)
			to->state = g->cells[i].state;
		if (is_worse(g, g->cells[i].value, to->value))
			to->value = g->cells[i].value;
	}
	g->n_cells = n + 1;
}

static void add_cells(const struct session *s, struct grid *g,
                      const struct matrix *m)
{
	const struct topo_rank *ranks = s->job->ranks;
	const struct matrix_cell *c;
	struct grid_cell to;
	size_t i;

	for (i = 0; i < m->n_cells; i++) {
		c = &m->cells[i];
		to = (struct grid_cell){ c->src, c->dst, (uint8_t)c->state,
			                 (int8_t)m->src_ep, c->value };
		g->n_states[c->state]++;
		if (g->by_host) {
			to.src = ranks[c->src].host;
			to.dst = ranks[c->dst].host;
		}
		if (to.src >= 0 && to.dst >= 0)
			g->cells[g->n_cells++] = to;
	}
}

enum fp_status grid_sum(const struct matrix *m, struct grid_sum *ret,
                        struct fp_err *err)
{
	double *values = calloc(m->n_cells + 1, sizeof(*values));
	struct grid_sum sum = { .median = 0 };
	size_t i, n = 0;

	if (!values)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a report");
	for (i = 0; i < m->n_cells; i++) {
		sum.n_states[m->cells[i].state]++;
		if (m->cells[i].value > 0)
			values[n++] = m->cells[i].value;
	}
	stats_sort(values, n);
	if (n) {
		sum.median = stats_quantile(values, n, 0.5);
		sum.worst = m->op == OP_LATENCY ? values[n - 1] : values[0];
	}
	free(values);
	*ret = sum;
	return FP_OK;
}

static enum fp_status fill(const struct session *s, struct grid *g,
                           struct fp_err *err)
{
	size_t i, n = 0;

	for (i = 0; i < g->n_of; i++)
		n += g->of[i]->n_cells;
	g->cells = calloc(n + 1, sizeof(*g->cells));
	if (!g->cells)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a report");
	for (i = 0; i < g->n_of; i++)
		add_cells(s, g, g->of[i]);
	merge_cells(g);
	return FP_OK;
}

static bool is_same_kind(const struct matrix *a, const struct matrix *b)
{
	return a->op == b->op && a->mem == b->mem && a->dir == b->dir &&
	       a->bytes == b->bytes;
}

static bool are_disjoint(const struct matrix *a, const struct matrix *b)
{
	for (size_t i = 0; i < b->n_cells; i++)
		if (matrix_find(a, b->cells[i].src, b->cells[i].dst))
			return false;
	return true;
}

/* Rail against rail is a table of its own. */
static bool is_other_rail(const struct matrix *a, const struct matrix *b)
{
	return a->xport == b->xport && a->src_ep == a->dst_ep &&
	       b->src_ep == b->dst_ep && a->src_ep != b->src_ep;
}

static bool completes(const struct grid *g, const struct matrix *m)
{
	if (g->n_of == GRID_MATRICES || !is_same_kind(g->of[0], m))
		return false;
	if (is_other_rail(g->of[0], m))
		return true;
	if (g->of[0]->xport == m->xport)
		return false;
	for (size_t i = 0; i < g->n_of; i++)
		if (!are_disjoint(g->of[i], m))
			return false;
	return true;
}

enum fp_status grid_make(const struct session *s, size_t at, bool *used,
                         bool by_host, struct grid *ret, struct fp_err *err)
{
	const struct matrices *ms = &s->matrices;
	struct grid g = { .by_host = by_host };
	enum fp_status status;
	size_t i;

	g.n = (int32_t)(by_host ? s->job->n_hosts : s->job->n_ranks);
	g.of[g.n_of++] = &ms->m[at];
	used[at] = true;
	for (i = at + 1; i < ms->n; i++) {
		if (used[i] || !completes(&g, &ms->m[i]))
			continue;
		g.of[g.n_of++] = &ms->m[i];
		used[i] = true;
	}
	status = fill(s, &g, err);
	if (!status)
		*ret = g;
	return status;
}

enum fp_status grid_by_host(const struct session *s, const struct grid *from,
                            struct grid *ret, struct fp_err *err)
{
	struct grid g = { .by_host = true, .n = (int32_t)s->job->n_hosts };
	enum fp_status status;

	memcpy(g.of, from->of, sizeof(g.of));
	g.n_of = from->n_of;
	status = fill(s, &g, err);
	if (!status)
		*ret = g;
	return status;
}

void grid_done(struct grid *g)
{
	if (!g)
		return;
	free(g->cells);
	*g = (struct grid){ 0 };
}

const struct grid_cell *grid_find(const struct grid *g, int32_t src,
                                  int32_t dst)
{
	const struct grid_cell key = { .src = src, .dst = dst };

	return bsearch(&key, g->cells, g->n_cells, sizeof(*g->cells),
	               cell_compare);
}

static const struct grid_unit rate_units[] = {
	{ .name = "GB/s", .scale = 1e9 },
	{ .name = "MB/s", .scale = 1e6 },
	{ .name = "kB/s", .scale = 1e3 },
};
static const struct grid_unit bit_units[] = {
	{ .name = "Gb/s", .scale = 1e9 / 8 },
	{ .name = "Mb/s", .scale = 1e6 / 8 },
	{ .name = "kb/s", .scale = 1e3 / 8 },
};
static const struct grid_unit time_units[] = {
	{ .name = "ms", .scale = 1e-3 },
	{ .name = "us", .scale = 1e-6 },
	{ .name = "ns", .scale = 1e-9 },
};

/* The largest in which the smallest value still shows two digits. */
struct grid_unit grid_unit(const struct grid *g, bool gbits)
{
	const struct grid_unit *units = gbits ? bit_units : rate_units;
	double least = INFINITY;
	size_t i;

	if (g->of[0]->op == OP_LATENCY)
		units = time_units;
	for (i = 0; i < g->n_cells; i++)
		if (g->cells[i].value > 0 && g->cells[i].value < least)
			least = g->cells[i].value;
	for (i = 0; i < 2 && least < units[i].scale; i++)
		;
	return units[i];
}

void grid_cell_text(const struct grid_cell *c, const struct grid_unit *unit,
                    char buf[static GRID_TEXT_MAX])
{
	unsigned state = c ? c->state : CELL_NOTRUN;
	double value = c ? c->value / unit->scale : 0;
	int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;

	if (shows[state].word) {
		snprintf(buf, GRID_TEXT_MAX, "%s ",
		         unit->compact ? shows[state].brief
		                       : shows[state].word);
		return;
	}
	if (unit->compact && digits)
		digits--;
	snprintf(buf, GRID_TEXT_MAX, "%.*f%c", digits, value,
	         shows[state].mark);
}

char grid_cell_letter(const struct grid_cell *c)
{
	return shows[c ? c->state : CELL_NOTRUN].letter;
}
