// SPDX-License-Identifier: Apache-2.0
// An agent's side of the star.
#include "mpi/mailbox/mailbox.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpi/mailbox/conn.h"
#include "mpi/mailbox/dial.h"
#include "mpi/mailbox/hello.h"
#include "mpi/mailbox/pulse.h"
#include "mpi/mailbox/sock.h"

struct mailbox_link {
	struct mailbox_link_cb cb;
	struct mailbox_pulse pulse;
	struct mailbox_conn *conn;
	struct event *tick;
	int32_t rank;
	char addr[MAILBOX_SOCK_NAME_MAX];
};

static void on_frame(void *owner, const struct wire_frame *f)
{
	char why[MAILBOX_REFUSAL_MAX];
	struct mailbox_link *l = owner;

	if (f->head.type == WIRE_REFUSE) {
		mailbox_refusal_read(f, why);
		mailbox_conn_break(l->conn, "rank 0 refuses: %s", why);
	} else if (f->head.type != WIRE_HEARTBEAT) {
		l->cb.frame(l->cb.arg, f);
	}
}

/* The link may be closed by whom this tells. */
static void on_broken(void *owner, const char *why)
{
	struct mailbox_link *l = owner;

	event_del(l->tick);
	l->cb.lost(l->cb.arg, why);
}

static const struct mailbox_conn_ops link_conn_ops = {
	.frame = on_frame,
	.broken = on_broken,
};

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct mailbox_link *l = arg;

	(void)fd;
	(void)what;
	(void)mailbox_pulse_beat(&l->pulse);
	mailbox_pulse_tend(&l->pulse, l->conn);
}

static void link_name(struct mailbox_link *l)
{
	struct sockaddr_storage ss = { 0 };
	socklen_t len = sizeof(ss);

	if (!getsockname(l->conn->fd, (struct sockaddr *)&ss, &len))
		mailbox_sock_name((const struct sockaddr *)&ss, 0, l->addr);
}

static enum fp_status link_new(const struct mailbox_link_how *how,
                               struct mailbox_link **ret, struct fp_err *err)
{
	struct mailbox_link *l = calloc(1, sizeof(*l));
	struct timeval period;

	if (!l)
		return fp_err_set(err, FP_ERR_NOMEM, "mailbox link");
	l->cb = *how->cb;
	l->rank = how->hello->rank;
	mailbox_pulse_init(&l->pulse, how->opts);
	period = mailbox_pulse_period(&l->pulse);
	l->tick = event_new(how->base, -1, EV_PERSIST, on_tick, l);
	if (!l->tick || event_add(l->tick, &period)) {
		mailbox_link_close(l);
		return fp_err_set(err, FP_ERR_NOMEM, "mailbox link");
	}
	*ret = l;
	return FP_OK;
}

enum fp_status mailbox_link_dial(const struct mailbox_link_how *how,
                                 const struct boot_meet *meet,
                                 int64_t deadline_ns, struct mailbox_link **ret,
                                 struct fp_err *err)
{
	const struct mailbox_dial_how dial = { .base = how->base,
		                               .meet = meet,
		                               .hello = how->hello,
		                               .answer_s = how->opts->hello_s,
		                               .dead_s = how->opts->dead_s,
		                               .deadline_ns = deadline_ns };
	struct mailbox_conn *conn = NULL;
	struct mailbox_link *l = NULL;
	enum fp_status status;

	status = mailbox_dial(&dial, &conn, err);
	if (status != FP_OK)
		return status;
	status = link_new(how, &l, err);
	if (status != FP_OK) {
		mailbox_conn_free(conn);
		return status;
	}
	conn->ops = &link_conn_ops;
	conn->owner = l;
	l->conn = conn;
	link_name(l);
	/* Frames behind the answer come from the loop, when the caller has
	 * what this returns. */
	mailbox_conn_resume(conn);
	*ret = l;
	return FP_OK;
}

enum fp_status mailbox_link_take(const struct mailbox_link_how *how, int fd,
                                 struct mailbox_link **ret, struct fp_err *err)
{
	struct mailbox_link *l = NULL;
	enum fp_status status;

	status = link_new(how, &l, err);
	if (status != FP_OK) {
		close(fd);
		return status;
	}
	mailbox_sock_tune(fd, how->opts->dead_s);
	status = mailbox_conn_open(how->base, fd, &link_conn_ops, l, &l->conn,
	                           err);
	if (status == FP_OK)
		status = mailbox_link_send(l, WIRE_HELLO, how->hello,
		                           sizeof(*how->hello), err);
	if (status != FP_OK) {
		mailbox_link_close(l);
		return status;
	}
	*ret = l;
	return FP_OK;
}

enum fp_status mailbox_link_send(struct mailbox_link *l, enum wire_type type,
                                 const void *payload, size_t len,
                                 struct fp_err *err)
{
	const struct iovec part = { (void *)(uintptr_t)payload, len };

	return mailbox_conn_send(l->conn, type, (uint32_t)l->rank, &part, 1,
	                         err);
}

const char *mailbox_link_addr(const struct mailbox_link *l)
{
	return l->addr;
}

void mailbox_link_flush(struct mailbox_link *l, int64_t deadline_ns)
{
	mailbox_conn_flush(&l->conn, 1, deadline_ns);
}

void mailbox_link_close(struct mailbox_link *l)
{
	if (!l)
		return;
	if (l->tick)
		event_free(l->tick);
	mailbox_conn_free(l->conn);
	free(l);
}
