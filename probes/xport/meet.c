// SPDX-License-Identifier: Apache-2.0
// The loop of a meeting, and the side of it that comes.
#include "probes/xport/meet.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "topo/base/clock.h"

#define SLEEP_MS 20 /* the abort word wakes nobody up */
#define KNOCK_TRIES 6
#define AGAIN_NS 10000000LL /* doubled each time */

enum fp_status meet_errno(struct fp_err *err, int errnum, const char *what,
                          const char *name)
{
	static const struct {
		int errnum;
		enum fp_status status;
	} table[] = {
		{ ECONNREFUSED, FP_ERR_PEER }, { ECONNRESET, FP_ERR_PEER },
		{ EPIPE, FP_ERR_PEER },        { ENOENT, FP_ERR_PEER },
		{ EHOSTUNREACH, FP_ERR_PEER }, { ENETUNREACH, FP_ERR_PEER },
		{ EHOSTDOWN, FP_ERR_PEER },    { ECONNABORTED, FP_ERR_PEER },
		{ ETIMEDOUT, FP_ERR_TIMEOUT },
	};
	const char *text = strerrordesc_np(errnum);
	enum fp_status status = FP_ERR_SYS;
	size_t i;

	if (errnum == ECONNREFUSED)
		return fp_err_set(err, FP_ERR_PEER, "connection refused by %s",
		                  name);
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].errnum == errnum)
			status = table[i].status;
	return fp_err_set(err, status, "%s %s: %s", what, name,
	                  text ? text : "unknown error");
}

static enum fp_status meet_check(const struct meet *meet, struct fp_err *err)
{
	if (meet->board &&
	    atomic_load_explicit(&meet->board->abort, memory_order_relaxed) ==
	            meet->trial)
		return fp_err_set(err, FP_ERR_INTR, "trial %u was called off",
		                  meet->trial);
	return FP_OK;
}

static bool meet_late(const struct meet *meet)
{
	return fp_now_ns() >= meet->deadline_ns;
}

static void knock_close(struct knock *k)
{
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
}

static enum fp_status knock_dial(const struct meet_dial *dial, struct knock *k,
                                 struct fp_err *err)
{
	enum fp_status status;

	if (k->again_ns > fp_now_ns())
		return FP_OK;
	status = dial->dial(dial->arg, &k->fd, err);
	if (status != FP_OK)
		return status;
	if (k->fd >= 0)
		k->state = KNOCK_RING;
	else
		k->again_ns = fp_now_ns() + AGAIN_NS;
	return FP_OK;
}

static ssize_t knock_send(const struct knock *k)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .room = { 0 } };
	struct iovec iov = {
		.iov_base = (void *)&k->hello,
		.iov_len = sizeof(k->hello),
	};
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (k->pass_fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &k->pass_fd, sizeof(int));
	}
	return sendmsg(k->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* It hung up before its welcome: a flooded door lets go of the oldest. */
static enum fp_status knock_again(struct knock *k, const char *name, int errnum,
                                  struct fp_err *err)
{
	if (++k->tries >= KNOCK_TRIES)
		return meet_errno(err, errnum, "hello to", name);
	knock_close(k);
	k->again_ns = fp_now_ns() + (AGAIN_NS << k->tries);
	k->state = KNOCK_DIAL;
	return FP_OK;
}

static enum fp_status knock_ring(struct knock *k, const char *name,
                                 struct fp_err *err)
{
	int errnum = 0;
	socklen_t len = sizeof(errnum);

	if (getsockopt(k->fd, SOL_SOCKET, SO_ERROR, &errnum, &len) != 0)
		errnum = errno;
	if (errnum != 0)
		return meet_errno(err, errnum, "connect to", name);
	if (knock_send(k) != (ssize_t)sizeof(k->hello))
		return knock_again(k, name, ECONNRESET, err);
	k->got = 0;
	k->state = k->trusts ? KNOCK_IN : KNOCK_HELLO;
	return FP_OK;
}

static enum fp_status knock_hear(struct knock *k, const char *name,
                                 struct fp_err *err)
{
	const struct door_words want = door_words_answer(&k->hello);
	ssize_t n = recv(k->fd, (char *)&k->welcome + k->got,
	                 sizeof(k->welcome) - k->got, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return FP_OK;
	if (n <= 0)
		return knock_again(k, name, n < 0 ? errno : ECONNRESET, err);
	k->got += (size_t)n;
	if (k->got < sizeof(k->welcome))
		return FP_OK;
	if (!door_words_equal(&k->welcome, &want))
		return fp_err_set(err, FP_ERR_PROTO,
		                  "%s is not the peer's door", name);
	k->state = KNOCK_IN;
	return FP_OK;
}

static enum fp_status knock_serve(struct knock *k, short revents,
                                  const struct meet *meet,
                                  const struct meet_dial *dial,
                                  struct fp_err *err)
{
	switch (k->state) {
	case KNOCK_DIAL:
		return knock_dial(dial, k, err);
	case KNOCK_RING:
		return revents ? knock_ring(k, meet->name, err) : FP_OK;
	case KNOCK_HELLO:
		return revents ? knock_hear(k, meet->name, err) : FP_OK;
	case KNOCK_IN:
		break;
	}
	return FP_OK;
}

static short knock_events(const struct knock *k)
{
	static const short events[] = {
		[KNOCK_RING] = POLLOUT,
		[KNOCK_HELLO] = POLLIN,
		[KNOCK_IN] = 0,
	};

	return events[k->state];
}

static size_t knocks_left(const struct knock *knocks, size_t n)
{
	size_t i, left = 0;

	for (i = 0; i < n; i++)
		left += knocks[i].state != KNOCK_IN;
	return left;
}

/* poll(2) passes over negative descriptors: of knocks that are in, too. */
static void knocks_fds(const struct knock *knocks, size_t n, struct pollfd *fds)
{
	size_t i;

	for (i = 0; i < n; i++)
		fds[i] = (struct pollfd){
			.fd = knocks[i].state == KNOCK_IN ? -1 : knocks[i].fd,
			.events = knock_events(&knocks[i]),
		};
}

/* One turn: wait for door and knocks, serve both. */
static enum fp_status meet_turn(const struct meet *meet,
                                const struct meet_dial *dial,
                                struct knock *knocks, size_t n,
                                struct fp_err *err)
{
	struct pollfd fds[DOOR_FDS + MEET_KNOCKS_MAX];
	unsigned n_door = door_fds(meet->door, fds);
	int left_ms = fp_left_ms(meet->deadline_ns);
	enum fp_status status;
	size_t i;

	knocks_fds(knocks, n, fds + n_door);
	if (poll(fds, n_door + n, left_ms < SLEEP_MS ? left_ms : SLEEP_MS) < 0)
		return errno == EINTR ? FP_OK : fp_err_sys(err, errno, "poll");
	status = door_serve(meet->door, meet->me, fds, err);
	for (i = 0; i < n && status == FP_OK; i++)
		status = knock_serve(&knocks[i], fds[n_door + i].revents, meet,
		                     dial, err);
	return status == FP_OK ? meet_check(meet, err) : status;
}

static enum fp_status active_late(const struct meet *meet,
                                  const struct knock *knocks, size_t n,
                                  struct fp_err *err)
{
	size_t i, silent = 0;

	for (i = 0; i < n; i++)
		silent += knocks[i].state < KNOCK_HELLO;
	return fp_err_set(err, FP_ERR_TIMEOUT,
	                  silent ? "no answer to connect from %s"
	                         : "no answer to the hello from %s",
	                  meet->name);
}

enum fp_status meet_active(const struct meet *meet,
                           const struct meet_dial *dial, struct knock *knocks,
                           size_t n, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t i;

	if (n > MEET_KNOCKS_MAX)
		return fp_err_set(err, FP_ERR_LIMIT, "%zu connections", n);
	for (i = 0; i < n && status == FP_OK; i++)
		status = knock_dial(dial, &knocks[i], err);
	while (status == FP_OK && knocks_left(knocks, n) > 0) {
		status = meet_turn(meet, dial, knocks, n, err);
		if (status == FP_OK && knocks_left(knocks, n) > 0 &&
		    meet_late(meet))
			status = active_late(meet, knocks, n, err);
	}
	for (i = 0; i < n && status != FP_OK; i++)
		knock_close(&knocks[i]);
	return status;
}

enum fp_status meet_passive(const struct meet *meet, uint32_t from,
                            uint32_t lane, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	if (meet->door->fd < 0)
		return fp_err_set(err, FP_ERR_USAGE, "%s does not listen",
		                  meet->name);
	while (status == FP_OK && !door_complete(meet->door, from, lane)) {
		status = meet_turn(meet, NULL, NULL, 0, err);
		if (status == FP_OK && meet_late(meet) &&
		    !door_complete(meet->door, from, lane))
			status = fp_err_set(err, FP_ERR_TIMEOUT,
			                    "nobody came to %s "
			                    "(%u strangers turned away)",
			                    meet->name, meet->door->strangers);
	}
	return status;
}
