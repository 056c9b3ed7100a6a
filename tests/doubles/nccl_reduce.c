// SPDX-License-Identifier: Apache-2.0
// libnccl's double: arithmetic of its types and operators.
#include <math.h>
#include <string.h>

#include "tests/doubles/nccl_impl.h"

size_t nc_size(ncclDataType_t type)
{
	switch (type) {
	case ncclInt8:
	case ncclUint8:
		return 1;
	case ncclFloat16:
	case ncclBfloat16:
		return 2;
	case ncclInt32:
	case ncclUint32:
	case ncclFloat32:
		return 4;
	case ncclInt64:
	case ncclUint64:
	case ncclFloat64:
		return 8;
	default:
		return 0;
	}
}

/* IEEE 754 binary16, subnormals too. */
static float half_value(uint16_t h)
{
	int exp = h >> 10 & 0x1f, frac = h & 0x3ff;
	float v = exp ? ldexpf((float)(frac + 1024), exp - 25)
	              : ldexpf((float)frac, -24);

	return h & 0x8000 ? -v : v;
}

static uint16_t half_bits(float v)
{
	uint16_t sign = v < 0 ? 0x8000 : 0;
	int exp;
	float m;

	v = fabsf(v);
	if (v == 0)
		return sign;
	m = frexpf(v, &exp); /* v = m 2^exp, m in [1/2, 1) */
	if (exp < -13)
		return (uint16_t)(sign | (uint16_t)rintf(ldexpf(v, 24)));
	v = rintf(ldexpf(m, 11));
	if (v >= 2048) {
		v = 1024;
		exp++;
	}
	if (exp > 16)
		return sign | 0x7c00;
	return (uint16_t)(sign | (uint16_t)((exp + 14) << 10) |
	                  ((uint16_t)v & 0x3ff));
}

static float bfloat_value(uint16_t b)
{
	uint32_t bits = (uint32_t)b << 16;
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static uint16_t bfloat_bits(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static double real_combine(double a, double b, ncclRedOp_t op)
{
	switch (op) {
	case ncclProd:
		return a * b;
	case ncclMax:
		return a > b ? a : b;
	case ncclMin:
		return a < b ? a : b;
	default:
		return a + b;
	}
}

static int64_t whole_combine(int64_t a, int64_t b, ncclRedOp_t op)
{
	switch (op) {
	case ncclProd:
		return (int64_t)((uint64_t)a * (uint64_t)b);
	case ncclMax:
		return a > b ? a : b;
	case ncclMin:
		return a < b ? a : b;
	default:
		return (int64_t)((uint64_t)a + (uint64_t)b);
	}
}

static double real_load(const void *p, size_t i, ncclDataType_t type)
{
	switch (type) {
	case ncclFloat16:
		return half_value(((const uint16_t *)p)[i]);
	case ncclBfloat16:
		return bfloat_value(((const uint16_t *)p)[i]);
	case ncclFloat32:
		return ((const float *)p)[i];
	default:
		return ((const double *)p)[i];
	}
}

static void real_store(void *p, size_t i, ncclDataType_t type, double v)
{
	switch (type) {
	case ncclFloat16:
		((uint16_t *)p)[i] = half_bits((float)v);
		break;
	case ncclBfloat16:
		((uint16_t *)p)[i] = bfloat_bits((float)v);
		break;
	case ncclFloat32:
		((float *)p)[i] = (float)v;
		break;
	default:
		((double *)p)[i] = v;
	}
}

static int64_t whole_load(const void *p, size_t i, ncclDataType_t type)
{
	switch (type) {
	case ncclInt8:
		return ((const int8_t *)p)[i];
	case ncclUint8:
		return ((const uint8_t *)p)[i];
	case ncclInt32:
		return ((const int32_t *)p)[i];
	case ncclUint32:
		return ((const uint32_t *)p)[i];
	default:
		return ((const int64_t *)p)[i];
	}
}

static void whole_store(void *p, size_t i, size_t size, int64_t v)
{
	if (size == 1)
		((uint8_t *)p)[i] = (uint8_t)v;
	else if (size == 4)
		((uint32_t *)p)[i] = (uint32_t)v;
	else
		((int64_t *)p)[i] = v;
}

static bool is_real(ncclDataType_t type)
{
	return type == ncclFloat16 || type == ncclBfloat16 ||
	       type == ncclFloat32 || type == ncclFloat64;
}

static void add_floats(float *restrict into, const float *restrict from,
                       size_t n)
{
	for (size_t i = 0; i < n; i++)
		into[i] += from[i];
}

void nc_reduce(void *into, const void *from, size_t n, ncclDataType_t type,
               ncclRedOp_t op)
{
	size_t size = nc_size(type);

	if (type == ncclFloat32 && (op == ncclSum || op == ncclAvg)) {
		add_floats(into, from, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (is_real(type))
			real_store(into, i, type,
			           real_combine(real_load(into, i, type),
			                        real_load(from, i, type), op));
		else
			whole_store(into, i, size,
			            whole_combine(whole_load(into, i, type),
			                          whole_load(from, i, type),
			                          op));
	}
}

void nc_finish(void *into, size_t n, ncclDataType_t type, ncclRedOp_t op,
               int ranks)
{
	for (size_t i = 0; op == ncclAvg && i < n; i++) {
		if (is_real(type))
			real_store(into, i, type,
			           real_load(into, i, type) / ranks);
		else
			whole_store(into, i, nc_size(type),
			            whole_load(into, i, type) / ranks);
	}
}
