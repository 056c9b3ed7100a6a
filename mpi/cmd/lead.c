// SPDX-License-Identifier: Apache-2.0
// Rank 0 of a run.
#include "mpi/cmd/lead.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpi/agent/agent.h"
#include "mpi/boot/launcher.h"
#include "mpi/boot/netif.h"
#include "mpi/boot/voice.h"
#include "mpi/cmd/lead_measure.h"
#include "mpi/cmd/lead_report.h"
#include "mpi/conductor/conductor.h"
#include "topo/base/fmt.h"
#include "topo/base/log.h"
#include "topo/base/version.h"

#define LEAD_WEDGE_S 10.0
#define LEAD_HELLO_S 5.0
#define LEAD_PENDING_MAX 64

/* Rank 0's parts, in the order in which they come to be. */
struct lead {
	const struct lead_how *how;
	struct lead_saved saved;
	struct boot_meet meet;
	struct conductor *conductor;
	struct agent *agent;
	struct event *signals[3];
	struct launcher *launcher; /* of an MPI job */
	struct lead_measure measure;
};

static struct mailbox_opts mailbox_opts(const struct opts *o)
{
	return (struct mailbox_opts){
		.heartbeat_s = o->heartbeat_s,
		.dead_s = o->lost_after_s,
		.hello_s = LEAD_HELLO_S,
		.max_pending = LEAD_PENDING_MAX,
	};
}

void lead_agent_opts(const struct lead_how *how, struct agent_opts *ret)
{
	const struct opts *opts = how->cmd->opts;

	*ret = (struct agent_opts){
		.worker_path = how->worker_path,
		.gpu_path = how->gpu_path,
		.nccl_lib = opts->nccl_lib[0] ? opts->nccl_lib : NULL,
		.mailbox = mailbox_opts(opts),
		.start_s = opts->start_timeout_s,
		.wedge_s = LEAD_WEDGE_S,
	};
}

static void on_signal(evutil_socket_t signum, short what, void *arg)
{
	struct lead *l = arg;

	(void)what;
	conductor_stop(l->conductor, (int)signum);
}

static void on_launcher(void *arg, int signum)
{
	struct lead *l = arg;

	conductor_stop(l->conductor, signum);
}

/* Without it all works, but for the last second of a launcher. */
static void launcher_look(struct lead *l)
{
	struct fp_err err = { 0 };

	if (l->how->boot_ops == &boot_mpi_ops &&
	    launcher_watch(l->how->base, on_launcher, l, &l->launcher, &err))
		fp_log(FP_LOG_INFO, "%s", err.text);
}

static void signals_watch(struct lead *l)
{
	static const int nums[] = { SIGINT, SIGTERM, SIGHUP };
	size_t i;

	for (i = 0; i < sizeof(nums) / sizeof(nums[0]); i++) {
		l->signals[i] =
			evsignal_new(l->how->base, nums[i], on_signal, l);
		if (l->signals[i])
			event_add(l->signals[i], NULL);
	}
}

/* Where the others find rank 0; the launcher may have fixed it already. */
static enum fp_status meet_make(struct lead *l, int *ret_fd, bool *ret_fixed,
                                struct fp_err *err)
{
	const struct opts *o = l->how->cmd->opts;

	*ret_fd =
		l->how->boot_ops->listen_fd(l->how->boot, &l->meet, ret_fixed);
	if (*ret_fixed)
		return FP_OK;
	if (getrandom(l->meet.token, sizeof(l->meet.token), 0) !=
	    (ssize_t)sizeof(l->meet.token))
		return fp_err_sys(err, errno, "make a token");
	return netif_control_addrs(o->control_if, &l->meet, err);
}

static enum fp_status conductor_start(struct lead *l, struct fp_err *err)
{
	const struct opts *o = l->how->cmd->opts;
	struct conductor_opts copts = {
		.mailbox = mailbox_opts(o),
		.start_s = o->start_timeout_s,
		.loopback = o->local > 0,
		.gpus = trial_xport_is_gpu(o->xport),
	};
	struct mailbox_listen listen = {
		.base = l->how->base,
		.size = l->how->boot_ops->size(l->how->boot),
		.meet = &l->meet,
	};
	enum fp_status status;
	bool fixed = false;

	opts_setup(o, &copts.setup);
	fp_copy(copts.setup.version, sizeof(copts.setup.version), FP_VERSION);
	status = meet_make(l, &listen.fd, &fixed, err);
	if (!status)
		status = conductor_open(&listen, &copts, &l->conductor, err);
	return status;
}

static enum fp_status agent_start(struct lead *l, struct fp_err *err)
{
	struct agent_who who = {
		.rank = 0,
		.size = l->how->boot_ops->size(l->how->boot),
		.host = l->how->identity,
		.token = l->meet.token,
	};
	struct agent_opts aopts;
	enum fp_status status;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
	               fds) < 0)
		return fp_err_sys(err, errno, "make a socketpair");
	status = conductor_adopt(l->conductor, fds[0], err);
	if (status) {
		close(fds[1]);
		return status;
	}
	lead_agent_opts(l->how, &aopts);
	status = agent_open(l->how->base, &who, &aopts, &l->agent, err);
	if (status) {
		close(fds[1]);
		return status;
	}
	return agent_adopt(l->agent, fds[1], err);
}

/* The control link crosses the wire under test: said, not a fault. */
static void control_note(struct lead *l)
{
	const struct topo_job *job = conductor_job(l->conductor);
	const struct topo_netdev *dev = topo_job_netdev(job, 0);
	char name[TOPO_NAME_MAX];

	if (job->n_hosts < 2 || !dev || dev->loopback)
		return;
	if (netif_shares(&l->meet, dev->name, name, sizeof(name)))
		conductor_note(l->conductor, EVENT_CONTROL_SHARED,
		               "control traffic uses %s, as does tcp data; "
		               "--control-if names another",
		               name);
}

static enum fp_status bring_up(struct lead *l, struct fp_err *err)
{
	enum fp_status status;

	status = conductor_start(l, err);
	if (status)
		return status;
	signals_watch(l);
	launcher_look(l);
	status = agent_start(l, err);
	if (!status)
		status =
			l->how->boot_ops->exchange(l->how->boot, &l->meet, err);
	if (!status) {
		/* From here on every wait has a deadline of ours. */
		if (boot_is_wrapped(getenv))
			fp_log(FP_LOG_ERROR, "begun");
		status = conductor_gather(l->conductor, err);
	}
	if (!status)
		control_note(l);
	return status;
}

static void tear_down(struct lead *l, bool *ret_all_answered)
{
	size_t i;

	*ret_all_answered = l->conductor && conductor_finish(l->conductor);
	agent_close(l->agent);
	launcher_close(l->launcher);
	conductor_close(l->conductor);
	for (i = 0; i < sizeof(l->signals) / sizeof(l->signals[0]); i++)
		if (l->signals[i])
			event_free(l->signals[i]);
	lead_measure_done(&l->measure);
	lead_saved_close(&l->saved);
}

/* What happened while the hosts were read, then what they are. What an agent
 * or a worker lost meanwhile was not looked at. */
static int show(struct lead *l)
{
	size_t n, troubles = 0;
	const struct run_event *events = conductor_events(l->conductor, &n);
	int rc;

	for (size_t i = 0; i < n; i++) {
		fp_log(FP_LOG_WARN, "rank %d: %s", (int)events[i].rank,
		       events[i].text);
		troubles += events[i].kind >= EVENT_AGENT_LOST &&
		            events[i].kind <= EVENT_WORKER_GARBAGE;
	}
	rc = l->how->show(l->how->cmd, conductor_job(l->conductor));
	return rc == CMD_EXIT_HEALTHY && troubles ? CMD_EXIT_INCOMPLETE : rc;
}

/* A run that was interrupted is judged too. */
static int tell(struct lead *l, enum fp_status status, const struct fp_err *err)
{
	const struct lead_case *about = l->how->about;
	bool ran = !status || (status == FP_ERR_INTR && l->measure.session.job);

	if (about)
		return about->report(about->arg, &l->saved,
		                     ran ? &l->measure.session : NULL, err);
	return ran ? lead_report(&l->saved, l->how->cmd, &l->measure.session)
	           : cmd_fail(err);
}

int lead_run(const struct lead_how *how, bool *ret_all_answered)
{
	struct lead l = { .how = how };
	struct fp_err err = { 0 };
	enum fp_status status;
	int rc;

	status = lead_measure_init(&l.measure, how, &l.saved, &err);
	if (!status)
		status = lead_saved_open(&l.saved, how->cmd, &err);
	if (!status && how->about)
		status = how->about->prepare(how->about->arg, &err);
	if (status) {
		rc = cmd_fail(&err);
		tear_down(&l, ret_all_answered);
		return rc;
	}
	status = bring_up(&l, &err);
	if (!status && !how->show)
		status = lead_measure_run(&l.measure, l.conductor, &err);
	if (!how->show)
		rc = tell(&l, status, &err);
	else
		rc = status ? cmd_fail(&err) : show(&l);
	tear_down(&l, ret_all_answered);
	return rc;
}
