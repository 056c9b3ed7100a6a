// SPDX-License-Identifier: Apache-2.0
// The local launcher: signals to it, and a rank 0 that is stopped.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi/local/apart.h"
#include "tests/unit/local_bed.h"
#include "topo/base/clock.h"

/* Rank 0 is told and ends with a status of its own; the others are not, and
 * are ended when it is gone. */
static void test_signal(void **state)
{
	pid_t launcher, pids[RANKS];

	(void)state;
	launcher = local_bed_launch_apart("wait");
	for (int i = 0; i < RANKS; i++)
		pids[i] = local_bed_pid(i);
	assert_int_equal(kill(launcher, SIGTERM), 0);
	assert_int_equal(local_bed_join(launcher), 5);
	for (int i = 0; i < RANKS; i++)
		local_bed_wait_gone(pids[i]);
}

/* Rank 0 had no time to prepare for a signal: no fault, and no report. */
static void test_signal_too_early(void **state)
{
	pid_t launcher;

	(void)state;
	launcher = local_bed_launch_apart("wait");
	(void)local_bed_pid(0);
	assert_int_equal(kill(launcher, SIGINT), 0);
	assert_int_equal(local_bed_join(launcher), 3);
}

/* A launcher, and its ranks, one of which is stopped. */
static pid_t launch_one_stopped(pid_t pids[RANKS])
{
	pid_t launcher = local_bed_launch_apart("wait");

	for (int i = 0; i < RANKS; i++)
		pids[i] = local_bed_pid(i);
	assert_int_equal(kill(pids[1], SIGSTOP), 0);
	local_bed_wait_state(pids[1], 'T');
	return launcher;
}

static void test_launcher_killed(void **state)
{
	pid_t pids[RANKS], launcher = launch_one_stopped(pids);
	int wstatus;

	(void)state;
	assert_int_equal(kill(launcher, SIGKILL), 0);
	assert_int_equal(waitpid(launcher, &wstatus, 0), launcher);
	for (int i = 0; i < RANKS; i++)
		local_bed_wait_gone(pids[i]);
}

/* Who adopts the ranks is of the launcher's session, as the first process of a
 * container is, so that no group of theirs is orphaned. */
static void test_launcher_killed_in_a_container(void **state)
{
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	test_launcher_killed(state);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

/* The process that does the launcher's work. */
static void test_worker_of_launcher_killed(void **state)
{
	pid_t pids[RANKS], launcher = launch_one_stopped(pids);
	char path[64], text[32] = "";
	FILE *f;

	(void)state;
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children",
	               launcher, launcher);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	(void)fclose(f);
	assert_int_equal(kill((pid_t)strtol(text, NULL, 10), SIGKILL), 0);
	assert_int_equal(local_bed_join(launcher), 1);
	for (int i = 0; i < RANKS; i++)
		local_bed_wait_gone(pids[i]);
}

/* What "signal" or "status" asks for, without a word. */
static enum fp_status end_mute(void *arg, void *ret, struct fp_err *err)
{
	(void)ret;
	(void)err;
	if (!strcmp(arg, "signal"))
		(void)raise(SIGKILL);
	_exit(7);
}

static void test_how_that_one_ended_is_said(void **state)
{
	static const char *const rows[][2] = {
		{ "signal", "was ended by signal 9 (Killed)" },
		{ "status", "ended with status 7" },
	};
	struct fp_err err;
	char result[1];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char how[8];

		(void)snprintf(how, sizeof(how), "%s", rows[i][0]);
		err = (struct fp_err){ 0 };
		assert_int_equal(local_apart(end_mute, how, 1.0, result,
		                             sizeof(result), &err),
		                 FP_ERR_PEER);
		assert_non_null(strstr(err.text, rows[i][1]));
	}
}

/* It would stay for ever, and with it everybody who waits for it. */
static void test_rank0_stopped(void **state)
{
	const struct local_opts opts = { .n = RANKS,
		                         .lost_after_s = LOST_AFTER_S };
	int64_t begun_ns = fp_now_ns();
	struct local_end end = local_bed_end(&opts, "stop");

	(void)state;
	assert_int_equal(end.status, 1);
	assert_true(end.mute);
	assert_non_null(strstr(end.text, "rank 0 was stopped"));
	assert_true(fp_now_ns() - begun_ns >= (int64_t)(LOST_AFTER_S * 1e9));
}

/* Continued in time, it is as good as any. */
static void test_rank0_continued(void **state)
{
	pid_t launcher, rank0;

	(void)state;
	launcher = local_bed_launch_apart("stop");
	rank0 = local_bed_pid(0);
	local_bed_wait_state(rank0, 'T');
	assert_int_equal(kill(rank0, SIGCONT), 0);
	assert_int_equal(local_bed_join(launcher), 3);
}

/* What it is told it hears, stopped or not. */
static void test_rank0_stopped_and_told(void **state)
{
	pid_t launcher, rank0;

	(void)state;
	launcher = local_bed_launch_apart("wait");
	rank0 = local_bed_pid(0);
	assert_int_equal(kill(rank0, SIGSTOP), 0);
	local_bed_wait_state(rank0, 'T');
	assert_int_equal(kill(launcher, SIGTERM), 0);
	assert_int_equal(local_bed_join(launcher), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_signal_too_early),
		cmocka_unit_test(test_launcher_killed),
		cmocka_unit_test(test_launcher_killed_in_a_container),
		cmocka_unit_test(test_worker_of_launcher_killed),
		cmocka_unit_test(test_how_that_one_ended_is_said),
		cmocka_unit_test(test_rank0_stopped),
		cmocka_unit_test(test_rank0_continued),
		cmocka_unit_test(test_rank0_stopped_and_told),
	};

	if (local_is_child())
		return local_bed_child();
	return cmocka_run_group_tests(tests, local_bed_set_up,
	                              local_bed_tear_down);
}
