// SPDX-License-Identifier: Apache-2.0
// fabricprobe check: hosts by what they are, live or as they were saved.
#include "mpi/cmd/cmd.h"
#include "mpi/cmd/lead_report.h"
#include "mpi/cmd/saved.h"
#include "probes/journal/journal.h"

static enum fp_status judge(const struct cmd *cmd, const struct topo_job *job,
                            struct lead_saved *saved, struct session *session,
                            struct fp_err *err)
{
	struct session_opts sopts;
	enum fp_status status;

	opts_session(cmd->opts, &sopts);
	status = session_init(session, job, &sopts, err);
	if (status == FP_OK && saved->journal)
		status = journal_job(saved->journal, job, &session->opts, err);
	if (status == FP_OK)
		status = session_judge(session, err);
	return status;
}

static int check_saved(const struct cmd *cmd)
{
	struct lead_saved saved = { 0 };
	struct session session = { 0 };
	struct topo_job job = { 0 };
	struct fp_text kinds = { 0 };
	struct fp_err err = { 0 };
	enum fp_status status;
	int rc;

	status = saved_job(&cmd->opts->saved, &job, &kinds, &err);
	if (status == FP_OK)
		status = lead_saved_open(&saved, cmd, &err);
	if (status == FP_OK)
		status = judge(cmd, &job, &saved, &session, &err);
	rc = status == FP_OK ? lead_report(&saved, cmd, &session)
	                     : cmd_fail(&err);
	session_done(&session);
	lead_saved_close(&saved);
	topo_job_done(&job);
	fp_text_free(&kinds);
	return rc;
}

int cmd_check(const struct cmd *cmd)
{
	return cmd->opts->saved.n ? check_saved(cmd) : cmd_run(cmd);
}
