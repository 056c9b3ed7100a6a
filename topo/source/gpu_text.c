// SPDX-License-Identifier: Apache-2.0
// Finds or adds the devices that texts speak of.
#include "topo/source/gpu_text.h"

#include <string.h>

static bool is_complete(const struct topo_map *map)
{
	return map->drawn || map->tree != TREE_NONE;
}

enum fp_status gpu_by_index(struct topo_map *map, int32_t index,
                            int32_t *ret_gpu, struct fp_err *err)
{
	struct map_gpu *gpu;
	enum fp_status status;

	*ret_gpu = topo_map_find_gpu(map, index);
	if (*ret_gpu >= 0 || is_complete(map))
		return FP_OK;
	status = topo_map_add_gpu(map, &gpu, err);
	if (status != FP_OK)
		return status;
	gpu->index = index;
	*ret_gpu = (int32_t)map->n_gpus - 1;
	return FP_OK;
}

static enum fp_status add_pci(struct topo_map *map, const char *bus_id,
                              int32_t *ret_pci, struct fp_err *err)
{
	struct map_pci *pci;
	enum fp_status status;

	*ret_pci = topo_map_find_pci(map, bus_id);
	if (*ret_pci >= 0)
		return FP_OK;
	status = topo_map_add_pci(map, &pci, err);
	if (status != FP_OK)
		return status;
	fp_copy(pci->bus_id, sizeof(pci->bus_id), bus_id);
	*ret_pci = (int32_t)map->n_pcis - 1;
	return FP_OK;
}

enum fp_status gpu_by_bus(struct topo_map *map, const char *bus_id,
                          int32_t *ret_gpu, struct fp_err *err)
{
	int32_t pci = topo_map_find_pci(map, bus_id);
	enum fp_status status;

	*ret_gpu = -1;
	for (size_t i = 0; pci >= 0 && i < map->n_gpus; i++) {
		if (map->gpus[i].pci == pci)
			*ret_gpu = (int32_t)i;
	}
	if (*ret_gpu >= 0 || is_complete(map))
		return FP_OK;
	status = add_pci(map, bus_id, &pci, err);
	if (status == FP_OK)
		status = gpu_by_index(map, (int32_t)map->n_gpus, ret_gpu, err);
	if (status == FP_OK && *ret_gpu >= 0)
		map->gpus[*ret_gpu].pci = pci;
	return status;
}

enum fp_status hca_by_name(struct topo_map *map, const char *name,
                           int32_t *ret_hca, struct fp_err *err)
{
	struct map_hca *hca;
	enum fp_status status;

	*ret_hca = topo_map_find_hca(map, name);
	if (*ret_hca >= 0 || is_complete(map))
		return FP_OK;
	status = topo_map_add_hca(map, &hca, err);
	if (status != FP_OK)
		return status;
	fp_copy(hca->name, sizeof(hca->name), name);
	*ret_hca = (int32_t)map->n_hcas - 1;
	return FP_OK;
}

enum fp_status port_of(struct topo_map *map, int32_t hca, int32_t number,
                       struct map_port **ret, struct fp_err *err)
{
	int32_t found = topo_map_find_port(map, hca, number);
	enum fp_status status;

	if (found >= 0) {
		*ret = &map->ports[found];
		return FP_OK;
	}
	status = topo_map_add_port(map, ret, err);
	if (status == FP_OK) {
		(*ret)->hca = hca;
		(*ret)->port = number;
	}
	return status;
}
