// SPDX-License-Identifier: Apache-2.0
// Unit tests of the worker: its beginning, its end, and nonsense.
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "probes/worker/worker.h"
#include "tests/unit/worker_agent.h"
#include "topo/base/fmt.h"
#include "topo/base/version.h"
#include "topo/json/snapshot.h"

#define PATIENCE_MS 60000

static int exit_of(struct test_worker *w)
{
	int wstatus = test_worker_wait(w);

	assert_true(WIFEXITED(wstatus));
	return WEXITSTATUS(wstatus);
}

static void test_ready_and_facts(void **state)
{
	struct wire_setup setup = test_worker_setup(3, 8);
	struct topo_host host;
	struct wire_ready ready;
	struct test_worker w;
	struct wire_frame f;
	struct fp_err err = { 0 };

	(void)state;
	fp_copy(setup.host_name, sizeof(setup.host_name), "somewhere");
	fp_copy(setup.host_id, sizeof(setup.host_id), "some/id");
	test_worker_start(&w);
	test_worker_send(&w, WIRE_SETUP, &setup, sizeof(setup), NULL, 0);
	f = test_worker_expect(&w, WIRE_READY);
	memcpy(&ready, f.payload, sizeof(ready));
	assert_int_equal(ready.status, FP_OK);
	assert_int_equal(ready.rank, 3);
	assert_int_equal(ready.pid, w.pid);
	assert_string_equal(ready.version, FP_VERSION);
	assert_int_equal(ready.xports, 1u << XPORT_SHM | 1u << XPORT_TCP);
	f = test_worker_expect(&w, WIRE_FACTS);
	assert_int_equal(topo_host_from_json((const char *)f.payload,
	                                     f.head.length, &host, &err),
	                 FP_OK);
	assert_string_equal(host.name, "somewhere");
	assert_string_equal(host.host_id, "some/id");
	assert_true(host.n_netdevs > 0);
	topo_host_done(&host);
	assert_int_equal(atomic_load(&w.board->stage), STAGE_READY);
	test_worker_stop(&w);
}

/* READY with a failure, whose text has all of @words. */
static void assert_not_ready(const struct wire_setup *setup,
                             enum fp_status status, const char *const *words)
{
	struct wire_ready ready;
	struct test_worker w;
	struct wire_frame f;

	test_worker_start(&w);
	test_worker_send(&w, WIRE_SETUP, setup, sizeof(*setup), NULL, 0);
	f = test_worker_expect(&w, WIRE_READY);
	memcpy(&ready, f.payload, sizeof(ready));
	assert_int_equal(ready.status, status);
	for (; *words; words++) {
		if (!strstr(ready.text, *words))
			fail_msg("no '%s' in '%s'", *words, ready.text);
	}
	test_worker_stop(&w);
}

static void test_another_version_is_refused(void **state)
{
	static const char *const words[] = { "9.8.7", FP_VERSION, NULL };
	struct wire_setup setup = test_worker_setup(0, 2);

	(void)state;
	fp_copy(setup.version, sizeof(setup.version), "9.8.7");
	assert_not_ready(&setup, FP_ERR_PROTO, words);
}

static void test_absurd_setups_are_refused(void **state)
{
	static const char *const rank[] = { "rank 2 of 2", NULL };
	static const char *const streams[] = { "65 streams", "64", NULL };
	static const char *const connect[] = { "connect", NULL };
	static const char *const inject[] = { "hung", "hang", NULL };
	static const char *const netdev[] = { "nope7", "lo", NULL };
	struct wire_setup setup = test_worker_setup(2, 2);

	(void)state;
	assert_not_ready(&setup, FP_ERR_PROTO, rank);
	setup = test_worker_setup(0, 2);
	setup.streams = 65;
	assert_not_ready(&setup, FP_ERR_PROTO, streams);
	setup = test_worker_setup(0, 2);
	setup.connect_s = 0.0 / 0.0;
	assert_not_ready(&setup, FP_ERR_PROTO, connect);
	setup = test_worker_setup(0, 2);
	fp_copy(setup.inject, sizeof(setup.inject), "hung src=1");
	assert_not_ready(&setup, FP_ERR_USAGE, inject);
	setup = test_worker_setup(0, 2);
	setup.addr[0] = '\0';
	fp_copy(setup.netdev, sizeof(setup.netdev), "nope7");
	assert_not_ready(&setup, FP_ERR_INPUT, netdev);
}

static void test_a_missing_transport_is_no_failure(void **state)
{
	struct wire_setup setup = test_worker_setup(0, 2);
	struct wire_ready ready;
	struct test_worker w;
	struct outcome o;
	struct trial t = test_trial(1, XPORT_TCP, OP_WRITE, 8);
	static const int32_t members[] = { 0, 1 };
	struct wire_frame f;

	(void)state;
	/* 192.0.2.0/24 is for documentation: no host has it. */
	fp_copy(setup.addr, sizeof(setup.addr), "192.0.2.77");
	test_worker_start(&w);
	test_worker_send(&w, WIRE_SETUP, &setup, sizeof(setup), NULL, 0);
	f = test_worker_expect(&w, WIRE_READY);
	memcpy(&ready, f.payload, sizeof(ready));
	assert_int_equal(ready.status, FP_OK);
	assert_int_equal(ready.xports, 1u << XPORT_SHM);
	assert_non_null(strstr(ready.text, "tcp: "));
	(void)test_worker_expect(&w, WIRE_FACTS);
	test_prepare(&w, &t, members, 2, 0);
	o = test_outcome(&w);
	assert_int_equal(o.state, OUTCOME_NOTRUN);
	if (!strstr(o.err, "tcp cannot run on rank 0: "))
		fail_msg("%s", o.err);
	assert_non_null(strstr(o.err, "192.0.2.77"));
	test_worker_stop(&w);
}

static void test_bad_trials_are_outcomes(void **state)
{
	static const int32_t members[] = { 0, 1 };
	struct trial rows[5];
	static const struct {
		uint8_t state;
		const char *word;
	} want[] = {
		{ OUTCOME_NOTRUN, "quarter" },
		{ OUTCOME_NOTRUN, "verbs" },
		{ OUTCOME_NOTRUN, "cuda" },
		{ OUTCOME_ERROR, "message size" },
		{ OUTCOME_ERROR, "deadline" },
	};
	struct test_worker w;

	(void)state;
	for (size_t i = 0; i < 5; i++)
		rows[i] = test_trial((uint32_t)i + 1, XPORT_SHM, OP_WRITE, 8);
	rows[0].bytes = TRIAL_BYTES_MAX;
	rows[1].xport = XPORT_VERBS;
	rows[2].mem = MEM_CUDA;
	rows[3].bytes = 0;
	rows[4].deadline_s = 0;
	test_workers_ready(&w, 1, "");
	test_worker_stop(&w);
	{
		struct wire_setup s = test_worker_setup(0, 2);

		test_worker_ready(&w, &s);
	}
	for (size_t i = 0; i < 5; i++) {
		struct outcome o;

		test_prepare(&w, &rows[i], members, 2, 0);
		o = test_outcome(&w);
		assert_int_equal(o.trial, i + 1);
		assert_int_equal(o.state, want[i].state);
		assert_int_equal(o.stage, STAGE_INIT);
		if (!strstr(o.err, want[i].word))
			fail_msg("no '%s' in '%s'", want[i].word, o.err);
	}
	test_worker_stop(&w);
}

static void test_nonsense_ends_it(void **state)
{
	static const int32_t members[] = { 0, 1 };
	struct trial t = test_trial(1, XPORT_SHM, OP_WRITE, 8);
	struct wire_setup setup = test_worker_setup(0, 2);
	struct wire_endpoint ep = { .trial = 2 };
	struct wire_go go = { .trial = 1 };
	struct test_worker w;

	(void)state;
	test_worker_start(&w); /* before SETUP */
	test_prepare(&w, &t, members, 2, 0);
	assert_int_equal(exit_of(&w), 1);

	test_worker_start(&w);
	test_worker_write(&w, "GET / HTTP/1.1\r\n\r\n", 18);
	assert_int_equal(exit_of(&w), 1);

	test_worker_ready(&w, &setup); /* twice */
	test_worker_send(&w, WIRE_SETUP, &setup, sizeof(setup), NULL, 0);
	assert_int_equal(exit_of(&w), 1);

	test_worker_ready(&w, &setup); /* not prepared */
	test_worker_send(&w, WIRE_GO, &go, sizeof(go), NULL, 0);
	assert_int_equal(exit_of(&w), 1);

	test_worker_ready(&w, &setup); /* another one was prepared */
	test_prepare(&w, &t, members, 2, 0);
	(void)test_worker_expect(&w, WIRE_ENDPOINT);
	go.trial = 9;
	test_worker_send(&w, WIRE_GO, &go, sizeof(go), NULL, 0);
	assert_int_equal(exit_of(&w), 1);
	go.trial = 1;

	test_worker_ready(&w, &setup); /* an endpoint of another trial */
	test_prepare(&w, &t, members, 2, 0);
	(void)test_worker_expect(&w, WIRE_ENDPOINT);
	go.n = 1;
	test_worker_send(&w, WIRE_GO, &go, sizeof(go), &ep, sizeof(ep));
	assert_int_equal(exit_of(&w), 1);

	test_worker_ready(&w, &setup); /* the wrong way round */
	test_worker_send(&w, WIRE_ENDPOINT, &ep, sizeof(ep), NULL, 0);
	assert_int_equal(exit_of(&w), 1);
}

static void test_heartbeats_are_nothing(void **state)
{
	struct wire_setup setup = test_worker_setup(0, 2);
	struct test_worker w;

	(void)state;
	test_worker_ready(&w, &setup);
	test_worker_send(&w, WIRE_HEARTBEAT, NULL, 0, NULL, 0);
	test_worker_stop(&w);
}

static void test_descriptors_must_be_there(void **state)
{
	int wstatus;
	pid_t pid;

	(void)state;
	pid = fork();
	if (pid == 0) {
		closefrom(3);
		_exit(worker_main());
	}
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_true(WIFEXITED(wstatus));
	assert_int_equal(WEXITSTATUS(wstatus), 2);
}

enum orphan {
	ORPHAN_EARLY, /* the parent died before the worker had begun */
	ORPHAN_IDLE,
	ORPHAN_DEAF, /* it is stopped: only its parent's death can end it */
	ORPHAN_COUNT
};

/* Started by a process that dies. Who holds the agent's end of the socketpair
 * outlives it, so that its closing is no help. The worker's stderr keeps @life
 * open as long as it lives. */
static void orphan(enum orphan kind, int life, int leave)
{
	struct wire_setup setup = test_worker_setup(0, 2);
	struct test_worker w;
	char c;

	(void)dup2(life, STDERR_FILENO);
	close(life);
	if (kind == ORPHAN_EARLY)
		test_worker_start_late(&w);
	else
		test_worker_ready(&w, &setup);
	if (kind == ORPHAN_DEAF)
		kill(w.pid, SIGSTOP);
	if (fork() != 0)
		_exit(0);
	(void)dup2(leave, STDERR_FILENO);
	while (read(leave, &c, 1) > 0)
		;
	_exit(0);
}

static void assert_ends(int life)
{
	struct pollfd pfd = { .fd = life, .events = POLLIN };
	char text[256];
	ssize_t n;

	do {
		assert_int_equal(poll(&pfd, 1, PATIENCE_MS), 1);
		n = read(life, text, sizeof(text));
	} while (n > 0);
	assert_int_equal(n, 0);
}

static void test_orphans_end(void **state)
{
	(void)state;
	for (int kind = 0; kind < ORPHAN_COUNT; kind++) {
		int life[2], leave[2];
		pid_t pid;

		assert_int_equal(pipe2(life, O_CLOEXEC), 0);
		assert_int_equal(pipe2(leave, O_CLOEXEC), 0);
		pid = fork();
		if (pid == 0) {
			close(leave[1]);
			orphan((enum orphan)kind, life[1], leave[0]);
		}
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		close(life[1]);
		assert_ends(life[0]);
		close(life[0]);
		close(leave[0]);
		close(leave[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ready_and_facts),
		cmocka_unit_test(test_another_version_is_refused),
		cmocka_unit_test(test_absurd_setups_are_refused),
		cmocka_unit_test(test_a_missing_transport_is_no_failure),
		cmocka_unit_test(test_bad_trials_are_outcomes),
		cmocka_unit_test(test_nonsense_ends_it),
		cmocka_unit_test(test_heartbeats_are_nothing),
		cmocka_unit_test(test_descriptors_must_be_there),
		cmocka_unit_test(test_orphans_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
