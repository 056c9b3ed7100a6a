// SPDX-License-Identifier: Apache-2.0
// `fabricprobe report`: judge and render a saved run again, without MPI.
#include <unistd.h>

#include "mpi/cmd/before.h"
#include "mpi/cmd/cmd.h"
#include "mpi/cmd/fabric.h"
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

/* struct replay - a saved run, and what it is judged with. */
struct replay {
	struct journal_run run;
	struct fabric fabric;
	struct before before;
	struct session session;
};

static enum fp_status know_fabric(struct replay *r, struct fp_err *err)
{
	const char *text = r->run.fabric;
	enum fp_status status;

	if (!text)
		return FP_OK;
	status = r->run.model ? cmd_cluster(text, &r->fabric, err)
	                      : cmd_fabric(text, &r->run.job, &r->fabric, err);
	fp_err_prefix(err, "the fabric of this run");
	if (!status)
		r->session.fabric = &r->fabric;
	return status;
}

static enum fp_status judge_again(struct replay *r, const char *baseline,
                                  struct fp_err *err)
{
	struct session *s = &r->session;
	enum fp_status status = session_init(s, &r->run.job, &r->run.opts, err);

	if (status)
		return status;
	s->results = r->run.results; /* the session owns them now */
	r->run.results = (struct results){ 0 };
	s->elapsed_s = r->run.elapsed_s;
	s->interrupted = !r->run.complete;
	status = know_fabric(r, err);
	if (!status && baseline[0]) {
		status = before_open(baseline, &r->before, err);
		s->before = &r->before.run;
	}
	return status ? status : session_replay(s, err);
}

static enum fp_status tell(const struct opts *opts, struct replay *r,
                           struct fp_err *err)
{
	struct report report = {
		.session = &r->session,
		.command = r->run.command,
		.options = r->run.options[0] ? r->run.options : NULL,
		.started_utc = r->run.started_utc,
		.drill = r->run.drill,
		.model = r->run.model,
		.cut = !r->run.complete,
	};

	cmd_presentation(opts, STDOUT_FILENO, &report);
	return render(opts, &report, err);
}

int cmd_report(const struct cmd *cmd)
{
	const struct opts *o = cmd->opts;
	struct replay r = { .run = { .command = NULL } };
	struct fp_err err = { 0 };
	enum fp_status status;
	int rc;

	status = journal_load(o->dir, &r.run, &err);
	if (status)
		return cmd_fail(&err);
	status = judge_again(&r, o->baseline, &err);
	if (!status)
		status = tell(o, &r, &err);
	rc = session_exit_status(&r.session);
	if (!status && r.run.bad_lines)
		fp_log(FP_LOG_WARN, "%s: %zu unreadable lines were skipped",
		       o->dir, r.run.bad_lines);
	session_done(&r.session);
	before_close(&r.before);
	fabric_done(&r.fabric);
	journal_run_done(&r.run);
	return status ? cmd_fail(&err) : rc;
}
