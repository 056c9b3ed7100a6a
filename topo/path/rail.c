// SPDX-License-Identifier: Apache-2.0
// Near HCAs and rails.
#include "topo/path/rail.h"

#include <stdlib.h>

static struct path to_hca(const struct topo_map *map,
                          const struct path_matrix *matrix, size_t gpu,
                          size_t hca)
{
	return path_matrix_at(matrix, gpu, map->n_gpus + hca);
}

uint8_t rail_nearest(const struct topo_map *map,
                     const struct path_matrix *matrix, size_t gpu)
{
	uint8_t nearest = PATH_UNKNOWN;

	for (size_t i = 0; i < map->n_hcas; i++) {
		uint8_t type = to_hca(map, matrix, gpu, i).type;

		if (type && (!nearest || type < nearest))
			nearest = type;
	}
	return nearest;
}

bool rail_near(const struct topo_map *map, const struct path_matrix *matrix,
               size_t gpu, size_t hca)
{
	uint8_t nearest = rail_nearest(map, matrix, gpu);

	return nearest && to_hca(map, matrix, gpu, hca).type == nearest;
}

bool rail_local(const struct topo_map *map, const struct path_matrix *matrix,
                size_t hca)
{
	bool local = false;

	for (size_t g = 0; g < map->n_gpus; g++)
		local |= path_local(to_hca(map, matrix, g, hca));
	return local;
}

static bool add_rail(struct rails *rails, int32_t hca)
{
	for (size_t i = 0; i < rails->n; i++) {
		if (rails->hcas[i] == hca)
			return false;
	}
	rails->hcas[rails->n++] = hca;
	return true;
}

enum fp_status rails_init(const struct topo_map *map,
                          const struct path_matrix *matrix, struct rails *ret,
                          struct fp_err *err)
{
	struct rails rails = { .hcas = calloc(map->n_hcas + 1,
		                              sizeof(*rails.hcas)) };

	if (!rails.hcas)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu rails",
		                  map->n_hcas);
	for (size_t g = 0; g < map->n_gpus; g++) {
		for (size_t h = 0; h < map->n_hcas; h++) {
			if (path_local(to_hca(map, matrix, g, h)))
				add_rail(&rails, (int32_t)h);
		}
	}
	for (size_t h = 0; rails.n == 0 && h < map->n_hcas; h++)
		rails.hcas[h] = (int32_t)h;
	if (rails.n == 0)
		rails.n = map->n_hcas;
	*ret = rails;
	return FP_OK;
}

void rails_done(struct rails *rails)
{
	if (!rails)
		return;
	free(rails->hcas);
	*rails = (struct rails){ 0 };
}
