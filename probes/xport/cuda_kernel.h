/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the kernels. Streams and results are those of the CUDA runtime. */
#ifndef FP_PROBES_XPORT_CUDA_KERNEL_H
#define FP_PROBES_XPORT_CUDA_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "probes/xport/cuda_type.h"

#ifdef __cplusplus
extern "C" {
#endif

/** cuda_kernel_fill() - put pattern @p into @n elements at @buf.
 * Return: a cudaError_t, as the others do. */
int cuda_kernel_fill(void *buf, size_t n, const struct cuda_pattern *p,
                     void *stream);

/**
 * cuda_kernel_check() - compare @n elements at @buf with what @p makes of
 * them. @tally, device memory: [0] grows by the wrong ones, [1] becomes the
 * index of the first if that is smaller.
 */
int cuda_kernel_check(const void *buf, size_t n, const struct cuda_pattern *p,
                      unsigned long long *tally, void *stream);

/* A block of threads with so many rounds is done in a fraction of a
 * millisecond: nobody who wants its place waits long. */
#define CUDA_BURN_ROUNDS 20000u

/** cuda_kernel_burn() - @rounds multiply-adds in each of @threads threads, a
 * multiple of 256. @out: FPK_BURN_OUT floats. */
int cuda_kernel_burn(float *out, uint32_t rounds, uint32_t threads,
                     void *stream);

#ifdef __cplusplus
}
#endif

#endif
