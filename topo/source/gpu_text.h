/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that a text names, in a map that may have them already. */
#ifndef FP_TOPO_SOURCE_GPU_TEXT_H
#define FP_TOPO_SOURCE_GPU_TEXT_H

#include "topo/model/model_map.h"

/**
 * gpu_by_index() - the GPU with that number, added if it is new. A drawing or
 * tree that is there is complete: then nothing is added, and it is -1.
 *
 * Return: FP_OK, FP_ERR_LIMIT, FP_ERR_NOMEM.
 */
enum fp_status gpu_by_index(struct topo_map *map, int32_t index,
                            int32_t *ret_gpu, struct fp_err *err);

/** gpu_by_bus() - the GPU at a PCI address, likewise. */
enum fp_status gpu_by_bus(struct topo_map *map, const char *bus_id,
                          int32_t *ret_gpu, struct fp_err *err);

/** hca_by_name() - the HCA of that name, likewise. */
enum fp_status hca_by_name(struct topo_map *map, const char *name,
                           int32_t *ret_hca, struct fp_err *err);

/** port_of() - port @number of an HCA, added if it is new. */
enum fp_status port_of(struct topo_map *map, int32_t hca, int32_t number,
                       struct map_port **ret, struct fp_err *err);

#endif
