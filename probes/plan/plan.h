/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who meets whom in which round. Pure: every rank could compute it alone.
 * Source of the formulas: 1-factorization of K_n by the circle method.
 */
#ifndef FP_PROBES_PLAN_PLAN_H
#define FP_PROBES_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/trial/trial.h"
#include "topo/base/status.h"
#include "topo/model/model.h"

/** plan_rounds() - rounds in which each of @n meets each once: n-1, or n if
 * odd (one has a bye in each); 0 for n < 2. */
uint32_t plan_rounds(uint32_t n);

/**
 * plan_partner() - whom @v meets in round @t of plan_rounds(@n).
 *
 * Return: its partner, or -1 for a bye. Symmetric.
 */
int32_t plan_partner(uint32_t n, uint32_t v, uint32_t t);

/**
 * plan_two_level() - partner of slot (@host, @slot) of @hosts x @slots in
 * round @t of plan_two_level_rounds(): first all rounds between hosts (in
 * round t*slots+s, slot g meets slot g+s of the partner host; s = 0 is the
 * same rail), then the rounds inside hosts.
 *
 * Return: partner as host * slots + slot, or -1 for a bye.
 */
int32_t plan_two_level(uint32_t hosts, uint32_t slots, uint32_t host,
                       uint32_t slot, uint32_t t);
uint32_t plan_two_level_rounds(uint32_t hosts, uint32_t slots);

/** Pairs of one schedule at most; a trial of each still fits in memory. */
#define PLAN_PAIRS_MAX (1u << 25)

/** struct plan_pair - one directed pair in a round. */
struct plan_pair {
	uint32_t round;
	int32_t src, dst;
};

/** struct plan_pairs - a schedule: pairs sorted by round. */
struct plan_pairs {
	struct plan_pair *pairs;
	size_t n;
	uint32_t n_rounds;
};

/** plan_pairs_done() - free; takes NULL. */
void plan_pairs_done(struct plan_pairs *p);

/**
 * plan_inside_hosts() - every directed pair of ranks that share a host; in a
 * round each rank is in one pair at most, and of a host at most @per_host
 * pairs run at once (0: no limit). Hosts run in parallel. Ranks whose @skip
 * is set are left out (@skip may be NULL). @matchings: 0 for all rounds of
 * ranks, else of each host only so many, spread evenly.
 *
 * Return: FP_OK, FP_ERR_NOMEM; FP_ERR_LIMIT past PLAN_PAIRS_MAX.
 */
enum fp_status plan_inside_hosts(const struct topo_job *job, const bool *skip,
                                 uint32_t per_host, uint32_t matchings,
                                 struct plan_pairs *ret, struct fp_err *err);

/**
 * plan_between_hosts() - directed pairs of ranks on different hosts such that
 * in a round each netdev of each host carries at most one flow out and one
 * in, and each rank is in one pair (contention rules C1, C2).
 * @all_ranks: every pair of ranks; else every pair of hosts once each way,
 * by ranks that rotate through the slots.
 * @rails: of all ranks, only those of equal slots, which share a rail.
 * @matchings: 0 for all rounds of hosts, else only so many, spread evenly by
 * @seed.
 *
 * Return: FP_OK, FP_ERR_NOMEM; FP_ERR_LIMIT past PLAN_PAIRS_MAX.
 */
struct plan_between {
	const struct topo_job *job;
	const bool *skip; /* may be NULL */
	bool all_ranks, rails;
	uint32_t matchings;
	uint64_t seed;
};
enum fp_status plan_between_hosts(const struct plan_between *how,
                                  struct plan_pairs *ret, struct fp_err *err);

/**
 * plan_listed() - the given directed pairs in as few rounds as a greedy
 * packing finds under the same rules, at most @per_round in one (0: no
 * limit), and inside a host as many at once as a quarter of its cores, one at
 * least. Members "round" of @pairs are ignored; a pair may be listed twice.
 *
 * Return: FP_OK, FP_ERR_NOMEM; FP_ERR_LIMIT past PLAN_PAIRS_MAX;
 * FP_ERR_INPUT for a pair that cannot be.
 */
enum fp_status plan_listed(const struct topo_job *job,
                           const struct plan_pair *pairs, size_t n,
                           uint32_t per_round, struct plan_pairs *ret,
                           struct fp_err *err);

/** struct plan_range - message sizes from min to max: times factor, or plus
 * step if factor is 0. nccl-tests' -b -e -f -i. */
struct plan_range {
	uint64_t min, max;
	uint32_t factor;
	uint64_t step;
};

/**
 * plan_range_sizes() - the sizes of @range.
 *
 * Return: FP_OK, FP_ERR_NOMEM; FP_ERR_USAGE if nothing comes out, or more
 * than 4096. @ret_sizes is for free(3).
 */
enum fp_status plan_range_sizes(const struct plan_range *range,
                                uint64_t **ret_sizes, size_t *ret_n,
                                struct fp_err *err);

#endif
