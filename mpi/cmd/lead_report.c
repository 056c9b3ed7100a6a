// SPDX-License-Identifier: Apache-2.0
// Outputs of a run: journal, text, JSON.
#include "mpi/cmd/lead_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/cmd/output.h"
#include "topo/base/fmt.h"
#include "topo/base/log.h"

#define LEAD_PATH_MAX 4096

static bool json_to_stdout(const struct opts *o)
{
	return strcmp(o->json_path, "-") == 0;
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
	if (status || !o->out_dir[0])
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

static bool render_to_dir(const struct report *report, const char *dir)
{
	struct report plain = *report;
	char path[LEAD_PATH_MAX];
	bool good = true;

	plain.colour = false;
	plain.columns = 80;
	if (snprintf(path, sizeof(path), "%s/report.txt", dir) <
	    (int)sizeof(path))
		good &= render_to(&report_text_ops, &plain, path);
	if (snprintf(path, sizeof(path), "%s/report.json", dir) <
	    (int)sizeof(path))
		good &= render_to(&report_json_ops, &plain, path);
	return good;
}

/* stdout belongs to the JSON then; the launch wrapper still wants its line. */
static void verdict_to_stderr(const struct session *session)
{
	fprintf(stderr, "fabricprobe: verdict=%s exit=%d\n",
	        session_verdict_name(session->verdict),
	        session_exit_status(session));
}

static bool render_all(const struct report *report, const struct opts *o)
{
	const struct report_ops *text =
		o->command == CMD_SWEEP ? &report_sweep_ops : &report_text_ops;
	bool good = true;

	if (o->json_path[0] && !json_to_stdout(o))
		good &= render_to(&report_json_ops, report, o->json_path);
	if (json_to_stdout(o)) {
		good &= render_to(&report_json_ops, report, "-");
		verdict_to_stderr(report->session);
	} else {
		good &= render_to(text, report, "-");
	}
	if (o->out_dir[0])
		good &= render_to_dir(report, o->out_dir);
	return good;
}

int lead_report(struct lead_saved *s, const struct cmd *cmd,
                struct session *session)
{
	struct report report = {
		.session = session,
		.command = s->command,
		.options = s->options,
		.started_utc = s->started_utc,
		.drill = cmd->opts->inject.n > 0,
	};
	int rc = session_exit_status(session);

	if (s->journal && !session->interrupted)
		(void)journal_end(s->journal, session->elapsed_s, NULL);
	cmd_presentation(cmd->opts, STDOUT_FILENO, &report);
	if (!render_all(&report, cmd->opts) && rc == CMD_EXIT_HEALTHY)
		rc = CMD_EXIT_USAGE;
	return rc;
}

void lead_saved_close(struct lead_saved *s)
{
	journal_close(s->journal);
	free(s->command);
	free(s->options);
	*s = (struct lead_saved){ 0 };
}
