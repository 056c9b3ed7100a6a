/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libnccl's double takes from libcudart's beside the public calls: real
 * NCCL reaches for the driver where this does.
 */
#ifndef FP_TESTS_DOUBLES_CUDA_SHARE_H
#define FP_TESTS_DOUBLES_CUDA_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/doubles/scenario.h"

/** struct fpd_share - device memory as another process can map it. */
struct fpd_share {
	int32_t pid, fd;
	uint64_t serial; /* of the allocation; never used again */
	uint64_t bytes, offset;
	int32_t host, gpu;
};

/** fpd_memory_share() - how others reach @p; false: it is no device memory. */
bool fpd_memory_share(const void *p, struct fpd_share *ret);

/**
 * fpd_memory_map() - the other process's memory here, from its start.
 *
 * Return: NULL when it is gone. Undo with fpd_memory_unmap().
 */
void *fpd_memory_map(const struct fpd_share *share);
void fpd_memory_unmap(void *p, const struct fpd_share *share);

/** fpd_current() - the host and GPU of the calling thread's device. */
struct fpd_end fpd_current(void);

/** fpd_clock(), fpd_clock_set() - inside a function that
 * cudaLaunchHostFunc() runs: the modelled time of its stream, s. */
double fpd_clock(void);
void fpd_clock_set(double t_s);

#endif
