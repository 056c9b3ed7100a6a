// SPDX-License-Identifier: Apache-2.0
// The fault matrix: names of states, looking up a pair, giving back.
#include "probes/judge/matrix.h"

#include <stdlib.h>

const char *cell_state_name(unsigned state)
{
	static const char *const names[CELL_STATE_COUNT] = {
		[CELL_NOTRUN] = "NOTRUN",     [CELL_OK] = "OK",
		[CELL_DEGRADED] = "DEGRADED", [CELL_SUSPECT] = "SUSPECT",
		[CELL_FLAKY] = "FLAKY",       [CELL_SLOW] = "SLOW",
		[CELL_CORRUPT] = "CORRUPT",   [CELL_ERROR] = "ERROR",
		[CELL_HANG] = "HANG",         [CELL_LOST] = "LOST",
	};

	return state < CELL_STATE_COUNT ? names[state] : "?";
}

static int cell_cmp(const void *pa, const void *pb)
{
	const struct matrix_cell *a = pa, *b = pb;

	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

const struct matrix_cell *matrix_find(const struct matrix *m, int32_t src,
                                      int32_t dst)
{
	const struct matrix_cell key = { .src = src, .dst = dst };

	if (m->n_cells == 0)
		return NULL;
	return bsearch(&key, m->cells, m->n_cells, sizeof(*m->cells), cell_cmp);
}

void matrices_done(struct matrices *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->n; i++) {
		free(m->m[i].cells);
		free(m->m[i].classes);
	}
	free(m->m);
	*m = (struct matrices){ 0 };
}
