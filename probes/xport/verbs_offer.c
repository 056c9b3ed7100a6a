// SPDX-License-Identifier: Apache-2.0
// Placed messages in which the receiver takes part: it reads them, or posts
// receives for what is sent. The sender offers each, many ahead of their data.
#include "probes/xport/verbs_note.h"

#define TELL_OFFERS (VERBS_OFFERS / 4)

static uint32_t op_of(const struct verbs_ep *ep)
{
	return ep->verbs->opts.op;
}

/* How many work requests carry @bytes of one queue pair's part. */
static uint32_t works_of(size_t bytes)
{
	return (uint32_t)((bytes + VERBS_WORK_BYTES - 1) / VERBS_WORK_BYTES);
}

static size_t work_at(size_t part, size_t done)
{
	size_t left = part - done;

	return left < VERBS_WORK_BYTES ? left : VERBS_WORK_BYTES;
}

/* -- the sender -------------------------------------------------------------- */

uint64_t verbs_offer_seal(const struct verbs_offer *offer, uint64_t number)
{
	return verbs_seal(number, offer, offsetof(struct verbs_offer, seal));
}

/* The ring is free where the peer took up what lay there; and for a send, where
 * this end is done with it, too. */
static bool offer_room(struct verbs_ep *ep)
{
	uint64_t taken = verbs_peer_taken(ep)->offers;

	if (op_of(ep) == WIRE_RDMA_SEND && ep->offers_sent < taken)
		taken = ep->offers_sent;
	return ep->offers_made - taken < VERBS_OFFERS && verbs_room(ep, 0, 1);
}

enum fp_status verbs_offer_make(struct xport_flow *flow, struct fp_err *err)
{
	struct verbs_ep *ep = (struct verbs_ep *)flow->ep;
	enum fp_status status = verbs_offers_turn(ep, true, err);
	uint64_t slot = ep->offers_made % VERBS_OFFERS;
	struct verbs_offer *offer = &ep->desk->offers[slot];
	const struct verbs_work work = {
		.from = offer,
		.lkey = ep->desk_mr->lkey,
		.rkey = ep->peer_box.rkey,
		.to = ep->peer_box.addr + offsetof(struct verbs_box, offers) +
		      slot * sizeof(*offer),
		.len = sizeof(*offer),
	};

	flow->dry = true;
	if (status != FP_OK || !offer_room(ep))
		return status;
	*offer = (struct verbs_offer){
		.from = (uint64_t)(uintptr_t)(ep->tx + flow->off),
		.at = flow->at,
		.len = (uint32_t)flow->len,
		.rkey = ep->tx_mr->rkey,
	};
	offer->seal = verbs_offer_seal(offer, ++ep->offers_made);
	flow->dry = false;
	flow->done = flow->len;
	return verbs_post(ep, 0, &work, 1, false, err);
}

/* Queue pair @at's part of @offer; *@ret_whole: all of it is posted. */
static enum fp_status part_send(struct verbs_ep *ep, uint32_t at,
                                const struct verbs_offer *offer,
                                bool *ret_whole, struct fp_err *err)
{
	struct verbs_qp *q = &ep->qps[at];
	size_t off, part = verbs_stripe(ep, offer->len, at, &off);
	enum fp_status status = FP_OK;

	while (status == FP_OK && q->part < part && verbs_placed_room(ep, at)) {
		size_t len = work_at(part, q->part);
		const struct verbs_work work = {
			.from = (const uint8_t *)(uintptr_t)offer->from + off +
			        q->part,
			.lkey = ep->tx_mr->lkey,
			.len = (uint32_t)len,
			.op = IBV_WR_SEND,
		};

		q->part += len;
		q->placed += len;
		status = verbs_post(ep, at, &work, 1, true, err);
	}
	*ret_whole = q->part == part;
	return status;
}

/* Send what the peer has posted receives for, of what it was offered. */
static enum fp_status offers_push(struct verbs_ep *ep, struct fp_err *err)
{
	uint64_t taken = verbs_peer_taken(ep)->offers;
	enum fp_status status = FP_OK;
	bool whole = true, part_whole;

	if (taken > ep->offers_made)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "%s takes more than it was offered",
		                  ep->port.name);
	while (status == FP_OK && whole && ep->offers_sent < taken) {
		const struct verbs_offer *offer =
			&ep->desk->offers[ep->offers_sent % VERBS_OFFERS];

		for (uint32_t q = 0; q < ep->n_qps && status == FP_OK; q++) {
			status = part_send(ep, q, offer, &part_whole, err);
			whole &= part_whole;
		}
		if (status != FP_OK || !whole)
			continue;
		for (uint32_t q = 0; q < ep->n_qps; q++)
			ep->qps[q].part = 0;
		ep->offers_sent++;
	}
	return status;
}

bool verbs_offers_gone(struct verbs_ep *ep)
{
	bool gone = true;

	if (op_of(ep) == WIRE_RDMA_READ)
		return verbs_peer_taken(ep)->offers == ep->offers_made;
	if (op_of(ep) != WIRE_RDMA_SEND)
		return true;
	for (uint32_t q = 0; q < ep->n_qps; q++)
		gone &= ep->qps[q].placed_done == ep->qps[q].placed;
	return gone && ep->offers_sent == ep->offers_made;
}

/* -- the receiver ------------------------------------------------------------ */

static enum fp_status recv_post(struct verbs_ep *ep, uint32_t at, void *to,
                                size_t len, struct fp_err *err)
{
	struct ibv_sge sge = {
		.addr = (uint64_t)(uintptr_t)to,
		.length = (uint32_t)len,
		.lkey = ep->rx_mr->lkey,
	};
	struct ibv_recv_wr wr = {
		.wr_id = (uint64_t)at << 32,
		.sg_list = &sge,
		.num_sge = 1,
	}, *bad;
	int rc = ibv_post_recv(ep->qps[at].qp, &wr, &bad);

	ep->qps[at].recvs++;
	return rc ? fp_err_sys(err, rc, "port %s: post a receive for %s",
	                       ep->verbs->hca.name, ep->port.name)
	          : FP_OK;
}

static enum fp_status read_post(struct verbs_ep *ep, uint32_t at,
                                const struct verbs_offer *offer, size_t off,
                                size_t len, struct fp_err *err)
{
	const struct verbs_work work = {
		.from = ep->rx + offer->at + off,
		.lkey = ep->rx_mr->lkey,
		.rkey = offer->rkey,
		.to = offer->from + off,
		.len = (uint32_t)len,
		.op = IBV_WR_RDMA_READ,
	};

	ep->qps[at].fetched += len;
	return verbs_post(ep, at, &work, 1, true, err);
}

static enum fp_status part_take(struct verbs_ep *ep, uint32_t at,
                                const struct verbs_offer *offer,
                                struct fp_err *err)
{
	size_t off, part = verbs_stripe(ep, offer->len, at, &off);
	enum fp_status status = FP_OK;

	for (size_t done = 0; done < part && status == FP_OK;
	     done += VERBS_WORK_BYTES) {
		size_t len = work_at(part, done);

		if (op_of(ep) == WIRE_RDMA_READ)
			status = read_post(ep, at, offer, off + done, len, err);
		else
			status = recv_post(ep, at,
			                   ep->rx + offer->at + off + done, len,
			                   err);
	}
	return status;
}

/* Each queue pair must have room for the whole of its part, and for what is
 * said on the first beside it. */
static bool take_room(const struct verbs_ep *ep, size_t len)
{
	size_t off;
	bool room = true;

	for (uint32_t q = 0; q < ep->n_qps; q++) {
		const struct verbs_qp *qp = &ep->qps[q];
		uint32_t n = works_of(verbs_stripe(ep, len, q, &off));

		room &= op_of(ep) == WIRE_RDMA_READ
		                ? verbs_room(ep, q, n + 2)
		                : qp->recvs - qp->recvs_done + n <= VERBS_RECVS;
	}
	return room;
}

/* What the peer writes is read once, then checked. */
static bool offer_read(const struct verbs_ep *ep, struct verbs_offer *ret)
{
	const struct verbs_offer *offer =
		&ep->box->offers[ep->offers_open % VERBS_OFFERS];

	*ret = *(const volatile struct verbs_offer *)offer;
	return ret->seal == verbs_offer_seal(ret, ep->offers_open + 1);
}

static bool offer_fits(const struct verbs_ep *ep,
                       const struct verbs_offer *offer)
{
	return offer->at <= ep->rx_bytes &&
	       offer->len <= ep->rx_bytes - offer->at &&
	       offer->len <= VERBS_RECVS * VERBS_WORK_BYTES;
}

static enum fp_status offers_take(struct verbs_ep *ep, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct verbs_offer offer;

	while (status == FP_OK && offer_read(ep, &offer)) {
		if (!offer_fits(ep, &offer))
			return fp_err_set(err, FP_ERR_PROTO,
			                  "%s offers what has no place here",
			                  ep->port.name);
		if (!take_room(ep, offer.len))
			break;
		for (uint32_t q = 0; q < ep->n_qps && status == FP_OK; q++)
			status = part_take(ep, q, &offer, err);
		ep->offers_open++;
	}
	if (op_of(ep) == WIRE_RDMA_SEND)
		ep->taken.offers = ep->offers_open;
	return status;
}

enum fp_status verbs_offers_turn(struct verbs_ep *ep, bool idle,
                                 struct fp_err *err)
{
	enum fp_status status = verbs_reap(ep, err);
	uint64_t untold;

	if (status == FP_OK)
		status = offers_take(ep, err);
	if (status == FP_OK && op_of(ep) == WIRE_RDMA_SEND)
		status = offers_push(ep, err);
	untold = ep->taken.offers - ep->taken_told.offers;
	if (op_of(ep) == WIRE_RDMA_SEND)
		idle = true; /* the peer waits for it */
	if (status == FP_OK && untold > 0 && (idle || untold >= TELL_OFFERS) &&
	    verbs_room(ep, 0, 1))
		status = verbs_taken_tell(ep, false, err);
	return status;
}
