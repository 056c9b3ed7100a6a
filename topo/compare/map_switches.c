// SPDX-License-Identifier: Apache-2.0
// Bridges to switches.
#include "topo/compare/map_switches.h"

#include <stdlib.h>

/* What NCCL hangs a function from: two steps up, for a step is a port. */
static int32_t above(const struct topo_map *map, int32_t pci)
{
	int32_t port = map->pcis[pci].parent;

	return port < 0 ? -1 : map->pcis[port].parent;
}

static void keep_up(const struct topo_map *map, int32_t pci, bool *kept)
{
	while (pci >= 0 && !kept[pci]) {
		kept[pci] = true;
		pci = above(map, pci);
	}
}

static void find_kept(const struct topo_map *map, bool *kept)
{
	for (size_t i = 0; i < map->n_gpus; i++)
		keep_up(map, map->gpus[i].pci, kept);
	for (size_t i = 0; i < map->n_hcas; i++)
		keep_up(map, map->hcas[i].pci, kept);
}

/* Where the kept rows go, in their order. */
static size_t number_kept(const bool *kept, size_t n, int32_t *to)
{
	size_t next = 0;

	for (size_t i = 0; i < n; i++)
		to[i] = kept[i] ? (int32_t)next++ : -1;
	return next;
}

static int32_t moved(const int32_t *to, int32_t at)
{
	return at < 0 ? -1 : to[at];
}

/* @ret is a copy of @map: only what is about rows of the tree changes. */
static void squeeze(const struct topo_map *map, struct topo_map *ret,
                    const int32_t *to)
{
	for (size_t i = 0; i < map->n_pcis; i++) {
		struct map_pci *row = to[i] < 0 ? NULL : &ret->pcis[to[i]];

		if (!row)
			continue;
		*row = map->pcis[i];
		row->parent = moved(to, above(map, (int32_t)i));
	}
	for (size_t i = 0; i < ret->n_gpus; i++)
		ret->gpus[i].pci = moved(to, map->gpus[i].pci);
	for (size_t i = 0; i < ret->n_hcas; i++)
		ret->hcas[i].pci = moved(to, map->hcas[i].pci);
}

enum fp_status topo_map_switches(const struct topo_map *map,
                                 struct topo_map *ret, struct fp_err *err)
{
	bool *kept;
	int32_t *to;
	enum fp_status status;

	if (map->tree == TREE_NONE)
		return fp_err_set(err, FP_ERR_NOTSUP,
		                  "no tree of PCI bridges is known");
	status = topo_map_copy(ret, map, err);
	if (status != FP_OK || map->tree == TREE_SWITCHES)
		return status;
	kept = calloc(map->n_pcis + 1, sizeof(*kept));
	to = calloc(map->n_pcis + 1, sizeof(*to));
	if (kept && to) {
		find_kept(map, kept);
		ret->n_pcis = number_kept(kept, map->n_pcis, to);
		squeeze(map, ret, to);
		ret->tree = TREE_SWITCHES;
	} else {
		status = fp_err_set(err, FP_ERR_NOMEM,
		                    "no memory for %zu PCI functions",
		                    map->n_pcis);
		topo_map_done(ret);
	}
	free(to);
	free(kept);
	return status;
}
