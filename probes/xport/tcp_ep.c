// SPDX-License-Identifier: Apache-2.0
// The data path of the tcp transport: messages striped over connections.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probes/xport/meet.h"
#include "probes/xport/tcp.h"
#include "topo/base/fmt.h"

#define STRIPE_ALIGN ((size_t)4096)
#define CALL_BYTES ((size_t)1 << 20) /* of one call: the other half waits */

/* Connection @i's part of a message: bytes [*ret_off, *ret_off + length). */
static size_t stripe(size_t len, uint32_t n, uint32_t i, size_t *ret_off)
{
	size_t part = (len / n + STRIPE_ALIGN) / STRIPE_ALIGN * STRIPE_ALIGN;
	size_t off = n == 1 ? 0 : part * i;

	if (n == 1)
		part = len;
	if (off >= len) {
		*ret_off = len;
		return 0;
	}
	*ret_off = off;
	return part < len - off ? part : len - off;
}

static size_t call_bytes(size_t left)
{
	return left < CALL_BYTES ? left : CALL_BYTES;
}

static struct tcp_ep *flow_ep(const struct xport_flow *flow)
{
	return (struct tcp_ep *)flow->ep;
}

static bool errno_is_wait(int errnum)
{
	return errnum == EAGAIN || errnum == EWOULDBLOCK || errnum == EINTR;
}

static enum fp_status stream_send(struct xport_flow *flow, uint32_t i,
                                  struct fp_err *err)
{
	struct tcp_ep *ep = flow_ep(flow);
	struct tcp_stream *s = &ep->streams[i];
	size_t off, part = stripe(flow->len, ep->n_streams, i, &off);
	size_t want = call_bytes(part - s->tx_done);
	ssize_t n;

	if (want == 0)
		return FP_OK;
	n = send(s->fd, ep->tx + flow->off + off + s->tx_done, want,
	         MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return errno_is_wait(errno) ? FP_OK
		                            : meet_errno(err, errno, "send to",
		                                         ep->port.name);
	s->tx_done += (size_t)n;
	flow->done += (size_t)n;
	flow->dry = flow->dry && ((size_t)n < want || s->tx_done == part);
	return FP_OK;
}

static enum fp_status stream_recv(struct xport_flow *flow, uint32_t i,
                                  struct fp_err *err)
{
	struct tcp_ep *ep = flow_ep(flow);
	struct tcp_stream *s = &ep->streams[i];
	size_t off, part = stripe(flow->len, ep->n_streams, i, &off);
	size_t want = call_bytes(part - s->rx_done);
	ssize_t n;

	if (want == 0)
		return FP_OK;
	n = recv(s->fd, flow->buf + off + s->rx_done, want, MSG_DONTWAIT);
	if (n == 0)
		return fp_err_set(err, FP_ERR_PEER, "%s closed the connection",
		                  ep->port.name);
	if (n < 0)
		return errno_is_wait(errno)
		               ? FP_OK
		               : meet_errno(err, errno, "receive from",
		                            ep->port.name);
	s->rx_done += (size_t)n;
	flow->done += (size_t)n;
	flow->dry = flow->dry && ((size_t)n < want || s->rx_done == part);
	return FP_OK;
}

static enum fp_status flow_send(struct xport_flow *flow, struct fp_err *err)
{
	struct tcp_ep *ep = flow_ep(flow);
	enum fp_status status = FP_OK;
	uint32_t i;

	if (flow->off > ep->tx_bytes || flow->len > ep->tx_bytes - flow->off)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "%zu bytes at %zu are not in the send region",
		                  flow->len, flow->off);
	flow->dry = true;
	for (i = 0; i < ep->n_streams && status == FP_OK; i++)
		status = stream_send(flow, i, err);
	for (i = 0; i < ep->n_streams && flow->done == flow->len; i++)
		ep->streams[i].tx_done = 0;
	return status;
}

static enum fp_status flow_recv(struct xport_flow *flow, struct fp_err *err)
{
	struct tcp_ep *ep = flow_ep(flow);
	enum fp_status status = FP_OK;
	uint32_t i;

	flow->dry = true;
	for (i = 0; i < ep->n_streams && status == FP_OK; i++)
		status = stream_recv(flow, i, err);
	for (i = 0; i < ep->n_streams && flow->done == flow->len; i++)
		ep->streams[i].rx_done = 0;
	return status;
}

static unsigned flow_fds(const struct xport_flow *flow, short events,
                         struct pollfd *fds)
{
	const struct tcp_ep *ep = flow_ep(flow);
	const struct tcp_stream *s;
	size_t off, part;
	unsigned n = 0;
	uint32_t i;

	for (i = 0; i < ep->n_streams; i++) {
		s = &ep->streams[i];
		part = stripe(flow->len, ep->n_streams, i, &off);
		if ((events & POLLOUT ? s->tx_done : s->rx_done) < part)
			fds[n++] = (struct pollfd){ .fd = s->fd,
				                    .events = events };
	}
	return n;
}

const struct xport_flow_ops tcp_flow_ops = {
	.polled = false,
	.send = flow_send,
	.recv = flow_recv,
	.fds = flow_fds,
};

static enum fp_status region_open(size_t bytes, uint8_t **ret,
                                  struct fp_err *err)
{
	void *p;

	if (bytes == 0)
		return FP_OK;
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
	         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory for %zu bytes to send", bytes);
	/* both are wishes: pages come at the first touch otherwise */
	(void)madvise(p, bytes, MADV_HUGEPAGE);
	(void)madvise(p, bytes, MADV_POPULATE_WRITE);
	*ret = p;
	return FP_OK;
}

static void lines_close(const struct tcp_lines *lines)
{
	uint32_t i;

	for (i = 0; i < lines->n; i++)
		close(lines->fds[i]);
}

enum fp_status tcp_ep_open(struct tcp *tcp, const struct xport_peer *peer,
                           const struct tcp_lines *lines,
                           struct tcp_ep **ret_ep, struct fp_err *err)
{
	struct tcp_ep *ep;
	enum fp_status status;
	uint32_t i;

	ep = calloc(1, sizeof(*ep) + lines->n * sizeof(ep->streams[0]));
	if (!ep) {
		lines_close(lines);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	}
	ep->port.ep.ops = tcp->x.ops;
	ep->port.board = tcp->env->board;
	ep->port.trial = peer->trial->id;
	fp_copy(ep->port.name, sizeof(ep->port.name), lines->name);
	ep->tcp = tcp;
	ep->tx_bytes = peer->tx_bytes;
	ep->n_streams = lines->n;
	for (i = 0; i < lines->n; i++)
		ep->streams[i] = (struct tcp_stream){
			.fd = lines->fds[i],
			.base = tcp_base_read(lines->fds[i]),
		};
	status = region_open(ep->tx_bytes, &ep->tx, err);
	if (status != FP_OK) {
		tcp_ep_close(&ep->port.ep);
		return status;
	}
	*ret_ep = ep;
	return FP_OK;
}

/* A step that failed left bytes behind that must not linger in the system; the
 * reset also tells the peer at once. */
static void stream_close(const struct tcp_stream *s, bool broken)
{
	const struct linger now = { .l_onoff = 1, .l_linger = 0 };

	if (broken)
		(void)setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &now,
		                 sizeof(now));
	close(s->fd);
}

void tcp_ep_close(struct xport_ep *xep)
{
	struct tcp_ep *ep = (struct tcp_ep *)xep;
	uint32_t i;

	if (!ep)
		return;
	for (i = 0; i < ep->n_streams; i++)
		stream_close(&ep->streams[i], ep->port.broken);
	if (ep->tx)
		munmap(ep->tx, ep->tx_bytes);
	free(ep);
}

void *tcp_tx_region(struct xport_ep *ep)
{
	return ((struct tcp_ep *)ep)->tx;
}
