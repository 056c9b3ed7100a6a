/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns for messages, and for what operations of several members make. */
#ifndef FP_PROBES_XPORT_CUDA_PATTERN_H
#define FP_PROBES_XPORT_CUDA_PATTERN_H

#include "probes/xport/cuda_type.h"

/** cuda_type_bytes() - size of an element; 0: no type. */
uint32_t cuda_type_bytes(unsigned type);

/** cuda_type_name() - as nccl-tests' -d has it: "float", "bfloat16". */
const char *cuda_type_name(unsigned type);

/** cuda_pattern_words() - plain words for a message that @who sends. */
struct cuda_pattern cuda_pattern_words(uint64_t seed, uint32_t who,
                                       uint32_t type);

/** enum cuda_redop - what a reduction makes of them. */
enum cuda_redop { CUDA_REDOP_SUM, CUDA_REDOP_MAX, CUDA_REDOP_MIN };

/**
 * cuda_pattern_part() - what member @me of @n brings to a sum.
 * cuda_pattern_sum() - what the sum of all their parts is.
 * cuda_pattern_reduced() - what @redop (enum cuda_redop) makes of them.
 */
struct cuda_pattern cuda_pattern_part(uint64_t seed, uint32_t n, uint32_t me,
                                      uint32_t type);
struct cuda_pattern cuda_pattern_sum(uint64_t seed, uint32_t n, uint32_t type);
struct cuda_pattern cuda_pattern_reduced(uint64_t seed, uint32_t n,
                                         uint32_t type, unsigned redop);

#endif
