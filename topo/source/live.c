// SPDX-License-Identifier: Apache-2.0
// What readers of a host share.
#include "topo/source/live.h"

#include "topo/source/sysfs.h"

struct reading_pen live_pen(struct live *live, uint32_t source,
                            const char *device, struct fp_err *err)
{
	return (struct reading_pen){ .set = live->readings,
		                     .source = source,
		                     .device = device,
		                     .err = err };
}

void live_put_file(struct reading_pen *pen, const char *name, int root_fd,
                   const char *file)
{
	char text[SYSFS_TEXT_MAX];

	if (sysfs_read(root_fd, file, text, sizeof(text)))
		reading_put_text(pen, name, text);
}

int32_t live_numa_of(const struct topo_map *map, int64_t id)
{
	if (id < 0)
		return map->n_numas == 1 ? 0 : -1;
	return id > INT32_MAX ? -1 : topo_map_find_numa(map, (int32_t)id);
}
