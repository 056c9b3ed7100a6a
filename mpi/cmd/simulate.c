// SPDX-License-Identifier: Apache-2.0
// fabricprobe simulate: a run on a model of a cluster.
#include <stdlib.h>
#include <string.h>

#include "mpi/cmd/cmd.h"
#include "mpi/cmd/fabric.h"
#include "mpi/cmd/input.h"
#include "mpi/cmd/lead_journal.h"
#include "mpi/cmd/simulate.h"
#include "probes/sim/catalogue.h"
#include "probes/sim/exec.h"
#include "topo/base/log.h"

#define MODEL_BYTES (64u << 20) /* large enough for the full rate */

/* struct stage_set - a modelled cluster, and the run on it. */
struct stage_set {
	const struct cmd *cmd;
	struct fp_text text; /* of the cluster */
	struct fabric f;
	struct sim_fault faults[OPTS_INJECT_MAX];
	struct topo_job job;
	struct lead_saved saved;
	struct session session;
	struct progress progress;
};

static enum fp_status read_cluster(struct stage_set *s, struct fp_err *err)
{
	const char *path = s->cmd->opts->cluster;
	enum fp_status status;

	if (!path[0])
		return fp_err_set(err, FP_ERR_USAGE,
		                  "simulate needs --cluster FILE, or "
		                  "--catalogue");
	status = input_file(path, &s->text, err);
	if (!status)
		status = cmd_cluster(fp_text_str(&s->text), &s->f, err);
	if (!status)
		return FP_OK;
	fp_err_prefix(err, "%s", path);
	fp_err_prefix(err, "--cluster");
	return status;
}

static enum fp_status read_faults(struct stage_set *s, struct fp_err *err)
{
	const struct opts_texts *t = &s->cmd->opts->faults;
	enum fp_status status = FP_OK;
	size_t i;

	for (i = 0; !status && i < t->n; i++)
		status = sim_fault_parse(&s->f, t->text[i], &s->faults[i], err);
	if (status)
		fp_err_prefix(err, "--fault");
	return status;
}

static void journal_trouble(void *arg, const struct fp_err *err)
{
	(void)arg;
	fp_log(FP_LOG_ERROR, "--out: %s", err->text);
}

static enum fp_status measure(struct stage_set *s, struct fp_err *err)
{
	const struct opts *o = s->cmd->opts;
	struct lead_journal journal = { .saved = &s->saved,
		                        .progress = &s->progress,
		                        .trouble = journal_trouble };
	const struct session_hooks hooks = lead_journal_hooks(&journal);
	const struct sim_model m = {
		.f = &s->f,
		.faults = s->faults,
		.n_faults = o->faults.n,
		.noise = sim_noise_usual(),
		.seed = o->seed,
	};
	struct sim_exec x = { .m = &m, .job = &s->job };
	struct session_opts sopts;
	enum fp_status status;

	opts_session(o, &sopts);
	if (!sopts.bytes)
		sopts.bytes = MODEL_BYTES;
	status = session_init(&s->session, &s->job, &sopts, err);
	if (status)
		return status;
	s->session.fabric = &s->f;
	progress_init(&s->progress, !o->no_progress);
	lead_journal_begin(&journal, &s->session, fp_text_str(&s->text), true);
	status = session_run(&s->session, &sim_exec_ops, &x, &hooks, err);
	progress_clear(&s->progress);
	return status;
}

static void take_down(struct stage_set *s)
{
	session_done(&s->session);
	lead_saved_close(&s->saved);
	topo_job_done(&s->job);
	fabric_done(&s->f);
	fp_text_free(&s->text);
}

static int simulate_run(const struct cmd *cmd)
{
	struct stage_set s = { .cmd = cmd };
	struct fp_err err = { 0 };
	enum fp_status status;
	int rc;

	status = read_cluster(&s, &err);
	if (!status)
		status = read_faults(&s, &err);
	if (!status)
		status = lead_saved_open(&s.saved, cmd, &err);
	if (!status)
		status = sim_job(&s.f, &s.job, &err);
	if (!status)
		status = measure(&s, &err);
	rc = status ? cmd_fail(&err) : lead_report(&s.saved, cmd, &s.session);
	take_down(&s);
	return rc;
}

int cmd_simulate(const struct cmd *cmd)
{
	return cmd->opts->catalogue ? simulate_catalogue(cmd)
	                            : simulate_run(cmd);
}
