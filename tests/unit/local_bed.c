// SPDX-License-Identifier: Apache-2.0
// A launcher under test, and what it launches: this program again.
#include "tests/unit/local_bed.h"

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
#include "topo/base/clock.h"

#define WAIT_S 30.0

/* Where children write, and their parent reads. */
static const char *local_bed_dir(void)
{
	return getenv("LOCAL_TEST_DIR");
}

static void path_of(int rank, char ret[static 256])
{
	(void)snprintf(ret, 256, "%s/%d", local_bed_dir(), rank);
}

static void local_bed_forget(void)
{
	char path[256], temp[260];

	for (int i = 0; i < RANKS; i++) {
		path_of(i, path);
		(void)unlink(path);
		(void)snprintf(temp, sizeof(temp), "%s.new", path);
		(void)unlink(temp); /* of one that was ended meanwhile */
	}
}

static void local_bed_nap(void)
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
	if (!strcmp(what, "stop") && rank == 0)
		(void)raise(SIGSTOP);
	if (!strcmp(what, "die-early") && rank > 0)
		_exit(1);
	if (!strcmp(what, "linger") && rank > 0)
		wait_for_signal();
	if (!strcmp(what, "wait"))
		wait_for_signal();
	return rank == 0 ? 3 : 0;
}

int local_bed_child(void)
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

bool local_bed_read(int rank, char *ret, size_t size)
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

pid_t local_bed_pid(int rank)
{
	int64_t deadline_ns = fp_after_ns(WAIT_S);
	char text[256];

	while (!local_bed_read(rank, text, sizeof(text))) {
		assert_true(fp_now_ns() < deadline_ns);
		local_bed_nap();
	}
	return (pid_t)strtol(text, NULL, 10);
}

void local_bed_wait_state(pid_t pid, char state)
{
	int64_t deadline_ns = fp_after_ns(WAIT_S);
	char path[64], stat[256] = "", want[] = ") S ";
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	want[2] = state;
	while (!strstr(stat, want)) {
		assert_true(fp_now_ns() < deadline_ns);
		local_bed_nap();
		f = fopen(path, "r");
		assert_non_null(f);
		if (!fgets(stat, sizeof(stat), f))
			stat[0] = '\0';
		(void)fclose(f);
	}
}

void local_bed_wait_gone(pid_t pid)
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
		local_bed_nap();
	}
}

/* The exit status, or -1 where nothing was started. */
int local_bed_launch(const struct local_opts *opts, const char *what,
                     struct fp_err *err)
{
	char *argv[] = { program_invocation_name, NULL };
	struct local_end end;

	local_bed_forget();
	(void)setenv("LOCAL_TEST_ACT", what, 1);
	if (local_launch(opts, argv, &end, err) != FP_OK)
		return -1;
	return end.status;
}

/* A launcher in a process of its own. */
pid_t local_bed_launch_apart(const char *what)
{
	const struct local_opts opts = { .n = RANKS,
		                         .lost_after_s = LOST_AFTER_S };
	pid_t pid;

	local_bed_forget();
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(local_bed_launch(&opts, what, NULL));
	return pid;
}

int local_bed_join(pid_t pid)
{
	int wstatus;

	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_true(WIFEXITED(wstatus));
	return WEXITSTATUS(wstatus);
}

/* What becomes of a rank 0 that @what says how to end. */
struct local_end local_bed_end(const struct local_opts *opts, const char *what)
{
	char *argv[] = { program_invocation_name, NULL };
	struct local_end end = { .status = -1 };
	struct fp_err err = { 0 };

	local_bed_forget();
	(void)setenv("LOCAL_TEST_ACT", what, 1);
	assert_int_equal(local_launch(opts, argv, &end, &err), FP_OK);
	return end;
}

int local_bed_set_up(void **state)
{
	char made[] = "/tmp/fp-local-XXXXXX";

	(void)state;
	return mkdtemp(made) ? setenv("LOCAL_TEST_DIR", made, 1) : -1;
}

int local_bed_tear_down(void **state)
{
	(void)state;
	local_bed_forget();
	return rmdir(local_bed_dir());
}
