// SPDX-License-Identifier: Apache-2.0
// A test that plays the agent of real workers.
#include "tests/unit/worker_agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "probes/worker/worker.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"
#include "topo/base/version.h"

#define PATIENCE_S 60.0 /* then the test fails */
#define HIGH_FD 100
#define MEMBERS_MAX 16

static void worker_process(int control, int board, pid_t until_gone)
{
	int high_control = fcntl(control, F_DUPFD, HIGH_FD);
	int high_board = fcntl(board, F_DUPFD, HIGH_FD);

	if (dup2(high_control, WORKER_CONTROL_FD) < 0 ||
	    dup2(high_board, WORKER_BOARD_FD) < 0)
		_exit(99);
	closefrom(WORKER_BOARD_FD + 1);
	while (getppid() == until_gone)
		sched_yield();
	_exit(worker_main());
}

static void worker_start(struct test_worker *w, bool late)
{
	pid_t parent = getpid();
	int pair[2], board;

	*w = (struct test_worker){ .fd = -1 };
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	board = memfd_create("test-board", MFD_CLOEXEC);
	assert_true(board >= 0);
	assert_int_equal(ftruncate(board, sizeof(struct board)), 0);
	w->board = mmap(NULL, sizeof(struct board), PROT_READ | PROT_WRITE,
	                MAP_SHARED, board, 0);
	assert_ptr_not_equal(w->board, MAP_FAILED);
	w->pid = fork();
	if (w->pid == 0)
		worker_process(pair[1], board, late ? parent : 0);
	assert_true(w->pid > 0);
	w->fd = pair[0];
	close(pair[1]);
	close(board);
}

void test_worker_start(struct test_worker *w)
{
	worker_start(w, false);
}

void test_worker_start_late(struct test_worker *w)
{
	worker_start(w, true);
}

void test_worker_close(struct test_worker *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

static void worker_free(struct test_worker *w)
{
	test_worker_close(w);
	wire_reader_done(&w->reader);
	if (w->board)
		munmap(w->board, sizeof(*w->board));
	w->board = NULL;
}

int test_worker_wait(struct test_worker *w)
{
	int fd = pidfd_open(w->pid, 0), wstatus = -1;
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	assert_true(fd >= 0);
	assert_int_equal(poll(&pfd, 1, (int)(PATIENCE_S * 1000)), 1);
	close(fd);
	assert_int_equal(waitpid(w->pid, &wstatus, WNOHANG), w->pid);
	worker_free(w);
	return wstatus;
}

void test_worker_kill(struct test_worker *w)
{
	kill(w->pid, SIGKILL);
	(void)test_worker_wait(w);
}

void test_worker_stop(struct test_worker *w)
{
	int wstatus;

	test_worker_close(w);
	wstatus = test_worker_wait(w);
	assert_true(WIFEXITED(wstatus));
	assert_int_equal(WEXITSTATUS(wstatus), 0);
}

void test_worker_write(struct test_worker *w, const void *data, size_t len)
{
	if (len > 0)
		assert_int_equal(send(w->fd, data, len, MSG_NOSIGNAL),
		                 (ssize_t)len);
}

void test_worker_send(struct test_worker *w, enum wire_type type, const void *a,
                      size_t a_len, const void *b, size_t b_len)
{
	struct wire_head head = wire_head_make(type, 0, a_len + b_len);

	test_worker_write(w, &head, sizeof(head));
	test_worker_write(w, a, a_len);
	test_worker_write(w, b, b_len);
}

static bool read_more(struct test_worker *w)
{
	struct pollfd pfd = { .fd = w->fd, .events = POLLIN };
	uint8_t *room = wire_reader_room(&w->reader, 4096);
	ssize_t n;

	assert_non_null(room);
	assert_int_equal(poll(&pfd, 1, (int)(PATIENCE_S * 1000)), 1);
	n = recv(w->fd, room, 4096, 0);
	if (n <= 0)
		return false;
	wire_reader_add(&w->reader, (size_t)n);
	return true;
}

bool test_worker_next(struct test_worker *w, struct wire_frame *ret)
{
	struct fp_err err = { 0 };
	bool got;

	for (;;) {
		if (wire_reader_next(&w->reader, ret, &got, &err) != FP_OK)
			return false;
		if (got)
			return true;
		if (!read_more(w))
			return false;
	}
}

struct wire_frame test_worker_expect(struct test_worker *w, enum wire_type type)
{
	struct wire_frame f = { .payload = NULL };

	if (!test_worker_next(w, &f))
		fail_msg("the worker ended, no frame %d", (int)type);
	assert_int_equal(f.head.type, type);
	return f;
}

struct wire_setup test_worker_setup(int32_t rank, int32_t size)
{
	struct wire_setup s = {
		.rank = rank,
		.size = size,
		.streams = 1,
		.connect_s = 30,
	};

	memset(s.data_token, 0x42, sizeof(s.data_token));
	fp_copy(s.version, sizeof(s.version), FP_VERSION);
	fp_copy(s.addr, sizeof(s.addr), "127.0.0.1");
	return s;
}

void test_worker_ready(struct test_worker *w, const struct wire_setup *setup)
{
	struct wire_ready ready;
	struct wire_frame f;

	test_worker_start(w);
	test_worker_send(w, WIRE_SETUP, setup, sizeof(*setup), NULL, 0);
	f = test_worker_expect(w, WIRE_READY);
	memcpy(&ready, f.payload, sizeof(ready));
	if (ready.status != FP_OK)
		fail_msg("not ready: %s", ready.text);
	(void)test_worker_expect(w, WIRE_FACTS);
}

void test_prepare(struct test_worker *w, const struct trial *t,
                  const int32_t *members, uint32_t n, uint32_t me)
{
	const struct wire_prepare p = { .trial = *t, .n_members = n, .me = me };

	test_worker_send(w, WIRE_PREPARE, &p, sizeof(p), members,
	                 n * sizeof(*members));
}

struct outcome test_outcome(struct test_worker *w)
{
	struct wire_frame f = test_worker_expect(w, WIRE_OUTCOME);
	struct outcome o;
	const char *wrong;

	memcpy(&o, f.payload, sizeof(o));
	wrong = outcome_check(&o, MEMBERS_MAX);
	if (wrong)
		fail_msg("%s", wrong);
	return o;
}

void test_trial_start(struct test_worker *w, uint32_t n, const struct trial *t)
{
	struct wire_endpoint eps[MEMBERS_MAX];
	int32_t members[MEMBERS_MAX];
	const struct wire_go go = { .trial = t->id, .n = n };

	for (uint32_t i = 0; i < n; i++)
		members[i] = (int32_t)i;
	for (uint32_t i = 0; i < n; i++)
		test_prepare(&w[i], t, members, n, i);
	for (uint32_t i = 0; i < n; i++) {
		struct wire_frame f = test_worker_expect(&w[i], WIRE_ENDPOINT);

		memcpy(&eps[i], f.payload, sizeof(eps[i]));
		assert_int_equal(eps[i].trial, t->id);
		assert_int_equal(eps[i].index, i);
	}
	for (uint32_t i = 0; i < n; i++)
		test_worker_send(&w[i], WIRE_GO, &go, sizeof(go), eps,
		                 n * sizeof(eps[0]));
}

void test_trial_run(struct test_worker *w, uint32_t n, const struct trial *t,
                    struct outcome *outcomes)
{
	test_trial_start(w, n, t);
	for (uint32_t i = 0; i < n; i++) {
		outcomes[i] = test_outcome(&w[i]);
		assert_int_equal(outcomes[i].trial, t->id);
		assert_int_equal(outcomes[i].rank, i);
	}
}

struct trial test_trial(uint32_t id, uint16_t xport, uint16_t op,
                        uint64_t bytes)
{
	return (struct trial){
		.id = id,
		.xport = xport,
		.op = op,
		.bytes = bytes,
		.src = 0,
		.dst = 1,
		.src_ep = -1,
		.dst_ep = -1,
		.time_s = 0.02,
		.deadline_s = 50,
		.seed = 3,
	};
}

void test_workers_ready(struct test_worker *w, uint32_t n, const char *inject)
{
	for (uint32_t i = 0; i < n; i++) {
		struct wire_setup s = test_worker_setup((int32_t)i, (int32_t)n);

		/* fp_copy() would replace the ends of lines. */
		(void)snprintf(s.inject, sizeof(s.inject), "%s", inject);
		test_worker_ready(&w[i], &s);
	}
}

void test_workers_stop(struct test_worker *w, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		test_worker_stop(&w[i]);
}
