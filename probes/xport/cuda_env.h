/* SPDX-License-Identifier: Apache-2.0 */
/* What the GPU libraries find in the environment of this process. */
#ifndef FP_PROBES_XPORT_CUDA_ENV_H
#define FP_PROBES_XPORT_CUDA_ENV_H

#include "probes/trial/wire.h"

/**
 * cuda_env_prepare() - before CUDA and NCCL read it, and before they have
 * threads, beside which nothing may be set: GPUs in the order of the
 * bus, no lazy loading, none of NCCL's ports beside the job's; and where this
 * run was told what its hosts are, NCCL is told the same. What the job set
 * stays.
 */
void cuda_env_prepare(const struct wire_setup *setup);

#endif
