// SPDX-License-Identifier: Apache-2.0
// What a run knows of each rail: the job as that sees it, and what hung there.
#include <stdlib.h>

#include "probes/session/rails.h"
#include "probes/session/run.h"
#include "topo/model/rails.h"

static enum fp_status make_views(struct session_run *run, struct fp_err *err)
{
	const struct topo_job *job = run->s->job;
	enum fp_status status = FP_OK;
	uint32_t k;

	if (run->s->opts.xport != XPORT_VERBS)
		return FP_OK;
	run->views = calloc(run->n_rails, sizeof(*run->views));
	if (!run->views)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	for (k = 0; !status && k < run->n_rails; k++)
		status = topo_job_on_rail(job, (int32_t)k, &run->views[k], err);
	return status;
}

enum fp_status session_run_rails(struct session_run *run, struct fp_err *err)
{
	enum fp_status status;
	uint32_t k;

	run->n_rails = session_rails(run->s->job, run->s->opts.xport);
	run->hangs = calloc(run->n_rails, sizeof(*run->hangs));
	if (!run->hangs)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	status = make_views(run, err);
	for (k = 0; !status && k < run->n_rails; k++)
		status = hang_log_init(
			&run->hangs[k],
			run->views ? &run->views[k] : run->s->job, err);
	return status;
}

void session_run_rails_done(struct session_run *run)
{
	uint32_t k;

	for (k = 0; run->hangs && k < run->n_rails; k++)
		hang_log_done(&run->hangs[k]);
	for (k = 0; run->views && k < run->n_rails; k++)
		topo_job_on_rail_done(&run->views[k]);
	free(run->hangs);
	free(run->views);
	run->hangs = NULL;
	run->views = NULL;
}

bool session_run_any_hang(const struct session_run *run)
{
	bool any = false;

	for (uint32_t k = 0; k < run->n_rails; k++)
		any |= hang_log_any(&run->hangs[k]);
	return any;
}

const struct topo_job *session_run_job(const struct session_run *run,
                                       const struct session_stage *st)
{
	if (!run->views || st->xport != XPORT_VERBS)
		return run->s->job;
	return &run->views[st->src_ep > 0 ? st->src_ep : 0];
}
