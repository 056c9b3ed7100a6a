// SPDX-License-Identifier: Apache-2.0
// A whole search on a model.
#include "probes/sim/run.h"

#include <stdlib.h>

#include "probes/trial/grow.h"

/* struct answers - room for the looks of one batch. */
struct answers {
	struct locate_look *looks;
	size_t room;
};

static enum fp_status answer(const struct sim_model *m, struct locate *l,
                             struct answers *a, struct fp_err *err)
{
	const struct locate_ask *ask;
	enum fp_status status;
	size_t i;

	status = grow_room(&a->looks, &a->room, l->batch.n, sizeof(*a->looks),
	                   err);
	for (i = 0; !status && i < l->batch.n; i++) {
		ask = &l->batch.asks[i];
		a->looks[i] = sim_look(m, &l->tests.t[ask->test], ask->test,
		                       ask->look, ask->solo);
	}
	return status ? status : locate_eat(l, a->looks, err);
}

enum fp_status sim_run(struct sim_model *m, struct locate *l,
                       struct fp_err *err)
{
	struct answers a = { 0 };
	enum fp_status status = FP_OK;
	uint16_t *share = NULL;

	if (m->noise.collide) {
		share = sim_shares(m->f, &l->tests);
		if (!share)
			return fp_err_set(err, FP_ERR_NOMEM,
			                  "no memory for flows");
		m->share = share;
		m->n_share = l->tests.n;
	}
	do {
		status = locate_next(l, err);
		if (!status && l->batch.n)
			status = answer(m, l, &a, err);
	} while (!status && !l->finished);
	free(a.looks);
	free(share);
	m->share = NULL;
	m->n_share = 0;
	return status;
}
