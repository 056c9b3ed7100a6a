// SPDX-License-Identifier: Apache-2.0
// Outputs of a run: journal, text, JSON.
#include "mpi/cmd/lead_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/cmd/evidence.h"
#include "mpi/cmd/output.h"
#include "topo/base/fmt.h"
#include "topo/base/log.h"

#define LEAD_PATH_MAX 4096

static bool json_to_stdout(const struct opts *o)
{
	return cmd_verdict_fd(o) != STDOUT_FILENO;
}

enum fp_status lead_saved_open(struct lead_saved *s, const struct cmd *cmd,
                               struct fp_err *err)
{
	const struct opts *o = cmd->opts;
	struct journal_head head = { .drill = o->inject.n > 0 };
	enum fp_status status = FP_OK;

	output_utc(s->started_utc, sizeof(s->started_utc));
	s->command = cmd_line(cmd);
	s->options = opts_to_json(o);
	if (!s->command || !s->options)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	if (o->json_path[0] && !json_to_stdout(o)) {
		status = output_check(o->json_path, err);
		fp_err_prefix(err, "--json");
	}
	if (status || !o->out_dir[0] || o->command == CMD_TOPO)
		return status;
	head.command = s->command;
	head.options = s->options;
	head.started_utc = s->started_utc;
	status = journal_open(o->out_dir, &head, &s->journal, err);
	fp_err_prefix(err, "--out");
	return status;
}

static bool render_to(const struct report_ops *ops, const struct report *report,
                      const char *path)
{
	struct fp_text text = { 0 };
	struct fp_err err = { 0 };
	enum fp_status status;

	status = ops->render(report, &text, &err);
	if (!status && strcmp(path, "-") == 0)
		status = output_fd(STDOUT_FILENO, fp_text_str(&text), text.len,
		                   &err);
	else if (!status)
		status = output_file(path, fp_text_str(&text), text.len, &err);
	fp_text_free(&text);
	if (status)
		fp_log(FP_LOG_ERROR, "%s", err.text);
	return status == FP_OK;
}

static bool render_into(const struct report_ops *ops,
                        const struct report *report, const char *dir,
                        const char *name)
{
	char path[LEAD_PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >=
	    (int)sizeof(path))
		return false;
	return render_to(ops, report, path);
}

/* The text last: its last line tells of the others. */
static bool render_to_dir(struct report *report, const char *dir)
{
	struct report plain = *report;

	plain.colour = false;
	plain.columns = 80;
	plain.unwritten |=
		!render_into(&report_json_ops, &plain, dir, "report.json");
	return render_into(&report_text_ops, &plain, dir, "report.txt") &&
	       !plain.unwritten;
}

static void render_to_stdout(struct report *report, const struct opts *o)
{
	const struct report_ops *text =
		o->command == CMD_SWEEP ? &report_sweep_ops : &report_text_ops;
	bool json = json_to_stdout(o);

	if (!render_to(json ? &report_json_ops : text, report, "-"))
		report->unwritten = true;
	else if (!json)
		return;
	/* The launch wrapper, and scripts, want the last line all the same. */
	cmd_verdict(STDERR_FILENO, report_exit_status(report));
}

static bool keep_evidence(const struct report *report, const struct opts *o)
{
	struct fp_err err = { 0 };

	if (evidence_write(o->evidence, o->mask, report, &err) == FP_OK)
		return true;
	fp_log(FP_LOG_ERROR, "--evidence: %s", err.text);
	return false;
}

bool lead_report_files(struct lead_saved *s, const struct cmd *cmd,
                       struct report *report)
{
	const struct opts *o = cmd->opts;

	if (s->journal &&
	    journal_end(s->journal, report->session->elapsed_s, NULL) != FP_OK)
		s->journal_failed = true;
	report->unwritten |= s->journal_failed;
	if (o->evidence[0] && !keep_evidence(report, o))
		report->unwritten = true;
	if (o->out_dir[0] && !render_to_dir(report, o->out_dir))
		report->unwritten = true;
	return !report->unwritten;
}

struct report lead_report_make(const struct lead_saved *s,
                               const struct cmd *cmd, struct session *session)
{
	struct report report = {
		.session = session,
		.command = s->command,
		.options = s->options,
		.started_utc = s->started_utc,
		.drill = cmd->opts->inject.n > 0,
		.model = cmd->opts->command == CMD_SIMULATE,
	};

	cmd_presentation(cmd->opts, STDOUT_FILENO, &report);
	return report;
}

int lead_report(struct lead_saved *s, const struct cmd *cmd,
                struct session *session)
{
	struct report report = lead_report_make(s, cmd, session);
	const struct opts *o = cmd->opts;

	if (o->json_path[0] && !json_to_stdout(o) &&
	    !render_to(&report_json_ops, &report, o->json_path))
		report.unwritten = true;
	(void)lead_report_files(s, cmd, &report);
	render_to_stdout(&report, o);
	return report_exit_status(&report);
}

void lead_saved_close(struct lead_saved *s)
{
	journal_close(s->journal);
	free(s->command);
	free(s->options);
	*s = (struct lead_saved){ 0 };
}
