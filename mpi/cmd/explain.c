// SPDX-License-Identifier: Apache-2.0
// fabricprobe explain: what logs and dumps tell.
#include <string.h>
#include <unistd.h>

#include "mpi/cmd/cmd.h"
#include "mpi/cmd/explain.h"
#include "mpi/cmd/explain_read.h"
#include "mpi/cmd/output.h"
#include "probes/explain/render.h"
#include "probes/report/parts.h"

static enum fp_status write_json(const struct opts *opts,
                                 const struct story *story, struct fp_err *err)
{
	struct fp_text text = { 0 };
	enum fp_status status = render_json(story, &text, err);

	if (status == FP_OK)
		status = explain_write_json(opts, &text, err);
	fp_text_free(&text);
	return status;
}

static enum fp_status write_text(const struct opts *opts,
                                 const struct story *story, struct fp_err *err)
{
	struct report report = { 0 };
	struct fp_text text = { 0 };
	enum fp_status status;

	cmd_presentation(opts, STDOUT_FILENO, &report);
	render_text(story,
	            &(struct render_look){ .columns = report_columns(&report),
	                                   .colour = report.colour },
	            &text);
	status = text.failed ? fp_err_set(err, FP_ERR_NOMEM, "no memory")
	                     : output_fd(STDOUT_FILENO, fp_text_str(&text),
	                                 text.len, err);
	fp_text_free(&text);
	return status;
}

static enum fp_status write_forms(const struct opts *opts,
                                  const struct story *story, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	if (*opts->json_path)
		status = write_json(opts, story, err);
	if (status == FP_OK && strcmp(opts->json_path, "-") != 0)
		status = write_text(opts, story, err);
	return status;
}

int cmd_explain(const struct cmd *cmd)
{
	struct gather gather = { 0 };
	struct story story = { 0 };
	struct fp_err err = { 0 };
	enum fp_status status;
	int rc;

	if (cmd->opts->probe)
		return explain_probe(cmd);
	status = explain_read(cmd, &gather, &story, &err);
	if (status == FP_OK)
		status = write_forms(cmd->opts, &story, &err);
	rc = status == FP_OK ? render_exit(&story) : cmd_fail(&err);
	story_done(&story);
	gather_done(&gather);
	return rc;
}
