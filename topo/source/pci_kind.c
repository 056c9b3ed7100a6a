// SPDX-License-Identifier: Apache-2.0
// GPUs and NICs of a PCI tree.
#include "topo/source/pci_kind.h"

#include <stdlib.h>
#include <string.h>

#define VENDOR_NVIDIA 0x10de
#define VENDOR_AMD 0x1002

bool pci_is_gpu(const struct map_pci *pci)
{
	bool maker = pci->vendor == VENDOR_NVIDIA || pci->vendor == VENDOR_AMD;

	switch (pci->class_code >> 8) {
	case 0x0302:
		return true;
	case 0x0300:
	case 0x0380:
	case 0x1200:
		return maker;
	default:
		return false;
	}
}

bool pci_is_nic(const struct map_pci *pci)
{
	return pci->class_code >> 16 == 0x02;
}

int32_t pci_speed_read(const char *text)
{
	char *end;
	double gtps = strtod(text, &end);

	if (end == text || strncmp(end, " GT/s", 5) != 0 || !(gtps > 0) ||
	    gtps > 1000)
		return -1;
	return (int32_t)(gtps * 1000 + 0.5);
}

static bool *used_pcis(const struct topo_map *map)
{
	bool *used = calloc(map->n_pcis + 1, sizeof(*used));

	if (!used)
		return NULL;
	for (size_t i = 0; i < map->n_gpus; i++) {
		if (map->gpus[i].pci >= 0)
			used[map->gpus[i].pci] = true;
	}
	for (size_t i = 0; i < map->n_hcas; i++) {
		if (map->hcas[i].pci >= 0)
			used[map->hcas[i].pci] = true;
	}
	return used;
}

static int32_t next_gpu(const struct topo_map *map)
{
	int32_t next = 0;

	for (size_t i = 0; i < map->n_gpus; i++) {
		if (map->gpus[i].index >= next &&
		    map->gpus[i].index < INT32_MAX / 2)
			next = map->gpus[i].index + 1;
	}
	return next;
}

static enum fp_status add_device(struct topo_map *map, int32_t pci,
                                 int32_t gpu_index, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct map_gpu *gpu;
	struct map_hca *hca;

	if (pci_is_gpu(&map->pcis[pci])) {
		status = topo_map_add_gpu(map, &gpu, err);
		if (status != FP_OK)
			return status;
		gpu->index = gpu_index;
		gpu->pci = pci;
	} else if (pci_is_nic(&map->pcis[pci])) {
		status = topo_map_add_hca(map, &hca, err);
		if (status != FP_OK)
			return status;
		hca->index = (int32_t)map->n_hcas - 1;
		hca->pci = pci;
		hca->numa = map->pcis[pci].numa;
	}
	return status;
}

/* CPUs and NUMA node of each GPU, from where it hangs. */
static void place_gpus(struct topo_map *map)
{
	for (size_t i = 0; i < map->n_gpus; i++) {
		struct map_gpu *gpu = &map->gpus[i];
		int32_t n = gpu->pci >= 0 ? map->pcis[gpu->pci].numa : -1;
		const struct map_numa *numa = n >= 0 ? &map->numas[n] : NULL;

		if (!numa)
			continue;
		topo_set_add(&gpu->numas, numa->id);
		gpu->cpus = numa->cpus;
		gpu->cpus_known = topo_set_first(&numa->cpus) >= 0;
	}
}

/* A GPU's old place goes with it, for the NVLinks that name it. */
struct order {
	int32_t index, from;
};

static int by_index(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static enum fp_status sort_gpus(struct topo_map *map, struct fp_err *err)
{
	size_t n = map->n_gpus;
	struct order *order = calloc(n + 1, sizeof(*order));
	struct map_gpu *gpus = calloc(n + 1, sizeof(*gpus));
	int32_t *to = calloc(n + 1, sizeof(*to));
	enum fp_status status = FP_OK;

	if (!order || !gpus || !to) {
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu GPUs",
		                    n);
		goto done;
	}
	for (size_t i = 0; i < n; i++)
		order[i] = (struct order){ map->gpus[i].index, (int32_t)i };
	qsort(order, n, sizeof(*order), by_index);
	for (size_t i = 0; i < n; i++) {
		gpus[i] = map->gpus[order[i].from];
		to[order[i].from] = (int32_t)i;
	}
	if (n)
		memcpy(map->gpus, gpus, n * sizeof(*gpus));
	for (size_t i = 0; i < map->n_nvlinks; i++) {
		if (map->nvlinks[i].gpu >= 0)
			map->nvlinks[i].gpu = to[map->nvlinks[i].gpu];
	}
done:
	free(to);
	free(gpus);
	free(order);
	return status;
}

/* A file of several hosts numbers the GPUs of each from 0; their ranks are
 * all different. */
static void number_by_rank(struct topo_map *map)
{
	bool repeated = false;

	for (size_t i = 0; i < map->n_gpus; i++) {
		if (map->gpus[i].rank < 0)
			return;
		repeated |= topo_map_find_gpu(map, map->gpus[i].index) !=
		            (int32_t)i;
	}
	for (size_t i = 0; repeated && i < map->n_gpus; i++)
		map->gpus[i].index = map->gpus[i].rank;
	if (repeated)
		topo_map_note(map, 0, 0,
		              "GPUs of several hosts: their numbers are their "
		              "ranks");
}

enum fp_status pci_find_devices(struct topo_map *map, struct fp_err *err)
{
	bool *used = used_pcis(map);
	enum fp_status status = FP_OK;
	int32_t next;

	number_by_rank(map);
	next = next_gpu(map);
	if (!used)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu rows",
		                  map->n_pcis);
	for (size_t i = 0; i < map->n_gpus; i++) {
		if (map->gpus[i].index < 0)
			map->gpus[i].index = next++;
	}
	for (size_t i = 0; i < map->n_pcis && status == FP_OK; i++) {
		size_t before = map->n_gpus;

		if (used[i])
			continue;
		status = add_device(map, (int32_t)i, next, err);
		next += map->n_gpus > before;
	}
	free(used);
	if (status == FP_OK)
		status = sort_gpus(map, err);
	if (status == FP_OK)
		place_gpus(map);
	return status;
}
