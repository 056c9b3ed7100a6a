// SPDX-License-Identifier: Apache-2.0
// Patterns whose sums every type holds exactly.
#include "probes/xport/cuda_pattern.h"

#include <stddef.h>

/* What a type holds exactly: all whole numbers up to here. Integers wrap
 * round, which is exact too. */
static const struct {
	const char *name;
	uint32_t bytes, exact;
} types[CUDA_TYPE_COUNT] = {
	[CUDA_TYPE_FLOAT] = { "float", 4, 1u << 24 },
	[CUDA_TYPE_HALF] = { "half", 2, 1u << 11 },
	[CUDA_TYPE_BFLOAT16] = { "bfloat16", 2, 1u << 8 },
	[CUDA_TYPE_DOUBLE] = { "double", 8, UINT32_MAX },
	[CUDA_TYPE_INT8] = { "int8", 1, UINT32_MAX },
	[CUDA_TYPE_UINT8] = { "uint8", 1, UINT32_MAX },
	[CUDA_TYPE_INT32] = { "int32", 4, UINT32_MAX },
	[CUDA_TYPE_UINT32] = { "uint32", 4, UINT32_MAX },
	[CUDA_TYPE_INT64] = { "int64", 8, UINT32_MAX },
};

uint32_t cuda_type_bytes(unsigned type)
{
	return type < CUDA_TYPE_COUNT ? types[type].bytes : 0;
}

const char *cuda_type_name(unsigned type)
{
	return type < CUDA_TYPE_COUNT ? types[type].name : "?";
}

struct cuda_pattern cuda_pattern_words(uint64_t seed, uint32_t who,
                                       uint32_t type)
{
	uint32_t exact = types[type].exact;
	struct cuda_pattern p = {
		.seed = seed ^ (who + 1) * 0xd6e8feb86659fd93ULL,
		.type = type,
		.bytes = cuda_type_bytes(type),
	};

	/* Numbers that cannot be held are moved all the same, but not as
	 * they are: so only small ones. */
	if (exact < UINT32_MAX)
		p.modulus = CUDA_PATTERN_SUMS;
	for (uint32_t i = 0; i < CUDA_PATTERN_SUMS; i++)
		p.sums[i] = i;
	return p;
}

/* As many different numbers as the largest sum allows, two at least. */
static uint32_t modulus_for(uint32_t n, uint32_t type)
{
	uint32_t m = types[type].exact / n;

	m = m < CUDA_PATTERN_SUMS - 1 ? m + 1 : CUDA_PATTERN_SUMS;
	return m > 2 ? m : 2;
}

struct cuda_pattern cuda_pattern_part(uint64_t seed, uint32_t n, uint32_t me,
                                      uint32_t type)
{
	return (struct cuda_pattern){
		.seed = seed,
		.type = type,
		.bytes = cuda_type_bytes(type),
		.modulus = modulus_for(n, type),
		.add = me,
	};
}

static uint32_t reduce(uint32_t a, uint32_t b, unsigned redop)
{
	switch (redop) {
	case CUDA_REDOP_MAX:
		return a > b ? a : b;
	case CUDA_REDOP_MIN:
		return a < b ? a : b;
	default:
		return a + b;
	}
}

struct cuda_pattern cuda_pattern_reduced(uint64_t seed, uint32_t n,
                                         uint32_t type, unsigned redop)
{
	struct cuda_pattern p = cuda_pattern_part(seed, n, 0, type);

	for (uint32_t i = 0; i < p.modulus; i++) {
		p.sums[i] = i;
		for (uint32_t r = 1; r < n; r++)
			p.sums[i] =
				reduce(p.sums[i], (i + r) % p.modulus, redop);
	}
	return p;
}

struct cuda_pattern cuda_pattern_sum(uint64_t seed, uint32_t n, uint32_t type)
{
	return cuda_pattern_reduced(seed, n, type, CUDA_REDOP_SUM);
}
