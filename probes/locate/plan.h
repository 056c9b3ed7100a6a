/* SPDX-License-Identifier: Apache-2.0 */
/* Which transfers of a cluster are tested, stage by stage. Pure. */
#ifndef FP_PROBES_LOCATE_PLAN_H
#define FP_PROBES_LOCATE_PLAN_H

#include "probes/locate/test.h"
#include "topo/base/status.h"

/** struct locate_tests - in the order of their stages and groups. _done()
 * takes NULL. */
struct locate_tests {
	struct locate_test *t;
	size_t n, room;
	uint32_t n_groups;
};
void locate_tests_done(struct locate_tests *t);

/** struct locate_extent - how much is tested. */
struct locate_extent {
	bool copies;        /* S0: memory to and from each GPU */
	bool one_way;       /* S1: each pair of GPUs only in one direction */
	uint32_t loopbacks; /* S2: HCAs that each HCA sends to in its host */
	uint32_t matchings; /* S3: of hosts, the same rail; UINT32_MAX: all */
	uint32_t swaps;     /* S4: by the neighbour's HCA */
	uint32_t memories;  /* S4: from memory of the host */
	uint32_t rails;     /* S4: to another rail */
};

/** enum locate_mode - how much, in a word; as enum session_mode. */
enum locate_mode { LOCATE_QUICK, LOCATE_STANDARD, LOCATE_DEEP };

/**
 * locate_extent_of() - what @mode tests on @f: all matchings of up to 16
 * hosts, else 2 (quick), 3, or all (deep). A single host's HCAs are reached
 * by loopback only, so all of them are tried.
 */
struct locate_extent locate_extent_of(const struct fabric *f, unsigned mode);

/**
 * locate_plan() - the tests of @extent. @seed chooses the partners: another
 * seed is independent evidence. Of a sampled plan the first matching stays
 * under the leaves.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_LIMIT. locate_tests_done().
 */
enum fp_status locate_plan(const struct fabric *f,
                           const struct locate_extent *extent, uint64_t seed,
                           struct locate_tests *ret, struct fp_err *err);

/** locate_tests_add() - append one test of @stage to group @t->n_groups. */
enum fp_status locate_tests_add(struct locate_tests *t, const struct fabric *f,
                                unsigned stage,
                                const struct fabric_transfer *transfer,
                                struct fp_err *err);

#endif
