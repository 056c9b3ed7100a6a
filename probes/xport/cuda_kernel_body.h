/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels' bodies, for two compilers: nvcc makes them run on a GPU, the
 * host's compiler makes them run wherever a test needs them. Whoever includes
 * this says what FPK_KERNEL, FPK_DEVICE, FPK_FIRST and FPK_STRIDE are, and how
 * to add and to take the smaller of what several threads see.
 *
 * Data is a function of a seed and an index. Where operations add up what
 * several members bring, element i of member r is (h(i) + r) mod m with small
 * m: all sums of a position are one of m numbers, so a table checks them, and
 * they are exact in every type, in whatever order they were added.
 */
#ifndef FP_PROBES_XPORT_CUDA_KERNEL_BODY_H
#define FP_PROBES_XPORT_CUDA_KERNEL_BODY_H

#include <stddef.h>
#include <stdint.h>

#include "probes/xport/cuda_type.h"

FPK_DEVICE uint32_t fpk_hash(uint64_t seed, uint64_t i)
{
	/* splitmix64's finalizer: Steele, Lea & Flood 2014 */
	uint64_t x = seed + (i + 1) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return (uint32_t)((x ^ (x >> 31)) >> 16);
}

/* IEEE 754 binary32, and the upper half of it, of a whole number. */
FPK_DEVICE uint32_t fpk_float_bits(uint32_t v)
{
	union {
		float f;
		uint32_t u;
	} bits;

	bits.f = (float)v;
	return bits.u;
}

/* binary16 of a whole number below 2048. */
FPK_DEVICE uint16_t fpk_half_bits(uint32_t v)
{
	uint32_t exp = 0;

	if (v == 0)
		return 0;
	while (v >> (exp + 1))
		exp++;
	return (uint16_t)((exp + 15) << 10 | ((v << (10 - exp)) & 0x3ff));
}

FPK_DEVICE uint64_t fpk_double_bits(uint32_t v)
{
	union {
		double f;
		uint64_t u;
	} bits;

	bits.f = (double)v;
	return bits.u;
}

/* Number @v as an element of @type, in the low bits. */
FPK_DEVICE uint64_t fpk_encode(uint32_t type, uint32_t v)
{
	switch (type) {
	case CUDA_TYPE_INT8:
	case CUDA_TYPE_UINT8:
		return v & 0xff;
	case CUDA_TYPE_HALF:
		return fpk_half_bits(v);
	case CUDA_TYPE_BFLOAT16:
		return fpk_float_bits(v) >> 16;
	case CUDA_TYPE_FLOAT:
		return fpk_float_bits(v);
	case CUDA_TYPE_DOUBLE:
		return fpk_double_bits(v);
	default:
		return v;
	}
}

FPK_DEVICE void fpk_store(void *buf, size_t i, uint32_t bytes, uint64_t bits)
{
	switch (bytes) {
	case 1:
		((uint8_t *)buf)[i] = (uint8_t)bits;
		break;
	case 2:
		((uint16_t *)buf)[i] = (uint16_t)bits;
		break;
	case 4:
		((uint32_t *)buf)[i] = (uint32_t)bits;
		break;
	default:
		((uint64_t *)buf)[i] = bits;
	}
}

FPK_DEVICE uint64_t fpk_load(const void *buf, size_t i, uint32_t bytes)
{
	switch (bytes) {
	case 1:
		return ((const uint8_t *)buf)[i];
	case 2:
		return ((const uint16_t *)buf)[i];
	case 4:
		return ((const uint32_t *)buf)[i];
	default:
		return ((const uint64_t *)buf)[i];
	}
}

/* The element before any reduction: which of the modulus' numbers it is. */
FPK_DEVICE uint32_t fpk_number(const struct cuda_pattern *p, size_t i)
{
	uint32_t h = fpk_hash(p->seed, p->first + i);

	return p->modulus ? (h + p->add) % p->modulus : h;
}

FPK_KERNEL void fpk_fill(void *buf, size_t n, struct cuda_pattern p)
{
	for (size_t i = FPK_FIRST; i < n; i += FPK_STRIDE)
		fpk_store(buf, i, p.bytes,
		          fpk_encode(p.type, fpk_number(&p, i)));
}

/* tally[0]: wrong elements; tally[1]: the first of them. */
FPK_KERNEL void fpk_check(const void *buf, size_t n, struct cuda_pattern p,
                          unsigned long long *tally)
{
	for (size_t i = FPK_FIRST; i < n; i += FPK_STRIDE) {
		uint32_t v = fpk_number(&p, i);

		if (p.modulus)
			v = p.sums[v];
		if (fpk_load(buf, i, p.bytes) == fpk_encode(p.type, v))
			continue;
		FPK_ADD(&tally[0], 1ULL);
		FPK_MIN(&tally[1], (unsigned long long)i);
	}
}

/* Multiply-adds whose result cannot be known beforehand by a compiler. */
FPK_KERNEL void fpk_burn(float *out, uint32_t rounds)
{
	size_t me = FPK_FIRST;
	float a = (float)(me % 7) * 1e-3f, b = 0.999f, c = 1e-4f;

	for (uint32_t r = 0; r < rounds; r++)
		a = a * b + c;
	out[me % FPK_BURN_OUT] = a;
}

#endif
