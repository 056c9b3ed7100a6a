// SPDX-License-Identifier: Apache-2.0
// Which control arms are worth a worker here: those that switch off something
// that there is.
#include <ctype.h>
#include <string.h>

#include "probes/session/arms.h"
#include "probes/session/stage.h"
#include "probes/trial/variant.h"
#include "topo/model/model_map.h"
#include "topo/reading/reading.h"

static const struct topo_host *host_of(const struct topo_job *job, int32_t rank)
{
	return &job->hosts[job->ranks[rank].host];
}

/* Has the job such a setting, on the host of @rank? */
static bool has_setting(const struct topo_job *job, int32_t rank,
                        const char *name, bool prefix)
{
	const struct readings *set = host_of(job, rank)->readings;
	size_t n = set ? readings_count(set) : 0;

	for (size_t i = 0; i < n; i++) {
		const char *have = readings_at(set, i).name;

		if (prefix ? strncmp(have, name, strlen(name)) == 0
		           : strcmp(have, name) == 0)
			return true;
	}
	return false;
}

static size_t count_hcas(const struct topo_host *host)
{
	return host->map ? host->map->n_hcas : 0;
}

/* Of a board whose GPUs reach those of other hosts by NVLink: "NVIDIA GB200",
 * but not "NVIDIA H100 80GB HBM3". */
static bool has_nvlink_beyond(const struct topo_host *host)
{
	const char *name = host->map && host->map->n_gpus > 0
	                           ? strstr(host->map->gpus[0].name, " GB")
	                           : NULL;

	return name && isdigit((unsigned char)name[3]);
}

static bool has_nvswitch(const struct topo_host *host)
{
	const struct topo_map *map = host->map;

	for (size_t i = 0; map && i < map->n_nvlinks; i++)
		if (map->nvlinks[i].remote == REMOTE_NVSWITCH)
			return true;
	return false;
}

bool arms_apply(const struct topo_job *job, unsigned variant, int32_t src,
                int32_t dst)
{
	const struct topo_host *a = host_of(job, src), *b = host_of(job, dst);

	switch (variant) {
	case VARIANT_JOB:
		return false;
	case VARIANT_HCA:
		return count_hcas(a) > 1 && count_hcas(b) > 1;
	case VARIANT_PXN_OFF:
		return session_most_ranks(job) > 1;
	case VARIANT_MNNVL_OFF:
		return has_nvlink_beyond(a) && has_nvlink_beyond(b);
	case VARIANT_NVLS_OFF:
		return has_nvswitch(a);
	case VARIANT_COLLNET_OFF:
		return has_setting(job, src, "env.NCCL_COLLNET_ENABLE", false);
	case VARIANT_BARE:
		return has_setting(job, src, "env.NCCL_", true) ||
		       has_setting(job, dst, "env.NCCL_", true);
	default:
		return true;
	}
}

uint32_t arms_other_hca(const struct topo_job *job, int32_t src)
{
	int32_t slot = job->ranks[src].local_rank;
	size_t n = count_hcas(host_of(job, src));
	size_t most = VARIANT_COUNT - VARIANT_HCA;

	if (n < 1 || slot < 0)
		return VARIANT_HCA;
	n = n < most ? n : most;
	return VARIANT_HCA + (uint32_t)(((size_t)slot + 1) % n);
}
