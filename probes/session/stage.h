/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages of a run as data: what each measures, between whom, and whether
 * the verdict needs it. A function of options and job alone, so that a replay
 * knows what a run should have looked at.
 */
#ifndef FP_PROBES_SESSION_STAGE_H
#define FP_PROBES_SESSION_STAGE_H

#include <stdbool.h>

#include "probes/plan/plan.h"
#include "probes/session/session.h"

enum session_shape {
	SHAPE_INSIDE,  /* every directed pair that shares a host */
	SHAPE_BETWEEN, /* directed pairs of ranks on different hosts */
	SHAPE_FULL,    /* one collective over all ranks */
};

#define SESSION_TITLE_MAX 64
#define SESSION_CUT "cut to end within the time limit"

/** struct session_stage - one kind of trial over one set of ranks. */
struct session_stage {
	char title[SESSION_TITLE_MAX]; /* "S3 tcp write between hosts" */
	uint8_t stage;                 /* enum trial_stage */
	uint8_t shape;                 /* enum session_shape */
	uint8_t dir, flags;            /* enum trial_dir, trial_flags */
	uint16_t xport, op;            /* enum trial_xport, trial_op */
	uint32_t variant;              /* enum variant */
	uint8_t type, redop;           /* enum trial_type, trial_redop */
	bool required;                 /* healthy needs it */
	bool all_ranks;                /* between: not only hosts by turns */
	bool rails;                    /* of these only ranks of equal slots */
	int32_t src_ep, dst_ep;        /* verbs: by which port; -1: the only */
	uint32_t matchings;            /* between: of hosts; inside: of a
	                                  host's ranks; 0: all */
	uint64_t bytes;
	uint32_t iters, warmup;
	double time_s, deadline_s;
};

/** struct session_stages - in the order of a run. */
struct session_stages {
	struct session_stage *s;
	size_t n;
};

/** session_mode_local_s() - what a mode takes for a trial inside a host. */
double session_mode_local_s(unsigned mode);

/** session_per_host() - pairs of a host that may run at once: a pair keeps two
 * cores busy, but not one of GPUs, which move data themselves. Return: 0 for
 * as many as there are. */
uint32_t session_per_host(const struct topo_job *job, unsigned xport);

/** session_most_ranks() - of a host. */
uint32_t session_most_ranks(const struct topo_job *job);

/**
 * session_stage_fit() - make a stage of pairs inside hosts fit into what the
 * mode has for it: by shorter trials, unless the option asks for longer ones,
 * and then by fewer matchings of ranks, three at least.
 */
void session_stage_fit(struct session_stage *st, const struct session_opts *o,
                       const struct topo_job *job);

/**
 * session_opts_check() - do filled @opts fit @job?
 *
 * Return: FP_OK; FP_ERR_USAGE naming the option and what it accepts.
 */
enum fp_status session_opts_check(const struct session_opts *opts,
                                  const struct topo_job *job,
                                  struct fp_err *err);

/**
 * session_stages_make() - the stages that apply. @opts is filled.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_USAGE (sizes of a sweep). Undo with
 * session_stages_done().
 */
enum fp_status session_stages_make(const struct session_opts *opts,
                                   const struct topo_job *job,
                                   struct session_stages *ret,
                                   struct fp_err *err);
void session_stages_done(struct session_stages *stages); /* takes NULL */

/**
 * session_stage_plan() - rounds of pairs of a stage that is not SHAPE_FULL.
 * @skip: ranks to leave out; may be NULL.
 */
enum fp_status session_stage_plan(const struct session_stage *st,
                                  const struct session_opts *opts,
                                  const struct topo_job *job, const bool *skip,
                                  struct plan_pairs *ret, struct fp_err *err);

/**
 * session_plan_both_ways() - of a plan of directed pairs keep one of each two,
 * for trials that go both ways at once, in rounds that no device is in twice. Rounds count from 1.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status session_plan_both_ways(const struct topo_job *job,
                                      struct plan_pairs *plan,
                                      struct fp_err *err);

/** session_plan_round_end() - index behind the last pair of the round that
 * pair @i is in. */
size_t session_plan_round_end(const struct plan_pairs *plan, size_t i);

/** session_stage_trial() - a trial of the stage between @src and @dst; for
 * SHAPE_FULL the root is @src and @dst is -1. Id and round are 0. */
struct trial session_stage_trial(const struct session_stage *st, uint64_t seed,
                                 int32_t src, int32_t dst);

/** session_stage_is_of() - does @t measure what @st does, retests included? */
bool session_stage_is_of(const struct session_stage *st, const struct trial *t);

/** session_live_hosts() - hosts of @job with at least @n_ranks ranks. */
size_t session_live_hosts(const struct topo_job *job, size_t n_ranks);

#endif
