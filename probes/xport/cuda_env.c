// SPDX-License-Identifier: Apache-2.0
// The environment of a worker with a GPU.
#include "probes/xport/cuda_env.h"

#include <stdlib.h>
#include <string.h>

#include "probes/xport/nccl_impl.h"
#include "topo/discover/discover.h"

/* Is this host another than the system says? */
static bool renamed(const struct wire_setup *setup)
{
	const struct topo_env env = {
		.sysroot = setup->sysroot[0] ? setup->sysroot : "/",
	};
	struct topo_host host = { .netdevs = NULL };
	struct fp_err err = { .status = FP_OK };
	bool other = false;

	if (setup->host_id[0] &&
	    topo_discover_identity(&env, &host, &err) == FP_OK)
		other = strcmp(host.host_id, setup->host_id) != 0;
	topo_host_done(&host);
	return other;
}

void cuda_env_prepare(const struct wire_setup *setup)
{
	(void)setenv("CUDA_MODULE_LOADING", "EAGER", 0);
	(void)setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
	(void)setenv("NCCL_RAS_ENABLE", "0", 0);
	nccl_log_prepare();
	if (renamed(setup))
		(void)setenv("NCCL_HOSTID", setup->host_id, 0);
}
