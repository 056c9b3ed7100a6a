/* SPDX-License-Identifier: Apache-2.0 */
/* Matchings of hosts, one after the other: who is whose partner. */
#ifndef FP_PROBES_LOCATE_MATCH_H
#define FP_PROBES_LOCATE_MATCH_H

#include "probes/plan/plan.h"
#include "probes/stats/rng.h"
#include "topo/fabric/fabric.h"

/** struct match - partners of one matching after the other. match_init(). */
struct match {
	const struct fabric *f;
	struct stats_rng rng;
	int32_t *order;   /* [hosts] seat -> host */
	int32_t *partner; /* [hosts] of the matching in hand; -1: none */
	uint32_t rounds, count, done, at, step;
	bool sampled;
};

/** match_init() - for the hosts of @f. FP_OK or FP_ERR_NOMEM; undo with
 * match_done(), which takes half-built ones. */
enum fp_status match_init(struct match *m, const struct fabric *f,
                          uint64_t seed, struct fp_err *err);
void match_done(struct match *m);

/**
 * match_begin() - @count matchings, all of them if there are no more: then no
 * two share a pair. If they are not all, hosts under one leaf meet in the
 * first, and in the others, by lot, hosts of different leaves.
 */
void match_begin(struct match *m, uint32_t count);

/** match_next() - make the next matching. false: there is none. */
bool match_next(struct match *m);

#endif
