// SPDX-License-Identifier: Apache-2.0
// Joins what processes of one host see of its GPUs.
#include "topo/model/map_merge.h"

#include <stdlib.h>
#include <string.h>

/** struct merge - where GPU i of @more is in @map. */
struct merge {
	struct topo_map *map;
	const struct topo_map *more;
	int32_t *place;
	size_t old_gpus; /* of @map, before */
};

static const char *bus_of(const struct topo_map *map, const struct map_gpu *gpu)
{
	return gpu->pci < 0 ? "" : map->pcis[gpu->pci].bus_id;
}

static bool same(const char *a, const char *b)
{
	return a[0] && strcmp(a, b) == 0;
}

static int32_t find_gpu(const struct topo_map *map, const struct map_gpu *gpu,
                        const char *bus)
{
	for (size_t i = 0; i < map->n_gpus; i++) {
		if (same(gpu->uuid, map->gpus[i].uuid))
			return (int32_t)i;
	}
	for (size_t i = 0; i < map->n_gpus; i++) {
		if (same(bus, bus_of(map, &map->gpus[i])) &&
		    !(gpu->uuid[0] && map->gpus[i].uuid[0]))
			return (int32_t)i;
	}
	return -1;
}

static enum fp_status add_gpu(struct topo_map *map, const struct map_gpu *gpu,
                              const char *bus, struct fp_err *err)
{
	int32_t pci = topo_map_find_pci(map, bus);
	struct map_pci *function;
	struct map_gpu *row;
	enum fp_status status = FP_OK;

	if (pci < 0 && bus[0]) {
		status = topo_map_add_pci(map, &function, err);
		if (status != FP_OK)
			return status;
		memcpy(function->bus_id, bus, strlen(bus) + 1);
		pci = (int32_t)map->n_pcis - 1;
	}
	status = topo_map_add_gpu(map, &row, err);
	if (status != FP_OK)
		return status;
	*row = *gpu;
	row->pci = pci;
	return FP_OK;
}

/* What the driver alone tells; the number it goes by is the view's own. */
static void fill_gpu(struct map_gpu *to, const struct map_gpu *from)
{
	if (!to->name[0])
		memcpy(to->name, from->name, sizeof(to->name));
	if (!to->uuid[0])
		memcpy(to->uuid, from->uuid, sizeof(to->uuid));
	if (to->sm < 0)
		to->sm = from->sm;
	if (to->gpu_numa < 0)
		to->gpu_numa = from->gpu_numa;
	to->mig |= from->mig;
}

static enum fp_status place_gpus(struct merge *m, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < m->more->n_gpus && status == FP_OK; i++) {
		const struct map_gpu *gpu = &m->more->gpus[i];
		const char *bus = bus_of(m->more, gpu);

		m->place[i] = find_gpu(m->map, gpu, bus);
		if (m->place[i] >= 0) {
			fill_gpu(&m->map->gpus[m->place[i]], gpu);
			continue;
		}
		status = add_gpu(m->map, gpu, bus, err);
		m->place[i] = (int32_t)m->map->n_gpus - 1;
	}
	return status;
}

static bool has_links(const struct topo_map *map, size_t n, int32_t gpu)
{
	for (size_t i = 0; i < n; i++) {
		if (map->nvlinks[i].gpu == gpu)
			return true;
	}
	return false;
}

static enum fp_status add_links(struct merge *m, struct fp_err *err)
{
	size_t known = m->map->n_nvlinks;
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < m->more->n_nvlinks && status == FP_OK; i++) {
		const struct map_nvlink *link = &m->more->nvlinks[i];
		int32_t gpu = link->gpu < 0 ? -1 : m->place[link->gpu];
		struct map_nvlink *row;

		if (gpu < 0 || has_links(m->map, known, gpu))
			continue;
		status = topo_map_add_nvlink(m->map, &row, err);
		if (status != FP_OK)
			break;
		*row = *link;
		row->gpu = gpu;
		row->remote_gpu =
			link->remote_gpu < 0 ? -1 : m->place[link->remote_gpu];
	}
	return status;
}

/* The larger matrix; what each knew of GPUs is in it. */
static enum fp_status merge_p2p(struct merge *m, struct fp_err *err)
{
	size_t n = m->map->n_gpus, old = m->old_gpus, theirs = m->more->n_gpus;
	uint8_t *p2p;

	if (!m->more->p2p && (!m->map->p2p || n == old))
		return FP_OK;
	p2p = calloc(n * n, sizeof(*p2p));
	if (!p2p)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for pairs");
	for (size_t i = 0; m->map->p2p && i < old * old; i++)
		p2p[i / old * n + i % old] = m->map->p2p[i];
	for (size_t i = 0; m->more->p2p && i < theirs * theirs; i++) {
		uint8_t *cell = &p2p[(size_t)m->place[i / theirs] * n +
		                     (size_t)m->place[i % theirs]];

		if (*cell == P2P_NONE)
			*cell = m->more->p2p[i];
	}
	free(m->map->p2p);
	m->map->p2p = p2p;
	return FP_OK;
}

/* GPUs come before HCAs: those that are new stand between. */
static size_t moved(const struct merge *m, size_t device)
{
	return device < m->old_gpus ? device
	                            : device + m->map->n_gpus - m->old_gpus;
}

static enum fp_status merge_drawn(struct merge *m, struct fp_err *err)
{
	size_t n = topo_map_devices(m->map), theirs = m->more->n_gpus;
	size_t old = n - (m->map->n_gpus - m->old_gpus);
	size_t width = topo_map_devices(m->more);
	struct path *drawn;

	/* A tree says more than a drawing; one that is there has to grow. */
	if (!m->map->drawn && (m->map->tree != TREE_NONE || !m->more->drawn))
		return FP_OK;
	drawn = calloc(n * n, sizeof(*drawn));
	if (!drawn)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu GPUs",
		                  n);
	for (size_t i = 0; m->map->drawn && i < old * old; i++)
		drawn[moved(m, i / old) * n + moved(m, i % old)] =
			m->map->drawn[i];
	for (size_t i = 0; m->more->drawn && i < theirs * theirs; i++) {
		size_t a = i / theirs, b = i % theirs;
		struct path *cell =
			&drawn[(size_t)m->place[a] * n + (size_t)m->place[b]];

		if (cell->type == PATH_UNKNOWN)
			*cell = m->more->drawn[a * width + b];
	}
	free(m->map->drawn);
	m->map->drawn = drawn;
	return FP_OK;
}

static bool numbers_clash(const struct topo_map *map)
{
	for (size_t i = 0; i < map->n_gpus; i++) {
		if (topo_map_find_gpu(map, map->gpus[i].index) != (int32_t)i)
			return true;
	}
	return false;
}

static void number_gpus(struct topo_map *map)
{
	if (!numbers_clash(map))
		return;
	for (size_t i = 0; i < map->n_gpus; i++) {
		const char *bus = bus_of(map, &map->gpus[i]);
		int32_t before = 0;

		for (size_t k = 0; k < map->n_gpus; k++) {
			int by = strcmp(bus_of(map, &map->gpus[k]), bus);

			before += by < 0 || (by == 0 && k < i);
		}
		map->gpus[i].index = before;
	}
}

enum fp_status topo_map_merge(struct topo_map *map, const struct topo_map *more,
                              struct fp_err *err)
{
	struct merge m = { .map = map,
		           .more = more,
		           .place = calloc(more->n_gpus + 1, sizeof(*m.place)),
		           .old_gpus = map->n_gpus };
	enum fp_status status;

	if (!m.place)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu GPUs",
		                  more->n_gpus);
	status = place_gpus(&m, err);
	if (status == FP_OK)
		status = add_links(&m, err);
	if (status == FP_OK)
		status = merge_p2p(&m, err);
	if (status == FP_OK)
		status = merge_drawn(&m, err);
	number_gpus(map);
	topo_map_resolve(map);
	free(m.place);
	return status;
}
