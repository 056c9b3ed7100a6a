/* SPDX-License-Identifier: Apache-2.0 */
/* Element types and the data pattern, as host and kernels share them. */
#ifndef FP_PROBES_XPORT_CUDA_TYPE_H
#define FP_PROBES_XPORT_CUDA_TYPE_H

#include <stdint.h>

#define CUDA_PATTERN_SUMS 16
#define FPK_BURN_OUT 256 /* floats that fpk_burn() writes */

/** enum cuda_type - the types that are moved and added. FLOAT is 0, so that a
 * trial that does not say has nccl-tests' default. */
enum cuda_type {
	CUDA_TYPE_FLOAT,
	CUDA_TYPE_HALF,
	CUDA_TYPE_BFLOAT16,
	CUDA_TYPE_DOUBLE,
	CUDA_TYPE_INT8,
	CUDA_TYPE_UINT8,
	CUDA_TYPE_INT32,
	CUDA_TYPE_UINT32,
	CUDA_TYPE_INT64,
	CUDA_TYPE_COUNT
};

/** struct cuda_pattern - what elements there are; see cuda_kernel_body.h. */
struct cuda_pattern {
	uint64_t seed;
	uint64_t first;   /* index of the first element */
	uint32_t type;    /* enum cuda_type */
	uint32_t bytes;   /* of an element */
	uint32_t modulus; /* 0: elements are whole hashes, and no sums */
	uint32_t add;
	uint32_t sums[CUDA_PATTERN_SUMS]; /* what a number has become */
};

#endif
