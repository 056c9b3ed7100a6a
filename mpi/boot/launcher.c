// SPDX-License-Identifier: Apache-2.0
// Watches the process that started this one.
#include "mpi/boot/launcher.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* From the sign to the end: an mpirun that ends all for the death of one says
 * it in the moment of that death, which is to be heard of first. */
#define LAUNCHER_SIGN_US 200000

struct launcher {
	pid_t parent;
	int pidfd, signal_fd;
	struct event *ended, *sign, *due;
	void (*gone)(void *arg, int signum);
	void *arg;
};

static sigset_t only_sigcont(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCONT);
	return set;
}

void launcher_block(void)
{
	const sigset_t set = only_sigcont();

	(void)sigprocmask(SIG_BLOCK, &set, NULL);
}

static void on_due(evutil_socket_t fd, short what, void *arg)
{
	const struct launcher *w = arg;

	(void)fd;
	(void)what;
	w->gone(w->arg, SIGTERM);
}

static void on_ended(evutil_socket_t fd, short what, void *arg)
{
	const struct launcher *w = arg;

	(void)fd;
	(void)what;
	w->gone(w->arg, SIGHUP);
}

/* Whoever else says it, says it to one that was stopped. */
static void on_sign(evutil_socket_t fd, short what, void *arg)
{
	const struct timeval after = { .tv_usec = LAUNCHER_SIGN_US };
	const struct launcher *w = arg;
	struct signalfd_siginfo info;
	bool ours = false;

	(void)what;
	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		ours |= (pid_t)info.ssi_pid == w->parent;
	if (ours)
		event_add(w->due, &after);
}

static enum fp_status fds_open(struct launcher *w, struct fp_err *err)
{
	const sigset_t set = only_sigcont();

	w->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->signal_fd < 0)
		return fp_err_sys(err, errno, "watch signals");
	w->pidfd = pidfd_open(w->parent, 0);
	if (w->pidfd < 0)
		return fp_err_sys(err, errno, "watch process %ld",
		                  (long)w->parent);
	return FP_OK;
}

/* Then SIGCONT is what it says: mpirun passes a terminal's ^Z and fg on. */
static bool sign_is_forwarded(void)
{
	const char *text = getenv("OMPI_MCA_orte_forward_job_control");

	return text && *text && *text != '0';
}

static enum fp_status events_add(struct launcher *w, struct event_base *base,
                                 struct fp_err *err)
{
	w->ended = event_new(base, w->pidfd, EV_READ, on_ended, w);
	w->sign =
		event_new(base, w->signal_fd, EV_READ | EV_PERSIST, on_sign, w);
	w->due = event_new(base, -1, 0, on_due, w);
	if (!w->ended || !w->sign || !w->due || event_add(w->ended, NULL) ||
	    (!sign_is_forwarded() && event_add(w->sign, NULL)))
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to watch");
	return FP_OK;
}

enum fp_status launcher_watch(struct event_base *base,
                              void (*gone)(void *arg, int signum), void *arg,
                              struct launcher **ret, struct fp_err *err)
{
	struct launcher *w = calloc(1, sizeof(*w));
	enum fp_status status;

	if (!w)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to watch");
	*w = (struct launcher){ .parent = getppid(),
		                .pidfd = -1,
		                .signal_fd = -1,
		                .gone = gone,
		                .arg = arg };
	status = fds_open(w, err);
	if (status == FP_OK)
		status = events_add(w, base, err);
	if (status != FP_OK) {
		launcher_close(w);
		return status;
	}
	*ret = w;
	return FP_OK;
}

void launcher_close(struct launcher *w)
{
	if (!w)
		return;
	if (w->ended)
		event_free(w->ended);
	if (w->sign)
		event_free(w->sign);
	if (w->due)
		event_free(w->due);
	if (w->pidfd >= 0)
		close(w->pidfd);
	if (w->signal_fd >= 0)
		close(w->signal_fd);
	free(w);
}
