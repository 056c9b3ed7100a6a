// SPDX-License-Identifier: Apache-2.0
// `fabricprobe compare BEFORE NOW`: what got slower between two saved runs.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mpi/cmd/before.h"
#include "mpi/cmd/cmd.h"
#include "mpi/cmd/output.h"
#include "probes/report/compare.h"

static int exit_status(const struct since *s, const struct findings *list)
{
	if (findings_worst(list) == SEVERITY_FAULT)
		return CMD_EXIT_FAULT;
	return s->n ? CMD_EXIT_HEALTHY : CMD_EXIT_INCOMPLETE;
}

static enum fp_status write_out(const struct opts *o,
                                const struct report_compared *c,
                                struct fp_err *err)
{
	struct fp_text text = { 0 };
	enum fp_status status = FP_OK;
	bool json = o->json_path[0] != '\0';

	if (json) {
		status = report_compare_json(c, &text, err);
		if (!status && strcmp(o->json_path, "-") != 0)
			status = output_file(o->json_path, fp_text_str(&text),
			                     text.len, err);
		else if (!status)
			status = output_fd(STDOUT_FILENO, fp_text_str(&text),
			                   text.len, err);
		fp_text_free(&text);
	}
	if (status || (json && strcmp(o->json_path, "-") == 0))
		return status;
	status = report_compare_text(c, &text, err);
	if (!status)
		status = output_fd(STDOUT_FILENO, fp_text_str(&text), text.len,
		                   err);
	fp_text_free(&text);
	return status;
}

static enum fp_status compare(const struct cmd *cmd, const struct before *a,
                              const struct before *b, int *ret_rc,
                              struct fp_err *err)
{
	struct session shown = { .job = &b->saved.job };
	struct report report = { .session = &shown };
	struct since since = { 0 };
	const struct report_compared c = {
		.report = &report,
		.since = &since,
		.before = cmd->opts->baseline,
		.now = cmd->opts->dir,
		.before_utc = a->saved.started_utc,
		.now_utc = b->saved.started_utc,
	};
	enum fp_status status;

	status = judge_since(&a->run, &b->run, &b->saved.opts.judge, &since,
	                     &shown.findings, err);
	if (!status) {
		findings_sort(&shown.findings);
		cmd_presentation(cmd->opts, STDOUT_FILENO, &report);
		status = write_out(cmd->opts, &c, err);
		*ret_rc = exit_status(&since, &shown.findings);
	}
	since_done(&since);
	findings_done(&shown.findings);
	return status;
}

int cmd_compare(const struct cmd *cmd)
{
	struct before a = { 0 }, b = { 0 };
	struct fp_err err = { 0 };
	int rc = CMD_EXIT_USAGE;
	enum fp_status status = before_open(cmd->opts->baseline, &a, &err);

	if (!status)
		status = before_open(cmd->opts->dir, &b, &err);
	if (!status)
		status = compare(cmd, &a, &b, &rc, &err);
	before_close(&a);
	before_close(&b);
	if (status)
		return cmd_fail(&err);
	cmd_verdict(cmd_verdict_fd(cmd->opts), rc);
	return rc;
}
