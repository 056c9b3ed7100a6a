// SPDX-License-Identifier: Apache-2.0
// A counter through a mixing function of 64 bits.
#include "probes/stats/rng.h"

#include <math.h>

#define GOLDEN 0x9e3779b97f4a7c15u /* 2^64 / golden ratio, odd */

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

uint64_t stats_hash(uint64_t a, uint64_t b)
{
	return mix(mix(a + GOLDEN) ^ (b * GOLDEN + 1));
}

void stats_rng_init(struct stats_rng *r, uint64_t seed, uint64_t stream)
{
	r->s = stats_hash(seed, stream);
}

uint64_t stats_rng_next(struct stats_rng *r)
{
	r->s += GOLDEN;
	return mix(r->s);
}

double stats_rng_unit(struct stats_rng *r)
{
	return (double)(stats_rng_next(r) >> 11) * 0x1p-53;
}

uint32_t stats_rng_below(struct stats_rng *r, uint32_t n)
{
	/* The bias is below n / 2^32 of a probability. */
	return (uint32_t)((stats_rng_next(r) >> 32) * n >> 32);
}

bool stats_rng_chance(struct stats_rng *r, double p)
{
	return stats_rng_unit(r) < p;
}

double stats_rng_normal(struct stats_rng *r)
{
	double radius = sqrt(-2 * log(1 - stats_rng_unit(r)));

	return radius * cos(2 * 3.14159265358979323846 * stats_rng_unit(r));
}

void stats_rng_shuffle(struct stats_rng *r, int32_t *x, size_t n)
{
	size_t i, j;
	int32_t t;

	for (i = n; i > 1; i--) {
		j = stats_rng_below(r, (uint32_t)i);
		t = x[i - 1];
		x[i - 1] = x[j];
		x[j] = t;
	}
}
