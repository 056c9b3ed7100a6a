// SPDX-License-Identifier: Apache-2.0
// Unit tests of views of one host that are joined.
#include "tests/unit/map_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/base/fmt.h"
#include "topo/model/map_merge.h"

/* What a task sees that has GPU @n alone: the driver calls it 0. */
static void view_of(struct topo_map *map, int n, bool named)
{
	char bus[MAP_BUS_MAX];
	struct map_gpu *gpu;

	*map = (struct topo_map){ 0 };
	(void)snprintf(bus, sizeof(bus), "0000:%02x:00.0", 0x10 + n);
	map_add_gpu(map, map_add_pci(map, -1, -1, bus, ""));
	gpu = &map->gpus[0];
	gpu->index = 0;
	if (named) {
		(void)snprintf(gpu->uuid, sizeof(gpu->uuid), "GPU-%d", n);
		fp_copy(gpu->name, sizeof(gpu->name), "NVIDIA H100");
	}
	map_add_nvlink(map, 0, -1, 18);
	map->nvlinks[0].state = LINK_UP;
	map->nvlinks[0].link = -1;
	map->nvlinks[0].remote = REMOTE_NVSWITCH;
	map->p2p = calloc(1, 1);
	assert_non_null(map->p2p);
	map->p2p[0] = P2P_SELF;
}

static void merge(struct topo_map *map, struct topo_map *more)
{
	assert_int_equal(topo_map_merge(map, more, NULL), FP_OK);
	topo_map_done(more);
}

/* In the order in which tasks come; the numbers are those of addresses. */
static void views_of_one_gpu_each(void **state)
{
	static const int order[] = { 2, 0, 3, 1 };
	struct topo_map map, more;

	(void)state;
	view_of(&map, order[0], true);
	for (int i = 1; i < 4; i++) {
		view_of(&more, order[i], true);
		merge(&map, &more);
	}
	assert_int_equal(map.n_gpus, 4);
	assert_int_equal(map.n_nvlinks, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(map.gpus[i].index, order[i]);
		assert_int_equal(map.p2p[i * 4 + i], P2P_SELF);
		assert_int_equal(map.p2p[i * 4 + (i + 1) % 4], P2P_NONE);
		map_check_path(&map, PATH_VIEW_SMI, i, (i + 1) % 4, "NV18");
	}
	/* once more: nothing new */
	view_of(&more, 3, true);
	merge(&map, &more);
	assert_int_equal(map.n_gpus, 4);
	assert_int_equal(map.n_nvlinks, 4);
	topo_map_done(&map);
}

/* The bus has them all; the driver's view names the one of each task. */
static void a_tree_that_learns(void **state)
{
	struct topo_map map = { .tree = TREE_PORTS }, more;
	int32_t numa = map_add_numa(&map, 0);

	(void)state;
	for (int i = 0; i < 3; i++) {
		char bus[MAP_BUS_MAX];

		(void)snprintf(bus, sizeof(bus), "0000:%02x:00.0", 0x10 + i);
		map_add_gpu(&map, map_add_pci(&map, -1, numa, bus, "0000:00"));
		map.gpus[i].index = i;
	}
	map_add_hca(&map,
	            map_add_pci(&map, -1, numa, "0000:20:00.0", "0000:00"));
	for (int i = 2; i > 0; i--) {
		view_of(&more, i, true);
		merge(&map, &more);
	}
	assert_int_equal(map.n_gpus, 3);
	assert_int_equal(map.n_pcis, 4);
	assert_string_equal(map.gpus[1].uuid, "GPU-1");
	assert_string_equal(map.gpus[2].name, "NVIDIA H100");
	assert_string_equal(map.gpus[0].uuid, "");
	assert_int_equal(map.gpus[2].index, 2);
	map_check_path(&map, PATH_VIEW_SMI, 1, 2, "NV18");
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "PHB");
	topo_map_done(&map);
}

/* An identity goes before an address: a container may renumber its bus. */
static void by_identity(void **state)
{
	struct topo_map map, more;

	(void)state;
	view_of(&map, 1, true);
	view_of(&more, 2, true);
	fp_copy(more.gpus[0].uuid, MAP_NAME_MAX, "GPU-1");
	merge(&map, &more);
	assert_int_equal(map.n_gpus, 1);
	view_of(&more, 1, true);
	fp_copy(more.gpus[0].uuid, MAP_NAME_MAX, "GPU-7");
	merge(&map, &more);
	assert_int_equal(map.n_gpus, 2);
	view_of(&more, 1, false);
	merge(&map, &more);
	assert_int_equal(map.n_gpus, 2);
	topo_map_done(&map);
}

/* What was drawn of some GPUs, with NICs behind them; by a peer that has a
 * tree, too. */
static void merge_drawings(uint32_t tree)
{
	static const char a[] = "\tGPU0\tGPU1\tNIC0\tCPU Affinity\n"
				"GPU0\t X \tPIX\tPHB\t0-3\n"
				"GPU1\tPIX\t X \tSYS\t0-3\n"
				"NIC0\tPHB\tSYS\t X \t\n";
	static const char b[] = "\tGPU2\tGPU3\n"
				"GPU2\t X \tPXB\n"
				"GPU3\tPXB\t X \n";
	struct topo_map map, more;

	map_read(a, &map);
	map.tree = tree;
	map_read(b, &more);
	merge(&map, &more);
	assert_int_equal(map.n_gpus, 4);
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "PIX");
	map_check_path(&map, PATH_VIEW_SMI, 2, 3, "PXB");
	map_check_path(&map, PATH_VIEW_SMI, 4, 1, "SYS");
	map_check_path(&map, PATH_VIEW_SMI, 1, 2, "?");
	topo_map_done(&map);
}

static void drawings(void **state)
{
	(void)state;
	merge_drawings(TREE_NONE);
	merge_drawings(TREE_PORTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_of_one_gpu_each),
		cmocka_unit_test(a_tree_that_learns),
		cmocka_unit_test(by_identity),
		cmocka_unit_test(drawings),
	};

	return cmocka_run_group_tests_name("map_merge", tests, NULL, NULL);
}
