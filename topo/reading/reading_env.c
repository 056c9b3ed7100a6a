// SPDX-License-Identifier: Apache-2.0
// Which variables of an environment are read, and may be shown.
#include "topo/reading/reading_env.h"

#include <string.h>

#include "topo/reading/reading.h"

static const char *const prefixes[] = {
	"NCCL_",      "UCX_",     "FI_",          "CUDA_",       "NVSHMEM_",
	"TORCH_NCCL", "GLOO_",    "RCCL_",        "HIP_VISIBLE", "ROCR_VISIBLE",
	"OMPI_MCA_",  "PMIX_MCA", "PRTE_MCA",     "MPICH_",      "RDMAV_",
	"MLX4_",      "MLX5_",    "IBV_",         "HCOLL_",      "SHARP_",
	"OMP_NUM_",   "EFA_",     "NVIDIA_VISIB", "LD_PRELOAD",
};

/* Never to be shown, whatever library looks at it. */
static const char *const secrets[] = { "TOKEN", "SECRET", "PASSW", "API_KEY",
	                               "CREDENTIAL" };

/* What the launcher tells its own processes: other on every host. */
static const char *const internals[] = {
	"OMPI_MCA_orte_",   "OMPI_MCA_ess",
	"OMPI_MCA_initial", "OMPI_MCA_shmem_RUNTIME",
	"OMPI_MCA_pmix",    "PMIX_MCA_mca_base_component",
	"PRTE_MCA_ess",     "PRTE_MCA_prte_",
};

bool reading_env_shown(const char *entry, size_t name_len)
{
	char name[READING_NAME_MAX];
	bool wanted = false;

	if (name_len == 0 || name_len >= sizeof(name) - sizeof("env."))
		return false;
	memcpy(name, entry, name_len);
	name[name_len] = '\0';
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		wanted |= strncmp(name, prefixes[i], strlen(prefixes[i])) == 0;
	for (size_t i = 0; i < sizeof(internals) / sizeof(*internals); i++)
		wanted &=
			strncmp(name, internals[i], strlen(internals[i])) != 0;
	for (size_t i = 0; i < sizeof(secrets) / sizeof(*secrets); i++)
		wanted &= !strstr(name, secrets[i]);
	return wanted;
}
