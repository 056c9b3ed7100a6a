// SPDX-License-Identifier: Apache-2.0
// `fabricprobe report`: judge and render a saved run again, without MPI.
#include <unistd.h>

#include "mpi/cmd/before.h"
#include "mpi/cmd/cmd.h"
#include "mpi/cmd/output.h"
#include "probes/journal/journal.h"
#include "topo/base/log.h"

static enum fp_status render(const struct opts *opts,
                             const struct report *report, struct fp_err *err)
{
	const struct report_ops *ops =
		report_find(opts_format_name(opts->format));
	struct fp_text text = { 0 };
	enum fp_status status;

	status = ops->render(report, &text, err);
	if (!status)
		status = output_fd(STDOUT_FILENO, fp_text_str(&text), text.len,
		                   err);
	fp_text_free(&text);
	return status;
}

int cmd_report(const struct cmd *cmd)
{
	struct report report = { 0 };
	struct journal_run run = { 0 };
	struct session session = { 0 };
	struct before before = { 0 };
	struct fp_err err = { 0 };
	enum fp_status status;
	int rc;

	status = journal_load(cmd->opts->dir, &run, &err);
	if (status)
		return cmd_fail(&err);
	status = session_init(&session, &run.job, &run.opts, &err);
	if (status)
		goto done_run;
	session.results = run.results; /* the session owns them now */
	run.results = (struct results){ 0 };
	session.elapsed_s = run.elapsed_s;
	session.interrupted = !run.complete;
	if (cmd->opts->baseline[0]) {
		status = before_open(cmd->opts->baseline, &before, &err);
		session.before = &before.run;
		if (status)
			goto done_session;
	}
	status = session_judge(&session, &err);
	if (status)
		goto done_session;
	report = (struct report){
		.session = &session,
		.command = run.command,
		.options = run.options[0] ? run.options : NULL,
		.started_utc = run.started_utc,
		.drill = run.drill,
		.cut = !run.complete,
	};
	cmd_presentation(cmd->opts, STDOUT_FILENO, &report);
	status = render(cmd->opts, &report, &err);
done_session:
	rc = session_exit_status(&session);
	session_done(&session);
	before_close(&before);
	if (!status && run.bad_lines)
		fp_log(FP_LOG_WARN, "%s: %zu unreadable lines were skipped",
		       cmd->opts->dir, run.bad_lines);
done_run:
	journal_run_done(&run);
	return status ? cmd_fail(&err) : rc;
}
