/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of bridges as NCCL has it: one node for each PCIe switch. */
#ifndef FP_TOPO_COMPARE_MAP_SWITCHES_H
#define FP_TOPO_COMPARE_MAP_SWITCHES_H

#include "topo/model/model_map.h"

/**
 * topo_map_switches() - @map with a tree of TREE_SWITCHES: of each switch its
 * upstream port, no root ports, and only what a GPU or an HCA hangs from. One
 * that has such a tree is copied as it is.
 * @ret: overwritten. topo_map_done() afterwards.
 *
 * Return: FP_OK; FP_ERR_NOTSUP for a map without a tree; FP_ERR_NOMEM.
 */
enum fp_status topo_map_switches(const struct topo_map *map,
                                 struct topo_map *ret, struct fp_err *err);

#endif
