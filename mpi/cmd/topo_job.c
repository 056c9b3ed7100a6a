// SPDX-License-Identifier: Apache-2.0
// fabricprobe topo: the hosts of a job, as they were read.
#include <stdlib.h>
#include <string.h>

#include "mpi/cmd/topo.h"
#include "mpi/cmd/topo_forms.h"
#include "topo/json/snapshot.h"
#include "topo/model/model_map.h"
#include "topo/render/render.h"
#include "topo/render/render_job.h"

/* A job, and what is drawn of it where only one host can be. */
struct drawing {
	const struct topo_job *job;
	uint32_t view;
	struct job_verdict verdict;
};

static enum fp_status draw_json(const struct drawing *d, struct fp_text *text,
                                struct fp_err *err)
{
	char *json = topo_job_to_json(d->job);

	if (!json)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for JSON");
	fp_text_printf(text, "%s\n", json);
	free(json);
	return FP_OK;
}

/* A topology file or a graph is of one host: the first that was read. */
static const struct topo_map *first_map(const struct topo_job *job)
{
	for (size_t i = 0; i < job->n_hosts; i++) {
		if (job->hosts[i].map)
			return job->hosts[i].map;
	}
	return NULL;
}

static enum fp_status draw_dot(const struct drawing *d,
                               const struct topo_map *map, struct fp_text *text,
                               struct fp_err *err)
{
	struct path_matrix matrix;
	enum fp_status status = path_matrix_init(map, d->view, &matrix, err);

	if (status != FP_OK)
		return status;
	render_dot(map, &matrix, text);
	path_matrix_done(&matrix);
	return FP_OK;
}

static enum fp_status draw_form(void *arg, uint32_t form, struct fp_text *text,
                                struct fp_err *err)
{
	struct drawing *d = arg;
	const struct topo_map *map = first_map(d->job);

	if (form == TOPO_FORM_JSON)
		return draw_json(d, text, err);
	if (form == TOPO_FORM_TEXT)
		return render_job(d->job, d->view, text, &d->verdict, err);
	if (!map)
		return fp_err_set(err, FP_ERR_NOTSUP, "no host was read");
	return form == TOPO_FORM_XML ? render_nccl(map, text, err)
	                             : draw_dot(d, map, text, err);
}

int topo_job_show(const struct cmd *cmd, const struct topo_job *job)
{
	struct drawing d = { .job = job, .view = cmd->opts->view };
	struct fp_text unused = { 0 };
	struct fp_err err = { 0 };
	enum fp_status status;

	/* The verdict is the same whatever is written. */
	status = render_job(job, d.view, &unused, &d.verdict, &err);
	fp_text_free(&unused);
	if (status == FP_OK)
		status = topo_forms_write(cmd->opts, draw_form, &d, &err);
	if (status != FP_OK)
		return cmd_fail(&err);
	if (d.verdict.faults)
		return CMD_EXIT_FAULT;
	return d.verdict.unread || d.verdict.missing || d.verdict.partial
	               ? CMD_EXIT_INCOMPLETE
	               : CMD_EXIT_HEALTHY;
}
