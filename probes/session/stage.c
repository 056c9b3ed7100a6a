// SPDX-License-Identifier: Apache-2.0
// Which stages a run has: rows of a table, filtered by options and job.
#include "probes/session/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/session/rails.h"
#include "topo/base/fmt.h"

#define LATENCY_BYTES 8
#define DATAGRAM_BYTES 64
#define EXHAUSTIVE_HOSTS 16 /* up to here sampling hosts is too blind */
#define SLOWEST_BPS 50e6    /* what a deadline must bear */
#define SLOWEST_OPS 8       /* warm-up, calibration and a few */
#define DEADLINE_MAX_S 3600.0

#define IN(mode) (1u << (mode))
#define IN_ALL (IN(MODE_QUICK) | IN(MODE_STANDARD) | IN(MODE_DEEP))
#define IN_FULL (IN(MODE_STANDARD) | IN(MODE_DEEP))

enum stage_bytes {
	BYTES_OPTION, /* --bytes */
	BYTES_LATENCY,
	BYTES_COLL_SMALL,
	BYTES_COLL_LARGE,
	BYTES_DATAGRAM,
};

/* One kind of trial that a run may have. */
struct stage_row {
	uint8_t stage, shape;
	uint8_t dir;
	uint16_t xport, op;
	uint8_t bytes;    /* enum stage_bytes */
	uint8_t required; /* IN() of the modes that need it to be healthy */
	bool one_host;    /* only if all ranks share a host */
};

static const struct stage_row run_rows[] = {
	{ TRIAL_S1_HOST, SHAPE_INSIDE, DIR_UNI, XPORT_SHM, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S1_HOST, SHAPE_INSIDE, DIR_UNI, XPORT_TCP, OP_WRITE,
	  BYTES_OPTION, IN_ALL, true },
	{ TRIAL_S1_HOST, SHAPE_INSIDE, DIR_BI, XPORT_SHM, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S2_LOOPBACK, SHAPE_INSIDE, DIR_UNI, XPORT_VERBS, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S6_COLL, SHAPE_FULL, DIR_UNI, XPORT_AUTO, OP_ALLREDUCE,
	  BYTES_COLL_SMALL, IN_ALL, false },
	{ TRIAL_S6_COLL, SHAPE_FULL, DIR_UNI, XPORT_AUTO, OP_ALLREDUCE,
	  BYTES_COLL_LARGE, IN_ALL, false },
	{ TRIAL_S3_RAIL, SHAPE_BETWEEN, DIR_UNI, XPORT_TCP, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S3_RAIL, SHAPE_BETWEEN, DIR_BI, XPORT_TCP, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S3_RAIL, SHAPE_BETWEEN, DIR_UNI, XPORT_VERBS, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S3_RAIL, SHAPE_BETWEEN, DIR_BI, XPORT_VERBS, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S5_LATENCY, SHAPE_BETWEEN, DIR_UNI, XPORT_VERBS, OP_LATENCY,
	  BYTES_LATENCY, IN_ALL, false },
	{ TRIAL_S5_LATENCY, SHAPE_BETWEEN, DIR_UNI, XPORT_TCP, OP_LATENCY,
	  BYTES_LATENCY, IN_FULL, false },
	{ TRIAL_S5_LATENCY, SHAPE_INSIDE, DIR_UNI, XPORT_SHM, OP_LATENCY,
	  BYTES_LATENCY, IN_FULL, false },
	{ TRIAL_S5_LATENCY, SHAPE_INSIDE, DIR_UNI, XPORT_TCP, OP_LATENCY,
	  BYTES_LATENCY, IN_FULL, true },
	/* Copies tell what NCCL does from what the hardware does. */
	{ TRIAL_S1_HOST, SHAPE_INSIDE, DIR_UNI, XPORT_CUDA, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S1_HOST, SHAPE_INSIDE, DIR_BI, XPORT_CUDA, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S1_HOST, SHAPE_INSIDE, DIR_UNI, XPORT_NCCL, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S1_HOST, SHAPE_INSIDE, DIR_BI, XPORT_NCCL, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S3_RAIL, SHAPE_BETWEEN, DIR_UNI, XPORT_NCCL, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S3_RAIL, SHAPE_BETWEEN, DIR_BI, XPORT_NCCL, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S5_LATENCY, SHAPE_BETWEEN, DIR_UNI, XPORT_NCCL, OP_LATENCY,
	  BYTES_LATENCY, IN_FULL, false },
	{ TRIAL_S5_LATENCY, SHAPE_INSIDE, DIR_UNI, XPORT_NCCL, OP_LATENCY,
	  BYTES_LATENCY, IN_FULL, false },
	{ TRIAL_S5_LATENCY, SHAPE_INSIDE, DIR_UNI, XPORT_CUDA, OP_LATENCY,
	  BYTES_LATENCY, IN_FULL, false },
};

/* The operation of these is the option's. */
static const struct stage_row pairs_rows[] = {
	{ TRIAL_S1_HOST, SHAPE_INSIDE, DIR_UNI, XPORT_SHM, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S1_HOST, SHAPE_INSIDE, DIR_UNI, XPORT_TCP, OP_WRITE,
	  BYTES_OPTION, IN_ALL, true },
	{ TRIAL_S2_LOOPBACK, SHAPE_INSIDE, DIR_UNI, XPORT_VERBS, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S3_RAIL, SHAPE_BETWEEN, DIR_UNI, XPORT_TCP, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S3_RAIL, SHAPE_BETWEEN, DIR_UNI, XPORT_VERBS, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S1_HOST, SHAPE_INSIDE, DIR_UNI, XPORT_CUDA, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S1_HOST, SHAPE_INSIDE, DIR_UNI, XPORT_NCCL, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
	{ TRIAL_S3_RAIL, SHAPE_BETWEEN, DIR_UNI, XPORT_NCCL, OP_WRITE,
	  BYTES_OPTION, IN_ALL, false },
};

/* How large a packet may be between any two hosts. */
static const struct stage_row check_rows[] = {
	{ TRIAL_S0_LOCAL, SHAPE_BETWEEN, DIR_UNI, XPORT_TCP, OP_DATAGRAM,
	  BYTES_DATAGRAM, IN_ALL, false },
};

/* The rows of a kind of run. */
static const struct {
	const struct stage_row *rows;
	size_t n;
} kinds[SESSION_KIND_COUNT] = {
	[SESSION_RUN] = { run_rows, sizeof(run_rows) / sizeof(*run_rows) },
	[SESSION_PAIRS] = { pairs_rows,
	                    sizeof(pairs_rows) / sizeof(*pairs_rows) },
	[SESSION_CHECK] = { check_rows,
	                    sizeof(check_rows) / sizeof(*check_rows) },
};

static const uint64_t coll_bytes[MODE_COUNT][2] = {
	[MODE_QUICK] = { 64u << 10, 4u << 20 },
	[MODE_STANDARD] = { 64u << 10, 16u << 20 },
	[MODE_DEEP] = { 64u << 10, 64u << 20 },
};

/* Matchings of hosts where there are too many for all of them; 0: all. */
static const uint32_t write_matchings[MODE_COUNT] = { 2, 3, 0 };
static const uint32_t latency_matchings[MODE_COUNT] = { 2, 3, 3 };

/* Does the row apply to where the ranks sit? */
static bool row_fits_job(const struct stage_row *row,
                         const struct session_opts *o,
                         const struct topo_job *job)
{
	bool many = session_live_hosts(job, 1) > 1;

	if (row->shape == SHAPE_FULL)
		return job->n_ranks > 1;
	if (row->shape == SHAPE_BETWEEN)
		return many;
	if (row->one_host && o->xport != XPORT_TCP &&
	    (many || o->kind == SESSION_PAIRS))
		return false;
	return session_live_hosts(job, 2) > 0;
}

/* RDMA and a GPU's transports only where they are asked for; with NCCL's come
 * plain copies, so that its trouble can be told from the hardware's. */
static bool row_fits_xport(const struct stage_row *row,
                           const struct session_opts *o)
{
	if (row->xport == XPORT_AUTO)
		return o->xport != XPORT_CUDA;
	if (o->xport == XPORT_AUTO)
		return !trial_xport_is_gpu(row->xport) &&
		       row->xport != XPORT_VERBS;
	return row->xport == o->xport ||
	       (o->xport == XPORT_NCCL && o->kind == SESSION_RUN &&
	        row->xport == XPORT_CUDA);
}

static bool row_fits(const struct stage_row *row, const struct session_opts *o,
                     const struct topo_job *job)
{
	if (row->dir == DIR_BI && !o->bidirectional)
		return false;
	if (!row_fits_xport(row, o))
		return false;
	if (o->xport == XPORT_SHM && row->shape == SHAPE_FULL &&
	    session_live_hosts(job, 1) > 1)
		return false;
	return row_fits_job(row, o, job);
}

static uint64_t row_bytes(const struct stage_row *row,
                          const struct session_opts *o)
{
	switch (row->bytes) {
	case BYTES_LATENCY:
		return LATENCY_BYTES;
	case BYTES_COLL_SMALL:
		return coll_bytes[o->mode][0];
	case BYTES_COLL_LARGE:
		return coll_bytes[o->mode][1];
	case BYTES_DATAGRAM:
		return DATAGRAM_BYTES;
	default:
		return o->bytes;
	}
}

static uint32_t stage_matchings(const struct session_stage *st,
                                const struct session_opts *o,
                                const struct topo_job *job)
{
	size_t hosts = session_live_hosts(job, 1);
	uint32_t n = st->op == OP_LATENCY ? latency_matchings[o->mode]
	                                  : write_matchings[o->mode];

	if (o->kind == SESSION_PAIRS)
		return 0;
	if (hosts <= EXHAUSTIVE_HOSTS &&
	    !(st->op == OP_LATENCY && o->mode == MODE_QUICK))
		return 0;
	return n < plan_rounds((uint32_t)hosts) ? n : 0;
}

/* Big messages need time even where all is well. */
static double scaled_deadline(const struct session_opts *o, uint64_t bytes,
                              uint32_t ops)
{
	double s = o->deadline_s;

	if (bytes > 4u << 20)
		s += (double)bytes * ops / SLOWEST_BPS;
	return s > DEADLINE_MAX_S && o->deadline_s < DEADLINE_MAX_S
	               ? DEADLINE_MAX_S
	               : s;
}

static void stage_name(struct session_stage *st)
{
	static const char *const where[] = { "inside hosts", "between hosts",
		                             "over all ranks" };
	const char *dir = st->dir == DIR_BI ? " both ways" : "";
	char size[FP_FMT_MAX];

	if (st->shape == SHAPE_FULL)
		snprintf(st->title, sizeof(st->title), "S%u %s %s%s %s",
		         st->stage, trial_op_name(st->op),
		         fp_fmt_bytes(st->bytes, size),
		         st->flags & TRIAL_IN_PLACE ? " in place" : "",
		         where[st->shape]);
	else
		snprintf(st->title, sizeof(st->title), "S%u %s %s%s %s",
		         st->stage, trial_xport_name(st->xport),
		         trial_op_name(st->op), dir, where[st->shape]);
}

/* What no job sends, loopback where shared memory is at hand, may be missing. */
static bool row_required(const struct stage_row *row,
                         const struct session_opts *o)
{
	if (row->one_host && o->xport != XPORT_TCP)
		return false;
	return row->required & IN(o->mode);
}

static struct session_stage stage_from_row(const struct stage_row *row,
                                           const struct session_opts *o,
                                           const struct topo_job *job)
{
	bool pairs = o->kind == SESSION_PAIRS;
	struct session_stage st = {
		.stage = row->stage,
		.shape = row->shape,
		.dir = pairs && o->bidirectional ? DIR_BI : row->dir,
		.xport = row->xport == XPORT_AUTO ? (uint16_t)o->xport
		                                  : row->xport,
		.op = pairs ? (uint16_t)o->op : row->op,
		.required = row_required(row, o),
		.src_ep = -1,
		.dst_ep = -1,
		.bytes = row_bytes(row, o),
		.time_s = row->shape == SHAPE_INSIDE ? o->local_trial_s
		                                     : o->trial_s,
	};

	if (st.op == OP_LATENCY)
		st.dir = DIR_UNI;
	st.deadline_s = scaled_deadline(o, st.bytes, SLOWEST_OPS);
	if (st.shape == SHAPE_BETWEEN)
		st.matchings = stage_matchings(&st, o, job);
	if (st.shape == SHAPE_INSIDE && !pairs)
		session_stage_fit(&st, o, job);
	st.rails = !pairs && session_rails_are_slots(&st, job);
	st.all_ranks = pairs || st.rails;
	stage_name(&st);
	return st;
}

static enum fp_status stages_from_rows(const struct session_opts *o,
                                       const struct topo_job *job,
                                       struct session_stages *ret,
                                       struct fp_err *err)
{
	const struct stage_row *rows = kinds[o->kind].rows;
	size_t i, n = o->offline ? 0 : kinds[o->kind].n;

	ret->n = 0;
	ret->s = calloc(n + 1, sizeof(*ret->s));
	if (!ret->s)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for stages");
	for (i = 0; i < n; i++)
		if (row_fits(&rows[i], o, job))
			ret->s[ret->n++] = stage_from_row(&rows[i], o, job);
	return session_rails_apart(o, job, ret, err);
}

static struct session_stage stage_of_sweep(const struct session_opts *o,
                                           uint64_t bytes, uint8_t flags)
{
	struct session_stage st = {
		.stage = TRIAL_S6_COLL,
		.shape = SHAPE_FULL,
		.flags = (uint8_t)(flags |
		                   (o->registered ? TRIAL_REGISTERED : 0)),
		.type = (uint8_t)o->datatype,
		.redop = (uint8_t)o->redop,
		.xport = (uint16_t)o->xport,
		.op = (uint16_t)o->op,
		.required = true,
		.src_ep = -1,
		.dst_ep = -1,
		.bytes = bytes,
		.iters = o->iters,
		.warmup = o->warmup,
	};

	st.deadline_s = scaled_deadline(o, bytes, o->iters + o->warmup + 2);
	stage_name(&st);
	return st;
}

static enum fp_status stages_of_sweep(const struct session_opts *o,
                                      const struct topo_job *job,
                                      struct session_stages *ret,
                                      struct fp_err *err)
{
	const struct plan_range range = {
		.min = o->min_bytes,
		.max = o->max_bytes,
		.factor = o->factor > 1 ? o->factor : 0,
		.step = o->step_bytes,
	};
	enum fp_status status;
	uint64_t *sizes;
	size_t i, n;

	*ret = (struct session_stages){ 0 };
	status = plan_range_sizes(&range, &sizes, &n, err);
	if (status)
		return status;
	ret->s = calloc(n, 2 * sizeof(*ret->s));
	if (!ret->s)
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory for stages");
	for (i = 0; !status && job->n_ranks > 1 && i < n; i++) {
		ret->s[ret->n++] = stage_of_sweep(o, sizes[i], 0);
		ret->s[ret->n++] = stage_of_sweep(o, sizes[i], TRIAL_IN_PLACE);
	}
	free(sizes);
	return status;
}

/* One collective over everybody; the groups follow from how it ends. */
static enum fp_status stage_of_bisect(const struct session_opts *o,
                                      const struct topo_job *job,
                                      struct session_stages *ret,
                                      struct fp_err *err)
{
	struct session_stage st = stage_of_sweep(o, o->bytes, 0);

	st.iters = 0;
	st.time_s = o->local_trial_s;
	*ret = (struct session_stages){ .s = calloc(1, sizeof(*ret->s)) };
	if (!ret->s)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for stages");
	ret->s[0] = st;
	ret->n = job->n_ranks > 1;
	return FP_OK;
}

enum fp_status session_stages_make(const struct session_opts *opts,
                                   const struct topo_job *job,
                                   struct session_stages *ret,
                                   struct fp_err *err)
{
	if (opts->kind == SESSION_SWEEP)
		return stages_of_sweep(opts, job, ret, err);
	if (opts->kind == SESSION_BISECT)
		return stage_of_bisect(opts, job, ret, err);
	return stages_from_rows(opts, job, ret, err);
}

void session_stages_done(struct session_stages *stages)
{
	if (!stages)
		return;
	free(stages->s);
	*stages = (struct session_stages){ 0 };
}
