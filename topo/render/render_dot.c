// SPDX-License-Identifier: Apache-2.0
// A map as a graph for dot(1).
#include "topo/render/render.h"

/* A name inside quotation marks. */
static char *quotable(char *name)
{
	for (char *s = name; *s; s++) {
		if (*s == '"' || *s == '\\')
			*s = '_';
	}
	return name;
}

static void write_devices(const struct topo_map *map, struct fp_text *text)
{
	char name[MAP_NAME_MAX];

	for (size_t i = 0; i < topo_map_devices(map); i++)
		fp_text_printf(text, "\td%zu [label=\"%s\", shape=%s];\n", i,
		               quotable(topo_map_device_name(map, i, name)),
		               i < map->n_gpus ? "box" : "ellipse");
}

static void write_tree(const struct topo_map *map, struct fp_text *text)
{
	for (size_t i = 0; i < map->n_numas; i++)
		fp_text_printf(text,
		               "\tn%zu [label=\"NUMA %d\", "
		               "shape=hexagon];\n",
		               i, map->numas[i].id);
	for (size_t i = 0; i < map->n_pcis; i++) {
		const struct map_pci *pci = &map->pcis[i];

		fp_text_printf(text, "\tp%zu [label=\"%s\", shape=plain];\n", i,
		               pci->bus_id);
		if (pci->parent >= 0)
			fp_text_printf(text, "\tp%d -- p%zu;\n", pci->parent,
			               i);
		else if (pci->numa >= 0)
			fp_text_printf(text, "\tn%d -- p%zu;\n", pci->numa, i);
	}
	for (size_t i = 0; i < map->n_gpus; i++) {
		if (map->gpus[i].pci >= 0)
			fp_text_printf(text, "\tp%d -- d%zu;\n",
			               map->gpus[i].pci, i);
	}
	for (size_t i = 0; i < map->n_hcas; i++) {
		if (map->hcas[i].pci >= 0)
			fp_text_printf(text, "\tp%d -- d%zu;\n",
			               map->hcas[i].pci, map->n_gpus + i);
	}
}

/* NVLinks always; without a tree also what no CPU is between. */
static void write_pairs(const struct topo_map *map,
                        const struct path_matrix *matrix, struct fp_text *text)
{
	char name[8];

	for (size_t a = 0; a < matrix->n; a++) {
		for (size_t b = a + 1; b < matrix->n; b++) {
			struct path path = path_matrix_at(matrix, a, b);
			bool near = path.nvlinks || (map->tree == TREE_NONE &&
			                             path_local(path));

			if (near)
				fp_text_printf(text,
				               "\td%zu -- d%zu [label=\"%s\", "
				               "penwidth=%d];\n",
				               a, b, path_name(path, name),
				               path.nvlinks ? 3 : 1);
		}
	}
}

void render_dot(const struct topo_map *map, const struct path_matrix *matrix,
                struct fp_text *text)
{
	fp_text_printf(text, "graph host {\n");
	write_devices(map, text);
	if (map->tree != TREE_NONE)
		write_tree(map, text);
	write_pairs(map, matrix, text);
	fp_text_printf(text, "}\n");
}
