// SPDX-License-Identifier: Apache-2.0
// The verbs transport's work requests: posted, reaped.
#include "probes/xport/verbs.h"

#define REAP 16
#define SIGNAL_BYTES ((uint64_t)256 << 10)

/* Room for more is known from completions: of what a queue pair may have under
 * way, a part asks for one. */
static bool is_signal_due(const struct verbs_ep *ep, struct verbs_qp *q,
                          const struct verbs_work *writes, uint32_t n)
{
	q->quiet += n;
	for (uint32_t i = 0; i < n; i++)
		q->quiet_bytes += writes[i].len;
	return q->quiet >= VERBS_SIGNAL ||
	       q->quiet_bytes * ep->n_qps >= SIGNAL_BYTES;
}

enum fp_status verbs_post(struct verbs_ep *ep, uint32_t at,
                          const struct verbs_work *writes, uint32_t n,
                          bool signal, struct fp_err *err)
{
	struct verbs_qp *q = &ep->qps[at];
	struct ibv_send_wr wrs[VERBS_BURST], *bad;
	struct ibv_sge sges[VERBS_BURST];
	uint32_t i;
	int rc;

	signal |= is_signal_due(ep, q, writes, n);
	for (i = 0; i < n; i++) {
		sges[i] = (struct ibv_sge){
			.addr = (uint64_t)(uintptr_t)writes[i].from,
			.length = writes[i].len,
			.lkey = writes[i].lkey,
		};
		wrs[i] = (struct ibv_send_wr){
			.wr_id = (uint64_t)at << 32 | ++q->posted,
			.next = i + 1 < n ? &wrs[i + 1] : NULL,
			.sg_list = &sges[i],
			.num_sge = 1,
			.opcode = writes[i].op,
			.wr.rdma = { .remote_addr = writes[i].to,
			             .rkey = writes[i].rkey },
		};
		q->at[q->posted % VERBS_DEPTH].placed = q->placed;
		q->at[q->posted % VERBS_DEPTH].fetched = q->fetched;
		if (writes[i].op != IBV_WR_RDMA_READ &&
		    writes[i].len <= ep->verbs->hca.max_inline)
			wrs[i].send_flags |= IBV_SEND_INLINE;
	}
	if (signal && n > 0) {
		wrs[n - 1].send_flags |= IBV_SEND_SIGNALED;
		q->quiet = 0;
		q->quiet_bytes = 0;
	}
	rc = ibv_post_send(q->qp, wrs, &bad);
	return rc ? fp_err_sys(err, rc, "port %s: post to %s",
	                       ep->verbs->hca.name, ep->port.name)
	          : FP_OK;
}

static enum fp_status wc_bad(struct verbs_ep *ep, const struct ibv_wc *wc,
                             struct fp_err *err)
{
	if (ep->why.wc_status == 0)
		ep->why.wc_status = (int)wc->status;
	return fp_err_set(err, FP_ERR_LIB, "port %s to %s: %s (status %d)",
	                  ep->verbs->hca.name, ep->port.name,
	                  ibv_wc_status_str(wc->status), (int)wc->status);
}

static void completed(struct verbs_ep *ep, const struct ibv_wc *wc)
{
	struct verbs_qp *q = &ep->qps[wc->wr_id >> 32];

	if (wc->opcode & IBV_WC_RECV) {
		q->recvs_done++;
		q->fetched_done += wc->byte_len;
		return;
	}
	q->done = (uint32_t)wc->wr_id;
	q->placed_done = q->at[q->done % VERBS_DEPTH].placed;
	if (ep->verbs->opts.op == WIRE_RDMA_READ)
		q->fetched_done = q->at[q->done % VERBS_DEPTH].fetched;
}

enum fp_status verbs_reap(struct verbs_ep *ep, struct fp_err *err)
{
	struct ibv_wc wcs[REAP];
	int n = ibv_poll_cq(ep->cq, REAP, wcs);

	if (n < 0)
		return fp_err_set(err, FP_ERR_LIB,
		                  "port %s: the completion queue is broken",
		                  ep->verbs->hca.name);
	for (int i = 0; i < n; i++) {
		if (wcs[i].status != IBV_WC_SUCCESS)
			return wc_bad(ep, &wcs[i], err);
		completed(ep, &wcs[i]);
	}
	return FP_OK;
}
