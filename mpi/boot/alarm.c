// SPDX-License-Identifier: Apache-2.0
// Ends the process when a call does not return.
#include "mpi/boot/alarm.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The alarm travels with its signal, so the handler needs no variable. */
static void on_alarm(int signum, siginfo_t *info, void *context)
{
	const struct boot_alarm *a = info->si_value.sival_ptr;

	(void)signum;
	(void)context;
	if (info->si_code != SI_TIMER)
		return;
	if (write(STDERR_FILENO, a->line, a->len) < 0)
		_exit(a->exit_status);
	_exit(a->exit_status);
}

static void alarm_say(struct boot_alarm *a, double seconds, const char *what,
                      const char *remedy)
{
	int n = snprintf(a->line, sizeof(a->line),
	                 "fabricprobe: %s within %.3g s; %s\n", what, seconds,
	                 remedy);

	a->len = n < 0 ? 0 : (size_t)n;
	if (a->len < sizeof(a->line))
		return;
	a->len = sizeof(a->line);
	a->line[a->len - 1] = '\n';
}

enum fp_status boot_alarm_start(struct boot_alarm *a, double seconds,
                                int exit_status, const char *what,
                                const char *remedy, struct fp_err *err)
{
	const struct sigaction action = { .sa_sigaction = on_alarm,
		                          .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
		                  .sigev_signo = SIGALRM,
		                  .sigev_value.sival_ptr = a };
	const time_t whole_s = (time_t)seconds;
	const struct itimerspec spec = {
		.it_value.tv_sec = whole_s,
		.it_value.tv_nsec = (long)((seconds - (double)whole_s) * 1e9),
	};

	a->exit_status = exit_status;
	alarm_say(a, seconds, what, remedy);
	if (timer_create(CLOCK_MONOTONIC, &event, &a->timer))
		return fp_err_sys(err, errno, "set an alarm");
	if (sigaction(SIGALRM, &action, NULL) ||
	    timer_settime(a->timer, 0, &spec, NULL)) {
		timer_delete(a->timer);
		return fp_err_sys(err, errno, "set an alarm");
	}
	return FP_OK;
}

void boot_alarm_stop(struct boot_alarm *a)
{
	timer_delete(a->timer);
	(void)signal(SIGALRM, SIG_IGN); /* it may be pending */
}
