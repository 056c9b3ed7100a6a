// SPDX-License-Identifier: Apache-2.0
// The local launcher. This program is also what it launches: a child writes
// down who it is in a folder and then behaves as LOCAL_TEST_ACT says.
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi/boot/boot.h"
#include "mpi/local/local.h"
#include "topo/base/clock.h"

#define WAIT_S 30.0
#define RANKS 4

/* Where children write, and their parent reads. */
static const char *dir(void)
{
	return getenv("LOCAL_TEST_DIR");
}

static void path_of(int rank, char ret[static 256])
{
	(void)snprintf(ret, 256, "%s/%d", dir(), rank);
}

static void forget(void)
{
	char path[256];

	for (int i = 0; i < RANKS; i++) {
		path_of(i, path);
		(void)unlink(path);
	}
}

static void nap(void)
{
	const struct timespec ts = { .tv_nsec = 5000000 };

	(void)nanosleep(&ts, NULL);
}

static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = -1; /* the folder itself */

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n - 2; /* . and .. */
}

/* Atomically, for readers wait for the file. */
static void write_down(int32_t rank)
{
	const char *host = getenv("FABRICPROBE_LOCAL_HOST");
	char path[256], temp[260], null[16] = "";
	FILE *f;

	path_of(rank, path);
	(void)snprintf(temp, sizeof(temp), "%s.new", path);
	(void)readlink("/proc/self/fd/0", null, sizeof(null) - 1);
	f = fopen(temp, "w");
	if (!f)
		_exit(9);
	(void)fprintf(f, "%d %s %s %d %d %s", getpid(), host ? host : "-", null,
	              getpgid(0) == getpid(), count_fds() - 1,
	              program_invocation_short_name);
	(void)fclose(f);
	(void)rename(temp, path);
}

static void wait_for_signal(void)
{
	for (;;)
		pause();
}

static void ignore_sigterm(void)
{
	(void)signal(SIGTERM, SIG_IGN);
}

static void end_well(int signum)
{
	(void)signum;
	_exit(5);
}

/* What LOCAL_TEST_ACT may say, for rank 0 and for the others. */
static int act(const char *what, int32_t rank)
{
	if (!strcmp(what, "die") && rank == 0)
		(void)raise(SIGKILL);
	if (!strcmp(what, "die-early") && rank > 0)
		_exit(1);
	if (!strcmp(what, "linger") && rank > 0)
		wait_for_signal();
	if (!strcmp(what, "wait"))
		wait_for_signal();
	return rank == 0 ? 3 : 0;
}

static int child_main(void)
{
	const char *act_env = getenv("LOCAL_TEST_ACT");
	const char *what = act_env ? act_env : "end";
	const struct boot_opts opts = { .init_s = 5 };
	struct boot *b = NULL;
	int32_t rank;

	local_child_guard();
	if (boot_env_ops.open(&opts, &b, NULL) != FP_OK)
		return 9;
	rank = boot_env_ops.rank(b);
	boot_env_ops.finish(b, true, 0);
	if (!strcmp(what, "linger"))
		ignore_sigterm();
	if (!strcmp(what, "wait") && rank == 0)
		(void)signal(SIGTERM, end_well);
	write_down(rank);
	return act(what, rank);
}

static bool read_down(int rank, char *ret, size_t size)
{
	char path[256];
	FILE *f;

	path_of(rank, path);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(ret, (int)size, f))
		ret[0] = '\0';
	(void)fclose(f);
	return true;
}

static pid_t pid_of(int rank)
{
	int64_t deadline_ns = fp_after_ns(WAIT_S);
	char text[256];

	while (!read_down(rank, text, sizeof(text))) {
		assert_true(fp_now_ns() < deadline_ns);
		nap();
	}
	return (pid_t)strtol(text, NULL, 10);
}

static void wait_until_gone(pid_t pid)
{
	int64_t deadline_ns = fp_after_ns(WAIT_S);
	char path[64], stat[256];
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (;;) {
		f = fopen(path, "r");
		if (!f)
			return;
		if (!fgets(stat, sizeof(stat), f))
			stat[0] = '\0';
		(void)fclose(f);
		/* where nobody reaps orphans they stay as zombies */
		if (!stat[0] || strstr(stat, ") Z "))
			return;
		assert_true(fp_now_ns() < deadline_ns);
		nap();
	}
}

static int launch(const struct local_opts *opts, const char *what,
                  struct fp_err *err)
{
	char *argv[] = { program_invocation_name, NULL };

	forget();
	(void)setenv("LOCAL_TEST_ACT", what, 1);
	return local_launch(opts, argv, err);
}

/* A launcher in a process of its own. */
static pid_t launch_apart(const char *what)
{
	const struct local_opts opts = { .n = RANKS };
	pid_t pid;

	forget();
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(launch(&opts, what, NULL));
	return pid;
}

static int join(pid_t pid)
{
	int wstatus;

	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_true(WIFEXITED(wstatus));
	return WEXITSTATUS(wstatus);
}

static void test_hosts(void **state)
{
	static const struct {
		uint32_t rank, n, hosts, host;
	} cases[] = {
		{ 0, 4, 2, 0 }, { 1, 4, 2, 0 }, { 2, 4, 2, 1 },
		{ 3, 4, 2, 1 }, { 0, 5, 2, 0 }, { 2, 5, 2, 0 },
		{ 3, 5, 2, 1 }, { 4, 5, 2, 1 }, { 0, 3, 3, 0 },
		{ 2, 3, 3, 2 }, { 6, 7, 1, 0 }, { 1023, 1024, 1024, 1023 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(local_host_of(cases[i].rank, cases[i].n,
		                               cases[i].hosts),
		                 cases[i].host);
}

/* pid, host name, stdin, own process group, descriptors, name */
static void test_launch(void **state)
{
	static const char *const rest[RANKS] = {
		" local0 /dev/null 1 4 ",
		" local0 /dev/null 1 3 ",
		" local1 /dev/null 1 3 ",
		" local1 /dev/null 1 3 ",
	};
	const struct local_opts opts = { .n = RANKS, .hosts = 2 };
	struct fp_err err = { 0 };
	char text[256];

	(void)state;
	(void)setenv("FABRICPROBE_RANK", "77", 1); /* of an outer launch */
	assert_int_equal(launch(&opts, "end", &err), 3);
	(void)unsetenv("FABRICPROBE_RANK");
	for (int i = 0; i < RANKS; i++) {
		assert_true(read_down(i, text, sizeof(text)));
		if (!strstr(text, rest[i]))
			fail_msg("rank %d: %s", i, text);
		assert_non_null(strstr(text, program_invocation_short_name));
	}
}

static void test_launch_one(void **state)
{
	const struct local_opts opts = { .n = 1 };
	char text[256];

	(void)state;
	assert_int_equal(launch(&opts, "end", NULL), 3);
	assert_true(read_down(0, text, sizeof(text)));
	assert_non_null(strstr(text, " - /dev/null 1 4 "));
}

static void test_rank0_killed(void **state)
{
	const struct local_opts opts = { .n = 2, .out_dir = "saved" };

	(void)state;
	assert_int_equal(launch(&opts, "die", NULL), 1);
}

static void test_others_die_early(void **state)
{
	const struct local_opts opts = { .n = RANKS };

	(void)state;
	assert_int_equal(launch(&opts, "die-early", NULL), 3);
}

/* Rank 0 has ended, the others would stay for ever and ignore SIGTERM. */
static void test_others_linger(void **state)
{
	const struct local_opts opts = { .n = 2 };

	(void)state;
	assert_int_equal(launch(&opts, "linger", NULL), 3);
	assert_int_equal(kill(pid_of(1), 0), -1);
	assert_int_equal(errno, ESRCH);
}

/* Rank 0 is told and ends with a status of its own; the others are not, and
 * are ended when it is gone. */
static void test_signal(void **state)
{
	pid_t launcher, pids[RANKS];

	(void)state;
	launcher = launch_apart("wait");
	for (int i = 0; i < RANKS; i++)
		pids[i] = pid_of(i);
	assert_int_equal(kill(launcher, SIGTERM), 0);
	assert_int_equal(join(launcher), 5);
	for (int i = 0; i < RANKS; i++)
		wait_until_gone(pids[i]);
}

/* Rank 0 had no time to prepare for a signal: no fault, and no report. */
static void test_signal_too_early(void **state)
{
	pid_t launcher;

	(void)state;
	launcher = launch_apart("wait");
	(void)pid_of(0);
	assert_int_equal(kill(launcher, SIGINT), 0);
	assert_int_equal(join(launcher), 3);
}

static void test_launcher_killed(void **state)
{
	pid_t launcher, pids[RANKS];
	int wstatus;

	(void)state;
	launcher = launch_apart("wait");
	for (int i = 0; i < RANKS; i++)
		pids[i] = pid_of(i);
	assert_int_equal(kill(pids[1], SIGSTOP), 0);
	assert_int_equal(kill(launcher, SIGKILL), 0);
	assert_int_equal(waitpid(launcher, &wstatus, 0), launcher);
	for (int i = 0; i < RANKS; i++)
		wait_until_gone(pids[i]);
}

static void test_bad_opts(void **state)
{
	static const struct local_opts cases[] = {
		{ .n = 0 },
		{ .n = 1025 },
		{ .n = 2, .hosts = 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fp_err err = { 0 };

		assert_int_equal(launch(&cases[i], "end", &err), -1);
		assert_int_equal(err.status, FP_ERR_USAGE);
	}
}

static int set_up(void **state)
{
	char made[] = "/tmp/fp-local-XXXXXX";

	(void)state;
	return mkdtemp(made) ? setenv("LOCAL_TEST_DIR", made, 1) : -1;
}

static int tear_down(void **state)
{
	(void)state;
	forget();
	return rmdir(dir());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_launch),
		cmocka_unit_test(test_launch_one),
		cmocka_unit_test(test_rank0_killed),
		cmocka_unit_test(test_others_die_early),
		cmocka_unit_test(test_others_linger),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_signal_too_early),
		cmocka_unit_test(test_launcher_killed),
		cmocka_unit_test(test_bad_opts),
	};

	if (local_is_child())
		return child_main();
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
