// SPDX-License-Identifier: Apache-2.0
// The data path of the verbs transport: messages as notes, pieces and places.
#include <string.h>

#include "probes/xport/verbs_note.h"
#include "topo/base/clock.h"

#define ALIGN ((size_t)4096)
#define FLYING_BYTES ((uint64_t)1 << 20) /* posted, not known to be there */
#define TELL_BYTES ((uint64_t)256 << 10) /* placed, then the peer is told */
#define LOOK_TURNS 256                   /* without progress */
#define SIGN_NS 500000000LL /* of life, from a peer that says nothing */

static struct verbs_ep *flow_ep(const struct xport_flow *flow)
{
	return (struct verbs_ep *)flow->ep;
}

uint64_t verbs_seen(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static enum fp_status nonsense(const struct verbs_ep *ep, struct fp_err *err)
{
	return fp_err_set(err, FP_ERR_PROTO, "%s wrote nonsense",
	                  ep->port.name);
}

/* Queue pair @q's part of a message. */
size_t verbs_stripe(const struct verbs_ep *ep, size_t len, uint32_t q,
                    size_t *ret_off)
{
	size_t part = ep->n_qps == 1
	                      ? len
	                      : (len / ep->n_qps + ALIGN) / ALIGN * ALIGN;
	size_t off = part * q;

	*ret_off = off < len ? off : len;
	if (off >= len)
		return 0;
	return part < len - off ? part : len - off;
}

/* Nothing moves. Look at what cannot be seen in memory: errors of what was
 * posted, events; and now and then post something, since a path is known to be
 * broken by what does not get through alone. */
static enum fp_status gone_dry(struct xport_flow *flow, struct fp_err *err)
{
	struct verbs_ep *ep = flow_ep(flow);
	enum fp_status status;
	int64_t now_ns;

	flow->dry = true;
	if (verbs_has_left(ep))
		return fp_err_set(err, FP_ERR_PEER, "port %s hung up",
		                  ep->port.name);
	if (++ep->dry_turns % LOOK_TURNS != 0)
		return FP_OK;
	verbs_events_read(ep->verbs);
	status = verbs_reap(ep, err);
	now_ns = fp_now_ns();
	if (status != FP_OK || now_ns - ep->sign_ns < SIGN_NS)
		return status;
	if (ep->sign_ns > 0 && verbs_room(ep, 0, 1))
		status = verbs_taken_tell(ep, true, err);
	ep->sign_ns = now_ns;
	return status;
}

/* -- sending ---------------------------------------------------------------- */

static struct verbs_work tell_write(struct verbs_ep *ep, uint32_t at)
{
	struct verbs_qp *q = &ep->qps[at];
	struct verbs_placed *desk =
		&ep->desk->placed[at][q->posted % VERBS_DEPTH];

	desk->bytes = q->placed;
	desk->seal = verbs_seal(at, &desk->bytes, sizeof(desk->bytes));
	q->told = q->placed;
	return (struct verbs_work){
		.from = desk,
		.lkey = ep->desk_mr->lkey,
		.rkey = ep->peer_box.rkey,
		.to = ep->peer_box.addr + offsetof(struct verbs_box, placed) +
		      at * sizeof(*desk),
		.len = sizeof(*desk),
	};
}

/* Before anything else is said: the peer may wait for what was placed. */
static enum fp_status placed_flush(struct verbs_ep *ep, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct verbs_work write;

	if (verbs_offers(ep))
		return verbs_offers_turn(ep, true, err);
	for (uint32_t q = 0; q < ep->n_qps && status == FP_OK; q++) {
		if (ep->qps[q].told == ep->qps[q].placed)
			continue;
		if (!verbs_room(ep, q, 1))
			status = verbs_reap(ep, err);
		if (status != FP_OK || !verbs_room(ep, q, 1))
			continue;
		write = tell_write(ep, q);
		status = verbs_post(ep, q, &write, 1, false, err);
	}
	return status;
}

bool verbs_placed_room(const struct verbs_ep *ep, uint32_t q)
{
	const struct verbs_qp *qp = &ep->qps[q];
	uint64_t most = FLYING_BYTES / ep->n_qps;

	return verbs_room(ep, q, 2) && qp->placed - qp->placed_done < most;
}

/* One write of queue pair @q's part of a placed message. */
static enum fp_status placed_post(struct xport_flow *flow, uint32_t at,
                                  size_t off, size_t len, struct fp_err *err)
{
	struct verbs_ep *ep = flow_ep(flow);
	struct verbs_qp *q = &ep->qps[at];
	struct verbs_work writes[2] = {
		{ .from = ep->tx + flow->off + off,
		  .lkey = ep->tx_mr->lkey,
		  .rkey = ep->peer_rx.rkey,
		  .to = ep->peer_rx.addr + flow->at + off,
		  .len = (uint32_t)len },
	};
	uint32_t n = 1;

	q->placed += len;
	q->part += len;
	flow->done += len;
	if (q->placed - q->told >= TELL_BYTES)
		writes[n++] = tell_write(ep, at);
	return verbs_post(ep, at, writes, n, false, err);
}

static enum fp_status stripe_send(struct xport_flow *flow, uint32_t at,
                                  struct fp_err *err)
{
	struct verbs_ep *ep = flow_ep(flow);
	struct verbs_qp *q = &ep->qps[at];
	size_t off, left, part = verbs_stripe(ep, flow->len, at, &off);
	enum fp_status status = FP_OK;

	while (status == FP_OK && q->part < part && verbs_placed_room(ep, at)) {
		left = part - q->part;
		flow->dry = false;
		status = placed_post(
			flow, at, off + q->part,
			left < VERBS_WORK_BYTES ? left : VERBS_WORK_BYTES, err);
	}
	return status;
}

static enum fp_status placed_send(struct xport_flow *flow, struct fp_err *err)
{
	struct verbs_ep *ep = flow_ep(flow);
	enum fp_status status = FP_OK;
	uint32_t q;

	if (flow->at > ep->peer_rx.bytes ||
	    flow->len > ep->peer_rx.bytes - flow->at)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "%zu bytes at %zu are not in the peer's "
		                  "receive region",
		                  flow->len, flow->at);
	flow->dry = true;
	if (verbs_offers(ep))
		return verbs_offer_make(flow, err);
	for (q = 0; q < ep->n_qps && status == FP_OK; q++)
		status = stripe_send(flow, q, err);
	if (flow->done == flow->len)
		for (q = 0; q < ep->n_qps; q++)
			ep->qps[q].part = 0;
	return status;
}

/* A message of any length; what does not lie in its note is done when it has
 * left for good, since the region may change then. */
static enum fp_status pieces_send(struct xport_flow *flow, struct fp_err *err)
{
	struct verbs_ep *ep = flow_ep(flow);
	const struct verbs_qp *q = &ep->qps[0];
	enum fp_status status = FP_OK;
	size_t left;

	flow->dry = true;
	while (status == FP_OK && ep->tx_done < flow->len &&
	       verbs_room(ep, 0, 2) && verbs_note_room(ep) &&
	       verbs_piece_room(ep)) {
		left = flow->len - ep->tx_done;
		left = left < VERBS_PIECE_BYTES ? left : VERBS_PIECE_BYTES;
		flow->dry = false;
		status = verbs_piece_send(ep, flow->off + ep->tx_done,
		                          (uint32_t)left, err);
		ep->tx_done += left;
	}
	if (ep->tx_done < flow->len || (int32_t)(q->done - ep->tx_last) < 0) {
		flow->done =
			ep->tx_done < flow->len ? ep->tx_done : flow->len - 1;
		return status;
	}
	ep->tx_done = 0;
	flow->done = flow->len;
	return status;
}

static enum fp_status short_send(struct xport_flow *flow, struct fp_err *err)
{
	struct verbs_ep *ep = flow_ep(flow);
	const struct verbs_said said = {
		.kind = NOTE_SHORT,
		.bytes = ep->tx + flow->off,
		.len = (uint32_t)flow->len,
	};
	enum fp_status status;
	bool sent;

	status = verbs_note_send(ep, &said, &sent, err);
	flow->dry = !sent;
	if (sent)
		flow->done = flow->len;
	return status;
}

static bool has_region(const struct verbs_ep *ep)
{
	return ep->peer_rx.bytes > 0;
}

static enum fp_status region_take(struct verbs_ep *ep,
                                  const struct verbs_come *come,
                                  struct fp_err *err)
{
	if (come->tail.len != sizeof(ep->peer_rx))
		return nonsense(ep, err);
	memcpy(&ep->peer_rx, come->bytes, sizeof(ep->peer_rx));
	return verbs_note_done(ep, false, err);
}

static enum fp_status region_look(struct verbs_ep *ep, struct fp_err *err)
{
	struct verbs_come come;

	return verbs_note_come(ep, &come) && come.tail.kind == NOTE_REGION
	               ? region_take(ep, &come, err)
	               : FP_OK;
}

static enum fp_status any_send(struct xport_flow *flow, struct fp_err *err)
{
	struct verbs_ep *ep = flow_ep(flow);
	enum fp_status status;

	if (flow->placed && has_region(ep))
		return placed_send(flow, err);
	flow->dry = true;
	if (flow->placed)
		return region_look(ep, err);
	status = placed_flush(ep, err);
	if (status != FP_OK || !verbs_offers_gone(ep))
		return status;
	return flow->len <= VERBS_SHORT ? short_send(flow, err)
	                                : pieces_send(flow, err);
}

static enum fp_status flow_send(struct xport_flow *flow, struct fp_err *err)
{
	struct verbs_ep *ep = flow_ep(flow);
	enum fp_status status;

	if (flow->off > ep->tx_bytes || flow->len > ep->tx_bytes - flow->off)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "%zu bytes at %zu are not in the send region",
		                  flow->len, flow->off);
	status = any_send(flow, err);
	if (status == FP_OK && flow->dry)
		status = verbs_reap(ep, err);
	return status == FP_OK && flow->dry ? gone_dry(flow, err) : status;
}

/* -- receiving -------------------------------------------------------------- */

static uint64_t has_come(struct verbs_ep *ep, uint32_t q)
{
	const struct verbs_placed *placed = &ep->box->placed[q];
	uint64_t seal, bytes;

	if (verbs_offers(ep))
		return ep->qps[q].fetched_done;
	seal = verbs_seen(&placed->seal);
	bytes = verbs_seen(&placed->bytes);
	if (seal == verbs_seal(q, &bytes, sizeof(bytes)))
		ep->qps[q].here = bytes;
	return ep->qps[q].here;
}

static enum fp_status placed_recv(struct xport_flow *flow)
{
	struct verbs_ep *ep = flow_ep(flow);
	size_t off, part, done = 0;
	uint64_t came;
	uint32_t q;

	for (q = 0; q < ep->n_qps; q++) {
		part = verbs_stripe(ep, flow->len, q, &off);
		came = has_come(ep, q) - ep->qps[q].came;
		done += came < part ? (size_t)came : part;
	}
	flow->dry = done == flow->done;
	flow->done = done;
	for (q = 0; q < ep->n_qps && done == flow->len; q++)
		ep->qps[q].came += verbs_stripe(ep, flow->len, q, &off);
	if (done == flow->len && ep->verbs->opts.op == WIRE_RDMA_READ)
		ep->taken.offers++;
	return FP_OK;
}

/* Copy of the note's message as much as fits. */
static enum fp_status note_copy(struct xport_flow *flow,
                                const struct verbs_come *come,
                                struct fp_err *err)
{
	struct verbs_ep *ep = flow_ep(flow);
	const uint32_t kind = come->tail.kind, len = come->tail.len;
	const size_t at = ep->taken.pieces % VERBS_PIECES;
	const size_t most =
		kind == NOTE_PIECE ? VERBS_PIECE_BYTES : VERBS_SHORT;
	size_t left = flow->len - flow->done;
	const uint8_t *data;

	if ((kind != NOTE_PIECE && kind != NOTE_SHORT) || len > most ||
	    len <= ep->rx_done)
		return nonsense(ep, err);
	data = kind == NOTE_PIECE ? ep->box->pieces[at] : come->bytes;
	left = left < len - ep->rx_done ? left : len - ep->rx_done;
	memcpy(flow->buf + flow->done, data + ep->rx_done, left);
	flow->done += left;
	ep->rx_done += left;
	if (ep->rx_done < len)
		return FP_OK;
	ep->rx_done = 0;
	return verbs_note_done(ep, kind == NOTE_PIECE, err);
}

static enum fp_status notes_recv(struct xport_flow *flow, struct fp_err *err)
{
	struct verbs_ep *ep = flow_ep(flow);
	struct verbs_come come;

	flow->dry = !verbs_note_come(ep, &come) || come.tail.kind == NOTE_BYE;
	if (flow->dry)
		return FP_OK;
	return come.tail.kind == NOTE_REGION ? region_take(ep, &come, err)
	                                     : note_copy(flow, &come, err);
}

static enum fp_status flow_recv(struct xport_flow *flow, struct fp_err *err)
{
	struct verbs_ep *ep = flow_ep(flow);
	enum fp_status status;

	status = flow->placed && verbs_offers(ep)
	                 ? verbs_offers_turn(ep, flow->dry, err)
	                 : placed_flush(ep, err);
	if (status == FP_OK)
		status = flow->placed ? placed_recv(flow)
		                      : notes_recv(flow, err);
	return status == FP_OK && flow->dry ? gone_dry(flow, err) : status;
}

/* A device has no descriptor that says more than memory does. */
static unsigned flow_fds(const struct xport_flow *flow, short events,
                         struct pollfd *fds)
{
	(void)flow;
	(void)events;
	(void)fds;
	return 0;
}

const struct xport_flow_ops verbs_flow_ops = {
	.polled = true,
	.send = flow_send,
	.recv = flow_recv,
	.fds = flow_fds,
};
