// SPDX-License-Identifier: Apache-2.0
// Connections of the verbs transport: queue pairs, their states and memory.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "probes/xport/verbs.h"
#include "topo/base/fmt.h"

#define READS 16 /* RDMA reads under way, at most */
#define PEER_ACCESS                                         \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ)
#define RNR_TIMER 12
#define HOPS 64
#define FLOW_STEP 0x2f1b5u /* flow labels apart: paths of a fabric apart */
#define FLOW_MASK 0xfffffu

static void *memory_get(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	/* a wish: fewer pages to pin and to translate */
	(void)madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

static enum fp_status cannot_pin(const struct verbs_hca *hca, size_t bytes,
                                 int errnum, struct fp_err *err)
{
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };
	char size[FP_FMT_MAX];

	(void)getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY)
		return fp_err_sys(err, errnum,
		                  "port %s: register %zu bytes of memory",
		                  hca->name, bytes);
	return fp_err_sys(err, errnum,
	                  "port %s: register %zu bytes of memory, with a limit "
	                  "of %s on locked memory (ulimit -l)",
	                  hca->name, bytes, fp_fmt_bytes(limit.rlim_cur, size));
}

/* Memory of @bytes that this port may use, and its peers as @access says. */
static enum fp_status pinned(struct verbs_ep *ep, size_t bytes, unsigned access,
                             void **ret, struct ibv_mr **ret_mr,
                             struct fp_err *err)
{
	const struct verbs_hca *hca = &ep->verbs->hca;
	void *p = memory_get(bytes);

	if (!p)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu bytes",
		                  bytes);
	*ret_mr = ibv_reg_mr(hca->pd, p, bytes, access);
	if (!*ret_mr) {
		ep->why.setup_errno = errno;
		(void)munmap(p, bytes);
		return cannot_pin(hca, bytes, ep->why.setup_errno, err);
	}
	*ret = p;
	return FP_OK;
}

static void unpinned(void *p, size_t bytes, struct ibv_mr *mr)
{
	if (mr)
		(void)ibv_dereg_mr(mr);
	if (p)
		(void)munmap(p, bytes);
}

static struct ibv_qp *qp_create(const struct verbs_ep *ep, uint32_t inline_room)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = ep->cq,
		.recv_cq = ep->cq,
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = VERBS_DEPTH + VERBS_BURST,
		         .max_recv_wr = ep->verbs->opts.op == WIRE_RDMA_SEND
		                                ? VERBS_RECVS
		                                : 1,
		         .max_send_sge = 1,
		         .max_recv_sge = 1,
		         .max_inline_data = inline_room },
	};

	return ibv_create_qp(ep->verbs->hca.pd, &attr);
}

static enum fp_status qp_init(struct ibv_qp *qp, const struct verbs_hca *hca,
                              struct fp_err *err)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.pkey_index = hca->pkey_index,
		.port_num = hca->port,
		.qp_access_flags =
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	int rc = ibv_modify_qp(qp, &attr,
	                       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
	                               IBV_QP_ACCESS_FLAGS);

	return rc ? fp_err_sys(err, rc, "port %s: P_Key index %u", hca->name,
	                       hca->pkey_index)
	          : FP_OK;
}

static enum fp_status qp_open(struct verbs_ep *ep, struct verbs_qp *q,
                              struct fp_err *err)
{
	struct verbs_hca *hca = &ep->verbs->hca;

	hca->max_inline = VERBS_INLINE;
	q->qp = qp_create(ep, VERBS_INLINE);
	if (!q->qp) {
		hca->max_inline = 0;
		q->qp = qp_create(ep, 0);
	}
	if (q->qp)
		return qp_init(q->qp, hca, err);
	ep->why.setup_errno = errno;
	return fp_err_sys(err, errno, "port %s: create a queue pair",
	                  hca->name);
}

static enum fp_status conn_fill(struct verbs_ep *ep, struct fp_err *err)
{
	struct verbs *verbs = ep->verbs;
	enum fp_status status;
	void *box = NULL, *desk = NULL;

	status = pinned(ep, sizeof(*ep->box), PEER_ACCESS, &box, &ep->box_mr,
	                err);
	ep->box = box;
	if (status == FP_OK)
		status = pinned(ep, sizeof(*ep->desk), IBV_ACCESS_LOCAL_WRITE,
		                &desk, &ep->desk_mr, err);
	ep->desk = desk;
	if (status != FP_OK)
		return status;
	ep->cq = ibv_create_cq(
		verbs->hca.ctx,
		(int)ep->n_qps * (VERBS_DEPTH + VERBS_BURST + VERBS_RECVS) + 1,
		NULL, NULL, 0);
	if (!ep->cq)
		return fp_err_sys(err, errno,
		                  "port %s: create a completion queue",
		                  verbs->hca.name);
	for (uint32_t i = 0; i < ep->n_qps && status == FP_OK; i++)
		status = qp_open(ep, &ep->qps[i], err);
	if (status == FP_OK)
		verbs_ece_ask(ep);
	return status;
}

enum fp_status verbs_conn_open(struct verbs *verbs, struct verbs_ep **ret,
                               struct fp_err *err)
{
	struct verbs_ep *ep = calloc(1, sizeof(*ep));
	enum fp_status status;

	if (!ep)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	ep->port.ep.ops = verbs->x.ops;
	ep->port.board = verbs->env->board;
	ep->verbs = verbs;
	ep->n_qps = (uint32_t)verbs->opts.qps;
	status = conn_fill(ep, err);
	if (status != FP_OK) {
		verbs->why = ep->why;
		verbs_ep_close(&ep->port.ep);
		return status;
	}
	*ret = ep;
	return FP_OK;
}

static struct verbs_region region_of(const struct ibv_mr *mr, const void *p,
                                     size_t bytes)
{
	return (struct verbs_region){
		.addr = (uint64_t)(uintptr_t)p,
		.bytes = bytes,
		.rkey = mr ? mr->rkey : 0,
	};
}

struct verbs_end verbs_conn_end(const struct verbs_ep *ep, uint32_t psn)
{
	const struct verbs_hca *hca = &ep->verbs->hca;
	struct verbs_end end = {
		.lid = hca->attr.lid,
		.mtu = hca->attr.active_mtu,
		.n_qps = ep->n_qps,
		.psn = psn,
		.ece = ep->ece,
		.box = region_of(ep->box_mr, ep->box, sizeof(*ep->box)),
	};

	memcpy(end.gid, hca->gid.gid, GID_BYTES);
	for (uint32_t i = 0; i < ep->n_qps; i++)
		end.qpn[i] = ep->qps[i].qp->qp_num;
	return end;
}

static enum ibv_mtu mtu_of_bytes(int32_t bytes)
{
	enum ibv_mtu mtu = IBV_MTU_256;

	while (mtu < IBV_MTU_4096 && (128 << (mtu + 1)) <= bytes)
		mtu++;
	return mtu;
}

/* What both ends have, unless somebody forces another to find mismatches. */
static enum ibv_mtu path_mtu(const struct verbs *verbs,
                             const struct verbs_end *to)
{
	enum ibv_mtu mine = verbs->hca.attr.active_mtu;

	if (verbs->opts.mtu_bytes > 0)
		return mtu_of_bytes(verbs->opts.mtu_bytes);
	return to->mtu < (uint32_t)mine ? (enum ibv_mtu)to->mtu : mine;
}

static int qp_to_rtr(const struct verbs_ep *ep, uint32_t i,
                     const struct verbs_end *to, enum ibv_mtu mtu)
{
	const struct verbs *verbs = ep->verbs;
	const struct verbs_hca *hca = &verbs->hca;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = mtu,
		.dest_qp_num = to->qpn[i],
		.rq_psn = to->psn,
		.max_dest_rd_atomic = READS,
		.min_rnr_timer = RNR_TIMER,
		.ah_attr = { .sl = (uint8_t)verbs->opts.sl,
		             .dlid = (uint16_t)to->lid,
		             .port_num = hca->port },
	};

	if (attr.max_dest_rd_atomic > hca->dev_attr.max_qp_rd_atom)
		attr.max_dest_rd_atomic = (uint8_t)hca->dev_attr.max_qp_rd_atom;
	if (verbs_is_ethernet(hca)) {
		attr.ah_attr.is_global = 1;
		attr.ah_attr.grh = (struct ibv_global_route){
			.flow_label = i * FLOW_STEP & FLOW_MASK,
			.sgid_index = (uint8_t)hca->gid.index,
			.hop_limit = HOPS,
			.traffic_class = (uint8_t)verbs->opts.tc,
		};
		memcpy(attr.ah_attr.grh.dgid.raw, to->gid, GID_BYTES);
	}
	return ibv_modify_qp(ep->qps[i].qp, &attr,
	                     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
	                             IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
	                             IBV_QP_MAX_DEST_RD_ATOMIC |
	                             IBV_QP_MIN_RNR_TIMER);
}

static int qp_to_rts(const struct verbs_ep *ep, uint32_t i, uint32_t psn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.timeout = VERBS_TIMEOUT,
		.retry_cnt = VERBS_RETRIES,
		.rnr_retry = VERBS_RETRIES,
		.sq_psn = psn,
		.max_rd_atomic = READS,
	};

	if (attr.max_rd_atomic > ep->verbs->hca.dev_attr.max_qp_rd_atom)
		attr.max_rd_atomic =
			(uint8_t)ep->verbs->hca.dev_attr.max_qp_rd_atom;
	return ibv_modify_qp(ep->qps[i].qp, &attr,
	                     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
	                             IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
	                             IBV_QP_MAX_QP_RD_ATOMIC);
}

enum fp_status verbs_conn_join(struct verbs_ep *ep, const struct verbs_end *to,
                               uint32_t psn, struct fp_err *err)
{
	enum ibv_mtu mtu = path_mtu(ep->verbs, to);
	char gid[GID_TEXT_MAX];
	int rc = 0;

	if (to->n_qps != ep->n_qps)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "the peer has %u queue pairs, this rank %u: "
		                  "set --qps alike",
		                  to->n_qps, ep->n_qps);
	ep->peer_box = to->box;
	ep->mtu_bytes = 128u << mtu;
	verbs_ece_take(ep, &to->ece);
	for (uint32_t i = 0; i < ep->n_qps && rc == 0; i++) {
		rc = qp_to_rtr(ep, i, to, mtu);
		if (rc == 0)
			rc = qp_to_rts(ep, i, psn);
	}
	if (rc == 0) {
		verbs_ece_settle(ep);
		return FP_OK;
	}
	ep->why.setup_errno = rc;
	return fp_err_set(err, FP_ERR_LIB, "no path from port %s to %s: %s",
	                  ep->verbs->hca.name, gid_text(to->gid, gid),
	                  strerrordesc_np(rc));
}

enum fp_status verbs_conn_regions(struct verbs_ep *ep, size_t tx_bytes,
                                  size_t rx_bytes, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	void *tx = NULL, *rx = NULL;
	unsigned access = PEER_ACCESS;

	/* What is told behind the data, in the box, never overtakes it: writes
	 * that are not relaxed stay behind all that came before. */
	if (ep->verbs->opts.relaxed)
		access |= IBV_ACCESS_RELAXED_ORDERING;
	if (tx_bytes > 0)
		status = pinned(ep, tx_bytes, access, &tx, &ep->tx_mr, err);
	if (status == FP_OK && rx_bytes > 0)
		status = pinned(ep, rx_bytes, access, &rx, &ep->rx_mr, err);
	ep->tx = tx;
	ep->rx = rx;
	ep->tx_bytes = tx ? tx_bytes : 0;
	ep->rx_bytes = rx ? rx_bytes : 0;
	return status;
}

void verbs_ep_close(struct xport_ep *xep)
{
	struct verbs_ep *ep = (struct verbs_ep *)xep;

	if (!ep)
		return;
	for (uint32_t i = 0; i < ep->n_qps; i++)
		if (ep->qps[i].qp)
			(void)ibv_destroy_qp(ep->qps[i].qp);
	if (ep->cq)
		(void)ibv_destroy_cq(ep->cq);
	unpinned(ep->tx, ep->tx_bytes, ep->tx_mr);
	unpinned(ep->rx, ep->rx_bytes, ep->rx_mr);
	unpinned(ep->desk, sizeof(*ep->desk), ep->desk_mr);
	unpinned(ep->box, sizeof(*ep->box), ep->box_mr);
	free(ep);
}

void *verbs_tx_region(struct xport_ep *ep)
{
	return ((struct verbs_ep *)ep)->tx;
}

void *verbs_rx_region(struct xport_ep *ep)
{
	return ((struct verbs_ep *)ep)->rx;
}
