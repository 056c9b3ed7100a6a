// SPDX-License-Identifier: Apache-2.0
// Unit tests of the worker: faults on purpose.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/unit/worker_agent.h"

static void test_injected_corruption(void **state)
{
	static const uint16_t xports[] = { XPORT_SHM, XPORT_TCP };
	struct test_worker w[2];
	struct outcome o[2];

	(void)state;
	test_workers_ready(w, 2, "corrupt src=0 dst=1 op=write");
	for (uint32_t i = 0; i < 2; i++) {
		struct trial t = test_trial(i + 1, xports[i], OP_WRITE, 100000);

		test_trial_run(w, 2, &t, o);
		assert_int_equal(o[1].state, OUTCOME_OK);
		assert_true(o[1].wrong_bytes > 0);
		assert_int_equal(o[0].wrong_bytes, 0);
	}
	test_workers_stop(w, 2);
}

static void test_injected_hang(void **state)
{
	struct trial t = test_trial(1, XPORT_TCP, OP_WRITE, 1000);
	struct test_worker w[2];
	struct outcome o[2];

	(void)state;
	t.deadline_s = 0.2;
	test_workers_ready(w, 2, "hang src=0 dst=1\ndie rank=1 after=1");
	test_trial_run(w, 2, &t, o);
	assert_int_equal(o[1].state, OUTCOME_HANG);
	assert_true(o[0].state == OUTCOME_HANG || o[0].state == OUTCOME_ERROR);
	/* One trial is done now. */
	t.id = 2;
	test_trial_start(w, 2, &t);
	assert_true(WIFSIGNALED(test_worker_wait(&w[1])));
	assert_int_equal(test_outcome(&w[0]).state, OUTCOME_ERROR);
	test_worker_stop(&w[0]);
}

static void misbehaving(struct test_worker w[static 2], const char *rule)
{
	struct trial t = test_trial(1, XPORT_SHM, OP_WRITE, 1000);

	t.deadline_s = 5;
	test_workers_ready(w, 2, rule);
	test_trial_start(w, 2, &t);
}

static void test_injected_deaths(void **state)
{
	struct test_worker w[2];
	struct wire_frame f;
	uint8_t bytes[4096];
	int wstatus;
	size_t got = 0;
	ssize_t n;

	(void)state;
	misbehaving(w, "die rank=1");
	assert_false(test_worker_next(&w[1], &f));
	assert_true(WIFSIGNALED(test_worker_wait(&w[1])));
	test_worker_kill(&w[0]);

	misbehaving(w, "half rank=1");
	while ((n = recv(w[1].fd, bytes, sizeof(bytes), 0)) > 0)
		got += (size_t)n;
	assert_int_equal(got,
	                 sizeof(struct wire_head) + sizeof(struct outcome) / 2);
	assert_true(WIFSIGNALED(test_worker_wait(&w[1])));
	test_worker_kill(&w[0]);

	misbehaving(w, "stop rank=1");
	assert_int_equal(waitpid(w[1].pid, &wstatus, WUNTRACED), w[1].pid);
	assert_true(WIFSTOPPED(wstatus));
	test_worker_kill(&w[1]);
	test_worker_kill(&w[0]);
}

static void test_injected_noise(void **state)
{
	struct test_worker w[2];
	struct wire_frame f;
	uint8_t *bytes = test_malloc(1 << 20);
	size_t got = 0;
	ssize_t n;

	(void)state;
	misbehaving(w, "garbage rank=1");
	assert_false(test_worker_next(&w[1], &f));
	test_worker_kill(&w[1]);
	test_worker_kill(&w[0]);

	misbehaving(w, "flood rank=1");
	while (got < 64 << 20) {
		n = recv(w[1].fd, bytes, 1 << 20, 0);
		assert_true(n > 0);
		got += (size_t)n;
	}
	test_worker_kill(&w[1]);
	test_worker_kill(&w[0]);
	test_free(bytes);
}

static void test_injected_stubbornness(void **state)
{
	struct test_worker w[2];
	uint64_t mask = 0;

	(void)state;
	misbehaving(w, "stubborn rank=1");
	/* Wait until it blocks SIGTERM, then see it survive one. */
	while (!(mask & 1ULL << (SIGTERM - 1))) {
		char path[64], text[4096] = "", *at;
		FILE *f;
		size_t n;

		(void)snprintf(path, sizeof(path), "/proc/%d/status",
		               (int)w[1].pid);
		f = fopen(path, "r");
		assert_non_null(f);
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
		text[n] = '\0';
		at = strstr(text, "SigBlk:");
		assert_non_null(at);
		mask = strtoull(at + 7, NULL, 16);
	}
	kill(w[1].pid, SIGTERM);
	assert_int_equal(waitpid(w[1].pid, NULL, WNOHANG), 0);
	test_worker_kill(&w[1]);
	test_worker_kill(&w[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_injected_corruption),
		cmocka_unit_test(test_injected_hang),
		cmocka_unit_test(test_injected_deaths),
		cmocka_unit_test(test_injected_noise),
		cmocka_unit_test(test_injected_stubbornness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
