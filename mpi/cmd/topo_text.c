// SPDX-License-Identifier: Apache-2.0
// fabricprobe topo --from: a host's map, from saved text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/cmd/cmd.h"
#include "mpi/cmd/input.h"
#include "mpi/cmd/saved.h"
#include "mpi/cmd/saved_host.h"
#include "mpi/cmd/topo.h"
#include "mpi/cmd/topo_forms.h"
#include "topo/discover/discover_text.h"
#include "topo/json/snapshot.h"
#include "topo/render/render.h"

/* What is drawn, and what it is drawn from. */
struct drawing {
	struct topo_map map;
	struct path_matrix matrix;
	struct oddities found;
	struct fp_text kinds;
};

static void draw_text(const struct drawing *d, struct fp_text *text)
{
	if (d->matrix.n) {
		render_smi(&d->map, &d->matrix, text);
		fp_text_printf(text, "\n");
	}
	if (d->map.p2p) {
		render_p2p(&d->map, text);
		fp_text_printf(text, "\n");
	}
	fp_text_printf(text, "Read: %s\n", fp_text_str(&d->kinds));
	render_summary(&d->map, &d->matrix, text);
	render_oddities(&d->map, &d->found, text);
}

static enum fp_status draw_json(struct drawing *d, struct fp_text *text,
                                struct fp_err *err)
{
	struct topo_host host = { .name = "saved", .n_cpus = -1 };
	struct topo_job job;
	char *json = NULL;
	enum fp_status status = topo_job_init(&job, 1, err);

	if (status != FP_OK)
		return status;
	host.map = &d->map;
	memcpy(host.host_id, host.name, sizeof(host.host_id));
	status = topo_job_place(&job, 0, &host, err);
	if (status == FP_OK)
		json = topo_job_to_json(&job);
	if (status == FP_OK && !json)
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory for JSON");
	if (json)
		fp_text_printf(text, "%s\n", json);
	free(json);
	topo_job_done(&job);
	return status;
}

static enum fp_status draw_form(void *arg, uint32_t form, struct fp_text *text,
                                struct fp_err *err)
{
	struct drawing *d = arg;

	switch (form) {
	case TOPO_FORM_JSON:
		return draw_json(d, text, err);
	case TOPO_FORM_XML:
		return render_nccl(&d->map, text, err);
	case TOPO_FORM_DOT:
		render_dot(&d->map, &d->matrix, text);
		return FP_OK;
	default:
		draw_text(d, text);
		return FP_OK;
	}
}

static enum fp_status draw(const struct opts *opts, struct drawing *d,
                           struct fp_err *err)
{
	enum fp_status status;

	status = path_matrix_init(&d->map, opts->view, &d->matrix, err);
	if (status == FP_OK)
		status = oddities_find(&d->map, &d->matrix, &d->found, err);
	if (status == FP_OK)
		status = topo_forms_write(opts, draw_form, d, err);
	return status;
}

static int verdict(const struct drawing *d)
{
	for (size_t i = 0; i < d->found.n; i++) {
		if (oddity_is_fault(&d->found.rows[i]))
			return CMD_EXIT_FAULT;
	}
	return d->map.partial ? CMD_EXIT_INCOMPLETE : CMD_EXIT_HEALTHY;
}

/* A snapshot of hosts that were read is drawn as they were then. */
static enum fp_status read_job(const struct source_text *text,
                               struct topo_job *ret, bool *ret_is_job,
                               struct fp_err *err)
{
	enum fp_status status;

	*ret_is_job = false;
	if (!source_snapshot_ops.sniff(text))
		return FP_OK;
	status = topo_job_from_json(text->data, text->len, ret, err);
	*ret_is_job =
		status == FP_OK &&
		(ret->n_hosts > 1 || (ret->n_hosts && ret->hosts[0].readings));
	if (status == FP_OK && !*ret_is_job)
		topo_job_done(ret);
	return status;
}

static int show_text(const struct cmd *cmd, const struct source_text *text,
                     struct fp_err *err)
{
	struct drawing d = { 0 };
	enum fp_status status = topo_from_text(text, &d.map, &d.kinds, err);
	int rc;

	if (status == FP_OK)
		status = draw(cmd->opts, &d, err);
	if (status != FP_OK)
		fp_err_prefix(err, "%s", cmd->opts->from);
	rc = status == FP_OK ? verdict(&d) : cmd_fail(err);
	oddities_done(&d.found);
	path_matrix_done(&d.matrix);
	topo_map_done(&d.map);
	fp_text_free(&d.kinds);
	return rc;
}

/* A captured host, or a folder of texts of one. */
static int show_folder(const struct cmd *cmd)
{
	const struct opts_texts one = { .text = { cmd->opts->from }, .n = 1 };
	struct fp_text kinds = { 0 };
	struct fp_err err = { 0 };
	struct topo_job job = { 0 };
	enum fp_status status = saved_job(&one, &job, &kinds, &err);
	int rc = status == FP_OK ? topo_job_show(cmd, &job) : cmd_fail(&err);

	topo_job_done(&job);
	fp_text_free(&kinds);
	return rc;
}

int topo_text(const struct cmd *cmd)
{
	struct fp_text file = { 0 };
	struct fp_err err = { 0 };
	struct topo_job job = { 0 };
	struct source_text text;
	enum fp_status status;
	bool is_job = false;
	int rc;

	if (saved_is_folder(cmd->opts->from))
		return show_folder(cmd);
	status = input_text(cmd->opts->from, &file, &err);
	text = (struct source_text){ fp_text_str(&file), file.len };
	if (status == FP_OK)
		status = read_job(&text, &job, &is_job, &err);
	if (status != FP_OK) {
		fp_err_prefix(&err, "%s", cmd->opts->from);
		rc = cmd_fail(&err);
	} else if (is_job) {
		rc = topo_job_show(cmd, &job);
		topo_job_done(&job);
	} else {
		rc = show_text(cmd, &text, &err);
	}
	fp_text_free(&file);
	return rc;
}
