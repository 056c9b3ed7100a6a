/* SPDX-License-Identifier: Apache-2.0 */
/* One family of marks before the judge: what its parts share. */
#ifndef FP_PROBES_JUDGE_HEARING_H
#define FP_PROBES_JUDGE_HEARING_H

#include "probes/judge/edges.h"

/*
 * Weights of evidence, in nats: ln((1-b)/a) for a bad pair and ln(b/(1-a)) for
 * a good one, with a = 1e-3 that a good place looks bad and b = 0.02 that a
 * bad one looks good; and what is likelier before any evidence.
 */
#define NATS_BAD 6.89
#define NATS_GOOD 3.91
#define PRIOR_END 3e-3
#define PRIOR_PAIR 1e-3

/** struct hearing - a family, and its marks by the ends in question now. */
struct hearing {
	struct judge_case *c;
	const struct blame_family *f;
	struct edges edges;
	size_t first_blame; /* of this family */
};

/** hearing_accuse() - add a copy of @blame. FP_OK or FP_ERR_NOMEM. */
enum fp_status hearing_accuse(struct hearing *t,
                              const struct judge_blame *blame,
                              struct fp_err *err);

/** hearing_explain() - the open marks of @e are explained by @blame. */
void hearing_explain(struct hearing *t, const struct edge *e, size_t blame);

/**
 * hearing_accuse_port_pairs() - two devices between which all pairs of
 * several ranks are bad. FP_OK or FP_ERR_NOMEM.
 */
enum fp_status hearing_accuse_port_pairs(struct hearing *t, struct fp_err *err);

/**
 * hearing_accuse_pairs() - pairs of ranks that are bad enough by themselves,
 * unless there are so many that it was the time, not they. FP_OK or
 * FP_ERR_NOMEM.
 */
enum fp_status hearing_accuse_pairs(struct hearing *t, struct fp_err *err);

#endif
