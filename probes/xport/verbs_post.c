// SPDX-License-Identifier: Apache-2.0
// The verbs transport's work requests: posted, reaped; notes on top of them.
#include <string.h>

#include "probes/xport/verbs.h"
#include "topo/base/clock.h"

#define REAP 16
#define LEAVE_NS (1 * FP_NS_PER_S)
#define LEAVE_NAP_NS 20000L
#define SIGNAL_BYTES ((uint64_t)256 << 10)
#define TELL_NOTES (VERBS_NOTES / 4)
#define TELL_PIECES (VERBS_PIECES / 4)

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
	if (signal) {
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

static uint64_t note_at(uint64_t number)
{
	return offsetof(struct verbs_box, notes) +
	       number % VERBS_NOTES * sizeof(struct verbs_note);
}

static struct verbs_work note_write(struct verbs_ep *ep, uint32_t kind,
                                    const void *bytes, uint32_t len)
{
	struct verbs_note *n = &ep->desk->notes[ep->notes_sent % VERBS_NOTES];
	uint32_t inside = kind == NOTE_PIECE ? 0 : len;
	uint32_t off = (uint32_t)VERBS_SHORT - inside;
	uint64_t to = ep->peer_box.addr + note_at(ep->notes_sent) + off;

	n->tail = (struct verbs_tail){
		.len = len,
		.kind = kind,
		.number = ++ep->notes_sent,
	};
	if (inside)
		memcpy(n->bytes + off, bytes, inside);
	return (struct verbs_work){
		.from = n->bytes + off,
		.lkey = ep->desk_mr->lkey,
		.rkey = ep->peer_box.rkey,
		.to = to,
		.len = inside + (uint32_t)sizeof(n->tail),
	};
}

bool verbs_note_room(const struct verbs_ep *ep)
{
	return ep->notes_sent - verbs_seen(&ep->box->taken.notes) < VERBS_NOTES;
}

bool verbs_piece_room(const struct verbs_ep *ep)
{
	return ep->pieces_sent - verbs_seen(&ep->box->taken.pieces) <
	       VERBS_PIECES;
}

enum fp_status verbs_note_send(struct verbs_ep *ep,
                               const struct verbs_said *said, bool *ret_sent,
                               struct fp_err *err)
{
	struct verbs_work write;

	*ret_sent = verbs_note_room(ep) && verbs_room(ep, 0, 1);
	if (!*ret_sent)
		return FP_OK;
	write = note_write(ep, said->kind, said->bytes, said->len);
	return verbs_post(ep, 0, &write, 1, said->signal, err);
}

/* The piece is there before its note is: one queue pair, in order. */
enum fp_status verbs_piece_send(struct verbs_ep *ep, size_t off, uint32_t len,
                                struct fp_err *err)
{
	uint64_t at = ep->pieces_sent++ % VERBS_PIECES;
	const struct verbs_work writes[2] = {
		{ .from = ep->tx + off,
		  .lkey = ep->tx_mr->lkey,
		  .rkey = ep->peer_box.rkey,
		  .to = ep->peer_box.addr + offsetof(struct verbs_box, pieces) +
		        at * VERBS_PIECE_BYTES,
		  .len = len },
		note_write(ep, NOTE_PIECE, NULL, len),
	};

	enum fp_status status = verbs_post(ep, 0, writes, 2, true, err);

	ep->tx_last = ep->qps[0].posted;
	return status;
}

const struct verbs_note *verbs_note_come(const struct verbs_ep *ep)
{
	const struct verbs_note *n =
		&ep->box->notes[ep->taken.notes % VERBS_NOTES];

	return verbs_seen(&n->tail.number) == ep->taken.notes + 1 ? n : NULL;
}

static bool is_taken_told(const struct verbs_ep *ep)
{
	return ep->taken.notes - ep->taken_told.notes < TELL_NOTES &&
	       ep->taken.pieces - ep->taken_told.pieces < TELL_PIECES;
}

enum fp_status verbs_taken_tell(struct verbs_ep *ep, bool signal,
                                struct fp_err *err)
{
	struct verbs_taken *desk =
		&ep->desk->taken[ep->taken_at++ % VERBS_DEPTH];
	const struct verbs_work write = {
		.from = desk,
		.lkey = ep->desk_mr->lkey,
		.rkey = ep->peer_box.rkey,
		.to = ep->peer_box.addr + offsetof(struct verbs_box, taken),
		.len = sizeof(*desk),
	};

	*desk = ep->taken;
	ep->taken_told = ep->taken;
	return verbs_post(ep, 0, &write, 1, signal, err);
}

enum fp_status verbs_note_done(struct verbs_ep *ep, bool piece,
                               struct fp_err *err)
{
	enum fp_status status = FP_OK;

	ep->taken.notes++;
	ep->taken.pieces += piece;
	if (is_taken_told(ep))
		return FP_OK;
	if (!verbs_room(ep, 0, 1))
		status = verbs_reap(ep, err);
	if (status == FP_OK && verbs_room(ep, 0, 1))
		status = verbs_taken_tell(ep, false, err);
	return status;
}

/* What was said last has got through when the device says so, or when the
 * peer has said goodbye, too; a queue pair that goes takes with it what has
 * not left yet. */
static bool has_left(const struct verbs_ep *ep, uint32_t bye)
{
	const struct verbs_note *n = verbs_note_come(ep);

	return (int32_t)(ep->qps[0].done - bye) >= 0 ||
	       (n && n->tail.kind == NOTE_BYE);
}

static void say_goodbye(struct verbs_ep *ep)
{
	static const struct verbs_said bye_note = { .kind = NOTE_BYE,
		                                    .signal = true };
	const struct timespec nap = { .tv_nsec = LEAVE_NAP_NS };
	const int64_t until_ns = fp_now_ns() + LEAVE_NS;
	enum fp_status status;
	bool sent = false;
	uint32_t bye;

	status = verbs_note_send(ep, &bye_note, &sent, NULL);
	bye = ep->qps[0].posted;
	while (status == FP_OK && sent && !has_left(ep, bye) &&
	       fp_now_ns() < until_ns) {
		(void)nanosleep(&nap, NULL);
		status = verbs_reap(ep, NULL);
	}
}

void verbs_ep_leave(struct xport_ep *xep)
{
	struct verbs_ep *ep = (struct verbs_ep *)xep;

	if (ep && !ep->port.broken)
		say_goodbye(ep);
	verbs_ep_close(xep);
}
