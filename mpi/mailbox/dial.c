// SPDX-License-Identifier: Apache-2.0
// Connects to rank 0 over whichever of its addresses answers.
#include "mpi/mailbox/dial.h"

#include <errno.h>
#include <event2/event.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpi/mailbox/hello.h"
#include "mpi/mailbox/sock.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"

#define DIAL_NEXT_NS 200000000LL /* RFC 8305 section 5 recommends 250 ms */
#define DIAL_AGAIN_NS 250000000LL
#define DIAL_TICK_US 50000
#define DIAL_CLOSED_MAX 4 /* hellos that were answered by closing */

enum attempt_state {
	ATTEMPT_IDLE,
	ATTEMPT_CONNECTING,
	ATTEMPT_ASKED, /* hello is out */
	ATTEMPT_FAILED,
};

struct dial;

struct attempt {
	struct dial *dial;
	const char *addr;
	enum attempt_state state;
	int64_t since_ns; /* in this state */
	int fd;
	struct event *connected;
	struct mailbox_conn *conn;
	char why[96]; /* it failed the last time */
};

struct dial {
	const struct mailbox_dial_how *how;
	struct attempt attempts[BOOT_ADDRS_MAX];
	uint32_t n;
	int64_t started_ns; /* the last one was */
	struct mailbox_conn *won;
	unsigned n_closed;
	char refused[MAILBOX_REFUSAL_MAX];
};

static void attempt_enter(struct attempt *t, enum attempt_state state)
{
	t->state = state;
	t->since_ns = fp_now_ns();
}

static void attempt_done(struct attempt *t)
{
	if (t->connected)
		event_free(t->connected);
	t->connected = NULL;
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
	mailbox_conn_free(t->conn);
	t->conn = NULL;
}

static void attempt_fail(struct attempt *t, const char *why)
{
	fp_copy(t->why, sizeof(t->why), why); /* before its owner goes */
	attempt_done(t);
	attempt_enter(t, ATTEMPT_FAILED);
}

static void on_broken(void *owner, const char *why)
{
	struct attempt *t = owner;

	t->dial->n_closed++;
	attempt_fail(t, why);
}

static void on_frame(void *owner, const struct wire_frame *f)
{
	struct attempt *t = owner;
	struct dial *d = t->dial;

	if (f->head.type == WIRE_REFUSE) {
		mailbox_refusal_read(f, d->refused);
		attempt_fail(t, "refused us");
	} else if (!d->won) {
		mailbox_conn_hold(t->conn);
		d->won = t->conn;
		t->conn = NULL;
	}
}

static const struct mailbox_conn_ops dial_conn_ops = {
	.frame = on_frame,
	.broken = on_broken,
};

static void attempt_ask(struct attempt *t)
{
	const struct wire_hello *hello = t->dial->how->hello;
	const struct iovec part = { (void *)(uintptr_t)hello, sizeof(*hello) };
	int fd = t->fd;

	t->fd = -1;
	if (mailbox_conn_open(t->dial->how->base, fd, &dial_conn_ops, t,
	                      &t->conn, NULL) != FP_OK) {
		attempt_fail(t, "no memory");
		return;
	}
	attempt_enter(t, ATTEMPT_ASKED);
	(void)mailbox_conn_send(t->conn, WIRE_HELLO, (uint32_t)hello->rank,
	                        &part, 1, NULL);
}

/* Has another been asked, whose answer may still be on its way? */
static bool dial_waits(const struct dial *d)
{
	int64_t now_ns = fp_now_ns();

	for (uint32_t i = 0; i < d->n; i++)
		if (d->attempts[i].state == ATTEMPT_ASKED &&
		    (double)(now_ns - d->attempts[i].since_ns) <
		            d->how->answer_s * 1e9)
			return true;
	return false;
}

/* So that rank 0 does not take this for a stranger's knock. */
static void attempt_excuse(struct attempt *t)
{
	struct wire_head head = wire_head_make(WIRE_HEARTBEAT, 0, 0);

	(void)send(t->fd, &head, sizeof(head), MSG_DONTWAIT | MSG_NOSIGNAL);
	attempt_fail(t, "came second");
}

static void on_connected(evutil_socket_t fd, short what, void *arg)
{
	struct attempt *t = arg;
	socklen_t len = sizeof(int);
	int errnum = 0;

	(void)what;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &errnum, &len))
		errnum = errno;
	event_free(t->connected);
	t->connected = NULL;
	if (errnum)
		attempt_fail(t, strerrordesc_np(errnum));
	else if (dial_waits(t->dial))
		attempt_excuse(t);
	else
		attempt_ask(t);
}

static void attempt_connect(struct attempt *t, const struct addrinfo *ai)
{
	t->fd = socket(ai->ai_family,
	               SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (t->fd < 0) {
		attempt_fail(t, strerrordesc_np(errno));
		return;
	}
	mailbox_sock_small(t->fd);
	mailbox_sock_tune(t->fd, t->dial->how->dead_s);
	if (connect(t->fd, ai->ai_addr, ai->ai_addrlen) &&
	    errno != EINPROGRESS) {
		attempt_fail(t, strerrordesc_np(errno));
		return;
	}
	attempt_enter(t, ATTEMPT_CONNECTING);
	t->connected =
		event_new(t->dial->how->base, t->fd, EV_WRITE, on_connected, t);
	if (!t->connected || event_add(t->connected, NULL))
		attempt_fail(t, "no memory");
}

static void attempt_start(struct attempt *t)
{
	struct addrinfo *ai = NULL;
	struct fp_err err = { 0 };

	t->dial->started_ns = fp_now_ns();
	if (mailbox_sock_resolve(t->addr, t->dial->how->meet->port, &ai,
	                         &err) != FP_OK) {
		attempt_fail(t, "not a numeric address");
		return;
	}
	attempt_connect(t, ai);
	freeaddrinfo(ai);
}

static bool attempt_startable(const struct attempt *t, int64_t now_ns)
{
	return t->state == ATTEMPT_IDLE ||
	       (t->state == ATTEMPT_FAILED &&
	        now_ns - t->since_ns >= DIAL_AGAIN_NS);
}

static uint32_t dial_count(const struct dial *d, enum attempt_state state)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->n; i++)
		n += d->attempts[i].state == state;
	return n;
}

/* Begin the next address, if it is time for that. */
static void dial_step(struct dial *d)
{
	int64_t now_ns = fp_now_ns();
	bool soon = dial_count(d, ATTEMPT_CONNECTING) == 0;

	if (d->won || dial_waits(d))
		return;
	if (!soon && now_ns - d->started_ns < DIAL_NEXT_NS)
		return;
	for (uint32_t i = 0; i < d->n; i++) {
		if (!attempt_startable(&d->attempts[i], now_ns))
			continue;
		attempt_start(&d->attempts[i]);
		return;
	}
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	dial_step(arg);
}

static enum fp_status dial_give_up(const struct dial *d, struct fp_err *err)
{
	static const char *const names[] = {
		[ATTEMPT_IDLE] = "not tried",
		[ATTEMPT_CONNECTING] = "does not answer",
		[ATTEMPT_ASKED] = "connects, then says nothing",
	};
	char text[sizeof(err->text)] = "";
	const struct attempt *t;
	size_t used = 0;
	int n;

	for (uint32_t i = 0; i < d->n && used < sizeof(text) - 1; i++) {
		t = &d->attempts[i];
		n = snprintf(text + used, sizeof(text) - used, "%s%s: %s",
		             i ? "; " : "", t->addr,
		             t->why[0] ? t->why : names[t->state]);
		used += n > 0 ? (size_t)n : 0;
	}
	return fp_err_set(err, FP_ERR_TIMEOUT,
	                  "rank 0 cannot be reached at port %u (%s)",
	                  d->how->meet->port, text);
}

/* No use in trying any longer? */
static bool dial_is_unwanted(const struct dial *d, struct fp_err *err)
{
	if (dial_count(d, ATTEMPT_ASKED))
		return false;
	if (d->refused[0])
		(void)fp_err_set(err, FP_ERR_PEER, "rank 0 refuses: %s",
		                 d->refused);
	else if (d->n_closed >= DIAL_CLOSED_MAX)
		(void)fp_err_set(err, FP_ERR_PEER,
		                 "rank 0 closes the connection at our hello: "
		                 "has it another token or version?");
	return d->refused[0] || d->n_closed >= DIAL_CLOSED_MAX;
}

static enum fp_status dial_run(struct dial *d, struct fp_err *err)
{
	const struct mailbox_dial_how *how = d->how;
	bool alive = true;

	while (!d->won) {
		if (dial_is_unwanted(d, err))
			return FP_ERR_PEER;
		if (!alive)
			return fp_err_set(err, FP_ERR_INTR, "told to stop");
		if (fp_now_ns() >= how->deadline_ns)
			return dial_give_up(d, err);
		dial_step(d);
		if (event_base_loop(how->base, EVLOOP_ONCE) < 0)
			return fp_err_set(err, FP_ERR_LIB, "event loop");
		alive = !event_base_got_break(how->base) &&
		        !event_base_got_exit(how->base);
	}
	return FP_OK;
}

enum fp_status mailbox_dial(const struct mailbox_dial_how *how,
                            struct mailbox_conn **ret, struct fp_err *err)
{
	const struct timeval period = { .tv_usec = DIAL_TICK_US };
	struct dial d = { .how = how };
	struct event *tick;
	enum fp_status status;

	for (; d.n < how->meet->n_addrs && d.n < BOOT_ADDRS_MAX; d.n++) {
		d.attempts[d.n].dial = &d;
		d.attempts[d.n].addr = how->meet->addrs[d.n];
		d.attempts[d.n].fd = -1;
	}
	tick = event_new(how->base, -1, EV_PERSIST, on_tick, &d);
	if (!tick || event_add(tick, &period))
		status = fp_err_set(err, FP_ERR_NOMEM, "event");
	else
		status = dial_run(&d, err);
	for (uint32_t i = 0; i < d.n; i++)
		attempt_done(&d.attempts[i]);
	if (tick)
		event_free(tick);
	if (status == FP_OK)
		*ret = d.won;
	else
		mailbox_conn_free(d.won);
	return status;
}
