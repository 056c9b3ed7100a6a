/* SPDX-License-Identifier: Apache-2.0 */
/* What the planners share: who is there, and a schedule that grows. */
#ifndef FP_PROBES_PLAN_LIST_H
#define FP_PROBES_PLAN_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/plan/plan.h"

/** struct plan_roster - ranks that take part, host by host, in rank order. */
struct plan_roster {
	size_t n_hosts; /* that have such ranks */
	size_t *first;  /* [n_hosts + 1] into ranks */
	int32_t *ranks;
};

/**
 * plan_roster_init() - @job's ranks without those that @skip marks (NULL:
 * none) and those on no known host.
 *
 * Return: FP_OK, FP_ERR_NOMEM. Undo with plan_roster_done().
 */
enum fp_status plan_roster_init(struct plan_roster *r,
                                const struct topo_job *job, const bool *skip,
                                struct fp_err *err);
void plan_roster_done(struct plan_roster *r); /* takes NULL */

/** plan_roster_count() - ranks of the @h-th host. */
static inline size_t plan_roster_count(const struct plan_roster *r, size_t h)
{
	return r->first[h + 1] - r->first[h];
}

/** plan_roster_rank() - the @i-th rank of the @h-th host. */
static inline int32_t plan_roster_rank(const struct plan_roster *r, size_t h,
                                       size_t i)
{
	return r->ranks[r->first[h] + i];
}

/** struct plan_list - pairs as they come. Zero-initialise. */
struct plan_list {
	struct plan_pair *pairs;
	size_t n, room;
};

/**
 * plan_list_add() - append.
 *
 * Return: FP_OK, FP_ERR_NOMEM; FP_ERR_LIMIT past PLAN_PAIRS_MAX.
 */
enum fp_status plan_list_add(struct plan_list *l, struct plan_pair pair,
                             struct fp_err *err);

/** plan_list_finish() - sorted by round, src, dst; @l is empty then. */
void plan_list_finish(struct plan_list *l, struct plan_pairs *ret);
void plan_list_done(struct plan_list *l); /* takes NULL */

#endif
