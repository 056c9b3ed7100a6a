// SPDX-License-Identifier: Apache-2.0
// fabricprobe explain --probe: what logs suspect, tried at once.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mpi/cmd/explain.h"
#include "mpi/cmd/explain_read.h"
#include "mpi/cmd/lead.h"
#include "mpi/cmd/lead_report.h"
#include "mpi/cmd/output.h"
#include "probes/confirm/confirm.h"
#include "probes/explain/render.h"
#include "probes/report/parts.h"
#include "topo/base/log.h"

/* What rank 0 knows. */
struct suspicion {
	const struct cmd *cmd;
	struct gather gather;
	struct story story;
	struct confirm confirm;
};

static enum fp_status prepare(void *arg, struct fp_err *err)
{
	struct suspicion *p = arg;

	return explain_read(p->cmd, &p->gather, &p->story, err);
}

static enum fp_status plan(void *arg, const struct topo_job *job,
                           struct session_opts *opts, struct fp_err *err)
{
	struct suspicion *p = arg;
	enum fp_status status = confirm_plan(&p->story, job, &p->confirm, err);

	if (status)
		return status;
	confirm_suspects(&p->confirm, job, opts->suspects,
	                 sizeof(opts->suspects));
	beside_spare(&p->confirm.beside, opts);
	return FP_OK;
}

static enum fp_status write_json(const struct suspicion *p,
                                 const struct report *report,
                                 struct fp_err *err)
{
	struct fp_text story = { 0 }, run = { 0 }, both = { 0 };
	enum fp_status status = render_json(&p->story, &story, err);

	if (!status && report)
		status = report_json_ops.render(report, &run, err);
	if (!status)
		status = confirm_json(&p->confirm, fp_text_str(&story),
		                      report ? fp_text_str(&run) : NULL, &both,
		                      err);
	if (!status)
		status = explain_write_json(p->cmd->opts, &both, err);
	fp_text_free(&story);
	fp_text_free(&run);
	fp_text_free(&both);
	return status;
}

static enum fp_status write_text(const struct suspicion *p,
                                 const struct report *report,
                                 struct fp_err *err)
{
	struct render_probe probe = {
		.outcome = confirm_outcome_name(p->confirm.outcome),
		.why = p->confirm.why,
		.verdict = confirm_verdict(&p->confirm),
	};
	struct report look = { 0 };
	struct fp_text run = { 0 }, text = { 0 }, beside = { 0 };
	char light[256];
	enum fp_status status = FP_OK;

	cmd_presentation(p->cmd->opts, STDOUT_FILENO, &look);
	if (report)
		status = report_text_ops.render(report, &run, err);
	probe.report = fp_text_str(&run);
	beside_words(&p->confirm.beside, light, sizeof(light));
	probe.light = light;
	beside_text(&p->confirm.beside, report_columns(&look), &beside);
	probe.beside = fp_text_str(&beside);
	render_text(&p->story,
	            &(struct render_look){ report_columns(&look), look.colour,
	                                   &probe },
	            &text);
	if (!status)
		status = text.failed
		                 ? fp_err_set(err, FP_ERR_NOMEM, "no memory")
		                 : output_fd(STDOUT_FILENO, fp_text_str(&text),
		                             text.len, err);
	fp_text_free(&run);
	fp_text_free(&text);
	fp_text_free(&beside);
	return status;
}

/* As much as can be written, and the verdict's exit status. */
static int write_all(const struct suspicion *p, const struct report *report)
{
	const struct opts *o = p->cmd->opts;
	bool to_stdout = strcmp(o->json_path, "-") == 0;
	int rc = render_verdict_exit(confirm_verdict(&p->confirm));
	struct fp_err err = { 0 };
	enum fp_status status = FP_OK;

	if (*o->json_path)
		status = write_json(p, report, &err);
	if (!to_stdout && write_text(p, report, &err))
		status = err.status;
	if (status) {
		fp_log(FP_LOG_ERROR, "%s", err.text);
		return rc == CMD_EXIT_HEALTHY ? CMD_EXIT_USAGE : rc;
	}
	if (to_stdout)
		cmd_verdict(STDERR_FILENO, rc);
	return rc;
}

static int tell(void *arg, struct lead_saved *saved, struct session *session,
                const struct fp_err *err)
{
	struct suspicion *p = arg;
	char why[CONFIRM_WHY_MAX];
	struct report report;
	bool saved_all = true;
	int rc;

	p->confirm.story = &p->story;
	p->confirm.drill = p->cmd->opts->inject.n > 0;
	(void)snprintf(why, sizeof(why), "there was no run: %s", err->text);
	confirm_judge(&p->confirm, session, why);
	if (!session)
		return write_all(p, NULL);
	report = lead_report_make(saved, p->cmd, session);
	saved_all = lead_report_files(saved, p->cmd, &report);
	report.part = true;
	rc = write_all(p, &report);
	return rc == CMD_EXIT_HEALTHY && !saved_all ? CMD_EXIT_USAGE : rc;
}

int explain_probe(const struct cmd *cmd)
{
	struct suspicion p = { .cmd = cmd };
	const struct lead_case about = { &p, prepare, plan, tell };
	int rc = cmd_run_case(cmd, &about);

	confirm_done(&p.confirm);
	story_done(&p.story);
	gather_done(&p.gather);
	return rc;
}
