// SPDX-License-Identifier: Apache-2.0
// Unit tests of reading RDMA MTUs, by a libibverbs that is a fake.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/map_bed.h"
#include "topo/source/live.h"

#define LIBRARY "fake/libfake-ibverbs.so.1"

/* Two HCAs of two ports, and what is read of them by @library. */
static void read_ports(const char *library, struct live *live)
{
	live->map = calloc(1, sizeof(*live->map));
	live->readings = readings_new(1);
	assert_non_null(live->map);
	assert_non_null(live->readings);
	for (int32_t i = 0; i < 4; i++) {
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
	assert_int_equal(live_verbs_read(live, library, NULL), FP_OK);
}

static void live_done(struct live *live)
{
	topo_map_done(live->map);
	free(live->map);
	readings_unref(live->readings);
}

static void check_skip(const struct live *live, const char *device,
                       const char *why)
{
	struct reading got;

	assert_false(
		readings_get(live->readings, device, "port.active_mtu", &got));
	assert_int_equal(got.kind, READING_SKIP);
	if (!strstr(got.text, why))
		fail_msg("'%s' is not in '%s'", why, got.text);
}

static void test_mtus_are_read_or_said_to_be_hidden(void **state)
{
	const char *progs = getenv("FP_PROGS");
	struct live live = { .running = true };
	char library[4096];

	(void)state;
	(void)snprintf(library, sizeof(library), "%s/" LIBRARY,
	               progs ? progs : ".");
	if (access(library, R_OK) != 0)
		skip();
	read_ports(library, &live);
	assert_int_equal(readings_get_int(live.readings, "mlx5_0/1",
	                                  "port.active_mtu", -1),
	                 4096);
	check_skip(&live, "mlx5_0/2", "ibv_query_port");
	check_skip(&live, "mlx5_1", "ibv_open_device: Permission denied");
	live_done(&live);
}

static void test_no_library_is_a_skip(void **state)
{
	struct live live = { .running = true };

	(void)state;
	read_ports("libnowhere.so.1", &live);
	check_skip(&live, "", "libnowhere.so.1");
	live_done(&live);
}

static void test_without_hcas_nobody_is_asked(void **state)
{
	struct topo_map none = { 0 };
	struct live live = { .map = &none, .readings = readings_new(1) };

	(void)state;
	assert_int_equal(live_verbs_read(&live, "libnowhere.so.1", NULL),
	                 FP_OK);
	assert_int_equal(readings_count(live.readings), 0);
	readings_unref(live.readings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mtus_are_read_or_said_to_be_hidden),
		cmocka_unit_test(test_no_library_is_a_skip),
		cmocka_unit_test(test_without_hcas_nobody_is_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
