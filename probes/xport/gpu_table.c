// SPDX-License-Identifier: Apache-2.0
// The transports that only the GPU worker has.
#include "probes/xport/table.h"

#include <stddef.h>

/* Only the doubles have it. */
extern const char fpd_is_double[] __attribute__((weak));

const struct xport_ops *xport_table_gpu(unsigned id)
{
	static const struct xport_ops *const table[XPORT_COUNT] = {
		[XPORT_CUDA] = &xport_cuda_ops,
		[XPORT_NCCL] = &xport_nccl_ops,
	};

	return id < XPORT_COUNT ? table[id] : NULL;
}

bool xport_table_modelled(void)
{
	return fpd_is_double != NULL;
}
