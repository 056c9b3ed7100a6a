/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that look random and are the same for the same seed everywhere. */
#ifndef FP_PROBES_STATS_RNG_H
#define FP_PROBES_STATS_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct stats_rng - a state of its own for each use. */
struct stats_rng {
	uint64_t s;
};

/** stats_rng_init() - from @seed and @stream: equal seeds with other streams
 * give unrelated numbers. */
void stats_rng_init(struct stats_rng *r, uint64_t seed, uint64_t stream);

/** stats_rng_next() - 64 bits. */
uint64_t stats_rng_next(struct stats_rng *r);

/** stats_rng_unit() - [0, 1). */
double stats_rng_unit(struct stats_rng *r);

/** stats_rng_below() - 0..@n-1, evenly; 0 for @n == 0. */
uint32_t stats_rng_below(struct stats_rng *r, uint32_t n);

/** stats_rng_chance() - true with probability @p. */
bool stats_rng_chance(struct stats_rng *r, double p);

/** stats_rng_normal() - mean 0, variance 1. */
double stats_rng_normal(struct stats_rng *r);

/** stats_rng_shuffle() - the @n of @x, any order as likely. */
void stats_rng_shuffle(struct stats_rng *r, int32_t *x, size_t n);

/** stats_hash() - of two numbers: what depends on them and nothing else. */
uint64_t stats_hash(uint64_t a, uint64_t b);

#endif
