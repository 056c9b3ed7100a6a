// SPDX-License-Identifier: Apache-2.0
// Relations between the devices of a host, as nvidia-smi has them.
#include "topo/path/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[PATH_TYPE_COUNT] = {
	[PATH_UNKNOWN] = "?", [PATH_SELF] = "X",    [PATH_NVLINK] = "NV",
	[PATH_NVB] = "NVB",   [PATH_C2C] = "C2C",   [PATH_PIX] = "PIX",
	[PATH_PXB] = "PXB",   [PATH_P2C] = "P2C",   [PATH_PXN] = "PXN",
	[PATH_PHB] = "PHB",   [PATH_NODE] = "NODE", [PATH_SYS] = "SYS",
	[PATH_NET] = "NET",   [PATH_DIS] = "DIS",
};

const char *path_type_name(unsigned type)
{
	return type < PATH_TYPE_COUNT ? type_names[type] : "?";
}

char *path_name(struct path path, char buf[static 8])
{
	if (path.type == PATH_NVLINK)
		(void)snprintf(buf, 8, "NV%u", path.nvlinks);
	else
		(void)snprintf(buf, 8, "%s", path_type_name(path.type));
	return buf;
}

static int32_t depth(const struct topo_map *map, int32_t pci)
{
	int32_t n = 0;

	while ((pci = map->pcis[pci].parent) >= 0)
		n++;
	return n;
}

/* The node below which both hang, or -1; how far the deeper one is from it. */
static int32_t meet(const struct topo_map *map, int32_t a, int32_t b,
                    int32_t *ret_far)
{
	int32_t deep_a = depth(map, a), deep_b = depth(map, b), far = 0;

	*ret_far = deep_a > deep_b ? deep_a : deep_b;
	while (a != b) {
		int32_t *deeper = deep_a >= deep_b ? &a : &b;
		int32_t *left = deep_a >= deep_b ? &deep_a : &deep_b;

		*deeper = map->pcis[*deeper].parent;
		if (--*left < 0)
			return -1;
	}
	for (int32_t up = a; up >= 0; up = map->pcis[up].parent)
		far++;
	*ret_far -= far - 1;
	return a;
}

static bool same_card(const struct map_pci *a, const struct map_pci *b)
{
	size_t len = strcspn(a->bus_id, ".");

	return a->bus_id[0] && a->bus_id[len] && a->parent == b->parent &&
	       strncmp(a->bus_id, b->bus_id, len + 1) == 0;
}

/* Neither below a common bridge: what the CPUs between them are. */
static uint8_t across_cpu(const struct map_pci *a, const struct map_pci *b)
{
	if (a->root[0] && b->root[0]) {
		if (strcmp(a->root, b->root) == 0)
			return PATH_PHB;
		return a->numa == b->numa ? PATH_NODE : PATH_SYS;
	}
	if (a->numa < 0 || b->numa < 0)
		return PATH_UNKNOWN;
	return a->numa == b->numa ? PATH_PHB : PATH_SYS;
}

uint8_t path_tree_smi(const struct topo_map *map, int32_t a, int32_t b)
{
	const struct map_pci *pa, *pb;
	int32_t far, near = map->tree == TREE_PORTS ? 2 : 1;

	if (a < 0 || b < 0 || map->tree == TREE_NONE)
		return PATH_UNKNOWN;
	pa = &map->pcis[a];
	pb = &map->pcis[b];
	if (a == b || same_card(pa, pb))
		return PATH_PIX;
	if (meet(map, a, b, &far) < 0)
		return across_cpu(pa, pb);
	return far <= near ? PATH_PIX : PATH_PXB;
}

static void add_links(struct path *cell, int32_t count)
{
	int32_t sum = cell->nvlinks + count;

	cell->nvlinks = (uint8_t)(sum > UINT8_MAX ? UINT8_MAX : sum);
}

/* Direct links by pair; what leads to NVSwitches in a GPU's own cell. */
static void count_links(const struct topo_map *map, struct path_matrix *matrix)
{
	for (size_t i = 0; i < map->n_nvlinks; i++) {
		const struct map_nvlink *link = &map->nvlinks[i];
		size_t a = (size_t)link->gpu, b = (size_t)link->remote_gpu;

		if (link->gpu < 0 || link->state == LINK_DOWN)
			continue;
		if (link->remote == REMOTE_NVSWITCH)
			add_links(&matrix->cells[a * matrix->n + a],
			          link->count);
		else if (link->remote_gpu >= 0)
			add_links(&matrix->cells[a * matrix->n + b],
			          link->count);
	}
}

/* Bonded links of a pair: the direct ones, of which the end that tells of
 * more is believed; or the fewer of both that lead to switches. */
static uint8_t bonded(const struct path_matrix *matrix, size_t a, size_t b)
{
	size_t n = matrix->n;
	uint8_t ab = matrix->cells[a * n + b].nvlinks;
	uint8_t ba = matrix->cells[b * n + a].nvlinks;
	uint8_t up_a = matrix->cells[a * n + a].nvlinks;
	uint8_t up_b = matrix->cells[b * n + b].nvlinks;

	if (ab || ba)
		return ab > ba ? ab : ba;
	return up_a < up_b ? up_a : up_b;
}

/* The PCI function of a device; -1 if it has none. */
static int32_t device_pci(const struct topo_map *map, size_t i)
{
	return i < map->n_gpus ? map->gpus[i].pci
	                       : map->hcas[i - map->n_gpus].pci;
}

static int32_t device_numa(const struct topo_map *map, size_t i)
{
	int32_t pci = device_pci(map, i);

	if (pci >= 0)
		return map->pcis[pci].numa;
	return i < map->n_gpus ? -1 : map->hcas[i - map->n_gpus].numa;
}

/* A netdev with no PCI function still hangs from a NUMA node. */
static uint8_t numa_path(const struct topo_map *map, size_t a, size_t b)
{
	int32_t numa_a = device_numa(map, a), numa_b = device_numa(map, b);

	if (numa_a < 0 || numa_b < 0)
		return PATH_UNKNOWN;
	return numa_a == numa_b ? PATH_PHB : PATH_SYS;
}

static uint8_t pair_smi(const struct topo_map *map, size_t a, size_t b)
{
	int32_t pci_a = device_pci(map, a), pci_b = device_pci(map, b);

	if (pci_a >= 0 && pci_b >= 0)
		return path_tree_smi(map, pci_a, pci_b);
	return numa_path(map, a, b);
}

static void fill_smi(const struct topo_map *map, struct path_matrix *matrix)
{
	size_t n = matrix->n;

	count_links(map, matrix);
	for (size_t a = 0; a < n; a++) {
		for (size_t b = a + 1; b < n; b++) {
			struct path path = { .nvlinks = bonded(matrix, a, b) };

			path.type = path.nvlinks ? PATH_NVLINK
			                         : pair_smi(map, a, b);
			matrix->cells[a * n + b] = path;
			matrix->cells[b * n + a] = path;
		}
	}
	for (size_t a = 0; a < n; a++)
		matrix->cells[a * n + a] = (struct path){ .type = PATH_SELF };
}

/* NCCL's graph tells the kind of a path, the drawing how many links bear it. */
static enum fp_status fill_nccl(const struct topo_map *map,
                                struct path_matrix *matrix, struct fp_err *err)
{
	struct path_matrix links = { .n = matrix->n };
	enum fp_status status = path_fill_nccl(map, matrix, err);

	if (status != FP_OK)
		return status;
	links.cells = calloc(links.n * links.n + 1, sizeof(*links.cells));
	if (!links.cells)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu paths",
		                  links.n * links.n);
	fill_smi(map, &links);
	for (size_t i = 0; i < links.n * links.n; i++) {
		if (matrix->cells[i].type == PATH_NVLINK)
			matrix->cells[i].nvlinks = links.cells[i].nvlinks;
	}
	path_matrix_done(&links);
	return FP_OK;
}

/* What a drawing says, in NCCL's words: a NUMA node is one CPU. */
static void fill_drawn(const struct topo_map *map, uint32_t view,
                       struct path_matrix *matrix)
{
	memcpy(matrix->cells, map->drawn,
	       matrix->n * matrix->n * sizeof(*matrix->cells));
	for (size_t i = 0; view == PATH_VIEW_NCCL && i < matrix->n * matrix->n;
	     i++) {
		if (matrix->cells[i].type == PATH_NODE)
			matrix->cells[i].type = PATH_PHB;
	}
}

enum fp_status path_matrix_init(const struct topo_map *map, uint32_t view,
                                struct path_matrix *ret, struct fp_err *err)
{
	struct path_matrix matrix = { .n = topo_map_devices(map) };
	enum fp_status status = FP_OK;

	matrix.cells = calloc(matrix.n ? matrix.n * matrix.n : 1,
	                      sizeof(*matrix.cells));
	if (!matrix.cells)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu paths",
		                  matrix.n * matrix.n);
	if (map->drawn)
		fill_drawn(map, view, &matrix);
	else if (view == PATH_VIEW_NCCL)
		status = fill_nccl(map, &matrix, err);
	else
		fill_smi(map, &matrix);
	if (status == FP_OK)
		*ret = matrix;
	else
		path_matrix_done(&matrix);
	return status;
}

void path_matrix_done(struct path_matrix *matrix)
{
	if (!matrix)
		return;
	free(matrix->cells);
	*matrix = (struct path_matrix){ 0 };
}
