// SPDX-License-Identifier: Apache-2.0
// Relations as NCCL has them: a graph of PCIe switches, CPUs and NVLinks, and
// from each device the shortest way to all others that loses no bandwidth.
#include <stdlib.h>
#include <string.h>

#include "topo/path/expect.h"
#include "topo/path/path.h"

#define LOCAL_BPS 5000e9

enum kind { KIND_GPU, KIND_HCA, KIND_PCI, KIND_CPU, KIND_NVSWITCH };

struct edge {
	int32_t to, next; /* next edge of the same node; -1 */
	uint8_t type;     /* enum path_type */
	double Bps;
};

/* The way from a node to the base of a search. */
struct way {
	int32_t hops; /* -1: none yet */
	uint8_t type;
	double Bps;
};

/* Nodes: GPUs, HCAs, PCI functions, NUMA nodes, all NVSwitches as one. */
struct graph {
	const struct topo_map *map;
	int32_t n_devices, first_cpu, nvswitch, n;
	int32_t *first; /* edge of each node */
	struct edge *edges;
	size_t n_edges, room;
	struct way *ways; /* device x node */
	int32_t *queue;
	bool *queued;
};

static enum kind kind_of(const struct graph *g, int32_t node)
{
	if ((size_t)node < g->map->n_gpus)
		return KIND_GPU;
	if (node < g->n_devices)
		return KIND_HCA;
	if (node < g->first_cpu)
		return KIND_PCI;
	return node < g->nvswitch ? KIND_CPU : KIND_NVSWITCH;
}

static void join(struct graph *g, int32_t a, int32_t b, uint8_t type,
                 double Bps)
{
	const int32_t ends[2] = { a, b };

	if (a < 0 || b < 0 || g->n_edges + 2 > g->room)
		return;
	for (size_t i = 0; i < 2; i++) {
		g->edges[g->n_edges] = (struct edge){
			.to = ends[1 - i],
			.next = g->first[ends[i]],
			.type = type,
			.Bps = Bps,
		};
		g->first[ends[i]] = (int32_t)g->n_edges++;
	}
}

/* Generation of a Broadcom switch at @level of a two-level one; 0: none. */
static int bcm_generation(const struct map_pci *pci, int32_t level)
{
	if (pci->vendor != 0x1000 || pci->subsystem_vendor != 0x1000)
		return 0;
	if (pci->device == 0xc010 &&
	    (pci->subsystem_device & 0xf000) == (0xa000 | level << 12))
		return 4;
	return pci->device == 0xc030 &&
	                       (pci->subsystem_device & 0xf000) == level << 12
	               ? 5
	               : 0;
}

/* The switch that a function is plugged into, -1 for a CPU. */
static int32_t switch_above(const struct topo_map *map, int32_t pci)
{
	int32_t up = map->pcis[pci].parent, top;
	int gen;

	if (map->tree == TREE_PORTS)
		up = up >= 0 && map->pcis[up].parent >= 0 ? map->pcis[up].parent
		                                          : -1;
	if (up < 0)
		return -1;
	top = map->tree == TREE_PORTS ? -1 : map->pcis[up].parent;
	gen = bcm_generation(&map->pcis[up], 1);
	if (top >= 0 && gen && gen == bcm_generation(&map->pcis[top], 0))
		return top;
	return up;
}

static void join_pci(struct graph *g, int32_t node, int32_t pci)
{
	const struct map_pci *row = &g->map->pcis[pci];
	double Bps = expect_pcie_Bps(row->speed_mtps, row->width);
	int32_t up = switch_above(g->map, pci);

	if (up >= 0)
		join(g, node, g->n_devices + up, PATH_PIX, Bps);
	else if (row->numa >= 0)
		join(g, node, g->first_cpu + row->numa, PATH_PIX, Bps);
}

static void join_devices(struct graph *g)
{
	const struct topo_map *map = g->map;

	for (int32_t i = 0; i < g->n_devices; i++) {
		const struct map_hca *hca;

		if ((size_t)i < map->n_gpus) {
			if (map->gpus[i].pci >= 0)
				join_pci(g, i, map->gpus[i].pci);
			continue;
		}
		hca = &map->hcas[(size_t)i - map->n_gpus];
		if (hca->pci >= 0)
			join_pci(g, i, hca->pci);
		else if (hca->numa >= 0)
			join(g, i, g->first_cpu + hca->numa, PATH_PIX,
			     LOCAL_BPS);
	}
	for (size_t i = 0; i < map->n_pcis; i++)
		join_pci(g, g->n_devices + (int32_t)i, (int32_t)i);
}

static void join_cpus(struct graph *g)
{
	const struct topo_map *map = g->map;

	for (size_t a = 0; a < map->n_numas; a++) {
		for (size_t b = a + 1; b < map->n_numas; b++)
			join(g, g->first_cpu + (int32_t)a,
			     g->first_cpu + (int32_t)b, PATH_SYS,
			     expect_cpu_Bps(&map->numas[a]));
	}
}

/* A GPU with a link of its own to the CPU that it hangs from. */
static void join_c2c(struct graph *g, const struct map_nvlink *link)
{
	int32_t pci = g->map->gpus[link->gpu].pci;
	int32_t numa = pci >= 0 ? g->map->pcis[pci].numa : -1;

	if (numa >= 0 && link->speed_MBps > 0)
		join(g, link->gpu, g->first_cpu + numa, PATH_C2C,
		     link->speed_MBps * 1e6 * link->count);
}

static void join_nvlinks(struct graph *g)
{
	const struct topo_map *map = g->map;

	for (size_t i = 0; i < map->n_nvlinks; i++) {
		const struct map_nvlink *link = &map->nvlinks[i];
		double Bps;

		if (link->gpu < 0 || link->state == LINK_DOWN)
			continue;
		Bps = link->count * expect_nvlink_Bps(map->gpus[link->gpu].sm);
		if (link->remote == REMOTE_NVSWITCH)
			join(g, link->gpu, g->nvswitch, PATH_NVLINK, Bps);
		else if (link->remote == REMOTE_CPU)
			join_c2c(g, link);
		else if (link->remote_gpu > link->gpu)
			join(g, link->gpu, link->remote_gpu, PATH_NVLINK, Bps);
	}
}

/* What a step adds to the way that comes to @at. */
static uint8_t step_type(const struct graph *g, int32_t at,
                         const struct way *way, const struct edge *edge)
{
	enum kind from = kind_of(g, at), to = kind_of(g, edge->to);
	uint8_t type = edge->type;

	if (from == KIND_PCI && to == KIND_PCI)
		type = PATH_PXB;
	if (edge->type == PATH_PIX && (from == KIND_CPU || to == KIND_CPU))
		type = PATH_PHB;
	if (from == KIND_GPU && way->hops > 0 && type == PATH_NVLINK)
		type = PATH_NVB;
	return type > way->type ? type : way->type;
}

/* Through a GPU leads one NVLink hop to another GPU and nothing else; through
 * an HCA nothing. */
static bool blocked(const struct graph *g, int32_t at, const struct way *way,
                    const struct edge *edge)
{
	if (way->hops == 0 || at >= g->n_devices)
		return false;
	return kind_of(g, at) != KIND_GPU || edge->type != PATH_NVLINK ||
	       kind_of(g, edge->to) != KIND_GPU || way->hops > 1;
}

static void search(struct graph *g, int32_t base)
{
	struct way *ways = &g->ways[(size_t)base * (size_t)g->n];
	int32_t head = 0, tail = 0;

	for (int32_t i = 0; i < g->n; i++)
		ways[i] = (struct way){ .hops = -1 };
	ways[base] = (struct way){ .type = PATH_SELF, .Bps = LOCAL_BPS };
	g->queue[tail++] = base;
	while (head != tail) {
		int32_t at = g->queue[head];

		head = (head + 1) % (g->n + 1);
		g->queued[at] = false;
		for (int32_t e = g->first[at]; e >= 0; e = g->edges[e].next) {
			const struct edge *edge = &g->edges[e];
			struct way *there = &ways[edge->to];
			double Bps = ways[at].Bps < edge->Bps ? ways[at].Bps
			                                      : edge->Bps;

			if (blocked(g, at, &ways[at], edge) ||
			    (there->hops >= 0 &&
			     there->hops <= ways[at].hops) ||
			    there->Bps >= Bps)
				continue;
			*there = (struct way){
				.hops = ways[at].hops + 1,
				.type = step_type(g, at, &ways[at], edge),
				.Bps = Bps,
			};
			if (g->queued[edge->to])
				continue;
			g->queued[edge->to] = true;
			g->queue[tail] = edge->to;
			tail = (tail + 1) % (g->n + 1);
		}
	}
}

static const struct way *way_at(const struct graph *g, int32_t a, int32_t b)
{
	return &g->ways[(size_t)a * (size_t)g->n + (size_t)b];
}

/* From a GPU to an HCA; a way that leaves over the GPU's own link to the CPU
 * from which the HCA hangs is no detour. */
static uint8_t direct_type(const struct graph *g, int32_t gpu, int32_t hca)
{
	uint8_t type = way_at(g, gpu, hca)->type;

	for (int32_t cpu = g->first_cpu; cpu < g->nvswitch; cpu++) {
		const struct way *from = way_at(g, hca, cpu);

		if (type == PATH_PHB && from->hops >= 0 &&
		    from->type <= PATH_PHB && way_at(g, gpu, cpu)->hops >= 0 &&
		    way_at(g, gpu, cpu)->type == PATH_C2C)
			return PATH_P2C;
	}
	return type;
}

/* The GPU that is nearest to an HCA, or -1. */
static int32_t local_gpu(const struct graph *g, int32_t hca)
{
	int32_t best = -1;

	for (int32_t i = 0; (size_t)i < g->map->n_gpus; i++) {
		const struct way *way = way_at(g, hca, i), *least;

		if (way->hops < 0)
			continue;
		least = best < 0 ? NULL : way_at(g, hca, best);
		if (!least || way->Bps > least->Bps ||
		    (way->Bps >= least->Bps && way->type < least->type))
			best = i;
	}
	return best;
}

/* By way of the HCA's own GPU, where that is better than directly. */
static uint8_t with_proxy(const struct graph *g, int32_t gpu, int32_t hca,
                          int32_t proxy)
{
	uint8_t direct = direct_type(g, gpu, hca);

	if (proxy < 0 || proxy == gpu ||
	    direct_type(g, proxy, hca) > PATH_P2C ||
	    way_at(g, proxy, gpu)->hops < 0 ||
	    way_at(g, proxy, gpu)->type > PATH_NVLINK)
		return direct;
	return way_at(g, proxy, hca)->Bps > way_at(g, gpu, hca)->Bps ||
	                       direct > PATH_PXN
	               ? PATH_PXN
	               : direct;
}

static void fill(const struct graph *g, struct path_matrix *matrix)
{
	int32_t n_gpus = (int32_t)g->map->n_gpus;

	for (int32_t a = 0; a < g->n_devices; a++) {
		for (int32_t b = 0; b < g->n_devices; b++)
			matrix->cells[a * g->n_devices + b].type =
				way_at(g, a, b)->type;
	}
	for (int32_t hca = n_gpus; hca < g->n_devices; hca++) {
		int32_t proxy = local_gpu(g, hca);

		for (int32_t gpu = 0; gpu < n_gpus; gpu++) {
			uint8_t type = with_proxy(g, gpu, hca, proxy);

			matrix->cells[gpu * g->n_devices + hca].type = type;
			matrix->cells[hca * g->n_devices + gpu].type = type;
		}
	}
}

static void graph_done(struct graph *g)
{
	free(g->first);
	free(g->edges);
	free(g->ways);
	free(g->queue);
	free(g->queued);
}

static enum fp_status graph_init(struct graph *g, const struct topo_map *map,
                                 struct fp_err *err)
{
	size_t n;

	*g = (struct graph){ .map = map };
	g->n_devices = (int32_t)topo_map_devices(map);
	g->first_cpu = g->n_devices + (int32_t)map->n_pcis;
	g->nvswitch = g->first_cpu + (int32_t)map->n_numas;
	g->n = g->nvswitch + 1;
	n = (size_t)g->n;
	g->room = 2 * (n + map->n_nvlinks + map->n_numas * map->n_numas);
	g->first = calloc(n, sizeof(*g->first));
	g->edges = calloc(g->room, sizeof(*g->edges));
	g->ways = calloc(n * (size_t)(g->n_devices + 1), sizeof(*g->ways));
	g->queue = calloc(n + 1, sizeof(*g->queue));
	g->queued = calloc(n, sizeof(*g->queued));
	if (!g->first || !g->edges || !g->ways || !g->queue || !g->queued) {
		graph_done(g);
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory for a graph of %zu nodes", n);
	}
	memset(g->first, -1, n * sizeof(*g->first));
	return FP_OK;
}

enum fp_status path_fill_nccl(const struct topo_map *map,
                              struct path_matrix *matrix, struct fp_err *err)
{
	enum fp_status status;
	struct graph g;

	status = graph_init(&g, map, err);
	if (status != FP_OK)
		return status;
	join_devices(&g);
	join_cpus(&g);
	join_nvlinks(&g);
	for (int32_t base = 0; base < g.n_devices; base++)
		search(&g, base);
	fill(&g, matrix);
	graph_done(&g);
	return FP_OK;
}
