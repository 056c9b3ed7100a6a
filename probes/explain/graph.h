/* SPDX-License-Identifier: Apache-2.0 */
/* A directed graph and its strongly connected components. */
#ifndef FP_PROBES_EXPLAIN_GRAPH_H
#define FP_PROBES_EXPLAIN_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

struct graph_edge {
	uint32_t from, to;
};

/** struct graph - zero-initialise but n_nodes; graph_done(). */
struct graph {
	struct graph_edge *edges;
	size_t n, room;
	uint32_t n_nodes;
	uint32_t *component; /* of each node, once graph_components() is done */
	uint32_t n_components;
};

/** graph_add() - one more edge. FP_OK, FP_ERR_NOMEM. */
enum fp_status graph_add(struct graph *g, uint32_t from, uint32_t to,
                         struct fp_err *err);

/**
 * graph_components() - number the components, so that no edge leads from a
 * lower number to a higher one: sinks come first. Tarjan's algorithm, without
 * recursion; sorts the edges by where they begin.
 */
enum fp_status graph_components(struct graph *g, struct fp_err *err);

/** graph_done() - free; takes NULL. */
void graph_done(struct graph *g);

#endif
