// SPDX-License-Identifier: Apache-2.0
// Does work in a child that leads a session of its own.
#include "mpi/local/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "topo/base/clock.h"

/* struct word - what the child says at its end, through a pipe. */
struct word {
	int32_t status;
	struct fp_err err;
	uint8_t result[APART_RESULT_MAX];
};

struct apart {
	pid_t child;
	int signal_fd, word_fd;
	double stop_s;
	int64_t kill_ns; /* INT64_MAX: nobody told it to stop */
};

static sigset_t passed_on(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

static _Noreturn void in_child(pid_t parent, int fd, local_apart_fn *body,
                               void *arg)
{
	struct word word = { 0 };

	(void)setsid();
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(2);
	word.status = (int32_t)body(arg, word.result, &word.err);
	_exit(write(fd, &word, sizeof(word)) == (ssize_t)sizeof(word) ? 0 : 2);
}

static void pass_on(struct apart *a)
{
	struct signalfd_siginfo info;

	while (read(a->signal_fd, &info, sizeof(info)) ==
	       (ssize_t)sizeof(info)) {
		(void)kill(a->child, (int)info.ssi_signo);
		(void)kill(a->child, SIGCONT);
		if (a->kill_ns == INT64_MAX)
			a->kill_ns = fp_after_ns(a->stop_s);
	}
}

/* Until its word is there, or its end of the pipe is closed. */
static bool hear(struct apart *a, struct word *ret)
{
	struct pollfd fds[2] = { { .fd = a->word_fd, .events = POLLIN },
		                 { .fd = a->signal_fd, .events = POLLIN } };
	bool due;

	do {
		due = a->kill_ns != INT64_MAX;
		(void)poll(fds, 2, due ? fp_left_ms(a->kill_ns) : -1);
		pass_on(a);
		if (fp_now_ns() >= a->kill_ns) {
			(void)kill(a->child, SIGKILL);
			a->kill_ns = INT64_MAX - 1;
		}
	} while (!fds[0].revents);
	return read(a->word_fd, ret, sizeof(*ret)) == (ssize_t)sizeof(*ret);
}

static enum fp_status wait_for(struct apart *a, void *ret, size_t size,
                               struct fp_err *err)
{
	struct word word;
	bool heard = hear(a, &word);
	int wstatus = 0;

	/* It has closed the pipe: it is about to end, or has. */
	while (waitpid(a->child, &wstatus, 0) < 0 && errno == EINTR)
		;
	if (!heard && WIFSIGNALED(wstatus))
		return fp_err_set(err, FP_ERR_PEER,
		                  "the launcher's process %ld was ended by "
		                  "signal %d (%s)",
		                  (long)a->child, WTERMSIG(wstatus),
		                  sigdescr_np(WTERMSIG(wstatus)));
	if (!heard)
		return fp_err_set(
			err, FP_ERR_PEER,
			"the launcher's process %ld ended with status "
			"%d, and no word of its ranks",
			(long)a->child, WEXITSTATUS(wstatus));
	memcpy(ret, word.result, size);
	return word.status == FP_OK
	               ? FP_OK
	               : fp_err_set(err, (enum fp_status)word.status, "%s",
	                            word.err.text);
}

enum fp_status local_apart(local_apart_fn *body, void *arg, double stop_s,
                           void *ret, size_t size, struct fp_err *err)
{
	struct apart a = { .stop_s = stop_s, .kill_ns = INT64_MAX };
	const sigset_t mask = passed_on();
	const pid_t parent = getpid();
	enum fp_status status;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return fp_err_sys(err, errno, "make a pipe");
	a.word_fd = fds[0];
	a.signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (a.signal_fd < 0) {
		status = fp_err_sys(err, errno, "watch signals");
		close(fds[1]);
		goto out_word;
	}
	(void)sigprocmask(SIG_BLOCK, &mask, NULL);
	a.child = fork();
	if (a.child == 0)
		in_child(parent, fds[1], body, arg);
	close(fds[1]);
	status = a.child < 0 ? fp_err_sys(err, errno, "start a process")
	                     : wait_for(&a, ret, size, err);
	close(a.signal_fd);
out_word:
	close(a.word_fd);
	return status;
}
