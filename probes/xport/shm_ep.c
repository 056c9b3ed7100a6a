// SPDX-License-Identifier: Apache-2.0
// The data path of the shared-memory transport.
#include "probes/xport/shm_ep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "topo/base/fmt.h"

#define PIECE_BYTES ((size_t)1 << 20) /* then look at the clock again */

static struct shm_ep *flow_ep(const struct xport_flow *flow)
{
	return (struct shm_ep *)flow->ep;
}

static uint64_t load(const _Atomic uint64_t *p)
{
	return atomic_load_explicit(p, memory_order_acquire);
}

static void store(_Atomic uint64_t *p, uint64_t value)
{
	atomic_store_explicit(p, value, memory_order_release);
}

static enum fp_status peer_nonsense(const struct shm_ep *ep, struct fp_err *err)
{
	return fp_err_set(err, FP_ERR_PROTO, "%s wrote nonsense",
	                  ep->port.name);
}

/* Nothing to be had yet; and never, if the peer has gone. */
static enum fp_status flow_dry(struct xport_flow *flow, struct fp_err *err)
{
	const struct shm_ep *ep = flow_ep(flow);

	flow->dry = true;
	if (ep->gone)
		return fp_err_set(err, FP_ERR_PEER, "%s is gone",
		                  ep->port.name);
	return FP_OK;
}

/* The receiver's line is looked at only when the slots seem to be used up: to
 * fetch it costs as much as a message. */
static bool sender_full(struct shm_sender *tx)
{
	if (tx->messages - tx->taken < SHM_SLOTS)
		return false;
	tx->taken = load(&tx->way->taken.messages);
	return tx->messages - tx->taken >= SHM_SLOTS;
}

static void sender_post(struct shm_sender *tx, const struct xport_flow *flow,
                        const uint8_t *data)
{
	struct shm_slot *slot = &tx->way->slots[tx->messages % SHM_SLOTS];

	slot->len = flow->len;
	if (flow->len <= SHM_INLINE) {
		memcpy(slot->bytes, data, flow->len);
	} else {
		slot->off = flow->off;
		tx->bytes += flow->len;
		tx->posted = true;
	}
	store(&slot->stamp, ++tx->messages);
}

static enum fp_status flow_send(struct xport_flow *flow, struct fp_err *err)
{
	struct shm_ep *ep = flow_ep(flow);
	struct shm_sender *tx = &ep->tx;
	uint64_t left;

	if (flow->off > ep->region.bytes ||
	    flow->len > ep->region.bytes - flow->off)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "%zu bytes at %zu are not in the send region",
		                  flow->len, flow->off);
	if (!tx->posted) {
		if (sender_full(tx))
			return flow_dry(flow, err);
		sender_post(tx, flow,
		            (const uint8_t *)ep->region.data + flow->off);
		if (!tx->posted) {
			flow->done = flow->len;
			return FP_OK;
		}
	}
	left = tx->bytes - load(&tx->way->taken.bytes);
	if (left > flow->len)
		return peer_nonsense(ep, err);
	flow->done = flow->len - left;
	tx->posted = left > 0;
	return left > 0 ? flow_dry(flow, err) : FP_OK;
}

static enum fp_status welcome_read(struct shm_ep *ep, struct fp_err *err)
{
	struct door_words words;
	ssize_t n;

	if (!ep->welcome_due)
		return FP_OK;
	ep->welcome_due = false;
	n = recv(ep->sock, &words, sizeof(words), MSG_DONTWAIT);
	if (n == (ssize_t)sizeof(words) &&
	    door_words_equal(&words, &ep->welcome))
		return FP_OK;
	return fp_err_set(err, FP_ERR_PROTO, "%s is not the peer",
	                  ep->port.name);
}

/* The peer lets in, then passes its region, before it describes any of it. */
static enum fp_status theirs_map(struct shm_ep *ep, struct fp_err *err)
{
	enum fp_status status;
	int fd = -1;

	if (ep->theirs.data)
		return FP_OK;
	status = welcome_read(ep, err);
	if (status != FP_OK)
		return status;
	status = shm_fd_recv(ep->sock, &fd, err);
	if (status != FP_OK)
		return status;
	status = shm_segment_map(fd, false, &ep->theirs, err);
	close(fd);
	return status;
}

static void receiver_advance(struct shm_receiver *rx, size_t n, uint64_t len)
{
	rx->pos += n;
	if (len > SHM_INLINE) {
		rx->bytes += n;
		store(&rx->way->taken.bytes, rx->bytes);
	}
	if (rx->pos < len)
		return;
	rx->pos = 0;
	rx->messages++;
	store(&rx->way->taken.messages, rx->messages);
}

/* Copy from the message in @slot as much as fits, a piece at most. The slot
 * is the peer's: what it says is read once, then checked. */
static enum fp_status slot_copy(struct shm_ep *ep, struct xport_flow *flow,
                                const struct shm_slot *slot, struct fp_err *err)
{
	struct shm_receiver *rx = &ep->rx;
	const uint64_t len = *(const volatile uint64_t *)&slot->len;
	size_t n = flow->len - flow->done;
	const uint8_t *data = slot->bytes;
	enum fp_status status;
	uint64_t off;

	if (len <= rx->pos)
		return peer_nonsense(ep, err);
	if (len > SHM_INLINE) {
		status = theirs_map(ep, err);
		if (status != FP_OK)
			return status;
		off = *(const volatile uint64_t *)&slot->off;
		if (off > ep->theirs.bytes || len > ep->theirs.bytes - off)
			return peer_nonsense(ep, err);
		data = (const uint8_t *)ep->theirs.data + off;
	}
	n = n < len - rx->pos ? n : len - rx->pos;
	n = n < PIECE_BYTES ? n : PIECE_BYTES;
	memcpy(flow->buf + flow->done, data + rx->pos, n);
	receiver_advance(rx, n, len);
	flow->done += n;
	return FP_OK;
}

static enum fp_status flow_recv(struct xport_flow *flow, struct fp_err *err)
{
	struct shm_ep *ep = flow_ep(flow);
	const struct shm_receiver *rx = &ep->rx;
	const struct shm_slot *slot = &rx->way->slots[rx->messages % SHM_SLOTS];

	if (load(&slot->stamp) != rx->messages + 1)
		return flow_dry(flow, err);
	flow->dry = false;
	return slot_copy(ep, flow, slot, err);
}

/* Nothing is sent over the socket any more: it only ever hangs up. */
static unsigned flow_fds(const struct xport_flow *flow, short events,
                         struct pollfd *fds)
{
	(void)events;
	fds[0] = (struct pollfd){ .fd = flow_ep(flow)->sock,
		                  .events = POLLRDHUP };
	return 1;
}

static void flow_hangup(struct xport_ep *ep)
{
	((struct shm_ep *)ep)->gone = true;
}

const struct xport_flow_ops shm_flow_ops = {
	.polled = true,
	.send = flow_send,
	.recv = flow_recv,
	.fds = flow_fds,
	.hangup = flow_hangup,
};

void shm_peer_name(const struct xport_peer *peer, char *buf, size_t size)
{
	(void)snprintf(buf, size, "member %u (shared memory)", peer->peer);
}

static enum fp_status region_open(struct shm_ep *ep, size_t bytes,
                                  struct fp_err *err)
{
	enum fp_status status;
	int fd = -1;

	if (bytes == 0)
		return FP_OK;
	status = shm_segment_make(bytes, &ep->region, &fd, err);
	if (status != FP_OK)
		return status;
	status = shm_fd_send(ep->sock, fd, err);
	close(fd);
	return status;
}

enum fp_status shm_ep_open(struct shm *shm, const struct xport_peer *peer,
                           const struct shm_meeting *met,
                           struct shm_ep **ret_ep, struct fp_err *err)
{
	struct shm_control *control = met->control.data;
	struct shm_segment orphan = met->control;
	struct shm_ep *ep = calloc(1, sizeof(*ep));
	enum fp_status status;

	if (!ep) {
		shm_segment_done(&orphan);
		close(met->sock);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	}
	ep->port.ep.ops = shm->x.ops;
	ep->port.board = shm->env->board;
	ep->port.trial = peer->trial->id;
	shm_peer_name(peer, ep->port.name, sizeof(ep->port.name));
	ep->shm = shm;
	ep->sock = met->sock;
	ep->welcome_due = met->active;
	ep->welcome = met->welcome;
	ep->control = met->control;
	ep->tx.way = &control->ways[met->active ? 0 : 1];
	ep->rx.way = &control->ways[met->active ? 1 : 0];
	status = region_open(ep, peer->tx_bytes, err);
	if (status != FP_OK) {
		fp_err_prefix(err, "%s", ep->port.name);
		shm_ep_close(&ep->port.ep);
		return status;
	}
	*ret_ep = ep;
	return FP_OK;
}

void shm_ep_close(struct xport_ep *xep)
{
	struct shm_ep *ep = (struct shm_ep *)xep;

	if (!ep)
		return;
	close(ep->sock);
	shm_segment_done(&ep->control);
	shm_segment_done(&ep->region);
	shm_segment_done(&ep->theirs);
	free(ep);
}

void *shm_tx_region(struct xport_ep *ep)
{
	return ((struct shm_ep *)ep)->region.data;
}

void shm_counters(struct xport_ep *ep, struct outcome *o)
{
	door_strangers(&((struct shm_ep *)ep)->shm->door, o);
}
