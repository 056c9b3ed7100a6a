/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judging: a pure function of the job, what was measured, and options. The
 * same input gives the same findings, live, replayed or modelled.
 */
#ifndef FP_PROBES_JUDGE_JUDGE_H
#define FP_PROBES_JUDGE_JUDGE_H

#include "probes/finding/finding.h"
#include "probes/judge/matrix.h"
#include "probes/judge/results.h"
#include "probes/plan/plan.h"
#include "topo/model/model.h"

/** struct judge_opts - thresholds; judge_defaults() fills them. */
struct judge_opts {
	double slow_drop;    /* 0.10: SLOW needs this much below the median */
	double suspect_drop; /* 0.05 */
	double slow_z;       /* -6 */
	double suspect_z;    /* -3.5 */
	double sigma_floor;  /* 0.01, of ln(rate) */
	double sigma_floor_latency; /* 0.10, of ln(latency) */
	/* Unsteady: p5 below this part of the median, and a standstill that is
	 * longer than a busy core's scheduler makes. */
	double flaky_ratio;    /* 0.7 */
	double stall_excess_s; /* 20e-3 over the typical message */
	double loss_ratio;     /* 0.002: retransmits / segments that is loss */
	double latency_factor; /* 2: min latency over class median */
	uint32_t retests;      /* 3 */
	uint32_t retest_flags; /* 2 of them */
	/* An end whose pairs agree may be accused of less than a lone pair. */
	double end_drop;       /* 0.08 */
	double end_share;      /* 0.8 of its pairs */
	double end_share_rare; /* 0.5: of what a test can miss: loss, stalls */
	/* Classes of fewer members than this have no spread of their own. */
	uint32_t small_class;    /* 8 */
	uint32_t retests_local;  /* 5: the same inside a host */
	double small_drop;       /* 0.20 */
	double small_drop_local; /* 0.50 */
	/* CPU-bound paths (inside a host, loopback) share cores with others. */
	double slow_drop_local;      /* 0.30 */
	double sigma_floor_local;    /* 0.05 */
	double latency_factor_local; /* 5 */
	double pace_drop;  /* 0.5: messages so much slower than usual there */
	double pace_apart; /* 0.4: and than on the worst clean pair's best */
	double latency_excess_s; /* 100e-6 above the median, at least */
	/* p99 of latency: over the class's, and at least so much more. */
	double jitter_factor;   /* 5 */
	double jitter_excess_s; /* 2e-3 */
	double loss_factor;     /* 4: over the class's */
	uint32_t loss_min_segs; /* 200: too few say nothing */
	uint32_t pad;
};

/** Retests that any pair may need before it is named alone. */
#define JUDGE_LONE_MAX 9

/** judge_defaults() - the values named above. */
void judge_defaults(struct judge_opts *opts);

/**
 * judge_matrices() - group the pair trials of @results into matrices, find
 * each class's baseline, and give each cell its state.
 *
 * Return: FP_OK or FP_ERR_NOMEM. Undo with matrices_done().
 */
enum fp_status judge_matrices(const struct topo_job *job,
                              const struct results *results,
                              const struct judge_opts *opts,
                              struct matrices *ret, struct fp_err *err);

/**
 * judge_suspects() - cells of @m that want another test: SUSPECT ones and
 * those that failed fewer than judge_opts.retests times. Beside them clean
 * pairs of the same class, to be measured at the same time: a suspect's test
 * counts only if theirs are better. Nothing when there is no suspect.
 * @ret: suspects have round 0, clean pairs beside them 1; for free(3).
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_suspects(const struct matrix *m,
                              const struct judge_opts *opts,
                              struct plan_pair **ret, size_t *ret_n,
                              struct fp_err *err);

/**
 * judge_collective_cause() - the first of @list that explains why collective
 * @t did not end or failed; NULL: none does.
 */
const struct finding *judge_collective_cause(const struct topo_job *job,
                                             const struct results *results,
                                             const struct trial *t,
                                             const struct findings *list);

/**
 * judge_findings() - from cells, collective outcomes and events to findings:
 * row and column rule over ranks, then netdevs, then hosts; what hangs by
 * direction (from datagram trials); loss, jitter, corruption; who is lost.
 * A finding names the widest thing that explains its cells and absorbs them.
 *
 * Return: FP_OK or FP_ERR_NOMEM; @ret is sorted.
 */
enum fp_status judge_findings(const struct topo_job *job,
                              const struct results *results,
                              const struct matrices *matrices,
                              const struct judge_opts *opts,
                              struct findings *ret, struct fp_err *err);

#endif
