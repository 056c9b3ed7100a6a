// SPDX-License-Identifier: Apache-2.0
// Processes that meet over a transport.
#include "tests/unit/xport_rig.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "topo/base/fmt.h"

#define RIG_ALARM_S 60 /* a child whose parent failed */

/* Entries of @path whose names have @part in them. */
static size_t entries(const char *path, const char *part)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	size_t n = 0;

	if (!dir)
		return 0;
	while ((e = readdir(dir)))
		n += strstr(e->d_name, part) != NULL;
	closedir(dir);
	return n;
}

void rig_fail(const struct rig *r, const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: member %u: %s (%s)\n", file, line, r->me, what,
	        r->err.text);
	if (r->me != 0)
		_exit(1);
	fail_msg("%s", what);
}

static void rig_setup(struct rig *r, const struct rig_plan *plan)
{
	static const uint8_t token[WIRE_TOKEN_BYTES] = "sixteen letters";

	r->ops = plan->ops;
	r->setup = (struct wire_setup){
		.rank = (int32_t)r->me,
		.size = (int32_t)r->n,
		.streams = 1,
	};
	memcpy(r->setup.data_token, token, sizeof(token));
	fp_copy(r->setup.host_id, sizeof(r->setup.host_id), "rig");
	r->env = (struct xport_env){
		.setup = &r->setup,
		.board = &r->boards[r->me],
		.addr = "127.0.0.1",
		.mtu_bytes = 1500,
	};
	r->trial = (struct trial){ .id = 7, .deadline_s = RIG_LONG_S };
	if (plan->adjust)
		plan->adjust(r, plan->arg);
}

static void link_write(struct rig *r, uint32_t peer, const void *data,
                       size_t len)
{
	RIG_CHECK(r, send(r->links[peer], data, len, MSG_NOSIGNAL) ==
	                     (ssize_t)len);
}

static void link_read(struct rig *r, uint32_t peer, void *data, size_t len)
{
	RIG_CHECK(r,
	          recv(r->links[peer], data, len, MSG_WAITALL) == (ssize_t)len);
}

void rig_say(struct rig *r, uint32_t peer)
{
	link_write(r, peer, "", 1);
}

void rig_hear(struct rig *r, uint32_t peer)
{
	char byte;

	link_read(r, peer, &byte, 1);
}

void rig_barrier(struct rig *r)
{
	if (r->me == 1)
		rig_say(r, 0);
	rig_hear(r, !r->me);
	if (r->me == 0)
		rig_say(r, 1);
}

/* Through member 0, as the conductor does it. */
void rig_swap(struct rig *r)
{
	const size_t all = r->n * sizeof(r->blobs[0]);
	uint32_t i;

	if (r->me != 0) {
		link_write(r, 0, &r->blobs[r->me], sizeof(r->blobs[0]));
		link_read(r, 0, r->blobs, all);
		return;
	}
	for (i = 1; i < r->n; i++)
		link_read(r, i, &r->blobs[i], sizeof(r->blobs[0]));
	for (i = 1; i < r->n; i++)
		link_write(r, i, r->blobs, all);
}

static void rig_member(struct rig *r, const struct rig_plan *plan)
{
	rig_setup(r, plan);
	RIG_CHECK(r, r->ops->probe(&r->env, &r->err) == FP_OK);
	RIG_CHECK(r, r->ops->open(&r->env, &r->x, &r->err) == FP_OK);
	RIG_CHECK(r, r->ops->listen(r->x, &r->trial, 2 * r->n, &r->blobs[r->me],
	                            &r->err) == FP_OK);
	rig_swap(r);
	plan->body(r, plan->arg);
	r->ops->close(r->x);
}

static void rig_child(struct rig *r, const struct rig_plan *plan, uint32_t me,
                      int link)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)alarm(RIG_ALARM_S);
	r->me = me;
	r->links[0] = link;
	rig_member(r, plan);
	_exit(0);
}

static void rig_fork(struct rig *r, const struct rig_plan *plan)
{
	const struct timeval limit = { .tv_sec = RIG_ALARM_S };
	int pair[2];
	uint32_t i;

	for (i = 1; i < r->n; i++) {
		RIG_CHECK(r, socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
		(void)setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit,
		                 sizeof(limit));
		r->children[i] = fork();
		RIG_CHECK(r, r->children[i] >= 0);
		if (r->children[i] == 0)
			rig_child(r, plan, i, pair[1]);
		close(pair[1]);
		r->links[i] = pair[0];
	}
}

static void rig_join(struct rig *r, int killed)
{
	uint32_t i;
	int status;

	for (i = 1; i < r->n; i++) {
		RIG_CHECK(r, waitpid(r->children[i], &status, 0) ==
		                     r->children[i]);
		RIG_CHECK(r, killed ? WIFSIGNALED(status) &&
		                              WTERMSIG(status) == killed
		                    : status == 0);
		close(r->links[i]);
	}
}

void rig_run(const struct rig_plan *plan)
{
	const size_t room = RIG_MEMBERS * sizeof(struct board);
	const size_t n_fds = entries("/proc/self/fd", "");
	const size_t n_shm = entries("/dev/shm", "fabricprobe");
	struct rig r = { .n = plan->n };

	r.boards = mmap(NULL, room, PROT_READ | PROT_WRITE,
	                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(r.boards != MAP_FAILED);
	fflush(NULL);
	rig_fork(&r, plan);
	rig_member(&r, plan);
	rig_join(&r, plan->killed);
	munmap(r.boards, room);
	assert_int_equal(entries("/proc/self/fd", ""), n_fds);
	assert_int_equal(entries("/dev/shm", "fabricprobe"), n_shm);
}

struct xport_ep *rig_connect(struct rig *r, uint32_t peer, uint32_t lane,
                             enum xport_side side, size_t tx_bytes)
{
	const struct xport_peer p = {
		.trial = &r->trial,
		.me = r->me,
		.peer = peer,
		.lane = lane,
		.side = side,
		.tx_bytes = tx_bytes,
		.blob = &r->blobs[peer],
		.deadline_ns = fp_after_ns(RIG_LONG_S),
	};
	struct xport_ep *ep = NULL;

	RIG_CHECK(r, r->ops->connect(r->x, &p, &ep, &r->err) == FP_OK);
	return ep;
}

enum fp_status rig_try(struct rig *r, uint32_t peer, enum xport_side side,
                       double seconds)
{
	const struct xport_peer p = {
		.trial = &r->trial,
		.me = r->me,
		.peer = peer,
		.side = side,
		.blob = &r->blobs[peer],
		.deadline_ns = fp_after_ns(seconds),
	};
	struct xport_ep *ep = NULL;

	r->err.status = FP_OK;
	return r->ops->connect(r->x, &p, &ep, &r->err);
}

enum fp_status rig_step(struct rig *r, struct xport_step step, double seconds)
{
	step.deadline_ns = fp_after_ns(seconds);
	r->err.status = FP_OK;
	return xport_step_run(&step, r->me, &r->err);
}

void rig_send(struct rig *r, struct xport_ep *to, size_t len)
{
	const struct xport_step step = { .to = to, .tx_len = len };

	RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_OK);
}

void rig_recv(struct rig *r, struct xport_ep *from, void *buf, size_t len)
{
	const struct xport_step step = {
		.from = from,
		.rbuf = buf,
		.rx_len = len,
	};

	RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_OK);
}

void rig_fill(uint8_t *data, size_t len, uint32_t seed)
{
	uint32_t x = seed * 2654435761u + 1;
	size_t i;

	for (i = 0; i < len; i++) {
		x = x * 1664525u + 1013904223u;
		data[i] = (uint8_t)(x >> 24);
	}
}

size_t rig_wrong(const uint8_t *data, size_t len, uint32_t seed)
{
	uint32_t x = seed * 2654435761u + 1;
	size_t i, wrong = 0;

	for (i = 0; i < len; i++) {
		x = x * 1664525u + 1013904223u;
		wrong += data[i] != (uint8_t)(x >> 24);
	}
	return wrong;
}
