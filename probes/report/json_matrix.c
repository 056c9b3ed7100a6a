// SPDX-License-Identifier: Apache-2.0
// Matrices in JSON: in full for small jobs, only what was tried for large ones.
#include <math.h>

#include "probes/report/json.h"

static json_t *value_of(const struct matrix_cell *c)
{
	return json_number(c && c->value > 0 ? c->value : NAN);
}

static json_t *state_of(const struct matrix_cell *c)
{
	return json_string(cell_state_name(c ? c->state : CELL_NOTRUN));
}

static json_t *square(const struct matrix *m,
                      json_t *(*make)(const struct matrix_cell *c))
{
	json_t *rows = json_array(), *row;
	int32_t src, dst;

	for (src = 0; src < m->n_ranks; src++) {
		row = json_array();
		for (dst = 0; dst < m->n_ranks; dst++)
			json_push(&row, make(matrix_find(m, src, dst)));
		json_push(&rows, row);
	}
	return rows;
}

static json_t *sparse(const struct matrix *m)
{
	json_t *rows = json_array();
	const struct matrix_cell *c;
	size_t i;

	for (i = 0; i < m->n_cells; i++) {
		c = &m->cells[i];
		json_push(&rows,
		          json_pack("[i, i, o, o]", (int)c->src, (int)c->dst,
		                    value_of(c), state_of(c)));
	}
	return rows;
}

static json_t *classes(const struct matrix *m, const char *unit)
{
	json_t *rows = json_array();
	const struct matrix_class *c;
	size_t i;

	for (i = 0; i < m->n_classes; i++) {
		c = &m->classes[i];
		json_push(&rows, json_pack("{s:o, s:i, s:o, s:o, s:s}", "class",
		                           json_text(c->name), "pairs",
		                           (int)c->n, "median",
		                           json_number(c->n ? c->median : NAN),
		                           "sigma", json_number(c->sigma),
		                           "unit", unit));
	}
	return rows;
}

static json_t *all_ranks(const struct matrix *m)
{
	json_t *list = json_array();
	int32_t i;

	for (i = 0; i < m->n_ranks; i++)
		json_push(&list, json_integer(i));
	return list;
}

/* Only where ranks have several ports. */
static bool put_rails(json_t *json, const struct matrix *m)
{
	return json_put(json, "rail", json_integer(m->src_ep)) &&
	       (m->dst_ep == m->src_ep ||
	        json_put(json, "peer_rail", json_integer(m->dst_ep)));
}

json_t *json_matrix(const struct matrix *m)
{
	const char *unit = m->op == OP_LATENCY ? "s" : "B/s";
	json_t *json;
	bool good;

	json = json_pack("{s:s, s:s, s:s, s:s, s:I, s:s, s:o, s:o}", "xport",
	                 trial_xport_name(m->xport), "op", trial_op_name(m->op),
	                 "mem", trial_mem_name(m->mem), "direction",
	                 m->dir == DIR_BI ? "bi" : "uni", "bytes",
	                 (json_int_t)m->bytes, "unit", unit, "ranks",
	                 all_ranks(m), "classes", classes(m, unit));
	if (!json)
		return NULL;
	if (m->src_ep >= 0 && !put_rails(json, m)) {
		json_decref(json);
		return NULL;
	}
	if (m->n_ranks > JSON_DENSE_RANKS)
		good = json_put(json, "sparse", sparse(m));
	else
		good = json_put(json, "cells", square(m, value_of)) &&
		       json_put(json, "states", square(m, state_of));
	if (good)
		return json;
	json_decref(json);
	return NULL;
}
