// SPDX-License-Identifier: Apache-2.0
// What the path between two devices of a map should carry.
#include "topo/path/expect.h"

static double least(double a, double b)
{
	if (a <= 0 || b <= 0)
		return a > b ? a : b;
	return a < b ? a : b;
}

/* Of a function's own link; 0 unknown. */
static double link_Bps(const struct topo_map *map, int32_t pci)
{
	const struct map_pci *row = pci < 0 ? NULL : &map->pcis[pci];

	return row && row->speed_mtps > 0 && row->width > 0
	               ? expect_pcie_Bps(row->speed_mtps, row->width)
	               : 0;
}

static int32_t pci_of(const struct topo_map *map, size_t device)
{
	return device < map->n_gpus ? map->gpus[device].pci
	                            : map->hcas[device - map->n_gpus].pci;
}

static double port_Bps(const struct topo_map *map, size_t device)
{
	double best = 0;

	for (size_t i = 0; i < map->n_ports; i++) {
		const struct map_port *port = &map->ports[i];

		if (port->hca < 0 || map->n_gpus + (size_t)port->hca != device)
			continue;
		if (expect_net_Bps(port->rate_bps) > best)
			best = expect_net_Bps(port->rate_bps);
	}
	return best;
}

static double nvlink_Bps(const struct topo_map *map, size_t gpu,
                         uint8_t nvlinks)
{
	const struct expect_gpu *row = expect_gpu_find(map->gpus[gpu].name);
	int32_t sm = map->gpus[gpu].sm;

	if (row && row->pair_Bps > 0 && row->nvlinks > 0)
		return row->pair_Bps * nvlinks / row->nvlinks;
	if (row && sm < 0)
		sm = row->sm;
	return sm < 0 ? 0 : nvlinks * expect_nvlink_Bps(sm);
}

double expect_pair_Bps(const struct topo_map *map, size_t a, size_t b,
                       struct path path)
{
	int32_t pci_a = pci_of(map, a), pci_b = pci_of(map, b);
	double Bps = least(link_Bps(map, pci_a), link_Bps(map, pci_b));
	int32_t numa = pci_a < 0 ? -1 : map->pcis[pci_a].numa;

	if (path.type == PATH_NVLINK)
		return nvlink_Bps(map, a, path.nvlinks);
	if (path.type < PATH_PIX || path.type > PATH_SYS ||
	    path.type == PATH_P2C || path.type == PATH_PXN)
		return 0;
	if (path.type == PATH_SYS && numa >= 0)
		Bps = least(Bps, expect_cpu_Bps(&map->numas[numa]));
	if (b >= map->n_gpus)
		Bps = least(Bps, port_Bps(map, b));
	return Bps;
}
