// SPDX-License-Identifier: Apache-2.0
// After hangs over tcp: which direction is it, and is it the size of packets?
#include <stdlib.h>

#include "probes/session/run.h"

#define GRAM_BYTES 64
#define GRAM_TIME_S 0.6
#define GRAM_DEADLINE_S 1.5
#define GRAM_PARTNERS 2 /* of an endpoint with many hung pairs */

static bool is_tcp(unsigned family)
{
	return family == HANG_TCP_NET || family == HANG_TCP_LOCAL;
}

static bool has_pair(const struct session_todo *todo, int32_t src, int32_t dst)
{
	for (size_t i = 0; i < todo->n; i++)
		if (todo->pairs[i].src == src && todo->pairs[i].dst == dst)
			return true;
	return false;
}

static enum fp_status add_both_ways(struct session_todo *todo, int32_t a,
                                    int32_t b, struct fp_err *err)
{
	enum fp_status status;

	if (has_pair(todo, a, b) || has_pair(todo, b, a))
		return FP_OK;
	status = session_todo_add(todo, a, b, err);
	if (!status)
		status = session_todo_add(todo, b, a, err);
	return status;
}

static size_t partners_of(const struct session_run *run, unsigned family,
                          const struct session_todo *todo, int32_t endpoint)
{
	const struct hang_log *log = run->hangs;
	size_t i, n = 0;

	for (i = 0; i < todo->n; i++)
		n += hang_endpoint(log, family, todo->pairs[i].src) == endpoint;
	return n;
}

/* A rank whose endpoint never hung, on another host (or the same one, where
 * tcp runs over loopback); not the same one for everybody. */
static int32_t find_clean(const struct session_run *run, unsigned family,
                          int32_t rank)
{
	const struct topo_job *job = run->s->job;
	int32_t n = (int32_t)job->n_ranks, i, r;
	bool local = family == HANG_TCP_LOCAL;

	for (i = 1; i < n; i++) {
		r = (rank + i) % n;
		if (!session_run_is_out(run, r, r) && job->ranks[r].host >= 0 &&
		    topo_job_same_host(job, rank, r) == local &&
		    hang_log_is_clean(run->hangs, family,
		                      hang_endpoint(run->hangs, family, r)))
			return r;
	}
	return -1;
}

static enum fp_status add_control(struct session_run *run, unsigned family,
                                  int32_t rank, struct session_todo *controls,
                                  struct fp_err *err)
{
	int32_t e = hang_endpoint(run->hangs, family, rank);
	int32_t clean;

	if (partners_of(run, family, controls, e))
		return FP_OK;
	clean = find_clean(run, family, rank);
	if (clean < 0)
		return FP_OK;
	return add_both_ways(controls, rank, clean, err);
}

/* Of each endpoint a few hung partners and one that works. */
static enum fp_status collect(struct session_run *run, unsigned family,
                              struct session_todo *hung,
                              struct session_todo *controls, struct fp_err *err)
{
	const struct hang_log *log = run->hangs;
	enum fp_status status = FP_OK;
	const struct hang_pair *p;
	size_t i;

	for (i = 0; !status && i < log->n_pairs; i++) {
		p = &log->pairs[i];
		if (hang_big_family(p->family) != family ||
		    session_run_is_out(run, p->src, p->dst) ||
		    (partners_of(run, family, hung,
		                 hang_endpoint(log, family, p->src)) >=
		             GRAM_PARTNERS &&
		     partners_of(run, family, hung,
		                 hang_endpoint(log, family, p->dst)) >=
		             GRAM_PARTNERS))
			continue;
		status = add_both_ways(hung, p->src, p->dst, err);
		if (!status)
			status =
				add_control(run, family, p->src, controls, err);
		if (!status)
			status =
				add_control(run, family, p->dst, controls, err);
	}
	return status;
}

static enum fp_status run_grams(struct session_run *run,
                                const struct session_todo *todo, uint32_t idx,
                                struct fp_err *err)
{
	const struct session_stage st = {
		.stage = TRIAL_S7_RETEST,
		.shape = SHAPE_BETWEEN,
		.xport = XPORT_TCP,
		.op = OP_DATAGRAM,
		.src_ep = -1,
		.dst_ep = -1,
		.bytes = GRAM_BYTES,
		.time_s = GRAM_TIME_S,
		.deadline_s = GRAM_DEADLINE_S,
	};
	const struct session_listed what = {
		.idx = idx,
		.st = &st,
		.pairs = todo->pairs,
		.n = todo->n,
	};

	return todo->n ? session_run_listed(run, &what, err) : FP_OK;
}

static enum fp_status family_grams(struct session_run *run, unsigned family,
                                   uint32_t idx, struct fp_err *err)
{
	struct session_todo hung = { 0 }, controls = { 0 };
	enum fp_status status;
	size_t i;

	status = collect(run, family, &hung, &controls, err);
	/* One plan for both, so that they share rounds. */
	for (i = 0; !status && i < controls.n; i++)
		if (!has_pair(&hung, controls.pairs[i].src,
		              controls.pairs[i].dst))
			status = session_todo_add(&hung, controls.pairs[i].src,
			                          controls.pairs[i].dst, err);
	if (!status)
		status = run_grams(run, &hung, idx, err);
	free(hung.pairs);
	free(controls.pairs);
	return status;
}

enum fp_status session_retest_grams(struct session_run *run, struct fp_err *err)
{
	const struct hang_log *log = run->hangs;
	enum fp_status status = FP_OK;
	bool done[HANG_FAMILY_COUNT] = { false };
	unsigned family;
	size_t i, n = log->n_pairs;

	run->title = "S7 datagrams where it hung";
	for (i = 0; !status && !run->stop && i < n; i++) {
		family = hang_big_family(log->pairs[i].family);
		if (done[family] || !is_tcp(family) ||
		    run->s->opts.xport == XPORT_VERBS)
			continue;
		done[family] = true;
		status = family_grams(run, family, log->pairs[i].stage, err);
	}
	return status;
}
