/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that look random and are the same for the same seed everywhere. */
#ifndef FP_PROBES_SIM_RNG_H
#define FP_PROBES_SIM_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct sim_rng - a state of its own for each use. */
struct sim_rng {
	uint64_t s;
};

/** sim_rng_init() - from @seed and @stream: equal seeds with other streams
 * give unrelated numbers. */
void sim_rng_init(struct sim_rng *r, uint64_t seed, uint64_t stream);

/** sim_rng_next() - 64 bits. */
uint64_t sim_rng_next(struct sim_rng *r);

/** sim_rng_unit() - [0, 1). */
double sim_rng_unit(struct sim_rng *r);

/** sim_rng_below() - 0..@n-1, evenly; 0 for @n == 0. */
uint32_t sim_rng_below(struct sim_rng *r, uint32_t n);

/** sim_rng_chance() - true with probability @p. */
bool sim_rng_chance(struct sim_rng *r, double p);

/** sim_rng_normal() - mean 0, variance 1. */
double sim_rng_normal(struct sim_rng *r);

/** sim_rng_shuffle() - the @n of @x, any order as likely. */
void sim_rng_shuffle(struct sim_rng *r, int32_t *x, size_t n);

/** sim_hash() - of two numbers: what depends on them and nothing else. */
uint64_t sim_hash(uint64_t a, uint64_t b);

#endif
