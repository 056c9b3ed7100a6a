// SPDX-License-Identifier: Apache-2.0
// A host's RDMA ports, to be asked through a library that may be a fake.
#include "tests/unit/ports_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/map_bed.h"

void ports_bed_init(struct live *live, int32_t n)
{
	live->map = calloc(1, sizeof(*live->map));
	live->readings = readings_new(1);
	assert_non_null(live->map);
	assert_non_null(live->readings);
	for (int32_t i = 0; i < n; i++) {
		struct map_port *port;

		if (i % 2 == 0) {
			map_add_hca(live->map, -1);
			(void)snprintf(live->map->hcas[i / 2].name,
			               MAP_NAME_MAX, "mlx5_%d", i / 2);
		}
		assert_int_equal(topo_map_add_port(live->map, &port, NULL),
		                 FP_OK);
		port->hca = i / 2;
		port->port = i % 2 + 1;
	}
}

void ports_bed_done(struct live *live)
{
	topo_map_done(live->map);
	free(live->map);
	readings_unref(live->readings);
}

void ports_bed_skip(const struct live *live, const char *device,
                    const char *name, const char *why)
{
	struct reading got;

	assert_false(readings_get(live->readings, device, name, &got));
	assert_int_equal(got.kind, READING_SKIP);
	if (!strstr(got.text, why))
		fail_msg("%s: '%s' is not in '%s'", device, why, got.text);
}

bool ports_bed_library(const char *name, char path[static 4096])
{
	const char *progs = getenv("FP_PROGS");

	(void)snprintf(path, 4096, "%s/fake/%s", progs ? progs : ".", name);
	return access(path, R_OK) == 0;
}
