/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views of one host by several processes, of which each may see some GPUs
 * only: containers and batch systems give a task its own.
 */
#ifndef FP_TOPO_MODEL_MAP_MERGE_H
#define FP_TOPO_MODEL_MAP_MERGE_H

#include "topo/model/model_map.h"

/**
 * topo_map_merge() - what @more knows of GPUs, for @map to know, too. A GPU is
 * the same by its UUID, else by its PCI address; one that is not in @map is
 * added. Of a GPU that both know @map keeps what it has. Numbers of GPUs that
 * occur twice give way to the order of addresses, which is NVML's.
 *
 * Return: FP_OK; FP_ERR_LIMIT, FP_ERR_NOMEM, and then @map may know part.
 */
enum fp_status topo_map_merge(struct topo_map *map, const struct topo_map *more,
                              struct fp_err *err);

#endif
