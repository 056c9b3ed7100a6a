// SPDX-License-Identifier: Apache-2.0
// Unit tests of relations in a tree, by the rules of nvidia-smi and of NCCL.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/map_bed.h"

/*
 * As sysfs has it, each bridge a node:
 *   pci0000:00 (NUMA 0)
 *     00:01.0 root port - 01 switch: ports 02, 03, 04
 *        02 - 05 GPU0;  03 - 06 NIC0, 06.1 NIC1 (two functions of one card)
 *        04 - 07 switch: ports 08 - 09 GPU1
 *     00:02.0 root port - 0a GPU2
 *   pci0000:10 (NUMA 0): 10:01.0 - 11 GPU3
 *   pci0000:80 (NUMA 1): 80:01.0 - 81 GPU4
 */
static void build_ports(struct topo_map *map)
{
	int32_t n0 = map_add_numa(map, 0), n1 = map_add_numa(map, 1);
	const char *a = "0000:00", *b = "0000:10", *c = "0000:80";
	int32_t root = map_add_pci(map, -1, n0, "0000:00:01.0", a);
	int32_t up = map_add_pci(map, root, n0, "0000:01:00.0", a);
	int32_t p2 = map_add_pci(map, up, n0, "0000:02:00.0", a);
	int32_t p3 = map_add_pci(map, up, n0, "0000:02:01.0", a);
	int32_t p4 = map_add_pci(map, up, n0, "0000:02:02.0", a);
	int32_t up2 = map_add_pci(map, p4, n0, "0000:07:00.0", a);
	int32_t p8 = map_add_pci(map, up2, n0, "0000:08:00.0", a);
	int32_t root2 = map_add_pci(map, -1, n0, "0000:00:02.0", a);
	int32_t root3 = map_add_pci(map, -1, n0, "0000:10:01.0", b);
	int32_t root4 = map_add_pci(map, -1, n1, "0000:80:01.0", c);

	map->tree = TREE_PORTS;
	map_add_gpu(map, map_add_pci(map, p2, n0, "0000:05:00.0", a));
	map_add_gpu(map, map_add_pci(map, p8, n0, "0000:09:00.0", a));
	map_add_gpu(map, map_add_pci(map, root2, n0, "0000:0a:00.0", a));
	map_add_gpu(map, map_add_pci(map, root3, n0, "0000:11:00.0", b));
	map_add_gpu(map, map_add_pci(map, root4, n1, "0000:81:00.0", c));
	map_add_hca(map, map_add_pci(map, p3, n0, "0000:06:00.0", a));
	map_add_hca(map, map_add_pci(map, p3, n0, "0000:06:00.1", a));
}

enum { GPU0, GPU1, GPU2, GPU3, GPU4, NIC0, NIC1 };

static void tree_of_ports(void **state)
{
	static const struct {
		size_t a, b;
		const char *smi, *nccl;
	} rows[] = {
		{ GPU0, GPU0, "X", "X" },      { GPU0, NIC0, "PIX", "PIX" },
		{ GPU0, NIC1, "PIX", "PIX" },  { NIC0, NIC1, "PIX", "PIX" },
		{ GPU0, GPU1, "PXB", "PXB" },  { GPU1, NIC0, "PXB", "PXB" },
		{ GPU0, GPU2, "PHB", "PHB" },  { GPU1, GPU2, "PHB", "PHB" },
		{ GPU0, GPU3, "NODE", "PHB" }, { GPU2, NIC0, "PHB", "PHB" },
		{ GPU0, GPU4, "SYS", "SYS" },  { GPU4, NIC0, "SYS", "SYS" },
		{ GPU3, GPU4, "SYS", "SYS" },
	};
	struct topo_map map = { 0 };

	(void)state;
	build_ports(&map);
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		map_check_path(&map, PATH_VIEW_SMI, rows[i].a, rows[i].b,
		               rows[i].smi);
		map_check_path(&map, PATH_VIEW_NCCL, rows[i].a, rows[i].b,
		               rows[i].nccl);
	}
	topo_map_done(&map);
}

/* As NCCL writes it, each switch a node. */
static void tree_of_switches(void **state)
{
	struct topo_map map = { 0 };
	int32_t n0, top, left, right;

	(void)state;
	n0 = map_add_numa(&map, 0);
	top = map_add_pci(&map, -1, n0, "0000:08:00.0", "");
	left = map_add_pci(&map, top, n0, "0000:0d:00.0", "");
	right = map_add_pci(&map, top, n0, "0000:0a:00.0", "");
	map.tree = TREE_SWITCHES;
	map_add_gpu(&map, map_add_pci(&map, left, n0, "0000:0f:00.0", ""));
	map_add_gpu(&map, map_add_pci(&map, left, n0, "0000:10:00.0", ""));
	map_add_hca(&map, map_add_pci(&map, right, n0, "0000:0c:00.0", ""));
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "PIX");
	map_check_path(&map, PATH_VIEW_SMI, 0, 2, "PXB");
	map_check_path(&map, PATH_VIEW_NCCL, 0, 2, "PXB");
	/* Two levels of one Broadcom switch are one switch to NCCL. */
	for (int32_t i = top; i <= right; i++) {
		map.pcis[i].vendor = map.pcis[i].subsystem_vendor = 0x1000;
		map.pcis[i].device = 0xc030;
		map.pcis[i].subsystem_device = i == top ? 0x0072 : 0x1003;
	}
	map_check_path(&map, PATH_VIEW_SMI, 0, 2, "PXB");
	map_check_path(&map, PATH_VIEW_NCCL, 0, 2, "PIX");
	topo_map_done(&map);
}

static void functions_of_one_card_at_the_cpu(void **state)
{
	struct topo_map map = { 0 };
	int32_t numa;

	(void)state;
	numa = map_add_numa(&map, 0);
	map.tree = TREE_SWITCHES;
	map_add_hca(&map, map_add_pci(&map, -1, numa, "0000:01:00.0", ""));
	map_add_hca(&map, map_add_pci(&map, -1, numa, "0000:01:00.1", ""));
	map_add_hca(&map, map_add_pci(&map, -1, numa, "0000:02:00.0", ""));
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "PIX");
	map_check_path(&map, PATH_VIEW_SMI, 0, 2, "PHB");
	topo_map_done(&map);
}

static void build_nvswitch(struct topo_map *map)
{
	int32_t numas[2] = { map_add_numa(map, 0), map_add_numa(map, 1) };

	map->tree = TREE_SWITCHES;
	for (int32_t i = 0; i < 4; i++) {
		char bus_id[MAP_BUS_MAX] = "0000:10:00.0";
		int32_t sw, numa = numas[i / 2];

		bus_id[6] = (char)('0' + i);
		sw = map_add_pci(map, -1, numa, bus_id, "");
		bus_id[5] = '2';
		map_add_gpu(map, map_add_pci(map, sw, numa, bus_id, ""));
		bus_id[5] = '3';
		map_add_hca(map, map_add_pci(map, sw, numa, bus_id, ""));
		map_add_nvlink(map, i, -1, 18);
	}
}

static void nvswitch_counts_the_fewer_links(void **state)
{
	struct topo_map map = { 0 };

	(void)state;
	build_nvswitch(&map);
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "NV18");
	map_check_path(&map, PATH_VIEW_SMI, 0, 3, "NV18");
	map.nvlinks[2].count = 17;
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "NV18");
	map_check_path(&map, PATH_VIEW_SMI, 0, 2, "NV17");
	map_check_path(&map, PATH_VIEW_NCCL, 2, 3, "NV17");
	map.nvlinks[2].state = LINK_DOWN;
	map_check_path(&map, PATH_VIEW_SMI, 0, 2, "SYS");
	map_check_path(&map, PATH_VIEW_SMI, 2, 3, "PHB");
	topo_map_done(&map);
}

static void far_hcas_by_their_own_gpu(void **state)
{
	struct topo_map map = { 0 };

	(void)state;
	build_nvswitch(&map);
	map_check_path(&map, PATH_VIEW_SMI, 0, 4, "PIX");
	map_check_path(&map, PATH_VIEW_SMI, 0, 5, "PHB");
	map_check_path(&map, PATH_VIEW_SMI, 0, 6, "SYS");
	map_check_path(&map, PATH_VIEW_NCCL, 0, 4, "PIX");
	map_check_path(&map, PATH_VIEW_NCCL, 0, 5, "PXN");
	map_check_path(&map, PATH_VIEW_NCCL, 0, 6, "PXN");
	map_check_path(&map, PATH_VIEW_NCCL, 4, 5, "PHB");
	topo_map_done(&map);
}

static void nvlinks_by_way_of_a_gpu(void **state)
{
	struct topo_map map = { 0 };
	int32_t n0, n1;

	(void)state;
	n0 = map_add_numa(&map, 0);
	n1 = map_add_numa(&map, 1);
	map.tree = TREE_SWITCHES;
	map_add_gpu(&map, map_add_pci(&map, -1, n0, "0000:01:00.0", ""));
	map_add_gpu(&map, map_add_pci(&map, -1, n0, "0000:02:00.0", ""));
	map_add_gpu(&map, map_add_pci(&map, -1, n1, "0000:03:00.0", ""));
	map_add_nvlink(&map, 0, 1, 2);
	map_add_nvlink(&map, 1, 0, 2);
	map_add_nvlink(&map, 1, 2, 1);
	map_add_nvlink(&map, 2, 1, 1);
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "NV2");
	map_check_path(&map, PATH_VIEW_SMI, 1, 2, "NV1");
	map_check_path(&map, PATH_VIEW_SMI, 0, 2, "SYS");
	map_check_path(&map, PATH_VIEW_NCCL, 0, 2, "NVB");
	topo_map_done(&map);
}

static void links_to_the_cpu(void **state)
{
	struct topo_map map = { 0 };
	int32_t numa, far;

	(void)state;
	numa = map_add_numa(&map, 0);
	far = map_add_numa(&map, 1);
	map.tree = TREE_SWITCHES;
	map_add_gpu(&map, map_add_pci(&map, -1, numa, "0000:01:00.0", ""));
	map_add_gpu(&map, map_add_pci(&map, -1, numa, "0000:02:00.0", ""));
	map_check_path(&map, PATH_VIEW_NCCL, 0, 1, "PHB");
	for (int32_t i = 0; i < 2; i++) {
		map_add_nvlink(&map, i, -1, 1);
		map.nvlinks[i].remote = REMOTE_CPU;
		map.nvlinks[i].speed_MBps = 200000;
	}
	map_check_path(&map, PATH_VIEW_NCCL, 0, 1, "C2C");
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "PHB");
	/* A NIC of the same CPU is next to that link, one of another is not. */
	map_add_hca(&map, map_add_pci(&map, -1, numa, "0000:03:00.0", ""));
	map_add_hca(&map, map_add_pci(&map, -1, far, "0000:04:00.0", ""));
	map_check_path(&map, PATH_VIEW_NCCL, 0, 2, "P2C");
	map_check_path(&map, PATH_VIEW_NCCL, 0, 3, "SYS");
	map_check_path(&map, PATH_VIEW_SMI, 0, 2, "PHB");
	topo_map_done(&map);
}

static void without_a_tree_nothing_is_known(void **state)
{
	struct topo_map map = { 0 };

	(void)state;
	map_add_gpu(&map, -1);
	map_add_gpu(&map, -1);
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "?");
	map_check_path(&map, PATH_VIEW_NCCL, 0, 1, "?");
	topo_map_done(&map);
}

static void addresses(void **state)
{
	static const struct {
		const char *text, *want; /* NULL: refused */
	} rows[] = {
		{ "0000:0f:00.0", "0000:0f:00.0" },
		{ "00000000:3B:00.0", "0000:3b:00.0" },
		{ "00010000:3B:00.0", "10000:3b:00.0" },
		{ "ffff:ff:01.0", "ffff:ff:01.0" },
		{ "3b:00.0", "0000:3b:00.0" },
		{ "0000:3b:00", "0000:3b:00.0" },
		{ "fffffff:ffff:ff", NULL },
		{ "0000:3b:00.0x", NULL },
		{ "", NULL },
		{ "GPU0", NULL },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		char got[MAP_BUS_MAX] = "untouched";

		assert_int_equal(map_bus_id(rows[i].text, got),
		                 rows[i].want != NULL);
		assert_string_equal(got,
		                    rows[i].want ? rows[i].want : "untouched");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree_of_ports),
		cmocka_unit_test(tree_of_switches),
		cmocka_unit_test(functions_of_one_card_at_the_cpu),
		cmocka_unit_test(nvswitch_counts_the_fewer_links),
		cmocka_unit_test(far_hcas_by_their_own_gpu),
		cmocka_unit_test(nvlinks_by_way_of_a_gpu),
		cmocka_unit_test(links_to_the_cpu),
		cmocka_unit_test(without_a_tree_nothing_is_known),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
