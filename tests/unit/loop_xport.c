// SPDX-License-Identifier: Apache-2.0
// The in-process transport of loop_xport.h.
#include "tests/unit/loop_xport.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/clock.h"

#define LOOK_NS 20000000LL /* how often a waiting step looks at the board */

struct loop_ep {
	struct xport_ep ep;
	struct loop_net *net;
	struct loop_ep *peer, *chain;
	uint8_t *region;
	uint8_t *queue; /* for this ep to receive from */
	size_t head, used;
	bool closed;
};

struct loop_net {
	pthread_mutex_t lock;
	pthread_cond_t bell;
	const struct board *board;
	uint32_t trial;
	size_t room;
	struct loop_ep *eps;
};

/* A step under way. */
struct move {
	struct loop_ep *to, *from;
	size_t sent, got;
};

static bool step_done(const struct xport_step *s, const struct move *m)
{
	return (!m->to || m->sent == s->tx_len) &&
	       (!m->from || m->got == s->rx_len);
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t push(const struct xport_step *s, struct move *m)
{
	struct loop_ep *peer = m->to ? m->to->peer : NULL;
	size_t room, at, n;

	if (!peer || peer->closed)
		return 0;
	room = m->to->net->room;
	at = (peer->head + peer->used) % room;
	n = min_size(s->tx_len - m->sent,
	             min_size(room - peer->used, room - at));
	memcpy(peer->queue + at, m->to->region + s->tx_off + m->sent, n);
	peer->used += n;
	m->sent += n;
	return n;
}

static size_t pull(const struct xport_step *s, struct move *m)
{
	size_t room, n;

	if (!m->from)
		return 0;
	room = m->from->net->room;
	n = min_size(s->rx_len - m->got,
	             min_size(m->from->used, room - m->from->head));
	memcpy((uint8_t *)s->rbuf + m->got, m->from->queue + m->from->head, n);
	m->from->head = (m->from->head + n) % room;
	m->from->used -= n;
	m->got += n;
	return n;
}

/* Why a step that cannot move should stop waiting. */
static enum fp_status step_look(const struct loop_net *net,
                                const struct xport_step *s,
                                const struct move *m, struct fp_err *err)
{
	bool to_gone = m->to && m->sent < s->tx_len && m->to->peer->closed;
	bool from_gone = m->from && m->got < s->rx_len && m->from->peer->closed;

	if (net->board && atomic_load(&net->board->abort) == net->trial)
		return fp_err_set(err, FP_ERR_INTR, "loop: told to stop");
	if (to_gone || from_gone)
		return fp_err_set(err, FP_ERR_PEER, "loop: the peer closed");
	if (fp_now_ns() >= s->deadline_ns)
		return fp_err_set(err, FP_ERR_TIMEOUT, "loop: deadline passed");
	return FP_OK;
}

static void bell_wait(struct loop_net *net)
{
	int64_t until_ns = fp_now_ns() + LOOK_NS;
	struct timespec ts = {
		.tv_sec = until_ns / FP_NS_PER_S,
		.tv_nsec = until_ns % FP_NS_PER_S,
	};

	(void)pthread_cond_timedwait(&net->bell, &net->lock, &ts);
}

static enum fp_status loop_step(const struct xport_step *s, struct fp_err *err)
{
	struct move m = {
		.to = (struct loop_ep *)s->to,
		.from = (struct loop_ep *)s->from,
	};
	struct loop_net *net = m.to ? m.to->net : m.from->net;
	enum fp_status status = FP_OK;

	pthread_mutex_lock(&net->lock);
	for (;;) {
		size_t n = push(s, &m);

		n += pull(s, &m);
		if (n > 0)
			pthread_cond_broadcast(&net->bell);
		if (step_done(s, &m))
			break;
		if (n > 0)
			continue;
		status = step_look(net, s, &m, err);
		if (status != FP_OK)
			break;
		bell_wait(net);
	}
	pthread_mutex_unlock(&net->lock);
	return status;
}

static void *loop_tx_region(struct xport_ep *ep)
{
	return ((struct loop_ep *)ep)->region;
}

static void loop_ep_close(struct xport_ep *ep)
{
	struct loop_ep *l = (struct loop_ep *)ep;

	if (!l)
		return;
	pthread_mutex_lock(&l->net->lock);
	l->closed = true;
	pthread_cond_broadcast(&l->net->bell);
	pthread_mutex_unlock(&l->net->lock);
}

const struct xport_ops loop_xport_ops = {
	.name = "loop",
	.id = XPORT_SHM,
	.caps = XPORT_CAP_P2P | XPORT_CAP_HOST_MEM,
	.tx_region = loop_tx_region,
	.step = loop_step,
	.ep_close = loop_ep_close,
};

struct loop_net *loop_net_open(const struct board *board, uint32_t trial,
                               size_t queue_bytes)
{
	struct loop_net *net = calloc(1, sizeof(*net));
	pthread_condattr_t attr;

	if (!net)
		return NULL;
	net->board = board;
	net->trial = trial;
	net->room = queue_bytes;
	pthread_mutex_init(&net->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&net->bell, &attr);
	pthread_condattr_destroy(&attr);
	return net;
}

static struct loop_ep *ep_make(struct loop_net *net, size_t tx_bytes)
{
	struct loop_ep *l = calloc(1, sizeof(*l));

	if (!l)
		abort();
	l->ep.ops = &loop_xport_ops;
	l->net = net;
	/* As exact as a sanitizer needs it to see who writes past the end. */
	l->region = malloc(tx_bytes ? tx_bytes : 1);
	l->queue = malloc(net->room);
	if (!l->region || !l->queue)
		abort();
	l->chain = net->eps;
	net->eps = l;
	return l;
}

void loop_net_pair(struct loop_net *net, size_t a_bytes, size_t b_bytes,
                   struct xport_ep **ret_a, struct xport_ep **ret_b)
{
	struct loop_ep *a = ep_make(net, a_bytes), *b = ep_make(net, b_bytes);

	a->peer = b;
	b->peer = a;
	*ret_a = &a->ep;
	*ret_b = &b->ep;
}

void loop_net_close(struct loop_net *net)
{
	struct loop_ep *l, *chain;

	if (!net)
		return;
	for (l = net->eps; l; l = chain) {
		chain = l->chain;
		free(l->region);
		free(l->queue);
		free(l);
	}
	pthread_cond_destroy(&net->bell);
	pthread_mutex_destroy(&net->lock);
	free(net);
}
