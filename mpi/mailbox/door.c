// SPDX-License-Identifier: Apache-2.0
// Who comes into the mailbox, and who is turned away.
#include <errno.h>
#include <event2/event.h>
#include <string.h>
#include <sys/socket.h>

#include "mpi/mailbox/hello.h"
#include "mpi/mailbox/impl.h"
#include "topo/base/clock.h"

/* When silent connections fill the anteroom, they keep the others waiting. */
#define DOOR_PRESSED_S 0.5

void mailbox_door_set(struct mailbox *m, bool open)
{
	m->pressed = !open;
	if (open)
		event_add(m->accept, NULL);
	else
		event_del(m->accept);
}

static void peer_refuse(struct mailbox_peer *p, const char *why)
{
	const struct iovec text = { (void *)(uintptr_t)why, strlen(why) };

	(void)mailbox_conn_send(p->conn, WIRE_REFUSE, 0, &text, 1, NULL);
	mailbox_conn_break(p->conn, "refused: %s", why);
}

static void peer_take(struct mailbox_peer *p, const struct wire_hello *hello)
{
	struct mailbox *m = p->box;

	TAILQ_REMOVE(&m->pending, p, pending);
	m->n_pending--;
	p->rank = hello->rank;
	p->conn->quota = SIZE_MAX;
	m->peers[p->rank] = p;
	m->seen[p->rank] = true;
	if (m->pressed)
		mailbox_door_set(m, true);
	/* The answer to a hello is any frame: the agent waits for it. */
	(void)mailbox_conn_send(p->conn, WIRE_HEARTBEAT, 0, NULL, 0, NULL);
	m->cb.hello(m->cb.arg, hello);
}

void mailbox_door_greet(struct mailbox_peer *p, const struct wire_frame *f)
{
	char why[MAILBOX_REFUSAL_MAX];
	struct mailbox *m = p->box;
	struct wire_hello hello;

	p->spare = f->head.type == WIRE_HEARTBEAT;
	if (f->head.type != WIRE_HELLO) {
		mailbox_conn_break(p->conn, "sent a frame before a hello");
		return;
	}
	memcpy(&hello, f->payload, sizeof(hello));
	switch (mailbox_hello_judge(&hello, m->token, m->size, m->seen, why)) {
	case MAILBOX_TAKE:
		peer_take(p, &hello);
		break;
	case MAILBOX_REFUSE:
		peer_refuse(p, why);
		break;
	case MAILBOX_STRANGER:
		mailbox_conn_break(p->conn, "%s", why);
		break;
	}
}

void mailbox_door_accept(int listen_fd, short what, void *arg)
{
	struct mailbox *m = arg;
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	struct mailbox_peer *p;
	int fd;

	(void)what;
	while (m->n_pending < m->opts.max_pending) {
		len = sizeof(ss);
		fd = accept4(listen_fd, (struct sockaddr *)&ss, &len,
		             SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && (errno == EAGAIN || errno == ECONNABORTED))
			return;
		/* No descriptor or memory left: later, not in a busy loop. */
		if (fd < 0 || mailbox_peer_new(m, fd, &p, NULL) != FP_OK)
			break;
		mailbox_sock_name((const struct sockaddr *)&ss, 1, p->from);
	}
	mailbox_door_set(m, false);
}

static double peer_age_s(const struct mailbox_peer *p, int64_t now_ns)
{
	int64_t since_ns = p->since_ns;

	/* While this process slept nobody could be greeted. */
	if (since_ns < p->box->pulse.floor_ns)
		since_ns = p->box->pulse.floor_ns;
	return (double)(now_ns - since_ns) / 1e9;
}

void mailbox_door_tick(struct mailbox *m, int64_t now_ns)
{
	struct mailbox_peer *p;
	double age_s;

	for (p = TAILQ_FIRST(&m->pending); p; p = TAILQ_NEXT(p, pending)) {
		age_s = peer_age_s(p, now_ns);
		if (age_s > m->opts.hello_s)
			mailbox_conn_break(p->conn, "said no hello in %.3g s",
			                   m->opts.hello_s);
		else if (m->pressed && !p->adopted && age_s > DOOR_PRESSED_S)
			mailbox_conn_break(p->conn,
			                   "said nothing, and others wait");
	}
	if (m->pressed && m->n_pending < m->opts.max_pending)
		mailbox_door_set(m, true);
}
