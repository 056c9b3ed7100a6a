// SPDX-License-Identifier: Apache-2.0
// An HCA without a wire.
#include "tests/fuzz/verbs_device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#undef ibv_reg_mr

#define MRS 64
#define DONE 4096
#define RECVS 128

/* What is there, and what is complete but not told; of all queues. */
static struct device {
	struct ibv_context ctx;
	struct ibv_pd pd;
	struct ibv_mr *mrs[MRS];
	unsigned n_made;
	struct done {
		const struct ibv_cq *cq;
		struct ibv_wc wc;
	} done[DONE];
	unsigned n_done;
	struct waiting {
		const struct ibv_qp *qp;
		uint64_t wr_id;
		struct ibv_sge sge;
	} recvs[RECVS];
	unsigned n_recvs;
	uint32_t ece; /* options that it has */
} device;

static void reach(const struct ibv_sge *sge)
{
	const struct ibv_mr *mr =
		sge->lkey < MRS ? device.mrs[sge->lkey] : NULL;
	uint64_t from = mr ? (uint64_t)(uintptr_t)mr->addr : 0;

	if (!mr || sge->addr < from || sge->length > mr->length ||
	    sge->addr - from > mr->length - sge->length)
		abort();
}

static void complete(const struct ibv_cq *cq, uint64_t id,
                     enum ibv_wc_opcode opcode, uint32_t bytes)
{
	if (device.n_done == DONE)
		abort(); /* more than a queue was made for */
	device.done[device.n_done++] = (struct done){
		cq,
		{ .wr_id = id,
		  .status = IBV_WC_SUCCESS,
		  .opcode = opcode,
		  .byte_len = bytes },
	};
}

static int device_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
                            struct ibv_send_wr **bad)
{
	(void)bad;
	for (; wr; wr = wr->next) {
		if (wr->sg_list->length)
			reach(wr->sg_list);
		if (wr->send_flags & IBV_SEND_SIGNALED)
			complete(qp->send_cq, wr->wr_id, IBV_WC_SEND, 0);
	}
	return 0;
}

/* Of a reliable connection it is filled at once; a door waits for mail. */
static int device_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
                            struct ibv_recv_wr **bad)
{
	(void)bad;
	reach(wr->sg_list);
	if (qp->qp_type != IBV_QPT_UD)
		complete(qp->recv_cq, wr->wr_id, IBV_WC_RECV,
		         wr->sg_list->length);
	else if (device.n_recvs == RECVS)
		abort();
	else
		device.recvs[device.n_recvs++] =
			(struct waiting){ qp, wr->wr_id, *wr->sg_list };
	return 0;
}

static int device_poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	unsigned i, left = 0;
	int n = 0;

	for (i = 0; i < device.n_done; i++) {
		if (device.done[i].cq == cq && n < most)
			wc[n++] = device.done[i].wc;
		else
			device.done[left++] = device.done[i];
	}
	device.n_done = left;
	return n;
}

void device_mail(const struct ibv_qp *qp, const void *data, size_t size)
{
	struct waiting r = device.recvs[0];
	unsigned i = 0;

	while (i < device.n_recvs && device.recvs[i].qp != qp)
		i++;
	if (i == device.n_recvs)
		return;
	r = device.recvs[i];
	for (device.n_recvs--; i < device.n_recvs; i++)
		device.recvs[i] = device.recvs[i + 1];
	if (size > r.sge.length - VERBS_GRH)
		size = r.sge.length - VERBS_GRH;
	if (size)
		memcpy((uint8_t *)(uintptr_t)r.sge.addr + VERBS_GRH, data,
		       size);
	complete(qp->recv_cq, r.wr_id, IBV_WC_RECV, (uint32_t)size + VERBS_GRH);
}

void device_open(struct verbs *verbs, const struct xport_env *env, uint32_t op,
                 int32_t qps)
{
	device = (struct device){
		.ctx = { .async_fd = -1,
		         .ops = { .poll_cq = device_poll_cq,
		                  .post_send = device_post_send,
		                  .post_recv = device_post_recv } },
		.pd = { .context = &device.ctx },
	};
	*verbs = (struct verbs){
		.x.ops = &xport_verbs_ops,
		.env = env,
		.opts = { .qps = qps, .op = op },
		.hca = { .ctx = &device.ctx,
		         .pd = &device.pd,
		         .port = 1,
		         .attr = { .active_mtu = IBV_MTU_4096,
		                   .link_layer = IBV_LINK_LAYER_ETHERNET },
		         .dev_attr = { .max_qp_rd_atom = 16 },
		         .name = "fuzz0/1" },
	};
}

void device_offers(uint32_t options)
{
	device.ece = options;
}

void device_check(void)
{
	if (device.n_made)
		abort();
}

static void *made(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		abort();
	device.n_made++;
	return p;
}

static int unmade(void *p)
{
	device.n_made--;
	free(p);
	return 0;
}

/* -- libibverbs -------------------------------------------------------------- */

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
                          int access)
{
	struct ibv_mr *mr = made(sizeof(*mr));
	uint32_t key = 1;

	(void)access;
	while (key < MRS && device.mrs[key])
		key++;
	if (key == MRS)
		abort();
	*mr = (struct ibv_mr){ .context = pd->context,
		               .pd = pd,
		               .addr = addr,
		               .length = length,
		               .lkey = key,
		               .rkey = key };
	device.mrs[key] = mr;
	return mr;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
                                uint64_t iova, unsigned int access)
{
	(void)iova;
	return ibv_reg_mr(pd, addr, length, (int)access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	device.mrs[mr->lkey] = NULL;
	return unmade(mr);
}

struct ibv_cq *ibv_create_cq(struct ibv_context *ctx, int cqe, void *cq_context,
                             struct ibv_comp_channel *channel, int comp_vector)
{
	struct ibv_cq *cq = made(sizeof(*cq));

	(void)cq_context;
	(void)channel;
	(void)comp_vector;
	cq->context = ctx;
	cq->cqe = cqe;
	return cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	return unmade(cq);
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp *qp = made(sizeof(*qp));

	qp->context = pd->context;
	qp->pd = pd;
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	qp->qp_type = attr->qp_type;
	qp->qp_num = 17;
	return qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	(void)qp;
	/* as devices do */
	return mask & IBV_QP_PATH_MTU &&
	       (attr->path_mtu < IBV_MTU_256 || attr->path_mtu > IBV_MTU_4096);
}

int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	(void)qp;
	if (!device.ece)
		return EOPNOTSUPP;
	*ece = (struct ibv_ece){ .vendor_id = DEVICE_VENDOR,
		                 .options = device.ece };
	return 0;
}

int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	(void)qp;
	if (!device.ece || ece->vendor_id != DEVICE_VENDOR)
		return EINVAL;
	device.ece &= ece->options;
	return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	return unmade(qp);
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ibv_ah *ah = made(sizeof(*ah));

	(void)attr;
	ah->pd = pd;
	return ah;
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
	return unmade(ah);
}
