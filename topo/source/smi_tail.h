/* SPDX-License-Identifier: Apache-2.0 */
/* The columns behind the matrix of nvidia-smi topo: CPUs, NUMA nodes. */
#ifndef FP_TOPO_SOURCE_SMI_TAIL_H
#define FP_TOPO_SOURCE_SMI_TAIL_H

#include "topo/model/model_map.h"

/** struct tail - what follows a row's last cell, and what it says. */
struct tail {
	const char *text; /* not read any more afterwards; NULL: no such row */
	bool cut;         /* the file ends in it */

	bool cpus_known; /* false: N/A, or not to be read */
	struct topo_set cpus, numas;
	int32_t gpu_numa;
	bool unclear; /* no way to read it makes sense */
};

/**
 * tails_read() - read all rows together: where columns have run into one
 * another ("168-2231" is CPUs 168-223 on node 1) the way to cut them is taken
 * that makes sense for all rows.
 * @columns: MAP_COLUMN_* that the header names.
 */
void tails_read(struct tail *tails, size_t n, uint32_t columns);

#endif
