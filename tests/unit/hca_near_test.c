// SPDX-License-Identifier: Apache-2.0
// A port near a GPU, and others: storage's below another bridge, none at all.
#include "topo/discover/hca_near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/map_bed.h"

static void name_hca(struct topo_map *map, const char *name)
{
	struct map_hca *hca = &map->hcas[map->n_hcas - 1];

	(void)snprintf(hca->name, sizeof(hca->name), "%s", name);
}

/* One switch with the GPU and mlx5_0 below it, mlx5_1 below a root port of
 * its own, mlx5_2 whose place is not known. */
static void build(struct topo_map *map)
{
	int32_t numa = map_add_numa(map, 0);
	int32_t up = map_add_pci(map, -1, numa, "0000:01:00.0", "0000:00");
	int32_t down[2] = {
		map_add_pci(map, up, numa, "0000:02:00.0", "0000:00"),
		map_add_pci(map, up, numa, "0000:02:01.0", "0000:00"),
	};
	int32_t alone = map_add_pci(map, -1, numa, "0000:40:00.0", "0000:40");

	map_add_gpu(map,
	            map_add_pci(map, down[0], numa, "0000:03:00.0", "0000:00"));
	map_add_hca(map,
	            map_add_pci(map, down[1], numa, "0000:04:00.0", "0000:00"));
	name_hca(map, "mlx5_0");
	map_add_hca(map,
	            map_add_pci(map, alone, numa, "0000:41:00.0", "0000:40"));
	name_hca(map, "mlx5_1");
	map_add_hca(map, -1);
	name_hca(map, "mlx5_2");
	map->tree = TREE_SWITCHES;
}

static void test_mark(void **state)
{
	struct hca_candidate ports[] = {
		{ .name = "mlx5_1", .near_gpu = true },
		{ .name = "mlx5_0" },
		{ .name = "mlx5_0", .port = 2 },
		{ .name = "mlx5_2" },
		{ .name = "mlx5_" },
	};
	static const bool near[] = { false, true, true, false, false };
	struct topo_map map = { 0 };

	(void)state;
	build(&map);
	assert_int_equal(hca_near_mark(&map, ports, N_ROWS(ports), NULL),
	                 FP_OK);
	for (size_t i = 0; i < N_ROWS(ports); i++)
		assert_int_equal(ports[i].near_gpu, near[i]);
	topo_map_done(&map);
}

static void test_unread(void **state)
{
	struct hca_candidate port = { .name = "mlx5_0", .near_gpu = true };
	struct fp_err err = { 0 };

	(void)state;
	assert_int_equal(hca_near_read("/no/such/host", &port, 1, &err),
	                 FP_ERR_SYS);
	assert_non_null(strstr(err.text, "/no/such/host"));
	assert_true(port.near_gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mark),
		cmocka_unit_test(test_unread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
