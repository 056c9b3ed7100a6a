// SPDX-License-Identifier: Apache-2.0
// The table of control arms.
#include "probes/trial/variant.h"

#include <stdio.h>
#include <string.h>

#define PAIRS (VARIANT_INSIDE | VARIANT_BETWEEN)

static const struct variant_info rows[] = {
	[VARIANT_JOB] = { "job", { NULL }, PAIRS | VARIANT_WHOLE, false },
	[VARIANT_P2P_OFF] = { "p2p-off",
	                      { "NCCL_P2P_DISABLE=1" },
	                      VARIANT_INSIDE,
	                      false },
	[VARIANT_SHM_OFF] = { "shm-off",
	                      { "NCCL_SHM_DISABLE=1" },
	                      VARIANT_INSIDE,
	                      false },
	[VARIANT_NET_ONLY] = { "net-only",
	                       { "NCCL_P2P_DISABLE=1", "NCCL_SHM_DISABLE=1" },
	                       VARIANT_INSIDE,
	                       false },
	[VARIANT_CUMEM_OFF] = { "cumem-off",
	                        { "NCCL_CUMEM_ENABLE=0" },
	                        VARIANT_INSIDE,
	                        false },
	[VARIANT_GDR_OFF] = { "gdr-off",
	                      { "NCCL_NET_GDR_LEVEL=LOC" },
	                      VARIANT_BETWEEN,
	                      false },
	[VARIANT_PXN_OFF] = { "pxn-off",
	                      { "NCCL_PXN_DISABLE=1" },
	                      VARIANT_BETWEEN,
	                      false },
	[VARIANT_MNNVL_OFF] = { "mnnvl-off",
	                        { "NCCL_MNNVL_ENABLE=0" },
	                        VARIANT_BETWEEN,
	                        false },
	[VARIANT_SOCKET] = { "socket",
	                     { "NCCL_IB_DISABLE=1", "NCCL_NET=Socket" },
	                     VARIANT_BETWEEN,
	                     false },
	[VARIANT_RING] = { "ring", { "NCCL_ALGO=Ring" }, VARIANT_WHOLE, false },
	[VARIANT_TREE] = { "tree", { "NCCL_ALGO=Tree" }, VARIANT_WHOLE, false },
	[VARIANT_SIMPLE] = { "simple",
	                     { "NCCL_PROTO=Simple" },
	                     VARIANT_WHOLE,
	                     false },
	[VARIANT_LL] = { "ll", { "NCCL_PROTO=LL" }, VARIANT_WHOLE, false },
	[VARIANT_LL128] = { "ll128",
	                    { "NCCL_PROTO=LL128" },
	                    VARIANT_WHOLE,
	                    false },
	[VARIANT_NVLS_OFF] = { "nvls-off",
	                       { "NCCL_NVLS_ENABLE=0" },
	                       VARIANT_WHOLE,
	                       false },
	[VARIANT_COLLNET_OFF] = { "collnet-off",
	                          { "NCCL_COLLNET_ENABLE=0" },
	                          VARIANT_WHOLE,
	                          false },
	[VARIANT_BARE] = { "bare", { NULL }, PAIRS | VARIANT_WHOLE, true },
	[VARIANT_HCA] = { "hca", { "NCCL_IB_HCA==" }, VARIANT_BETWEEN, false },
};

const struct variant_info *variant_info(unsigned variant)
{
	if (variant >= VARIANT_COUNT)
		return &rows[VARIANT_JOB];
	return &rows[variant < VARIANT_HCA ? variant : VARIANT_HCA];
}

const char *variant_words(unsigned variant, char buf[static VARIANT_WORDS_MAX])
{
	const struct variant_info *v = variant_info(variant);
	size_t used = 0;

	if (variant >= VARIANT_HCA && variant < VARIANT_COUNT) {
		(void)snprintf(buf, VARIANT_WORDS_MAX,
		               "HCA %u of its host alone",
		               variant - VARIANT_HCA);
		return buf;
	}
	if (variant_is_without(variant)) {
		(void)snprintf(buf, VARIANT_WORDS_MAX,
		               "without some of the job's NCCL_* settings");
		return buf;
	}
	(void)snprintf(buf, VARIANT_WORDS_MAX, "%s",
	               v->bare ? "no NCCL_* setting"
	                       : "the job's own settings");
	for (size_t i = 0; i < VARIANT_SETTINGS && v->set[i]; i++) {
		(void)snprintf(buf + used, VARIANT_WORDS_MAX - used, "%s%s",
		               i ? " " : "", v->set[i]);
		used = strlen(buf);
	}
	return buf;
}
