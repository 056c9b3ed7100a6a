// SPDX-License-Identifier: Apache-2.0
// Inputs of collectives and the results that they must give.
#include <stdbool.h>

#include "probes/measure/ring.h"

/*
 * Element i of rank r is (h(i) + k * r) mod RING_MOD: then the sum over all
 * ranks depends on h(i) alone, and is looked up. RING_MOD is the largest prime
 * for which the sums of WIRE_MEMBERS_MAX members stay exact in a float32.
 */
#define RING_MOD 1021u
#define RING_RANK_STEP 397u
_Static_assert((RING_MOD - 1) * WIRE_MEMBERS_MAX <= 1u << 24, "exact sums");

#define RING_NO_RESULT (-1.0f)

static uint32_t element(uint64_t seed, size_t index)
{
	uint64_t x =
		(seed * 0xbf58476d1ce4e5b9ULL + index) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ULL;
	return (uint32_t)(x >> 33) % RING_MOD;
}

static uint32_t rank_step(uint32_t rank)
{
	return rank % RING_MOD * RING_RANK_STEP % RING_MOD;
}

static float value(uint64_t seed, uint32_t step, size_t index)
{
	uint32_t v = element(seed, index) + step;

	return (float)(v < RING_MOD ? v : v - RING_MOD);
}

static void fill(float *into, size_t n, uint64_t seed, uint32_t rank,
                 size_t index)
{
	uint32_t step = rank_step(rank);

	for (size_t i = 0; i < n; i++)
		into[i] = value(seed, step, index + i);
}

static void spoil(float *into, size_t n)
{
	for (size_t i = 0; i < n; i++)
		into[i] = RING_NO_RESULT;
}

static uint64_t check(const float *from, size_t n, uint64_t seed, uint32_t rank,
                      size_t index)
{
	uint32_t step = rank_step(rank);
	uint64_t wrong = 0;

	for (size_t i = 0; i < n; i++)
		wrong += from[i] != value(seed, step, index + i);
	return wrong;
}

static uint64_t check_sums(const float *from, size_t n, uint64_t seed,
                           uint32_t ranks, size_t index)
{
	float sums[RING_MOD] = { 0 };
	uint64_t wrong = 0;

	for (uint32_t rank = 0; rank < ranks; rank++) {
		for (uint32_t h = 0; h < RING_MOD; h++)
			sums[h] += (float)((h + rank_step(rank)) % RING_MOD);
	}
	for (size_t i = 0; i < n; i++)
		wrong += from[i] != sums[element(seed, index + i)];
	return wrong;
}

static void fill_alltoall(struct ring *r, uint64_t seed)
{
	fill(r->data, r->count, seed, r->me, r->me * r->count);
	spoil(r->scratch, r->n * r->count);
	for (uint32_t p = 0; p < r->n; p++) {
		if (p == r->me)
			continue;
		fill(r->mesh[p]->ops->tx_region(r->mesh[p]), r->count, seed,
		     r->me, p * r->count);
	}
}

static void fill_own_block(struct ring *r, uint64_t seed)
{
	spoil(r->data, r->n * r->count);
	fill(r->data + r->me * r->count, r->count, seed, r->me, 0);
}

static void fill_root(struct ring *r, uint64_t seed)
{
	if (r->me == r->root)
		fill(r->data, r->count, seed, r->me, 0);
	else
		spoil(r->data, r->count);
}

void ring_fill(struct ring *r, uint64_t seed)
{
	switch (r->op) {
	case OP_ALLTOALL:
		fill_alltoall(r, seed);
		break;
	case OP_ALLGATHER:
		fill_own_block(r, seed);
		break;
	case OP_BROADCAST:
		fill_root(r, seed);
		break;
	case OP_SENDRECV:
		fill(r->data, r->count, seed, r->me, 0);
		spoil(r->scratch, r->count);
		break;
	default:
		fill(r->data,
		     ring_region_bytes(r->op, r->n, r->count) / sizeof(float),
		     seed, r->me, 0);
	}
}

static uint64_t check_blocks(const struct ring *r, const float *from,
                             uint64_t seed, size_t index)
{
	uint64_t wrong = 0;

	for (uint32_t p = 0; p < r->n; p++)
		wrong += check(from + p * r->count, r->count, seed, p, index);
	return wrong;
}

static uint64_t wrong_elements(const struct ring *r, uint64_t seed)
{
	size_t mine = r->me * r->count;

	switch (r->op) {
	case OP_ALLREDUCE:
		return check_sums(r->data, r->count, seed, r->n, 0);
	case OP_REDUCESCATTER:
		return check_sums(r->data + mine, r->count, seed, r->n, mine);
	case OP_ALLGATHER:
		return check_blocks(r, r->data, seed, 0);
	case OP_ALLTOALL:
		return check_blocks(r, r->scratch, seed, mine);
	case OP_SENDRECV:
		return check(r->scratch, r->count, seed,
		             (r->me + r->n - 1) % r->n, 0);
	default:
		return check(r->data, r->count, seed, r->root, 0);
	}
}

uint64_t ring_verify(const struct ring *r, uint64_t seed)
{
	return wrong_elements(r, seed) * sizeof(float);
}
