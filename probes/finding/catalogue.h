/* SPDX-License-Identifier: Apache-2.0 */
/* The rooms of the catalogue; finding_info() finds a row in them. */
#ifndef FP_PROBES_FINDING_CATALOGUE_H
#define FP_PROBES_FINDING_CATALOGUE_H

#include "probes/finding/finding.h"

#define FINDING_LINKS_FIRST FINDING_MTU_MIXED
#define FINDING_HOSTS_FIRST FINDING_NCCL_MIXED
#define FINDING_FABRIC_FIRST FINDING_GPU_SLOW
#define FINDING_NCCL_FIRST FINDING_NCCL_P2P

/**
 * catalogue_links, catalogue_hosts - what checks find, from these codes on;
 * catalogue_fabric - what traffic tells of components; catalogue_nccl - what
 * control arms tell of NCCL.
 */
extern const struct finding_info
	catalogue_links[FINDING_HOSTS_FIRST - FINDING_LINKS_FIRST];
extern const struct finding_info
	catalogue_hosts[FINDING_FABRIC_FIRST - FINDING_HOSTS_FIRST];
extern const struct finding_info
	catalogue_fabric[FINDING_NCCL_FIRST - FINDING_FABRIC_FIRST];
extern const struct finding_info
	catalogue_nccl[FINDING_CODE_COUNT - FINDING_NCCL_FIRST];

#endif
