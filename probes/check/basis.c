// SPDX-License-Identifier: Apache-2.0
// What of a job each check could look at.
#include "probes/check/basis.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "topo/model/model_map.h"
#include "topo/reading/reading.h"

#define WORD_MAX 64

/* Is @name among the patterns of @needs, "gpu.pcie_*, kmsg.*"? */
static bool is_needed(const char *needs, const char *name)
{
	char word[WORD_MAX];

	while (*needs) {
		size_t len = strcspn(needs, ",");

		(void)snprintf(word, sizeof(word), "%.*s", (int)len, needs);
		if (fnmatch(word, name, 0) == 0)
			return true;
		needs += len;
		needs += strspn(needs, ", ");
	}
	return false;
}

static bool any_links(const struct topo_map *map)
{
	for (size_t i = 0; i < map->n_pcis; i++) {
		if (map->pcis[i].speed_mtps > 0 || map->pcis[i].width > 0)
			return true;
	}
	return false;
}

/* Devices of the map that @check looks at. */
static bool map_tells(const struct check_ops *check, const struct topo_map *map)
{
	if (check == &check_nvlink_ops)
		return map->n_gpus > 0;
	if (check == &check_p2p_ops)
		return map->p2p != NULL;
	if (check == &check_pcie_ops)
		return any_links(map);
	if (check == &check_hca_ops)
		return map->n_ports > 0;
	return check == &check_limits_ops &&
	       (map->columns & MAP_COLUMN_CPUS) != 0;
}

static bool host_tells(const struct check_ops *check,
                       const struct topo_host *host)
{
	size_t n = readings_count(host->readings);

	if (host->map && map_tells(check, host->map))
		return true;
	for (size_t i = 0; i < n; i++) {
		struct reading r = readings_at(host->readings, i);

		if (strcmp(r.name, "kernel.release") == 0 ||
		    is_needed(check->needs, r.name))
			return true;
	}
	return false;
}

bool basis_any(const struct check_ops *check, const struct topo_job *job)
{
	for (size_t i = 0; i < job->n_hosts; i++) {
		if (host_tells(check, &job->hosts[i]))
			return true;
	}
	return false;
}
