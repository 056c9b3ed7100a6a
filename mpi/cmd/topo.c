// SPDX-License-Identifier: Apache-2.0
// fabricprobe topo: a host's map, from saved text.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/cmd/cmd.h"
#include "mpi/cmd/output.h"
#include "topo/discover_text.h"
#include "topo/render.h"
#include "topo/snapshot.h"

/* What is drawn, and what it is drawn from. */
struct drawing {
	struct topo_map map;
	struct path_matrix matrix;
	struct oddities found;
	struct fp_text kinds, text;
};

static enum fp_status read_all(FILE *in, struct fp_text *ret,
                               struct fp_err *err)
{
	char chunk[16384];
	size_t n;

	while (ret->len <= SOURCE_MAX_BYTES &&
	       (n = fread(chunk, 1, sizeof(chunk), in)) > 0)
		fp_text_append(ret, chunk, n);
	if (ferror(in))
		return fp_err_sys(err, errno, "cannot read");
	return ret->failed ? fp_err_set(err, FP_ERR_NOMEM, "no memory") : FP_OK;
}

static enum fp_status read_file(const char *path, struct fp_text *ret,
                                struct fp_err *err)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	enum fp_status status;

	if (!in)
		return fp_err_sys(err, errno, "cannot open");
	status = read_all(in, ret, err);
	if (in != stdin)
		(void)fclose(in);
	return status;
}

static void draw_text(struct drawing *d)
{
	if (d->matrix.n) {
		render_smi(&d->map, &d->matrix, &d->text);
		fp_text_printf(&d->text, "\n");
	}
	if (d->map.p2p) {
		render_p2p(&d->map, &d->text);
		fp_text_printf(&d->text, "\n");
	}
	fp_text_printf(&d->text, "Read: %s\n", fp_text_str(&d->kinds));
	render_summary(&d->map, &d->matrix, &d->text);
	render_oddities(&d->map, &d->found, &d->text);
}

static enum fp_status draw_json(struct drawing *d, struct fp_err *err)
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
		fp_text_printf(&d->text, "%s\n", json);
	free(json);
	topo_job_done(&job);
	return status;
}

static enum fp_status draw_xml(struct drawing *d, struct fp_err *err)
{
	return render_nccl(&d->map, &d->text, err);
}

static enum fp_status draw_dot(struct drawing *d, struct fp_err *err)
{
	(void)err;
	render_dot(&d->map, &d->matrix, &d->text);
	return FP_OK;
}

static enum fp_status put(struct drawing *d, const char *path,
                          struct fp_err *err)
{
	if (d->text.failed)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	if (strcmp(path, "-") == 0)
		return output_fd(STDOUT_FILENO, fp_text_str(&d->text),
		                 d->text.len, err);
	return output_file(path, fp_text_str(&d->text), d->text.len, err);
}

/* Each form to its own file; text to standard output, if no form goes there. */
static enum fp_status write_forms(const struct opts *opts, struct drawing *d,
                                  struct fp_err *err)
{
	const struct {
		const char *path;
		enum fp_status (*draw)(struct drawing *d, struct fp_err *err);
	} forms[] = {
		{ opts->json_path, draw_json },
		{ opts->xml_path, draw_xml },
		{ opts->dot_path, draw_dot },
	};
	enum fp_status status = FP_OK;
	bool stdout_taken = false;

	for (size_t i = 0; i < 3 && status == FP_OK; i++) {
		if (!*forms[i].path)
			continue;
		stdout_taken |= strcmp(forms[i].path, "-") == 0;
		status = forms[i].draw(d, err);
		if (status == FP_OK)
			status = put(d, forms[i].path, err);
		fp_text_free(&d->text);
	}
	if (status != FP_OK || stdout_taken)
		return status;
	draw_text(d);
	return put(d, "-", err);
}

static enum fp_status draw(const struct opts *opts, struct drawing *d,
                           struct fp_err *err)
{
	enum fp_status status;

	status = path_matrix_init(&d->map, opts->view, &d->matrix, err);
	if (status == FP_OK)
		status = oddities_find(&d->map, &d->matrix, &d->found, err);
	if (status == FP_OK)
		status = write_forms(opts, d, err);
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

int cmd_topo(const struct cmd *cmd)
{
	struct fp_text file = { 0 };
	struct drawing d = { 0 };
	struct fp_err err = { 0 };
	struct source_text text;
	enum fp_status status;
	int rc;

	if (!*cmd->opts->from) {
		fp_err_set(&err, FP_ERR_USAGE,
		           "topo needs saved text: fabricprobe topo --from "
		           "FILE");
		return cmd_fail(&err);
	}
	status = read_file(cmd->opts->from, &file, &err);
	text = (struct source_text){ fp_text_str(&file), file.len };
	if (status == FP_OK)
		status = topo_from_text(&text, &d.map, &d.kinds, &err);
	if (status == FP_OK)
		status = draw(cmd->opts, &d, &err);
	if (status != FP_OK)
		fp_err_prefix(&err, "%s", cmd->opts->from);
	rc = status == FP_OK ? verdict(&d) : cmd_fail(&err);
	oddities_done(&d.found);
	path_matrix_done(&d.matrix);
	topo_map_done(&d.map);
	fp_text_free(&d.text);
	fp_text_free(&d.kinds);
	fp_text_free(&file);
	return rc;
}
