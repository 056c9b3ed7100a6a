/* SPDX-License-Identifier: Apache-2.0 */
/* Marks gathered by the ends they lie between, and what each end has. */
#ifndef FP_PROBES_JUDGE_EDGES_H
#define FP_PROBES_JUDGE_EDGES_H

#include "probes/judge/blame.h"

/** struct edge - the marks between two ends, one way. */
struct edge {
	int32_t a, b;             /* ends: hosts, ports or ranks */
	uint32_t bad, good, hard; /* marks not explained yet; hard of the bad */
	size_t first, n;          /* slice of edges.order: all its marks */
	bool is_bad;              /* enough of them */
};

/** struct edge_side - an end as a sender, as a receiver, or as either. */
struct edge_side {
	uint32_t bad, good, hard; /* edges */
};

struct edges {
	struct edge *e;
	size_t n;
	uint32_t *order;           /* indices of marks */
	struct edge_side *tx, *rx; /* [n_ends] */
	size_t n_ends;
};

/**
 * judge_edges_init() - room for @f's marks at any level.
 * judge_edges_done() takes NULL.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_edges_init(struct edges *edges, const struct judge_case *c,
                                const struct blame_family *f,
                                struct fp_err *err);
void judge_edges_done(struct edges *edges);

/**
 * judge_edges_fill() - gather @f's marks at @level (BLAME_HOST, _PORT or
 * _RANK). In an undirected family every edge counts on the tx side of both.
 */
void judge_edges_fill(struct edges *edges, const struct judge_case *c,
                      const struct blame_family *f, enum blame_level level);

/** judge_edges_share() - how many of its pairs make an end of @f suspect. */
double judge_edges_share(const struct judge_case *c,
                         const struct blame_family *f);

/** judge_edges_end() - which end of @level @rank is; -1: none. */
int32_t judge_edges_end(const struct judge_case *c, enum blame_level level,
                        int32_t rank);

#endif
