// SPDX-License-Identifier: Apache-2.0
// The side of a meeting that listens.
#include "probes/xport/door.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "topo/base/clock.h"

#define DOOR_MAGIC 0x44503146u /* "F1PD" read little-endian */
#define DOOR_VERSION 1
#define DOOR_ACCEPTS 64 /* in one round, so that a flood cannot hold it */
#define DOOR_GUESTS_MAX (1u << 20)
#define DOOR_PASSED 4 /* descriptors looked for; one is kept */

struct door_words door_words_make(const uint8_t token[static WIRE_TOKEN_BYTES],
                                  uint32_t trial, uint32_t from, uint32_t to,
                                  uint32_t lane)
{
	struct door_words words = {
		.magic = DOOR_MAGIC,
		.version = DOOR_VERSION,
		.kind = DOOR_HELLO,
		.trial = trial,
		.from = from,
		.to = to,
		.lane = lane,
		.parts = 1,
	};

	memcpy(words.token, token, sizeof(words.token));
	return words;
}

struct door_words door_words_answer(const struct door_words *hello)
{
	struct door_words words = *hello;

	words.kind = DOOR_WELCOME;
	words.from = hello->to;
	words.to = hello->from;
	return words;
}

bool door_words_equal(const struct door_words *a, const struct door_words *b)
{
	const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
	unsigned differ = 0;
	size_t i;

	for (i = 0; i < sizeof(*a); i++)
		differ |= (unsigned)(x[i] ^ y[i]);
	return differ == 0;
}

static void fd_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

enum fp_status door_open(struct door *door, int fd,
                         const struct door_rules *rules, struct fp_err *err)
{
	size_t n = (size_t)rules->edges * rules->parts;

	door_shut(door);
	door->strangers = 0;
	if (n > DOOR_GUESTS_MAX) {
		fd_close(fd);
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "%u edges of %u connections are too many",
		                  rules->edges, rules->parts);
	}
	door->guests = calloc(n ? n : 1, sizeof(*door->guests));
	if (!door->guests) {
		fd_close(fd);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu guests",
		                  n);
	}
	door->max_guests = n;
	door->rules = *rules;
	door->fd = fd;
	return FP_OK;
}

unsigned door_fds(const struct door *door, struct pollfd *fds)
{
	size_t i;

	if (door->fd < 0)
		return 0;
	fds[0] = (struct pollfd){ .fd = door->fd, .events = POLLIN };
	for (i = 0; i < door->n_pending; i++)
		fds[1 + i] = (struct pollfd){ .fd = door->pending[i].fd,
			                      .events = POLLIN };
	return (unsigned)(1 + door->n_pending);
}

static const struct door_guest *
door_find(const struct door *door, uint32_t from, uint32_t lane, uint32_t part)
{
	const struct door_guest *g;
	size_t i;

	for (i = 0; i < door->n_guests; i++) {
		g = &door->guests[i];
		if (g->hello.from == from && g->hello.lane == lane &&
		    g->hello.part == part)
			return g;
	}
	return NULL;
}

static void pending_forget(struct door *door, size_t i)
{
	door->pending[i] = door->pending[--door->n_pending];
}

static void pending_drop(struct door *door, size_t i)
{
	fd_close(door->pending[i].fd);
	fd_close(door->pending[i].passed_fd);
	pending_forget(door, i);
	door->strangers++;
}

static void pending_drop_oldest(struct door *door)
{
	size_t i, oldest = 0;

	for (i = 1; i < door->n_pending; i++)
		if (door->pending[i].until_ns < door->pending[oldest].until_ns)
			oldest = i;
	pending_drop(door, oldest);
}

/* Is @hello what a peer of this trial would say? All but from and lane, which
 * only the peer knows, are compared, token included, in constant time. */
static bool door_admits(const struct door *door, uint32_t me,
                        const struct door_words *hello)
{
	const struct door_rules *rules = &door->rules;
	struct door_words want = door_words_make(rules->token, rules->trial,
	                                         hello->from, me, hello->lane);

	want.part = hello->part;
	want.parts = (uint16_t)rules->parts;
	return door_words_equal(hello, &want) && hello->part < rules->parts &&
	       door->n_guests < door->max_guests &&
	       !door_find(door, hello->from, hello->lane, hello->part);
}

static void pending_judge(struct door *door, uint32_t me, size_t i)
{
	struct door_pending *p = &door->pending[i];
	struct door_words answer = door_words_answer(&p->hello);
	/* Who passes memory does not wait for the answer, and may be gone by
	 * now: that is for the edge to say, not a stranger's doing. */
	bool trusts = p->passed_fd >= 0;

	if (!door_admits(door, me, &p->hello) ||
	    (send(p->fd, &answer, sizeof(answer),
	          MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)sizeof(answer) &&
	     !trusts)) {
		pending_drop(door, i);
		return;
	}
	door->guests[door->n_guests++] = (struct door_guest){
		.hello = p->hello,
		.fd = p->fd,
		.passed_fd = p->passed_fd,
	};
	pending_forget(door, i);
}

/* Keep the first descriptor that came with a message, close all others. */
static void passed_keep(struct msghdr *msg, int *fd)
{
	struct cmsghdr *c;
	size_t i, n;
	int passed;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < n; i++) {
			memcpy(&passed, CMSG_DATA(c) + i * sizeof(int),
			       sizeof(int));
			if (*fd < 0)
				*fd = passed;
			else
				close(passed);
		}
	}
}

static ssize_t pending_read(struct door_pending *p)
{
	union {
		char room[CMSG_SPACE(DOOR_PASSED * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = {
		.iov_base = (char *)&p->hello + p->got,
		.iov_len = sizeof(p->hello) - p->got,
	};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(p->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n > 0) {
		passed_keep(&msg, &p->passed_fd);
		p->got += (size_t)n;
	}
	return n;
}

static void pending_serve(struct door *door, uint32_t me, size_t i)
{
	struct door_pending *p = &door->pending[i];
	ssize_t n = pending_read(p);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 ||
	    (p->got >= sizeof(p->hello.magic) && p->hello.magic != DOOR_MAGIC))
		pending_drop(door, i);
	else if (p->got == sizeof(p->hello))
		pending_judge(door, me, i);
}

static void pending_expire(struct door *door)
{
	int64_t now_ns = fp_now_ns();
	size_t i = door->n_pending;

	while (i-- > 0)
		if (door->pending[i].until_ns < now_ns)
			pending_drop(door, i);
}

static void door_receive(struct door *door, uint32_t me, int fd)
{
	if (door->n_pending == DOOR_PENDING_MAX)
		pending_drop_oldest(door);
	door->pending[door->n_pending++] = (struct door_pending){
		.fd = fd,
		.passed_fd = -1,
		.until_ns = fp_now_ns() + DOOR_HELLO_NS,
	};
	pending_serve(door, me, door->n_pending - 1);
}

static enum fp_status door_accept(struct door *door, uint32_t me,
                                  struct fp_err *err)
{
	unsigned i;
	int fd;

	for (i = 0; i < DOOR_ACCEPTS; i++) {
		fd = accept4(door->fd, NULL, NULL,
		             SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0) {
			door_receive(door, me, fd);
			continue;
		}
		if (errno == EAGAIN || errno == EINTR)
			return FP_OK;
		if ((errno == EMFILE || errno == ENFILE) && door->n_pending) {
			pending_drop_oldest(door);
			continue;
		}
		/* accept(2) hands out errors of connections that died */
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
		    errno == ENOBUFS || errno == EBADF || errno == EINVAL)
			return fp_err_sys(err, errno, "accept");
		door->strangers++;
	}
	return FP_OK;
}

enum fp_status door_serve(struct door *door, uint32_t me,
                          const struct pollfd *fds, struct fp_err *err)
{
	size_t i = door->n_pending;

	if (door->fd < 0)
		return FP_OK;
	/* backwards: what is dropped is replaced by one that had its turn */
	while (i-- > 0)
		if (fds[1 + i].revents)
			pending_serve(door, me, i);
	pending_expire(door);
	return fds[0].revents ? door_accept(door, me, err) : FP_OK;
}

bool door_complete(const struct door *door, uint32_t from, uint32_t lane)
{
	uint32_t part;

	for (part = 0; part < door->rules.parts; part++)
		if (!door_find(door, from, lane, part))
			return false;
	return door->rules.parts > 0;
}

bool door_take(struct door *door, uint32_t from, uint32_t lane, uint32_t part,
               struct door_guest *ret_guest)
{
	const struct door_guest *g = door_find(door, from, lane, part);

	if (!g)
		return false;
	*ret_guest = *g;
	door->guests[g - door->guests] = door->guests[--door->n_guests];
	return true;
}

/* Who still waits outside was never a peer: those are met before. */
static void door_dismiss(struct door *door)
{
	unsigned i;
	int fd;

	for (i = 0; i < DOOR_GUESTS_MAX; i++) {
		fd = accept4(door->fd, NULL, NULL,
		             SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0)
			return;
		close(fd);
		door->strangers++;
	}
}

void door_shut(struct door *door)
{
	size_t i;

	if (door->fd < 0)
		return;
	while (door->n_pending > 0)
		pending_drop(door, door->n_pending - 1);
	door_dismiss(door);
	close(door->fd);
	for (i = 0; i < door->n_guests; i++) {
		fd_close(door->guests[i].fd);
		fd_close(door->guests[i].passed_fd);
	}
	free(door->guests);
	door->guests = NULL;
	door->n_guests = door->max_guests = 0;
	door->rules.parts = 0;
	door->fd = -1;
}

void door_strangers(struct door *door, struct outcome *o)
{
	if (door->strangers == 0)
		return;
	outcome_put(o, COUNTER_STRANGERS,
	            outcome_get(o, COUNTER_STRANGERS, 0) + door->strangers);
	door->strangers = 0;
}
