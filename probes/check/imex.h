/* SPDX-License-Identifier: Apache-2.0 */
/* Channels that programs need to share GPU memory by NVLink between hosts. */
#ifndef FP_PROBES_CHECK_IMEX_H
#define FP_PROBES_CHECK_IMEX_H

#include "probes/check/check.h"

/**
 * imex_judge() - hosts of one NVLink domain and clique of which some have an
 * IMEX channel that the job's user may open, and others none. CUDA refuses
 * fabric handles there (NVIDIA IMEX guide, "IMEX Channels"; CUDA driver API,
 * cuMemCreate), so that NVLink between hosts fails or is not used.
 */
void imex_judge(const struct check_input *in, struct check_out *out);

#endif
