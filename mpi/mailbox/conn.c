// SPDX-License-Identifier: Apache-2.0
// A framed connection in a libevent loop.
#include "mpi/mailbox/conn.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "topo/base/clock.h"

#define CONN_CHUNK \
	65536 /* read at once, so that no peer starves the others \
	       */
#define CONN_IOV 8

static void conn_release(struct mailbox_conn *c)
{
	wire_reader_done(&c->in);
	if (c->out)
		evbuffer_free(c->out);
	free(c);
}

void mailbox_conn_free(struct mailbox_conn *c)
{
	if (!c || c->freed)
		return;
	if (c->readable)
		event_free(c->readable);
	if (c->writable)
		event_free(c->writable);
	close(c->fd);
	c->freed = true;
	/* A frame that is being handed out right now points into c->in. */
	if (!c->busy)
		conn_release(c);
}

void mailbox_conn_break(struct mailbox_conn *c, const char *fmt, ...)
{
	va_list ap;

	if (c->broken || c->freed)
		return;
	c->broken = true;
	va_start(ap, fmt);
	(void)vsnprintf(c->why, sizeof(c->why), fmt, ap);
	va_end(ap);
	event_del(c->readable);
	event_del(c->writable);
	event_active(c->readable, EV_TIMEOUT, 0);
}

static void conn_hand_out(struct mailbox_conn *c)
{
	struct fp_err err = { 0 };
	struct wire_frame frame;
	bool got = true;

	c->busy = true;
	while (!c->held && !c->broken && !c->freed) {
		if (wire_reader_next(&c->in, &frame, &got, &err) != FP_OK)
			mailbox_conn_break(c, "%s", err.text);
		else if (!got)
			break;
		else
			c->ops->frame(c->owner, &frame);
	}
	c->busy = false;
	if (c->freed) {
		conn_release(c);
		return;
	}
	/* An idle connection of thousands keeps no buffer. */
	if (!got && c->in.used == c->in.len)
		wire_reader_done(&c->in);
	if (!c->held && !c->quota)
		mailbox_conn_break(c, "sent something else than a hello");
}

static void conn_fill(struct mailbox_conn *c)
{
	size_t want = c->quota < CONN_CHUNK ? c->quota : CONN_CHUNK;
	uint8_t *room = wire_reader_room(&c->in, want);
	ssize_t n;

	if (!room) {
		mailbox_conn_break(c, "no memory for what it sent");
		return;
	}
	n = recv(c->fd, room, want, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		mailbox_conn_break(c, "%s", strerrordesc_np(errno));
		return;
	}
	if (n == 0) {
		mailbox_conn_break(c, "closed the connection");
		return;
	}
	wire_reader_add(&c->in, (size_t)n);
	c->heard_ns = fp_now_ns();
	if (c->quota != SIZE_MAX)
		c->quota -= (size_t)n;
	conn_hand_out(c);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct mailbox_conn *c = arg;

	(void)fd;
	if (c->broken)
		c->ops->broken(c->owner, c->why);
	else if (what & EV_TIMEOUT)
		conn_hand_out(c); /* resumed: what came before the hold */
	else
		conn_fill(c);
}

/* Nothing can be sent any more, but what the other side said before it went
 * is still to be read; reading finds the end. */
static void conn_mute(struct mailbox_conn *c, const char *why)
{
	c->mute = true;
	(void)snprintf(c->why, sizeof(c->why), "%s", why);
	evbuffer_drain(c->out, evbuffer_get_length(c->out));
	event_del(c->writable);
}

/* Return: bytes taken by the socket; 0 also when it broke. */
static size_t conn_write(struct mailbox_conn *c, struct iovec *iov, size_t n)
{
	const struct msghdr msg = { .msg_iov = iov, .msg_iovlen = n };
	ssize_t sent;

	do {
		sent = sendmsg(c->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	if (sent >= 0)
		return (size_t)sent;
	if (errno != EAGAIN)
		conn_mute(c, strerrordesc_np(errno));
	return 0;
}

static void conn_drain(struct mailbox_conn *c)
{
	struct evbuffer_iovec iov[CONN_IOV];
	size_t sent = 1;
	int n;

	while (sent && !c->mute && evbuffer_get_length(c->out)) {
		n = evbuffer_peek(c->out, -1, NULL, iov, CONN_IOV);
		sent = conn_write(c, iov,
		                  (size_t)(n < CONN_IOV ? n : CONN_IOV));
		if (!c->mute)
			evbuffer_drain(c->out, sent);
	}
	if (!evbuffer_get_length(c->out))
		event_del(c->writable);
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	conn_drain(arg);
}

enum fp_status mailbox_conn_open(struct event_base *base, int fd,
                                 const struct mailbox_conn_ops *ops,
                                 void *owner, struct mailbox_conn **ret,
                                 struct fp_err *err)
{
	struct mailbox_conn *c = calloc(1, sizeof(*c));

	if (!c) {
		close(fd);
		return fp_err_set(err, FP_ERR_NOMEM, "connection");
	}
	*c = (struct mailbox_conn){ .ops = ops, .owner = owner, .fd = fd };
	c->quota = SIZE_MAX;
	c->heard_ns = c->sent_ns = fp_now_ns();
	c->readable = event_new(base, fd, EV_READ | EV_PERSIST, on_readable, c);
	c->writable =
		event_new(base, fd, EV_WRITE | EV_PERSIST, on_writable, c);
	c->out = evbuffer_new();
	if (!c->readable || !c->writable || !c->out ||
	    event_add(c->readable, NULL)) {
		mailbox_conn_free(c);
		return fp_err_set(err, FP_ERR_NOMEM, "connection");
	}
	*ret = c;
	return FP_OK;
}

void mailbox_conn_hold(struct mailbox_conn *c)
{
	c->held = true;
	if (!c->broken)
		event_del(c->readable);
}

void mailbox_conn_resume(struct mailbox_conn *c)
{
	c->held = false;
	if (c->broken)
		return;
	event_add(c->readable, NULL);
	event_active(c->readable, EV_TIMEOUT, 0);
}

/* Queue what of @iov comes after its first @skip bytes. */
static enum fp_status conn_queue(struct mailbox_conn *c,
                                 const struct iovec *iov, size_t n, size_t skip)
{
	size_t part;

	for (size_t i = 0; i < n; i++) {
		part = skip < iov[i].iov_len ? skip : iov[i].iov_len;
		skip -= part;
		if (part == iov[i].iov_len)
			continue;
		if (evbuffer_add(c->out, (char *)iov[i].iov_base + part,
		                 iov[i].iov_len - part)) {
			mailbox_conn_break(c, "no memory to queue a frame");
			return FP_ERR_NOMEM;
		}
	}
	if (evbuffer_get_length(c->out))
		event_add(c->writable, NULL);
	return FP_OK;
}

static enum fp_status conn_may_send(struct mailbox_conn *c, size_t len,
                                    struct fp_err *err)
{
	if (c->broken || c->mute)
		return fp_err_set(err, FP_ERR_PEER, "%s", c->why);
	if (len > WIRE_PAYLOAD_MAX)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "a frame of %zu bytes is too long", len);
	if (evbuffer_get_length(c->out) + len <= MAILBOX_CONN_QUEUE_MAX)
		return FP_OK;
	mailbox_conn_break(c, "takes nothing: %zu bytes wait for it",
	                   evbuffer_get_length(c->out));
	return fp_err_set(err, FP_ERR_LIMIT, "%s", c->why);
}

enum fp_status mailbox_conn_send(struct mailbox_conn *c, enum wire_type type,
                                 uint32_t rank, const struct iovec *parts,
                                 size_t n, struct fp_err *err)
{
	struct iovec iov[1 + MAILBOX_CONN_PARTS_MAX];
	struct wire_head head;
	size_t len = 0, sent = 0;
	enum fp_status status;

	for (size_t i = 0; i < n; i++) {
		iov[1 + i] = parts[i];
		if (__builtin_add_overflow(len, parts[i].iov_len, &len))
			len = SIZE_MAX;
	}
	status = conn_may_send(c, len, err);
	if (status != FP_OK)
		return status;
	head = wire_head_make(type, rank, len);
	iov[0] = (struct iovec){ &head, sizeof(head) };
	if (!evbuffer_get_length(c->out))
		sent = conn_write(c, iov, 1 + n);
	status = c->mute ? FP_ERR_PEER : conn_queue(c, iov, 1 + n, sent);
	if (status != FP_OK)
		return fp_err_set(err, status, "%s", c->why);
	c->sent_ns = fp_now_ns();
	return FP_OK;
}

size_t mailbox_conn_waiting(const struct mailbox_conn *c)
{
	return c->broken ? 0 : evbuffer_get_length(c->out);
}

static size_t flush_once(struct mailbox_conn *const *conns, size_t n,
                         struct pollfd *fds)
{
	size_t n_fds = 0;

	for (size_t i = 0; i < n; i++) {
		if (!conns[i] || !mailbox_conn_waiting(conns[i]))
			continue;
		conn_drain(conns[i]);
		if (fds && mailbox_conn_waiting(conns[i]))
			fds[n_fds++] = (struct pollfd){ .fd = conns[i]->fd,
				                        .events = POLLOUT };
	}
	return n_fds;
}

void mailbox_conn_flush(struct mailbox_conn *const *conns, size_t n,
                        int64_t deadline_ns)
{
	struct pollfd *fds = calloc(n, sizeof(*fds));
	size_t n_fds;
	int left_ms;

	while ((n_fds = flush_once(conns, n, fds)) > 0) {
		left_ms = fp_left_ms(deadline_ns);
		if (!left_ms)
			break;
		(void)poll(fds, n_fds, left_ms);
	}
	free(fds);
}
