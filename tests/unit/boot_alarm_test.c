// SPDX-License-Identifier: Apache-2.0
// A call that does not return ends the process, with a line that says which.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi/boot/alarm.h"

/* Run @body in a process of its own; what it wrote to stderr comes back. */
static int run_child(void (*body)(void), char *ret_text, size_t size)
{
	int fds[2], wstatus;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)dup2(fds[1], STDERR_FILENO);
		body();
		_exit(0);
	}
	close(fds[1]);
	n = read(fds[0], ret_text, size - 1);
	ret_text[n > 0 ? n : 0] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_true(WIFEXITED(wstatus));
	return WEXITSTATUS(wstatus);
}

static void never_returns(void)
{
	struct boot_alarm alarm;

	if (boot_alarm_start(&alarm, 0.02, 42, "the call did not return",
	                     "do that", NULL) != FP_OK)
		_exit(1);
	for (;;)
		pause();
}

static void returns_in_time(void)
{
	struct boot_alarm alarm;

	if (boot_alarm_start(&alarm, 1000, 42, "a", "b", NULL) != FP_OK)
		_exit(1);
	(void)raise(SIGALRM); /* somebody else's is not the alarm */
	boot_alarm_stop(&alarm);
	(void)raise(SIGALRM);
}

static void says_too_much(void)
{
	char what[1000];
	struct boot_alarm alarm;

	memset(what, 'x', sizeof(what));
	what[sizeof(what) - 1] = '\0';
	if (boot_alarm_start(&alarm, 0.001, 7, what, "b", NULL) != FP_OK)
		_exit(1);
	for (;;)
		pause();
}

static void test_alarm(void **state)
{
	char text[1024];

	(void)state;
	assert_int_equal(run_child(never_returns, text, sizeof(text)), 42);
	assert_string_equal(text, "fabricprobe: the call did not return "
	                          "within 0.02 s; do that\n");
	assert_int_equal(run_child(returns_in_time, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_int_equal(run_child(says_too_much, text, sizeof(text)), 7);
	assert_int_equal(strlen(text), sizeof(((struct boot_alarm *)0)->line));
	assert_int_equal(text[strlen(text) - 1], '\n');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alarm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
