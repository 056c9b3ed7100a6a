/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives over groups of a job's ranks, to find whom a failing one fails
 * by. The search is the same live and from a record: who has the outcome of a
 * group in his results does not run it again.
 */
#ifndef FP_PROBES_SESSION_BISECT_H
#define FP_PROBES_SESSION_BISECT_H

#include "probes/session/run.h"

/** session_bisect() - if a collective failed that no pair explains, or got slow
 * while pairs did not, or this is what the run is for: run groups until it is
 * known by whom, or by which setting. FP_OK, FP_ERR_NOMEM. */
enum fp_status session_bisect(struct session_run *run, struct fp_err *err);

/** session_bisect_judge() - findings from the groups on record; they replace
 * those that only say that a collective failed. @s->matrices are made. FP_OK,
 * FP_ERR_NOMEM. */
enum fp_status session_bisect_judge(struct session *s, struct fp_err *err);

/** struct bisect_units - what is left out or taken in as one: a host's ranks,
 * or a rank. bisect_units_done(). */
struct bisect_units {
	bool hosts;     /* a unit is a host */
	int32_t *ranks; /* unit by unit */
	size_t *first;  /* [n + 1] into ranks */
	size_t n;
	size_t suspects; /* of them, which come first */
	int32_t least;   /* units of a group, so that it has two ranks */
};

/**
 * bisect_units_make() - of the @n ranks of @members, hosts if there are two.
 * @suspects: ranks and hosts by number and name, with commas between; "" for
 * none.
 *
 * Return: FP_OK, FP_ERR_NOMEM; FP_ERR_USAGE for a word that is none of them.
 */
enum fp_status bisect_units_make(const struct topo_job *job,
                                 const int32_t *members, size_t n,
                                 const char *suspects, struct bisect_units *ret,
                                 struct fp_err *err);
void bisect_units_done(struct bisect_units *u);

/** struct bisect_ask - one search: where it asks, and for what. */
struct bisect_ask {
	const struct session *s;
	struct session_run *run;  /* NULL: from the record only */
	const struct trial *like; /* a copy of the collective that failed */
	double floor_Bps; /* of busbw: a group below it fails; 0: none */
	const struct bisect_units *units;
	const int32_t *base; /* ranks that are in every group */
	size_t n_base;
};

struct bisect_group;

/** bisect_ask_groups() - as bisect_try.run; @arg: a struct bisect_ask. */
bool bisect_ask_groups(void *arg, struct bisect_group *groups, size_t n);

#endif
