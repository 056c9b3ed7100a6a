// SPDX-License-Identifier: Apache-2.0
// Starts N processes of this program and outlives them.
#include "mpi/local/local.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi/local/apart.h"
#include "mpi/local/env.h"
#include "mpi/local/spawn.h"
#include "mpi/mailbox/sock.h"
#include "topo/base/clock.h"

#define LOCAL_MAX 1024
#define LOCAL_STOP_S 20.0  /* from a signal to rank 0's end, then SIGKILL */
#define LOCAL_ALONE_S 60.0 /* the same from the end of all others */
#define LOCAL_APART_S 40.0 /* from a signal to the end of all of it */

enum local_exit { LOCAL_EXIT_FAULT = 1, LOCAL_EXIT_INCOMPLETE = 3 };

/* What those who outlive rank 0 get, and when. */
static const struct {
	double after_s;
	int signum; /* 0: given up */
} ladder[] = {
	{ 3.0, SIGTERM },
	{ 1.0, SIGKILL },
	{ 2.0, 0 },
};
#define LADDER_STEPS (sizeof(ladder) / sizeof(ladder[0]))

struct local {
	const struct local_opts *opts;
	pid_t *pids; /* [opts->n]; 0: not started, or gone */
	uint32_t n_running;
	int listen_fd, signal_fd;
	int rank0;       /* its wait status, once pids[0] is 0 */
	bool told;       /* to stop, by a signal that was passed on */
	bool halted;     /* rank 0 is, by a SIGSTOP or a debugger */
	const char *why; /* rank 0 has to end; killed unless it is NULL */
	bool killed;     /* rank 0 was, for that */
	size_t step;     /* of the ladder */
	int64_t next_ns; /* then something is due; INT64_MAX: nothing */
};

bool local_is_child(void)
{
	return getenv(local_env_name(LOCAL_ENV_LAUNCHER)) != NULL;
}

void local_child_guard(void)
{
	const char *launcher = getenv(local_env_name(LOCAL_ENV_LAUNCHER));

	if (!launcher)
		return;
	/* It was started by way of /proc/self/exe, and would be called so. */
	(void)prctl(PR_SET_NAME, program_invocation_short_name);
	/* One that is stopped is continued by the kernel: its process group
	 * is orphaned then, see local_apart(). */
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != (pid_t)strtol(launcher, NULL, 10))
		_exit(2);
}

static enum fp_status signals_take(struct local *l, struct fp_err *err)
{
	static const int nums[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	sigset_t mask;

	sigemptyset(&mask);
	for (size_t i = 0; i < sizeof(nums) / sizeof(nums[0]); i++)
		sigaddset(&mask, nums[i]);
	l->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signal_fd < 0)
		return fp_err_sys(err, errno, "watch signals");
	(void)sigprocmask(SIG_BLOCK, &mask, NULL);
	return FP_OK;
}

static enum fp_status spawn_all(struct local *l, char *const argv[],
                                struct fp_err *err)
{
	struct local_env env;
	enum fp_status status;
	int rc = 0;

	status = local_env_init(&env, environ, mailbox_sock_port(l->listen_fd),
	                        err);
	for (uint32_t i = 0; status == FP_OK && i < l->opts->n; i++) {
		local_env_rank(&env, l->opts->n, l->opts->hosts, i);
		rc = local_spawn(i ? -1 : l->listen_fd, argv, env.envp,
		                 &l->pids[i]);
		if (rc)
			status = fp_err_sys(err, rc, "start process %u of %u",
			                    i, l->opts->n);
		else
			l->n_running++;
	}
	local_env_done(&env);
	return status;
}

/* Rank 0 has until then, or until an earlier @why of before. */
static void bound(struct local *l, double after_s, const char *why)
{
	int64_t due_ns = fp_after_ns(after_s);

	if (!l->pids[0] || l->killed || l->next_ns <= due_ns)
		return;
	l->next_ns = due_ns;
	l->why = why;
}

/* All that bounds rank 0's life, anew. */
static void bound_all(struct local *l)
{
	l->next_ns = INT64_MAX;
	if (l->halted)
		bound(l, l->opts->lost_after_s, "was stopped (SIGSTOP)");
	if (l->told)
		bound(l, LOCAL_STOP_S, "did not end when told to");
	if (l->opts->n > 1 && l->n_running == 1)
		bound(l, LOCAL_ALONE_S, "did not end after all others had");
}

static void reap_one(struct local *l, uint32_t i, int wstatus)
{
	l->pids[i] = 0;
	l->n_running--;
	if (i > 0) {
		/* The conductor notices and reports it. */
		if (l->n_running == 1 && l->pids[0])
			bound(l, LOCAL_ALONE_S,
			      "did not end after all others had");
		return;
	}
	l->rank0 = wstatus;
	l->step = 0;
	l->next_ns = fp_after_ns(ladder[0].after_s);
}

static void take_change(struct local *l, pid_t pid, int wstatus)
{
	uint32_t i = 0;

	while (i < l->opts->n && l->pids[i] != pid)
		i++;
	if (i == l->opts->n)
		return; /* an older child of what became this process */
	if (WIFEXITED(wstatus) || WIFSIGNALED(wstatus)) {
		reap_one(l, i, wstatus);
	} else if (i == 0 && !l->killed) {
		l->halted = WIFSTOPPED(wstatus);
		bound_all(l);
	}
}

/* Rank 0 alone: it reports, and when it goes the others end by themselves. */
static void stop(struct local *l, int signum)
{
	if (!l->pids[0])
		return;
	l->told = true;
	(void)kill(l->pids[0], signum == SIGHUP ? SIGTERM : signum);
	(void)kill(l->pids[0], SIGCONT);
	bound(l, LOCAL_STOP_S, "did not end when told to");
}

static void take_signals(struct local *l)
{
	struct signalfd_siginfo info;
	int wstatus;
	pid_t pid;

	while (read(l->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			stop(l, (int)info.ssi_signo);
	while ((pid = waitpid(-1, &wstatus, WNOHANG | WUNTRACED | WCONTINUED)) >
	       0)
		take_change(l, pid, wstatus);
}

static void kill_all(const struct local *l, int signum)
{
	for (uint32_t i = 0; i < l->opts->n; i++)
		if (l->pids[i])
			(void)kill(l->pids[i], signum);
}

static void climb(struct local *l)
{
	/* First a rank 0 that had to end and did not. */
	if (l->pids[0] && !l->killed) {
		l->killed = true;
		(void)kill(l->pids[0], SIGKILL);
		l->next_ns = fp_after_ns(ladder[0].after_s);
		return;
	}
	if (ladder[l->step].signum)
		kill_all(l, ladder[l->step].signum);
	l->step++;
	if (l->step < LADDER_STEPS)
		l->next_ns = fp_after_ns(ladder[l->step].after_s);
}

/* Until all are gone, or those left cannot be ended. */
static void serve(struct local *l)
{
	struct pollfd pfd = { .fd = l->signal_fd, .events = POLLIN };
	bool due;

	while (l->n_running && l->step < LADDER_STEPS) {
		due = l->next_ns != INT64_MAX;
		(void)poll(&pfd, 1, due ? fp_left_ms(l->next_ns) : -1);
		take_signals(l);
		if (fp_now_ns() >= l->next_ns)
			climb(l);
	}
}

/* What ended before there was a report, and where to look. */
static void say(const struct local_opts *opts, const char *what,
                struct local_end *ret)
{
	const char *dir = opts->out_dir ? opts->out_dir : "";

	(void)snprintf(ret->text, sizeof(ret->text), "%.120s%s%s", what,
	               dir[0] ? "; for what was measured: fabricprobe report "
	                      : "",
	               dir);
}

/* How rank 0 ended, if it did. */
static struct local_end verdict(const struct local *l)
{
	struct local_end end = { .status = LOCAL_EXIT_FAULT, .mute = true };
	char what[128];
	int signum;

	if (l->pids[0]) {
		(void)snprintf(what, sizeof(what),
		               "rank 0 (pid %ld) %s, and cannot be killed",
		               (long)l->pids[0], l->why);
	} else if (WIFEXITED(l->rank0)) {
		return (struct local_end){ .status = WEXITSTATUS(l->rank0) };
	} else if (l->killed) {
		(void)snprintf(what, sizeof(what), "rank 0 %s, and was killed",
		               l->why);
	} else {
		signum = WTERMSIG(l->rank0);
		(void)snprintf(what, sizeof(what),
		               "rank 0 was ended by signal %d (%s)", signum,
		               sigdescr_np(signum));
		if (l->told && (signum == SIGINT || signum == SIGTERM))
			end.status = LOCAL_EXIT_INCOMPLETE; /* too early */
	}
	say(l->opts, what, &end);
	return end;
}

static enum fp_status run(struct local *l, char *const argv[],
                          struct fp_err *err)
{
	enum fp_status status = spawn_all(l, argv, err);

	if (status != FP_OK) {
		kill_all(l, SIGKILL);
		l->killed = true;
		l->step = LADDER_STEPS - 1;
		l->next_ns = fp_after_ns(ladder[l->step].after_s);
	}
	serve(l);
	return status;
}

static enum fp_status opts_check(const struct local_opts *opts,
                                 struct fp_err *err)
{
	if (opts->n >= 1 && opts->n <= LOCAL_MAX && opts->hosts <= opts->n)
		return FP_OK;
	return fp_err_set(err, FP_ERR_USAGE,
	                  "--local %u --local-hosts %u: 1 to %d processes, "
	                  "and no more hosts than those",
	                  opts->n, opts->hosts, LOCAL_MAX);
}

/* struct launch - what local_launch() was given. */
struct launch {
	const struct local_opts *opts;
	char *const *argv;
};

static enum fp_status launch(void *arg, void *ret, struct fp_err *err)
{
	const struct launch *given = arg;
	const struct local_opts *opts = given->opts;
	struct local l = { .opts = opts, .next_ns = INT64_MAX };
	enum fp_status status;

	l.pids = calloc(opts->n, sizeof(*l.pids));
	if (!l.pids)
		return fp_err_set(err, FP_ERR_NOMEM, "%u processes", opts->n);
	status = mailbox_sock_listen("127.0.0.1", 0, &l.listen_fd, err);
	if (status != FP_OK)
		goto out_pids;
	status = signals_take(&l, err);
	if (status != FP_OK)
		goto out_listen;
	status = run(&l, given->argv, err);
	if (status == FP_OK)
		*(struct local_end *)ret = verdict(&l);
	close(l.signal_fd);
out_listen:
	close(l.listen_fd);
out_pids:
	free(l.pids);
	return status;
}

enum fp_status local_launch(const struct local_opts *opts, char *const argv[],
                            struct local_end *ret, struct fp_err *err)
{
	struct launch given = { opts, argv };
	enum fp_status status = opts_check(opts, err);
	struct fp_err why = { 0 };

	_Static_assert(sizeof(*ret) <= APART_RESULT_MAX, "it has to cross");
	if (status != FP_OK)
		return status;
	status = local_apart(launch, &given, LOCAL_APART_S, ret, sizeof(*ret),
	                     &why);
	if (status != FP_ERR_PEER)
		return status ? fp_err_set(err, status, "%s", why.text) : FP_OK;
	*ret = (struct local_end){ .status = LOCAL_EXIT_FAULT, .mute = true };
	say(opts, why.text, ret);
	return FP_OK;
}
