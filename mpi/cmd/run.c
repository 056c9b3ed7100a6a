// SPDX-License-Identifier: Apache-2.0
// run, pairs, sweep: learn who this rank is, then lead or follow.
#include <event2/event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/agent/agent.h"
#include "mpi/agent/child.h"
#include "mpi/boot/boot.h"
#include "mpi/boot/launcher.h"
#include "mpi/cmd/cmd.h"
#include "mpi/cmd/lead.h"
#include "mpi/local/local.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"
#include "topo/base/log.h"
#include "topo/discover/discover.h"

#define RUN_INIT_S 60.0
#define RUN_EXCHANGE_S 30.0
#define RUN_FINISH_S 20.0
#define RUN_READ_S 1800.0 /* of logs: a terabyte */
#define RUN_PATH_MAX 4096

static enum fp_status identity_read(const struct opts *o, struct topo_host *ret,
                                    struct fp_err *err)
{
	const char *local = getenv("FABRICPROBE_LOCAL_HOST");
	char name[TOPO_NAME_MAX] = "", root[RUN_PATH_MAX];
	struct topo_env env = {
		.sysroot = root,
		.host_name = local,
		.host_id = o->host_id[0] ? o->host_id : local,
	};

	(void)gethostname(name, sizeof(name) - 1);
	(void)topo_sysroot(o->sysroot, local ? local : name, root,
	                   sizeof(root));
	return topo_discover_identity(&env, ret, err);
}

static enum fp_status worker_find(const struct opts *o, char *ret, size_t size,
                                  struct fp_err *err)
{
	if (!o->worker[0])
		return child_worker_path("fabricprobe-worker", ret, size, err);
	fp_copy(ret, size, o->worker);
	return FP_OK;
}

/* Of the commands that start ranks. */
static bool is_measuring(const struct opts *o)
{
	return o->command != CMD_CHECK && o->command != CMD_TOPO;
}

/* Is @name in a folder of @list, as LD_LIBRARY_PATH has them? */
static bool is_in_folders(const char *list, const char *name)
{
	char path[RUN_PATH_MAX];

	while (*list) {
		size_t len = strcspn(list, ":");

		if (len &&
		    (size_t)snprintf(path, sizeof(path), "%.*s/%s", (int)len,
		                     list, name) < sizeof(path) &&
		    access(path, R_OK) == 0)
			return true;
		list += len + (list[len] == ':');
	}
	return false;
}

/* Whether a driver of GPUs is here, without asking it: it may hang. */
static bool gpu_maybe(void)
{
	const char *folders = getenv("LD_LIBRARY_PATH");

	return access("/dev/nvidiactl", F_OK) == 0 ||
	       access("/proc/driver/nvidia/version", F_OK) == 0 ||
	       (folders && is_in_folders(folders, "libnvidia-ml.so.1"));
}

/* The worker that a GPU transport needs; one that is not installed is why it
 * cannot run, found when it is started. */
static const char *gpu_worker_find(const struct opts *o, char *ret, size_t size)
{
	static const char name[] = "fabricprobe-worker-cuda";
	struct fp_err err = { 0 };
	bool maybe = o->xport == XPORT_AUTO && is_measuring(o) && gpu_maybe();

	if (o->worker[0] || !(trial_xport_is_gpu(o->xport) || maybe))
		return NULL;
	/* Beside a job that may hang on its GPUs nothing of ours opens one. */
	if (o->command == CMD_EXPLAIN && topo_gpus_in_use(o->sysroot))
		return NULL;
	if (child_worker_path(name, ret, size, &err))
		fp_copy(ret, size, name);
	return ret;
}

static void on_signal(evutil_socket_t signum, short what, void *arg)
{
	(void)what;
	agent_stop(arg, (int)signum);
}

static enum agent_end follow_agent(const struct lead_how *how, struct agent *a)
{
	static const int nums[] = { SIGINT, SIGTERM, SIGHUP };
	struct event *signals[3] = { NULL };
	enum agent_end end;
	size_t i;

	for (i = 0; i < 3; i++) {
		signals[i] = evsignal_new(how->base, nums[i], on_signal, a);
		if (signals[i])
			event_add(signals[i], NULL);
	}
	end = agent_run(a);
	for (i = 0; i < 3; i++)
		if (signals[i])
			event_free(signals[i]);
	return end;
}

static int follow(const struct lead_how *how, bool *ret_all_answered)
{
	struct agent_who who = {
		.rank = how->boot_ops->rank(how->boot),
		.size = how->boot_ops->size(how->boot),
		.host = how->identity,
	};
	const struct opts *o = how->cmd->opts;
	struct boot_meet meet = { 0 };
	struct fp_err err = { 0 };
	struct agent_opts aopts;
	struct agent *a = NULL;
	enum agent_end end = AGENT_ORPHANED;
	enum fp_status status;

	lead_agent_opts(how, &aopts);
	who.token = meet.token;
	status = agent_open(how->base, &who, &aopts, &a, &err);
	if (!status)
		status = how->boot_ops->exchange(how->boot, &meet, &err);
	if (!status)
		status = agent_connect(
			a, &meet,
			fp_after_ns(o->start_timeout_s + how->patience_s),
			&err);
	if (!status) {
		end = follow_agent(how, a);
		if (end == AGENT_ORPHANED)
			fp_log(FP_LOG_INFO, "rank %d: %s", (int)who.rank,
			       agent_why(a));
	}
	agent_close(a);
	*ret_all_answered = end == AGENT_BYE_FINALIZE;
	if (status)
		return cmd_fail(&err);
	return end == AGENT_ORPHANED ? CMD_EXIT_FAULT : CMD_EXIT_HEALTHY;
}

static int with_boot(struct lead_how *how)
{
	bool all_answered = false;
	int rc;

	how->base = event_base_new();
	if (!how->base) {
		fp_log(FP_LOG_ERROR, "cannot make an event loop");
		return CMD_EXIT_USAGE;
	}
	if (how->boot_ops->rank(how->boot) == 0)
		rc = lead_run(how, &all_answered);
	else
		rc = follow(how, &all_answered);
	event_base_free(how->base);
	fflush(stdout);
	how->boot_ops->finish(how->boot, all_answered, rc);
	/* Some rank does not answer: nothing collective may be begun, not
	 * even by an exit handler of the MPI library. */
	if (!all_answered)
		_exit(rc);
	return rc;
}

static int as_rank(const struct cmd *cmd, cmd_show_fn *show,
                   const struct lead_case *about)
{
	const struct opts *o = cmd->opts;
	struct lead_how how = { .cmd = cmd,
		                .show = show,
		                .about = about,
		                .patience_s = about ? RUN_READ_S : 0 };
	struct boot_opts bopts = {
		.init_s = RUN_INIT_S,
		.exchange_s = RUN_EXCHANGE_S + how.patience_s,
		.finish_s = RUN_FINISH_S,
		.keep_mpi_env = o->keep_mpi_env,
	};
	char worker[RUN_PATH_MAX], gpu_worker[RUN_PATH_MAX];
	struct topo_host identity = { 0 };
	struct fp_err err = { 0 };
	enum fp_status status;
	int rc;

	status = worker_find(o, worker, sizeof(worker), &err);
	if (!status)
		status = identity_read(o, &identity, &err);
	if (!status)
		status = boot_pick(opts_boot_name(o->boot), getenv,
		                   &how.boot_ops, &err);
	launcher_block();
	if (!status)
		status = how.boot_ops->open(&bopts, &how.boot, &err);
	if (status)
		return cmd_refuse(&err, NULL);
	how.identity = &identity;
	how.worker_path = worker;
	how.gpu_path = gpu_worker_find(o, gpu_worker, sizeof(gpu_worker));
	rc = with_boot(&how);
	topo_host_done(&identity);
	return rc;
}

static int as_launcher(const struct cmd *cmd)
{
	const struct opts *o = cmd->opts;
	const struct local_opts local = {
		.n = o->local,
		.hosts = o->local_hosts,
		.out_dir = o->command == CMD_TOPO ? "" : o->out_dir,
		.lost_after_s = o->lost_after_s,
	};
	struct fp_err err = { 0 };
	struct local_end end;

	if (local_launch(&local, cmd->argv, &end, &err) != FP_OK)
		return cmd_fail(&err);
	if (end.mute) {
		fp_log(FP_LOG_ERROR, "%s", end.text);
		cmd_verdict(cmd_verdict_fd(o), end.status);
	}
	return end.status;
}

static int run(const struct cmd *cmd, cmd_show_fn *show,
               const struct lead_case *about)
{
	if (cmd->opts->local && !local_is_child())
		return as_launcher(cmd);
	return as_rank(cmd, show, about);
}

int cmd_run(const struct cmd *cmd)
{
	return run(cmd, NULL, NULL);
}

int cmd_run_job(const struct cmd *cmd, cmd_show_fn *show)
{
	return run(cmd, show, NULL);
}

int cmd_run_case(const struct cmd *cmd, const struct lead_case *about)
{
	return run(cmd, NULL, about);
}
