// SPDX-License-Identifier: Apache-2.0
// Ports near GPUs, by the tree of PCI functions.
#include "topo/discover/hca_near.h"

#include <string.h>

#include "topo/discover/discover.h"
#include "topo/path/rail.h"

static bool is_near(const struct topo_map *map,
                    const struct path_matrix *matrix, const char *name)
{
	for (size_t i = 0; i < map->n_hcas; i++)
		if (strcmp(map->hcas[i].name, name) == 0)
			return rail_local(map, matrix, i);
	return false;
}

enum fp_status hca_near_mark(const struct topo_map *map,
                             struct hca_candidate *ports, size_t n,
                             struct fp_err *err)
{
	struct path_matrix matrix;
	enum fp_status status =
		path_matrix_init(map, PATH_VIEW_SMI, &matrix, err);

	if (status != FP_OK)
		return status;
	for (size_t i = 0; i < n; i++)
		ports[i].near_gpu = is_near(map, &matrix, ports[i].name);
	path_matrix_done(&matrix);
	return FP_OK;
}

enum fp_status hca_near_read(const char *sysroot, struct hca_candidate *ports,
                             size_t n, struct fp_err *err)
{
	const struct topo_env env = { .sysroot = sysroot,
		                      .reads = TOPO_READ_HOST };
	struct topo_host host;
	enum fp_status status = topo_discover_host(&env, &host, err);

	if (status != FP_OK)
		return status;
	if (host.map)
		status = hca_near_mark(host.map, ports, n, err);
	topo_host_done(&host);
	return status;
}
