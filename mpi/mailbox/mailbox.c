// SPDX-License-Identifier: Apache-2.0
// Rank 0's side of the star.
#include "mpi/mailbox/mailbox.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/mailbox/conn.h"
#include "mpi/mailbox/impl.h"
#include "mpi/mailbox/sock.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"

#define BOX_SPARE_FDS 256 /* for all that is not a connection */

static void peer_leave(struct mailbox_peer *p)
{
	struct mailbox *m = p->box;

	if (p->rank < 0) {
		TAILQ_REMOVE(&m->pending, p, pending);
		m->n_pending--;
	} else {
		m->peers[p->rank] = NULL;
	}
}

static void peer_free(struct mailbox_peer *p)
{
	mailbox_conn_free(p->conn);
	free(p);
}

/* The last thing that happens to a connection. Whoever is told may close the
 * whole mailbox, so nothing is touched after that. */
static void on_broken(void *owner, const char *why)
{
	struct mailbox_peer *p = owner;
	struct mailbox *m = p->box;
	struct mailbox_cb cb = m->cb;
	int32_t rank = p->rank;
	bool spare = p->spare;
	struct fp_err text = { 0 };

	if (rank < 0)
		(void)fp_err_set(&text, FP_ERR_PEER, "%s: %s", p->from, why);
	else
		(void)fp_err_set(&text, FP_ERR_PEER, "%s", why);
	peer_leave(p);
	peer_free(p);
	if (rank >= 0) {
		cb.lost(cb.arg, rank, text.text);
		return;
	}
	if (m->pressed)
		mailbox_door_set(m, true);
	if (!spare)
		cb.stranger(cb.arg, text.text);
}

static void on_frame(void *owner, const struct wire_frame *f)
{
	struct mailbox_peer *p = owner;
	struct mailbox *m = p->box;

	if (p->rank < 0)
		mailbox_door_greet(p, f);
	else if (f->head.type == WIRE_HELLO)
		mailbox_conn_break(p->conn, "said hello twice");
	else if (f->head.type != WIRE_HEARTBEAT)
		m->cb.frame(m->cb.arg, p->rank, f);
}

static const struct mailbox_conn_ops box_conn_ops = {
	.frame = on_frame,
	.broken = on_broken,
};

enum fp_status mailbox_peer_new(struct mailbox *m, int fd,
                                struct mailbox_peer **ret, struct fp_err *err)
{
	struct mailbox_peer *p = calloc(1, sizeof(*p));
	enum fp_status status;

	if (!p) {
		close(fd);
		return fp_err_set(err, FP_ERR_NOMEM, "mailbox: a connection");
	}
	mailbox_sock_tune(fd, m->opts.dead_s);
	status =
		mailbox_conn_open(m->base, fd, &box_conn_ops, p, &p->conn, err);
	if (status != FP_OK) {
		free(p);
		return status;
	}
	p->box = m;
	p->rank = -1;
	p->since_ns = fp_now_ns();
	p->conn->quota = sizeof(struct wire_head) + sizeof(struct wire_hello);
	TAILQ_INSERT_TAIL(&m->pending, p, pending);
	m->n_pending++;
	*ret = p;
	return FP_OK;
}

enum fp_status mailbox_adopt(struct mailbox *m, int fd, struct fp_err *err)
{
	struct mailbox_peer *p = NULL;
	enum fp_status status = mailbox_peer_new(m, fd, &p, err);

	if (status != FP_OK)
		return status;
	p->adopted = true;
	fp_copy(p->from, sizeof(p->from), "this process");
	return FP_OK;
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct mailbox *m = arg;

	(void)fd;
	(void)what;
	mailbox_door_tick(m, mailbox_pulse_beat(&m->pulse));
	for (int32_t i = 0; i < m->size; i++)
		if (m->peers[i])
			mailbox_pulse_tend(&m->pulse, m->peers[i]->conn);
}

static enum fp_status box_listen(struct mailbox *m,
                                 const struct mailbox_listen *how,
                                 struct fp_err *err)
{
	struct timeval period = mailbox_pulse_period(&m->pulse);
	enum fp_status status = FP_OK;

	if (m->fd < 0)
		status = mailbox_sock_listen(how->bind_addr, 0, &m->fd, err);
	if (status != FP_OK)
		return status;
	mailbox_sock_tune(m->fd, m->opts.dead_s);
	m->accept = event_new(m->base, m->fd, EV_READ | EV_PERSIST,
	                      mailbox_door_accept, m);
	m->tick = event_new(m->base, -1, EV_PERSIST, on_tick, m);
	if (!m->accept || !m->tick || event_add(m->accept, NULL) ||
	    event_add(m->tick, &period))
		return fp_err_set(err, FP_ERR_NOMEM, "mailbox: events");
	how->meet->port = mailbox_sock_port(m->fd);
	return FP_OK;
}

static enum fp_status box_room(struct mailbox *m, struct fp_err *err)
{
	size_t n = (size_t)m->size;

	m->peers = calloc(n, sizeof(struct mailbox_peer *));
	m->seen = calloc(n, sizeof(*m->seen));
	if (!m->peers || !m->seen)
		return fp_err_set(err, FP_ERR_NOMEM, "mailbox: %zu ranks", n);
	return mailbox_sock_files((uint64_t)n + BOX_SPARE_FDS, err);
}

enum fp_status mailbox_open(const struct mailbox_listen *how,
                            const struct mailbox_opts *opts,
                            const struct mailbox_cb *cb, struct mailbox **ret,
                            struct fp_err *err)
{
	struct mailbox *m = calloc(1, sizeof(*m));
	enum fp_status status;

	if (!m) {
		if (how->fd >= 0)
			close(how->fd);
		return fp_err_set(err, FP_ERR_NOMEM, "mailbox");
	}
	m->base = how->base;
	m->opts = *opts;
	m->cb = *cb;
	m->fd = how->fd;
	m->size = how->size;
	memcpy(m->token, how->meet->token, sizeof(m->token));
	TAILQ_INIT(&m->pending);
	mailbox_pulse_init(&m->pulse, opts);
	status = box_room(m, err);
	if (status == FP_OK)
		status = box_listen(m, how, err);
	if (status != FP_OK) {
		mailbox_close(m);
		return status;
	}
	*ret = m;
	return FP_OK;
}

static struct mailbox_conn *box_conn(const struct mailbox *m, int32_t rank)
{
	if (rank < 0 || rank >= m->size || !m->peers[rank])
		return NULL;
	return m->peers[rank]->conn;
}

enum fp_status mailbox_send_parts(struct mailbox *m, int32_t rank,
                                  enum wire_type type,
                                  const struct mailbox_parts *parts,
                                  struct fp_err *err)
{
	const struct iovec iov[] = {
		{ (void *)(uintptr_t)parts->a, parts->a_len },
		{ (void *)(uintptr_t)parts->b, parts->b_len },
	};
	struct mailbox_conn *conn = box_conn(m, rank);

	if (!conn)
		return fp_err_set(err, FP_ERR_PEER, "rank %d: not connected",
		                  rank);
	return mailbox_conn_send(conn, type, (uint32_t)rank, iov, 2, err);
}

enum fp_status mailbox_send(struct mailbox *m, int32_t rank,
                            enum wire_type type, const void *payload,
                            size_t len, struct fp_err *err)
{
	const struct mailbox_parts parts = { .a = payload, .a_len = len };

	return mailbox_send_parts(m, rank, type, &parts, err);
}

double mailbox_silence_s(const struct mailbox *m, int32_t rank)
{
	const struct mailbox_conn *conn = box_conn(m, rank);

	if (!conn || conn->broken)
		return -1;
	return mailbox_pulse_silence_s(&m->pulse, conn);
}

double mailbox_stall_s(const struct mailbox *m)
{
	return mailbox_pulse_stall_s(&m->pulse);
}

void mailbox_flush(struct mailbox *m, int64_t deadline_ns)
{
	struct mailbox_conn **conns;
	size_t n = (size_t)m->size;

	conns = calloc(n, sizeof(struct mailbox_conn *));
	if (!conns)
		return;
	for (int32_t i = 0; i < m->size; i++)
		conns[i] = box_conn(m, i);
	mailbox_conn_flush(conns, n, deadline_ns);
	free(conns);
}

void mailbox_close(struct mailbox *m)
{
	struct mailbox_peer *p;

	if (!m)
		return;
	while ((p = TAILQ_FIRST(&m->pending))) {
		TAILQ_REMOVE(&m->pending, p, pending);
		peer_free(p);
	}
	for (int32_t i = 0; m->peers && i < m->size; i++)
		if (m->peers[i])
			peer_free(m->peers[i]);
	if (m->tick)
		event_free(m->tick);
	if (m->accept)
		event_free(m->accept);
	if (m->fd >= 0)
		close(m->fd);
	free(m->seen);
	free(m->peers);
	free(m);
}
