// SPDX-License-Identifier: Apache-2.0
// The verbs transport: RDMA between ports of HCAs, InfiniBand or RoCE.
#include "probes/xport/verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static enum fp_status
verbs_fill(struct verbs *verbs, const struct xport_env *env, struct fp_err *err)
{
	enum fp_status status;

	*verbs = (struct verbs){ .x.ops = &xport_verbs_ops, .env = env };
	status = verbs_env_read(env->setup, getenv, &verbs->opts, err);
	if (status == FP_OK &&
	    getrandom(&verbs->last_psn, sizeof(verbs->last_psn),
	              GRND_NONBLOCK) < 0)
		status = fp_err_sys(err, errno, "getrandom");
	return status == FP_OK ? verbs_hca_open(&verbs->opts, env->port,
	                                        &verbs->hca, err)
	                       : status;
}

static enum fp_status verbs_probe(const struct xport_env *env,
                                  struct fp_err *err)
{
	struct fp_err why = { .status = FP_OK };
	struct verbs verbs;
	enum fp_status status = verbs_fill(&verbs, env, &why);

	if (status != FP_OK)
		return fp_err_set(err, FP_ERR_NOTSUP, "%s", why.text);
	verbs_hca_close(&verbs.hca);
	return FP_OK;
}

static enum fp_status verbs_open(const struct xport_env *env,
                                 struct xport **ret_x, struct fp_err *err)
{
	struct verbs *verbs = malloc(sizeof(*verbs));
	enum fp_status status;

	if (!verbs)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	status = verbs_fill(verbs, env, err);
	if (status != FP_OK) {
		free(verbs);
		return status;
	}
	*ret_x = &verbs->x;
	return FP_OK;
}

static void verbs_unlisten(struct xport *x)
{
	verbs_door_shut((struct verbs *)x);
}

static enum fp_status verbs_listen(struct xport *x, const struct trial *trial,
                                   uint32_t edges, struct wire_blob *ret_blob,
                                   struct fp_err *err)
{
	struct verbs *verbs = (struct verbs *)x;
	enum fp_status status;

	verbs_unlisten(x);
	/* what was told since the last trial is part of this one's story */
	verbs->events = (struct verbs_events){ .n = 0 };
	verbs_events_read(verbs);
	verbs->why = (struct verbs_why){ 0 };
	status = verbs_hca_ready(&verbs->opts, &verbs->hca, err);
	if (status != FP_OK) {
		verbs->why.setup_errno =
			status == FP_ERR_INPUT ? ENODATA : ENETDOWN;
		return status;
	}
	verbs_count(verbs, verbs->counters);
	return verbs_door_open(verbs, trial, edges, ret_blob, err);
}

static enum fp_status verbs_connect(struct xport *x,
                                    const struct xport_peer *peer,
                                    struct xport_ep **ret_ep,
                                    struct fp_err *err)
{
	struct verbs *verbs = (struct verbs *)x;
	struct verbs_ep *ep = NULL;
	enum fp_status status;

	if (!verbs->door)
		return fp_err_set(err, FP_ERR_USAGE, "port %s does not listen",
		                  verbs->hca.name);
	status = peer->side == XPORT_ACTIVE
	                 ? verbs_door_call(verbs, peer, &ep, &verbs->why, err)
	                 : verbs_door_await(verbs, peer, &ep, &verbs->why, err);
	if (status != FP_OK)
		return status;
	ep->port.trial = peer->trial->id;
	*ret_ep = &ep->port.ep;
	return FP_OK;
}

static void verbs_close(struct xport *x)
{
	struct verbs *verbs = (struct verbs *)x;

	if (!verbs)
		return;
	verbs_unlisten(x);
	verbs_hca_close(&verbs->hca);
	free(verbs);
}

static enum fp_status verbs_ports(const struct xport_env *env,
                                  char ret[static TOPO_PORTS_MAX],
                                  struct fp_err *err)
{
	struct verbs_env opts;
	enum fp_status status = verbs_env_read(env->setup, getenv, &opts, err);

	return status == FP_OK ? verbs_hca_ports(&opts, ret, err) : status;
}

const struct xport_ops xport_verbs_ops = {
	.name = "verbs",
	.id = XPORT_VERBS,
	.caps = XPORT_CAP_P2P | XPORT_CAP_HOST_MEM | XPORT_CAP_RAIL,
	.probe = verbs_probe,
	.open = verbs_open,
	.listen = verbs_listen,
	.unlisten = verbs_unlisten,
	.connect = verbs_connect,
	.tx_region = verbs_tx_region,
	.rx_region = verbs_rx_region,
	.step = xport_flow_step,
	.counters = verbs_counters,
	.witness = verbs_witness,
	.ep_close = verbs_ep_leave,
	.close = verbs_close,
	.ports = verbs_ports,
	.flow = &verbs_flow_ops,
};
