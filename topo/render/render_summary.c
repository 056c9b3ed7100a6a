// SPDX-License-Identifier: Apache-2.0
// A map in a few lines: how much there is, and which NICs are near.
#include "topo/render/render.h"

#include <string.h>

#include "topo/model/port_words.h"
#include "topo/path/rail.h"

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* The name that all GPUs have, or "". */
static const char *model_of(const struct topo_map *map)
{
	for (size_t i = 1; i < map->n_gpus; i++) {
		if (strcmp(map->gpus[i].name, map->gpus[0].name) != 0)
			return "";
	}
	return map->n_gpus ? map->gpus[0].name : "";
}

static size_t count_numas(const struct topo_map *map)
{
	struct topo_set numas = { 0 };

	for (size_t i = 0; i < map->n_numas; i++)
		topo_set_add(&numas, map->numas[i].id);
	for (size_t i = 0; i < map->n_gpus; i++) {
		for (int32_t n = 0; n < TOPO_SET_MAX; n++) {
			if (topo_set_has(&map->gpus[i].numas, n))
				topo_set_add(&numas, n);
		}
	}
	return topo_set_count(&numas);
}

/* Whether all pairs of GPUs are alike, and how: "NV18 between all pairs". */
static void write_pairs(const struct topo_map *map,
                        const struct path_matrix *matrix, struct fp_text *text)
{
	size_t pairs[PATH_TYPE_COUNT] = { 0 }, all = 0;
	uint8_t least = UINT8_MAX, most = 0;

	for (size_t a = 0; a < map->n_gpus; a++) {
		for (size_t b = a + 1; b < map->n_gpus; b++, all++) {
			struct path path = path_matrix_at(matrix, a, b);

			pairs[path.type]++;
			if (path.nvlinks > most)
				most = path.nvlinks;
			if (path.nvlinks && path.nvlinks < least)
				least = path.nvlinks;
		}
	}
	if (pairs[PATH_UNKNOWN] == all)
		return;
	fp_text_printf(text, "Pairs of GPUs:");
	for (unsigned type = 0; type < PATH_TYPE_COUNT; type++) {
		if (!pairs[type])
			continue;
		fp_text_printf(text, " %zu %s", pairs[type],
		               path_type_name(type));
		if (type == PATH_NVLINK && least < most)
			fp_text_printf(text, "%u to NV%u", least, most);
		else if (type == PATH_NVLINK)
			fp_text_printf(text, "%u", most);
	}
	fp_text_printf(text, "\n");
}

static void write_near(const struct topo_map *map,
                       const struct path_matrix *matrix, size_t gpu,
                       struct fp_text *text)
{
	uint8_t type = rail_nearest(map, matrix, gpu);
	char name[MAP_NAME_MAX];

	fp_text_printf(text, "  GPU%d: %s", map->gpus[gpu].index,
	               path_type_name(type));
	for (size_t h = 0; h < map->n_hcas; h++) {
		if (rail_near(map, matrix, gpu, h))
			fp_text_printf(text, " %s",
			               topo_map_device_name(
					       map, map->n_gpus + h, name));
	}
	fp_text_printf(text, "\n");
}

/* "mlx5_3/1 Down (Polling)" of those that are not active. */
static void write_ports(const struct topo_map *map, struct fp_text *text)
{
	size_t known = 0, active = 0;

	for (size_t i = 0; i < map->n_ports; i++) {
		known += map->ports[i].state != PORT_UNKNOWN;
		active += map->ports[i].state == PORT_ACTIVE;
	}
	if (!known)
		return;
	fp_text_printf(text, "Ports: %zu of %zu active\n", active, known);
	for (size_t i = 0; i < map->n_ports; i++) {
		const struct map_port *port = &map->ports[i];

		if (port->hca < 0 || port->state == PORT_UNKNOWN ||
		    port->state == PORT_ACTIVE)
			continue;
		fp_text_printf(text, "  %s/%d: %s (%s)\n",
		               map->hcas[port->hca].name, port->port,
		               port_state_name(port->state),
		               port_phys_name(port->phys));
	}
}

void render_summary(const struct topo_map *map,
                    const struct path_matrix *matrix, struct fp_text *text)
{
	size_t numas = count_numas(map);
	const char *model = model_of(map);

	fp_text_printf(text, "%zu GPU%s%s%s%s, %zu NIC%s, %zu NUMA node%s\n",
	               map->n_gpus, plural(map->n_gpus), *model ? " (" : "",
	               model, *model ? ")" : "", map->n_hcas,
	               plural(map->n_hcas), numas, plural(numas));
	write_pairs(map, matrix, text);
	write_ports(map, text);
	if (!map->n_gpus || !map->n_hcas)
		return;
	fp_text_printf(text, "Nearest NICs:\n");
	for (size_t g = 0; g < map->n_gpus; g++)
		write_near(map, matrix, g, text);
}
