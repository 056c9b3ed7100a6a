// SPDX-License-Identifier: Apache-2.0
// Unit tests of components of a graph, against reachability worked out plainly.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/explain/graph.h"

#define N 9

/* reach[a][b]: does a way lead from a to b? Warshall's algorithm. */
static void close_over(bool reach[N][N], const struct graph *g)
{
	memset(reach, 0, sizeof(bool[N][N]));
	for (size_t i = 0; i < N; i++)
		reach[i][i] = true;
	for (size_t i = 0; i < g->n; i++)
		reach[g->edges[i].from][g->edges[i].to] = true;
	for (size_t k = 0; k < N; k++)
		for (size_t a = 0; a < N; a++)
			for (size_t b = 0; b < N; b++)
				reach[a][b] |= reach[a][k] && reach[k][b];
}

static void check(const struct graph *g)
{
	bool reach[N][N];

	close_over(reach, g);
	for (size_t a = 0; a < N; a++)
		for (size_t b = 0; b < N; b++)
			assert_int_equal(g->component[a] == g->component[b],
			                 reach[a][b] && reach[b][a]);
	for (size_t i = 0; i < g->n; i++)
		assert_true(g->component[g->edges[i].from] >=
		            g->component[g->edges[i].to]);
}

static void finds_components_of_any_graph(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct graph g = { .n_nodes = N };
		int edges = round % 20;

		for (int i = 0; i < edges; i++) {
			seed = seed * 6364136223846793005u +
			       1442695040888963407u;
			assert_int_equal(
				graph_add(&g, (uint32_t)(seed >> 40 & 7),
			                  (uint32_t)((seed >> 50) % N), NULL),
				FP_OK);
		}
		assert_int_equal(graph_components(&g, NULL), FP_OK);
		check(&g);
		graph_done(&g);
	}
}

/* A chain as long as a job is wide must not need a stack as deep. */
static void walks_long_chains(void **state)
{
	const uint32_t n = 200000;
	struct graph g = { .n_nodes = n };

	(void)state;
	for (uint32_t i = 0; i + 1 < n; i++)
		assert_int_equal(graph_add(&g, i, i + 1, NULL), FP_OK);
	assert_int_equal(graph_components(&g, NULL), FP_OK);
	assert_int_equal(g.n_components, n);
	assert_int_equal(g.component[n - 1], 0);
	assert_int_equal(g.component[0], n - 1);
	graph_done(&g);
}

static void takes_an_empty_one(void **state)
{
	struct graph g = { .n_nodes = 0 };

	(void)state;
	assert_int_equal(graph_components(&g, NULL), FP_OK);
	assert_int_equal(g.n_components, 0);
	graph_done(&g);
	graph_done(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_components_of_any_graph),
		cmocka_unit_test(walks_long_chains),
		cmocka_unit_test(takes_an_empty_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
