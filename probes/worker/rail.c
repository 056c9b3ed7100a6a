// SPDX-License-Identifier: Apache-2.0
// The RDMA ports of a rank: one transport each, of which a trial names one.
#include <stdlib.h>

#include "probes/worker/part.h"
#include "probes/xport/table.h"
#include "topo/base/fmt.h"
#include "topo/model/rails.h"

static void rail_open(struct worker *w, uint32_t k, const char *ports)
{
	const struct xport_ops *ops = xport_table_find(XPORT_VERBS);
	struct worker_rail *rail = &w->rails[k];
	struct fp_err why = { 0 };
	enum fp_status status;

	rail->env = w->env;
	(void)topo_ports_at(ports, k, rail->env.port);
	/* the first is open already */
	if (k == 0) {
		rail->x = w->xports[XPORT_VERBS];
		fp_copy(rail->why, sizeof(rail->why), w->why_not[XPORT_VERBS]);
		rail->failed = w->failed[XPORT_VERBS];
		return;
	}
	status = ops->open(&rail->env, &rail->x, &why);
	if (status == FP_OK)
		return;
	fp_copy(rail->why, sizeof(rail->why), why.text);
	rail->failed = why.status == FP_ERR_LIB;
}

/* The first that opens stands for all where a trial names none. */
static void rails_settle(struct worker *w, struct wire_ready *ready)
{
	for (uint32_t k = 0; k < w->n_rails && !w->xports[XPORT_VERBS]; k++)
		w->xports[XPORT_VERBS] = w->rails[k].x;
	if (w->xports[XPORT_VERBS])
		ready->xports |= 1u << XPORT_VERBS;
	else
		ready->ports[0] = '\0';
}

enum fp_status worker_rails_open(struct worker *w, struct wire_ready *ready,
                                 struct fp_err *err)
{
	const struct xport_ops *ops = xport_table_find(XPORT_VERBS);
	uint32_t n;

	ready->ports[0] = '\0';
	if (!ops || !ops->ports ||
	    ops->ports(&w->env, ready->ports, NULL) != FP_OK)
		return FP_OK;
	n = topo_ports_count(ready->ports);
	if (n < 2) {
		rails_settle(w, ready);
		return FP_OK;
	}
	w->rails = calloc(n, sizeof(*w->rails));
	if (!w->rails)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for ports");
	w->n_rails = n;
	for (uint32_t k = 0; k < n; k++)
		rail_open(w, k, ready->ports);
	rails_settle(w, ready);
	return FP_OK;
}

void worker_rail_take(struct worker *w)
{
	const struct worker_trial *h = &w->hand;
	int32_t ep = h->me == 0 ? h->trial.src_ep : h->trial.dst_ep;
	const struct worker_rail *rail;

	if (w->n_rails == 0 || h->trial.xport != XPORT_VERBS)
		return;
	if (!trial_is_pair(&h->trial) || ep < 0)
		ep = 0;
	w->xports[XPORT_VERBS] = NULL;
	if ((uint32_t)ep >= w->n_rails) {
		fp_copy(w->why_not[XPORT_VERBS],
		        sizeof(w->why_not[XPORT_VERBS]),
		        "it has no RDMA port on this rail");
		return;
	}
	rail = &w->rails[ep];
	w->xports[XPORT_VERBS] = rail->x;
	w->failed[XPORT_VERBS] = rail->failed;
	fp_copy(w->why_not[XPORT_VERBS], sizeof(w->why_not[XPORT_VERBS]),
	        rail->why);
}

void worker_rails_close(struct worker *w)
{
	for (uint32_t k = 0; k < w->n_rails; k++)
		if (w->rails[k].x && w->rails[k].x != w->xports[XPORT_VERBS])
			w->rails[k].x->ops->close(w->rails[k].x);
	free(w->rails);
	w->rails = NULL;
	w->n_rails = 0;
}
