// SPDX-License-Identifier: Apache-2.0
// The transports there are, whether this build has them or not.
#include "probes/trial/registry.h"

#include <string.h>

#include "probes/trial/trial.h"

#ifndef FP_HAVE_VERBS
#define FP_HAVE_VERBS 0
#endif
#ifndef FP_GPU_BUILT
#define FP_GPU_BUILT 0
#endif
#ifndef FP_GPU_MISSING
#define FP_GPU_MISSING "the GPU worker"
#endif
#if FP_GPU_BUILT
#define GPU_NEEDS ""
#else
#define GPU_NEEDS "not in this build: " FP_GPU_MISSING
#endif

static const struct registry_xport registry_rows[] = {
	{
		.name = "shm",
		.help = "shared memory inside a host, one copy",
		.id = XPORT_SHM,
		.built = 1,
		.needs = "",
	},
	{
		.name = "tcp",
		.help = "TCP over a chosen network device or address",
		.id = XPORT_TCP,
		.built = 1,
		.needs = "",
	},
	{
		.name = "verbs",
		.help = "RDMA between HCA ports, InfiniBand or RoCE",
		.id = XPORT_VERBS,
		.built = FP_HAVE_VERBS,
		.needs = FP_HAVE_VERBS ? "" : "not in this build: libibverbs",
	},
	{
		.name = "cuda",
		.help = "copies between the GPUs of a host, PCIe or NVLink",
		.id = XPORT_CUDA,
		.built = FP_GPU_BUILT,
		.needs = GPU_NEEDS,
	},
	{
		.name = "nccl",
		.help = "NCCL's own collectives between GPUs",
		.id = XPORT_NCCL,
		.built = FP_GPU_BUILT,
		.needs = GPU_NEEDS,
	},
};

const struct registry_xport *registry_xports(size_t *ret_n)
{
	*ret_n = sizeof(registry_rows) / sizeof(registry_rows[0]);
	return registry_rows;
}

const struct registry_xport *registry_xport_find(const char *name)
{
	size_t n;
	const struct registry_xport *rows = registry_xports(&n);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	return NULL;
}
