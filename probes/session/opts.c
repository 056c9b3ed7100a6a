// SPDX-License-Identifier: Apache-2.0
// A run's options: what a mode stands for, and whether they fit the job.
#include <math.h>

#include "probes/session/stage.h"
#include "probes/trial/registry.h"
#include "topo/base/fmt.h"

#define SESSION_PAIR_BYTES (1u << 20)
#define SESSION_LATENCY_BYTES 8
#define SESSION_PAIRS_MAX (64u << 20)
#define SWEEP_BYTES (32u << 20) /* nccl-tests' -b and -e */
#define SWEEP_STEP (1u << 20)   /* and -i */
#define SWEEP_ITERS 20
#define GPU_INIT_S 20 /* what a communicator may take to be made */

/* What a mode stands for where the options are silent. */
static const struct {
	const char *name;
	double trial_s, local_trial_s, deadline_s, time_limit_s;
	uint64_t gpu_bytes; /* of a pair: what fills NVLink */
} modes[MODE_COUNT] = {
	[MODE_QUICK] = { "quick", 0.12, 0.05, 5, 60, 4u << 20 },
	[MODE_STANDARD] = { "standard", 0.5, 0.2, 10, 600, 32u << 20 },
	[MODE_DEEP] = { "deep", 1.0, 0.5, 20, 0, 128u << 20 },
};

static const char *const kind_names[SESSION_KIND_COUNT] = {
	[SESSION_RUN] = "run",       [SESSION_PAIRS] = "pairs",
	[SESSION_SWEEP] = "sweep",   [SESSION_CHECK] = "check",
	[SESSION_BISECT] = "bisect",
};

static const char *const verdict_names[] = {
	[VERDICT_HEALTHY] = "healthy",
	[VERDICT_FAULT] = "fault",
	[VERDICT_INCOMPLETE] = "incomplete",
};

double session_mode_local_s(unsigned mode)
{
	return mode < MODE_COUNT ? modes[mode].local_trial_s : 0;
}

const char *session_mode_name(unsigned mode)
{
	return mode < MODE_COUNT ? modes[mode].name : "?";
}

const char *session_kind_name(unsigned kind)
{
	return kind < SESSION_KIND_COUNT ? kind_names[kind] : "?";
}

const char *session_verdict_name(unsigned verdict)
{
	return verdict <= VERDICT_INCOMPLETE ? verdict_names[verdict] : "?";
}

void session_defaults(struct session_opts *opts)
{
	*opts = (struct session_opts){
		.kind = SESSION_RUN,
		.mode = MODE_STANDARD,
		.warmup = 1,
		.check = true,
	};
	judge_defaults(&opts->judge);
}

static void fill_sweep(struct session_opts *o)
{
	if (!o->min_bytes && !o->max_bytes)
		o->min_bytes = o->max_bytes = SWEEP_BYTES;
	if (!o->max_bytes)
		o->max_bytes = o->min_bytes;
	if (o->factor <= 1 && !o->step_bytes)
		o->step_bytes = SWEEP_STEP;
	if (!o->iters)
		o->iters = SWEEP_ITERS;
	if (o->op == OP_WRITE)
		o->op = OP_ALLREDUCE;
}

void session_opts_fill(struct session_opts *o)
{
	uint32_t mode = o->mode < MODE_COUNT ? o->mode : MODE_STANDARD;

	if (o->local_trial_s == 0)
		o->local_trial_s =
			o->trial_s > 0 ? o->trial_s : modes[mode].local_trial_s;
	if (o->trial_s == 0)
		o->trial_s = modes[mode].trial_s;
	if (o->deadline_s == 0)
		o->deadline_s = modes[mode].deadline_s +
		                (trial_xport_is_gpu(o->xport) ? GPU_INIT_S : 0);
	if (o->time_limit_s == 0)
		o->time_limit_s = modes[mode].time_limit_s + o->load_s;
	if (!o->bytes)
		o->bytes = o->kind == SESSION_PAIRS && o->op == OP_LATENCY
		                   ? SESSION_LATENCY_BYTES
		           : trial_xport_is_gpu(o->xport)
		                   ? modes[mode].gpu_bytes
		                   : SESSION_PAIR_BYTES;
	if (o->kind == SESSION_SWEEP)
		fill_sweep(o);
	if (o->kind == SESSION_BISECT && o->op == OP_WRITE)
		o->op = OP_ALLREDUCE;
}

/* A host of n ranks is one that has a local rank n - 1. */
size_t session_live_hosts(const struct topo_job *job, size_t n_ranks)
{
	size_t r, n = 0;

	for (r = 0; r < job->n_ranks; r++)
		n += job->ranks[r].host >= 0 &&
		     job->ranks[r].local_rank == (int32_t)n_ranks - 1;
	return n;
}

static enum fp_status check_xport(const struct session_opts *o,
                                  const struct topo_job *job,
                                  struct fp_err *err)
{
	const struct registry_xport *row =
		registry_xport_find(trial_xport_name(o->xport));

	if (o->xport != XPORT_AUTO && (!row || !row->built))
		return fp_err_set(err, FP_ERR_USAGE,
		                  "--xport %s: %s; `fabricprobe list` "
		                  "tells all of them",
		                  trial_xport_name(o->xport),
		                  row ? row->needs : "not known");
	if (o->xport == XPORT_CUDA && o->kind == SESSION_SWEEP)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "--xport cuda: copies between two GPUs have "
		                  "no collectives; nccl has");
	if ((o->datatype || o->redop || o->registered) &&
	    o->xport != XPORT_NCCL)
		return fp_err_set(
			err, FP_ERR_USAGE,
			"-d %s -o %s%s: only NCCL (--xport nccl) has "
			"other types than float, other reductions than "
			"sum, and registered buffers",
			trial_type_name(o->datatype),
			trial_redop_name(o->redop),
			o->registered ? " -R 1" : "");
	if (o->load_s > 0 && !trial_xport_is_gpu(o->xport))
		return fp_err_set(
			err, FP_ERR_USAGE,
			"--load %g: keeps GPUs busy, which --xport %s "
			"does not use; nccl and cuda do",
			o->load_s, trial_xport_name(o->xport));
	if (o->xport != XPORT_SHM || job->n_ranks < 2)
		return FP_OK;
	if (o->kind == SESSION_SWEEP || o->kind == SESSION_BISECT
	            ? session_live_hosts(job, 1) > 1
	            : session_live_hosts(job, 2) == 0)
		return fp_err_set(
			err, FP_ERR_USAGE,
			"--xport shm: reaches ranks of one host only, "
			"this job has %zu hosts; auto and tcp reach "
			"all",
			session_live_hosts(job, 1));
	return FP_OK;
}

static enum fp_status check_op(const struct session_opts *o, struct fp_err *err)
{
	bool pair = o->op == OP_WRITE || o->op == OP_LATENCY;
	bool coll = o->op > OP_DATAGRAM && o->op < OP_COUNT;

	if (o->kind == SESSION_PAIRS && !pair)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "--op %s: pairs takes write, latency",
		                  trial_op_name(o->op));
	if ((o->kind == SESSION_SWEEP || o->kind == SESSION_BISECT) && !coll)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "--op %s: takes all_reduce, "
		                  "all_gather, reduce_scatter, broadcast, "
		                  "alltoall, sendrecv",
		                  trial_op_name(o->op));
	return FP_OK;
}

static enum fp_status check_seconds(const char *option, double s,
                                    struct fp_err *err)
{
	if (isfinite(s) && s >= 0 && s <= TRIAL_TIME_MAX_S)
		return FP_OK;
	return fp_err_set(err, FP_ERR_USAGE,
	                  "%s %g: takes seconds from 0 to %g", option, s,
	                  TRIAL_TIME_MAX_S);
}

static enum fp_status check_bytes(const char *option, uint64_t bytes,
                                  struct fp_err *err)
{
	char max[FP_FMT_MAX];

	if (bytes <= TRIAL_BYTES_MAX)
		return FP_OK;
	return fp_err_set(err, FP_ERR_USAGE, "%s %llu: takes sizes up to %s",
	                  option, (unsigned long long)bytes,
	                  fp_fmt_bytes(TRIAL_BYTES_MAX, max));
}

static enum fp_status check_numbers(const struct session_opts *o,
                                    struct fp_err *err)
{
	const struct {
		const char *option;
		double s;
	} times[] = {
		{ "--time-limit", o->time_limit_s },
		{ "--trial-time", o->trial_s },
		{ "--trial-time", o->local_trial_s },
		{ "--trial-timeout", o->deadline_s },
		{ "--load", o->load_s },
	};
	const struct {
		const char *option;
		uint64_t bytes;
	} sizes[] = {
		{ "--bytes", o->bytes },
		{ "-b", o->min_bytes },
		{ "-e", o->max_bytes },
		{ "-i", o->step_bytes },
	};
	enum fp_status status = FP_OK;
	size_t i;

	for (i = 0; !status && i < sizeof(times) / sizeof(*times); i++)
		status = check_seconds(times[i].option, times[i].s, err);
	for (i = 0; !status && i < sizeof(sizes) / sizeof(*sizes); i++)
		status = check_bytes(sizes[i].option, sizes[i].bytes, err);
	if (!status &&
	    (o->iters > TRIAL_ITERS_MAX || o->warmup > TRIAL_ITERS_MAX))
		status = fp_err_set(err, FP_ERR_USAGE,
		                    "-n %u -w %u: take counts up to %u",
		                    o->iters, o->warmup, TRIAL_ITERS_MAX);
	if (!status && o->deadline_s < o->trial_s)
		status = fp_err_set(err, FP_ERR_USAGE,
		                    "--trial-timeout %g: must not be shorter "
		                    "than --trial-time %g",
		                    o->deadline_s, o->trial_s);
	return status;
}

/* A plan holds every pair of a stage. */
static enum fp_status check_scale(const struct session_opts *o,
                                  const struct topo_job *job,
                                  struct fp_err *err)
{
	uint64_t hosts = session_live_hosts(job, 1), inside = 0, between;
	size_t r;

	/* Of c ranks the local ranks add up to c (c - 1) / 2. */
	for (r = 0; r < job->n_ranks; r++)
		if (job->ranks[r].local_rank > 0)
			inside += 2 * (uint64_t)job->ranks[r].local_rank;
	between = o->kind == SESSION_PAIRS
	                  ? (uint64_t)job->n_ranks * job->n_ranks
	          : o->mode == MODE_DEEP ? hosts * hosts
	                                 : 0;
	if (o->kind == SESSION_SWEEP || inside + between <= SESSION_PAIRS_MAX)
		return FP_OK;
	return fp_err_set(err, FP_ERR_USAGE,
	                  "%zu ranks have more than %u pairs to try; a run in "
	                  "mode standard samples",
	                  job->n_ranks, SESSION_PAIRS_MAX);
}

enum fp_status session_opts_check(const struct session_opts *o,
                                  const struct topo_job *job,
                                  struct fp_err *err)
{
	enum fp_status status;

	if (o->kind >= SESSION_KIND_COUNT || o->mode >= MODE_COUNT)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "mode: takes quick, standard, deep");
	if (!job->n_ranks)
		return fp_err_set(err, FP_ERR_USAGE, "a job without ranks");
	status = check_xport(o, job, err);
	if (!status)
		status = check_op(o, err);
	if (!status)
		status = check_numbers(o, err);
	if (!status)
		status = check_scale(o, job, err);
	return status;
}
