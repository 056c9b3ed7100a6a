// SPDX-License-Identifier: Apache-2.0
// Pairs of GPUs: peer access, and their common ancestor.
#include <stdlib.h>

#include "topo/path/path.h"
#include "topo/source/nvml_lib.h"

static uint8_t p2p_word(const struct nvml *lib, nvml_dev a, nvml_dev b)
{
	static const uint8_t words[] = {
		[NVML_P2P_OK] = P2P_OK,       [NVML_P2P_CHIPSET] = P2P_CNS,
		[NVML_P2P_GPU] = P2P_GNS,     [NVML_P2P_TOPOLOGY] = P2P_TNS,
		[NVML_P2P_REGISTRY] = P2P_DR, [NVML_P2P_UNSUPPORTED] = P2P_NS,
		[NVML_P2P_UNKNOWN] = P2P_U,
	};
	int (*get)(nvml_dev, nvml_dev, int, unsigned *);
	uint8_t worst = P2P_NONE;

	if (!nvml_symbol(lib, "nvmlDeviceGetP2PStatus", &get))
		return P2P_NONE;
	for (int caps = NVML_P2P_READ; caps <= NVML_P2P_WRITE; caps++) {
		unsigned answer = NVML_P2P_UNKNOWN;

		if (get(a, b, caps, &answer) != NVML_OK)
			continue;
		if (answer > NVML_P2P_UNKNOWN)
			answer = NVML_P2P_UNKNOWN;
		if (worst == P2P_NONE || worst == P2P_OK)
			worst = words[answer];
	}
	return worst;
}

static uint8_t level_word(const struct nvml *lib, nvml_dev a, nvml_dev b)
{
	int (*get)(nvml_dev, nvml_dev, unsigned *);
	unsigned level = 0;

	if (!nvml_symbol(lib, "nvmlDeviceGetTopologyCommonAncestor", &get) ||
	    get(a, b, &level) != NVML_OK)
		return PATH_UNKNOWN;
	switch (level) {
	case NVML_LEVEL_INTERNAL:
	case NVML_LEVEL_SINGLE:
		return PATH_PIX;
	case NVML_LEVEL_MULTIPLE:
		return PATH_PXB;
	case NVML_LEVEL_HOSTBRIDGE:
		return PATH_PHB;
	case NVML_LEVEL_NODE:
		return PATH_NODE;
	case NVML_LEVEL_SYSTEM:
		return PATH_SYS;
	default:
		return PATH_UNKNOWN;
	}
}

/* NVLinks that were read go before what is behind them. */
static void draw(const struct nvml *lib, const struct nvml_gpu *a,
                 const struct nvml_gpu *b, const struct path_matrix *links,
                 struct path *cell)
{
	struct path path =
		path_matrix_at(links, (size_t)a->gpu, (size_t)b->gpu);

	*cell = path.type == PATH_NVLINK
	                ? path
	                : (struct path){ .type = level_word(lib, a->dev,
		                                            b->dev) };
}

static enum fp_status draw_all(const struct nvml *lib,
                               const struct nvml_gpu *gpus, size_t n,
                               struct topo_map *map, struct fp_err *err)
{
	size_t devices = topo_map_devices(map);
	struct path_matrix links;
	struct path *cells;
	enum fp_status status;

	topo_map_resolve(map);
	status = path_matrix_init(map, PATH_VIEW_SMI, &links, err);
	if (status != FP_OK)
		return status;
	/* Its own memory serves: each cell is read before it is written. */
	cells = links.cells;
	for (size_t a = 0; a < n; a++) {
		for (size_t b = 0; b < n; b++) {
			if (a != b && gpus[a].gpu >= 0 && gpus[b].gpu >= 0)
				draw(lib, &gpus[a], &gpus[b], &links,
				     &cells[(size_t)gpus[a].gpu * devices +
				            (size_t)gpus[b].gpu]);
		}
	}
	map->drawn = cells;
	return FP_OK;
}

enum fp_status nvml_pairs(const struct nvml *lib, const struct nvml_gpu *gpus,
                          size_t n, struct topo_map *map, struct fp_err *err)
{
	if (map->n_gpus == 0 || map->p2p)
		return FP_OK;
	map->p2p = calloc(map->n_gpus * map->n_gpus, sizeof(*map->p2p));
	if (!map->p2p)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for pairs");
	for (size_t a = 0; a < map->n_gpus; a++)
		map->p2p[a * map->n_gpus + a] = P2P_SELF;
	for (size_t a = 0; a < n; a++) {
		for (size_t b = 0; b < n; b++) {
			size_t at = (size_t)gpus[a].gpu * map->n_gpus +
			            (size_t)gpus[b].gpu;

			if (a != b && gpus[a].gpu >= 0 && gpus[b].gpu >= 0)
				map->p2p[at] =
					p2p_word(lib, gpus[a].dev, gpus[b].dev);
		}
	}
	return map->tree == TREE_NONE ? draw_all(lib, gpus, n, map, err)
	                              : FP_OK;
}
