// SPDX-License-Identifier: Apache-2.0
// Strongly connected components after R. Tarjan (1972), with its own stack.
#include "probes/explain/graph.h"

#include <stdlib.h>
#include <string.h>

#include "probes/trial/grow.h"

#define NONE UINT32_MAX

enum fp_status graph_add(struct graph *g, uint32_t from, uint32_t to,
                         struct fp_err *err)
{
	enum fp_status status = grow_room(&g->edges, &g->room, g->n + 1,
	                                  sizeof(*g->edges), err);

	if (status == FP_OK)
		g->edges[g->n++] = (struct graph_edge){ from, to };
	return status;
}

/* What the walk keeps of each node. */
struct node {
	size_t edge, end; /* the next edge to follow, and behind the last */
	uint32_t index, low;
	uint32_t parent;
	uint32_t on_stack;
};

struct walk {
	struct graph *g;
	struct node *nodes;
	uint32_t *stack;
	uint32_t n_stack, next_index;
};

static int by_from(const void *a, const void *b)
{
	const struct graph_edge *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static void index_edges(struct walk *w)
{
	struct graph *g = w->g;
	size_t at = 0;

	if (g->n)
		qsort(g->edges, g->n, sizeof(*g->edges), by_from);
	for (uint32_t i = 0; i < g->n_nodes; i++) {
		w->nodes[i].edge = at;
		while (at < g->n && g->edges[at].from == i)
			at++;
		w->nodes[i].end = at;
		w->nodes[i].index = NONE;
	}
}

static void enter(struct walk *w, uint32_t node, uint32_t parent)
{
	struct node *n = &w->nodes[node];

	n->index = n->low = w->next_index++;
	n->parent = parent;
	n->on_stack = 1;
	w->stack[w->n_stack++] = node;
}

static void leave(struct walk *w, uint32_t node)
{
	struct node *n = &w->nodes[node];
	uint32_t popped;

	if (n->parent != NONE && w->nodes[n->parent].low > n->low)
		w->nodes[n->parent].low = n->low;
	if (n->low != n->index)
		return;
	do {
		popped = w->stack[--w->n_stack];
		w->nodes[popped].on_stack = 0;
		w->g->component[popped] = w->g->n_components;
	} while (popped != node);
	w->g->n_components++;
}

static void walk_from(struct walk *w, uint32_t root)
{
	uint32_t at = root;

	enter(w, root, NONE);
	while (at != NONE) {
		struct node *n = &w->nodes[at];
		uint32_t to;

		if (n->edge == n->end) {
			leave(w, at);
			at = n->parent;
			continue;
		}
		to = w->g->edges[n->edge++].to;
		if (w->nodes[to].index == NONE) {
			enter(w, to, at);
			at = to;
		} else if (w->nodes[to].on_stack &&
		           w->nodes[to].index < n->low) {
			n->low = w->nodes[to].index;
		}
	}
}

enum fp_status graph_components(struct graph *g, struct fp_err *err)
{
	size_t room = g->n_nodes ? g->n_nodes : 1;
	struct walk w = { .g = g };

	w.nodes = calloc(room, sizeof(*w.nodes));
	w.stack = calloc(room, sizeof(*w.stack));
	g->component = calloc(room, sizeof(*g->component));
	if (w.nodes && w.stack && g->component) {
		index_edges(&w);
		for (uint32_t i = 0; i < g->n_nodes; i++)
			if (w.nodes[i].index == NONE)
				walk_from(&w, i);
	} else {
		free(g->component);
		g->component = NULL;
	}
	free(w.nodes);
	free(w.stack);
	return g->component ? FP_OK
	                    : fp_err_set(err, FP_ERR_NOMEM, "no memory");
}

void graph_done(struct graph *g)
{
	if (!g)
		return;
	free(g->edges);
	free(g->component);
	*g = (struct graph){ 0 };
}
