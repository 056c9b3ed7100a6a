// SPDX-License-Identifier: Apache-2.0
// Stage S0: each GPU by itself, before anything passes between two of them.
#include <stdlib.h>
#include <string.h>

#include "probes/judge/local.h"
#include "probes/session/run.h"

#define LOCAL_BYTES (16u << 20) /* at most: all that is learnt is a rate */
#define LOCAL_RETESTS 2

static struct trial trial_of(const struct session_run *run, int32_t rank)
{
	const struct session_opts *o = &run->s->opts;
	struct trial t = {
		.round = run->round,
		.xport = XPORT_CUDA,
		.op = OP_WRITE,
		.mem = MEM_CUDA,
		.stage = TRIAL_S0_LOCAL,
		.bytes = o->bytes < LOCAL_BYTES ? o->bytes : LOCAL_BYTES,
		.src = rank,
		.dst = rank,
		.src_ep = -1,
		.dst_ep = -1,
		.deadline_s = o->deadline_s,
		.seed = o->seed + 1,
	};

	return t;
}

/* A round of what is in @batch, whose trials it frees. */
static enum fp_status run_batch(struct session_run *run, struct batch *batch,
                                struct fp_err *err)
{
	enum fp_status status = FP_OK;

	if (batch->n_trials)
		status = session_run_add_batch(run, batch, err);
	if (!status && batch->n_trials)
		session_run_execute(run, batch);
	free(batch->trials);
	return status;
}

/* One GPU of each host: what the host's memory and its PCIe switches carry is
 * not shared then. */
static enum fp_status run_slot(struct session_run *run, int32_t slot,
                               const bool *chosen, struct fp_err *err)
{
	const struct topo_job *job = run->s->job;
	struct batch batch = { .trials = calloc(job->n_ranks + 1,
		                                sizeof(struct trial)) };

	if (!batch.trials)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a round");
	for (size_t r = 0; r < job->n_ranks; r++) {
		struct trial *t = &batch.trials[batch.n_trials];

		if (!chosen[r] || job->ranks[r].local_rank != slot ||
		    run->lost[r] || session_run_is_sick(run, (int32_t)r))
			continue;
		*t = trial_of(run, (int32_t)r);
		run->round_cut = session_run_limit(run, t);
		batch.n_trials++;
	}
	return run_batch(run, &batch, err);
}

/* All GPUs at once, as a job does it: heat and power are shared. */
static enum fp_status run_load(struct session_run *run, struct fp_err *err)
{
	const struct session_opts *o = &run->s->opts;
	size_t n = run->s->job->n_ranks;
	struct batch batch = { .trials = calloc(n + 1, sizeof(struct trial)) };

	if (!batch.trials)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a round");
	run->title = "S0 all GPUs under load";
	run->round_cut = false;
	for (size_t r = 0; r < n; r++) {
		struct trial *t = &batch.trials[batch.n_trials];

		if (run->lost[r] || session_run_is_sick(run, (int32_t)r))
			continue;
		*t = trial_of(run, (int32_t)r);
		t->flags = TRIAL_LOAD | TRIAL_KEEP_SAMPLES;
		t->time_s = o->load_s;
		/* The device's own seconds are no shorter than others. */
		t->deadline_s = 2 * o->load_s + o->deadline_s;
		batch.n_trials++;
	}
	return run_batch(run, &batch, err);
}

static enum fp_status run_chosen(struct session_run *run, const bool *chosen,
                                 struct fp_err *err)
{
	uint32_t n = session_most_ranks(run->s->job);
	enum fp_status status = FP_OK;

	run->stage_round = 0;
	run->stage_rounds = n;
	for (uint32_t i = 0; !status && !run->stop && i < n; i++)
		status = run_slot(run, (int32_t)i, chosen, err);
	return status;
}

enum fp_status session_run_local(struct session_run *run, struct fp_err *err)
{
	const struct session *s = run->s;
	size_t n = s->job->n_ranks;
	enum fp_status status;
	bool *chosen;

	if (s->opts.kind != SESSION_RUN || !trial_xport_is_gpu(s->opts.xport))
		return FP_OK;
	chosen = calloc(n + 1, sizeof(*chosen));
	if (!chosen)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	for (size_t i = 0; i < n; i++)
		chosen[i] = true;
	run->title = "S0 each GPU by itself";
	status = run_chosen(run, chosen, err);
	for (unsigned k = 0; !status && !run->stop && k < LOCAL_RETESTS; k++) {
		memset(chosen, 0, n * sizeof(*chosen));
		status = judge_local_low(s->job, &s->results, chosen, err);
		if (!status)
			status = run_chosen(run, chosen, err);
	}
	free(chosen);
	if (!status && !run->stop && s->opts.load_s > 0)
		status = run_load(run, err);
	return status;
}
