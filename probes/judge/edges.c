// SPDX-License-Identifier: Apache-2.0
// Gathers marks by the ends they lie between.
#include "probes/judge/edges.h"

#include <stdlib.h>
#include <string.h>

enum fp_status judge_edges_init(struct edges *edges, const struct judge_case *c,
                                const struct blame_family *f,
                                struct fp_err *err)
{
	size_t n_ends = c->job->n_ranks > c->job->n_hosts ? c->job->n_ranks
	                                                  : c->job->n_hosts;

	*edges = (struct edges){
		.e = calloc(f->n + 1, sizeof(*edges->e)),
		.order = calloc(f->n + 1, sizeof(*edges->order)),
		.tx = calloc(n_ends + 1, sizeof(*edges->tx)),
		.rx = calloc(n_ends + 1, sizeof(*edges->rx)),
		.n_ends = n_ends,
	};
	if (edges->e && edges->order && edges->tx && edges->rx)
		return FP_OK;
	judge_edges_done(edges);
	return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
}

void judge_edges_done(struct edges *edges)
{
	if (!edges)
		return;
	free(edges->e);
	free(edges->order);
	free(edges->tx);
	free(edges->rx);
	*edges = (struct edges){ 0 };
}

int32_t judge_edges_end(const struct judge_case *c, enum blame_level level,
                        int32_t rank)
{
	switch (level) {
	case BLAME_HOST:
		return c->job->ranks[rank].host;
	case BLAME_PORT:
		return c->ports->of_rank[rank];
	default:
		return rank;
	}
}

/* Lost packets and stalls come now and then: a test in which there were none
 * clears nobody. */
double judge_edges_share(const struct judge_case *c,
                         const struct blame_family *f)
{
	return f->symptom == SYMPTOM_LOSS || f->symptom == SYMPTOM_STALL ||
	                       f->symptom == SYMPTOM_JITTER
	               ? c->opts->end_share_rare
	               : c->opts->end_share;
}

static int edge_cmp(const void *pa, const void *pb)
{
	const struct edge *a = pa, *b = pb;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	if (a->b != b->b)
		return a->b < b->b ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

/* One edge a mark, sorted, so that those to be merged lie side by side. */
static size_t edges_spread(struct edges *edges, const struct judge_case *c,
                           const struct blame_family *f, enum blame_level level)
{
	const struct judge_mark *mark;
	size_t i, n = 0;
	int32_t a, b;

	for (i = 0; i < f->n; i++) {
		mark = &f->marks[i];
		a = judge_edges_end(c, level, mark->src);
		b = judge_edges_end(c, level, mark->dst);
		if (a < 0 || b < 0)
			continue;
		if (f->undirected && a > b) {
			a = judge_edges_end(c, level, mark->dst);
			b = judge_edges_end(c, level, mark->src);
		}
		edges->e[n++] = (struct edge){ .a = a, .b = b, .first = i };
	}
	if (n)
		qsort(edges->e, n, sizeof(*edges->e), edge_cmp);
	return n;
}

static void edge_count(struct edge *e, const struct judge_mark *mark)
{
	e->n++;
	if (mark->weight == MARK_GOOD)
		e->good++;
	if (mark->weight == MARK_GOOD || mark->blame >= 0)
		return;
	e->bad++;
	e->hard += mark->weight == MARK_HARD;
}

static void edges_merge(struct edges *edges, const struct blame_family *f,
                        size_t n)
{
	struct edge *into = NULL;
	size_t i;

	edges->n = 0;
	for (i = 0; i < n; i++) {
		edges->order[i] = (uint32_t)edges->e[i].first;
		if (!into || into->a != edges->e[i].a ||
		    into->b != edges->e[i].b) {
			into = &edges->e[edges->n++];
			*into = (struct edge){ .a = edges->e[i].a,
				               .b = edges->e[i].b,
				               .first = i };
		}
		edge_count(into, &f->marks[edges->order[i]]);
	}
}

static void side_count(struct edge_side *s, const struct edge *e)
{
	if (e->is_bad) {
		s->bad++;
		s->hard += e->hard > 0;
	} else if (e->good || e->bad) {
		s->good++;
	}
}

void judge_edges_fill(struct edges *edges, const struct judge_case *c,
                      const struct blame_family *f, enum blame_level level)
{
	struct edge *e;
	size_t i;

	edges_merge(edges, f, edges_spread(edges, c, f, level));
	memset(edges->tx, 0, edges->n_ends * sizeof(*edges->tx));
	memset(edges->rx, 0, edges->n_ends * sizeof(*edges->rx));
	for (i = 0; i < edges->n; i++) {
		e = &edges->e[i];
		e->is_bad = e->bad > 0 && e->bad >= judge_edges_share(c, f) *
		                                            (e->bad + e->good);
		side_count(&edges->tx[e->a], e);
		if (e->a != e->b)
			side_count(f->undirected ? &edges->tx[e->b]
			                         : &edges->rx[e->b],
			           e);
	}
}
