// SPDX-License-Identifier: Apache-2.0
// Unit tests of drawing: what is drawn and read again is the same, for maps
// made at random.
#include "tests/unit/map_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS 300

/* A generator of its own, so that a failure can be repeated. */
struct dice {
	uint64_t state;
};

static uint32_t roll(struct dice *dice, uint32_t sides)
{
	dice->state = dice->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(dice->state >> 33) % sides;
}

static bool likely(struct dice *dice)
{
	return roll(dice, 4) != 0;
}

static void random_set(struct dice *dice, uint32_t max, struct topo_set *set)
{
	uint32_t n = 1 + roll(dice, 4);

	while (n--) {
		uint32_t lo = roll(dice, max), len = 1 + roll(dice, 40);

		for (uint32_t i = lo; i < lo + len && i < max; i++)
			topo_set_add(set, i);
	}
}

static struct path random_path(struct dice *dice)
{
	static const uint8_t types[] = { PATH_NVLINK, PATH_PIX,  PATH_PXB,
		                         PATH_PHB,    PATH_NODE, PATH_SYS };
	struct path path = { .type = types[roll(dice, sizeof(types))] };

	if (path.type == PATH_NVLINK)
		path.nvlinks = (uint8_t)(1 + roll(dice, 36));
	return path;
}

static void random_gpu(struct dice *dice, struct topo_map *map)
{
	struct map_gpu *gpu;

	map_add_gpu(map, -1);
	gpu = &map->gpus[map->n_gpus - 1];
	if (map->columns & MAP_COLUMN_CPUS && likely(dice)) {
		gpu->cpus_known = true;
		/* Of the last column nobody sees that it is empty. */
		if (map->columns == MAP_COLUMN_CPUS || likely(dice))
			random_set(dice, TOPO_SET_MAX, &gpu->cpus);
	}
	if (map->columns & MAP_COLUMN_NUMAS && likely(dice))
		random_set(dice, 32, &gpu->numas);
	if (map->columns & MAP_COLUMN_GPU_NUMA && !likely(dice))
		gpu->gpu_numa = (int32_t)roll(dice, 64);
}

static void random_drawing(struct dice *dice, struct topo_map *map)
{
	static const uint32_t columns[] = { 0, 1, 3, 7 };
	size_t gpus = 1 + roll(dice, 16), hcas = roll(dice, 12), n;
	bool numbered = likely(dice);

	map->columns = columns[roll(dice, 4)];
	while (gpus--)
		random_gpu(dice, map);
	while (hcas--) {
		struct map_hca *hca;

		map_add_hca(map, -1);
		hca = &map->hcas[map->n_hcas - 1];
		if (!numbered || likely(dice))
			(void)snprintf(hca->name, sizeof(hca->name), "mlx5_%zu",
			               map->n_hcas + 3);
		if (!numbered)
			hca->index = -1;
	}
	n = topo_map_devices(map);
	map->drawn = calloc(n * n, sizeof(*map->drawn));
	assert_non_null(map->drawn);
	for (size_t i = 0; i < n * n; i++)
		map->drawn[i] = i % (n + 1) ? random_path(dice)
		                            : (struct path){ PATH_SELF, 0 };
}

/* One GPU without anything beside it is no header that anybody would see. */
static bool can_be_seen(const struct topo_map *map)
{
	return topo_map_devices(map) > 1 || map->columns;
}

static void drawn_and_read_again(void **state)
{
	struct dice dice = { 7 };

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct topo_map map = { 0 }, again;
		struct path_matrix matrix;
		struct fp_text text = { 0 };

		random_drawing(&dice, &map);
		assert_int_equal(
			path_matrix_init(&map, PATH_VIEW_SMI, &matrix, NULL),
			FP_OK);
		render_smi(&map, &matrix, &text);
		if (can_be_seen(&map)) {
			map_read(fp_text_str(&text), &again);
			map_check_equal(&map, &again);
			topo_map_done(&again);
		}
		fp_text_free(&text);
		path_matrix_done(&matrix);
		topo_map_done(&map);
	}
}

static void random_pci(struct dice *dice, struct map_pci *pci, int32_t class)
{
	static const int32_t speeds[] = {
		2500, 5000, 8000, 16000, 32000, 64000
	};

	pci->class_code = class;
	if (likely(dice)) {
		pci->vendor = (int32_t)roll(dice, 0x10000);
		pci->device = (int32_t)roll(dice, 0x10000);
		pci->subsystem_vendor = (int32_t)roll(dice, 0x10000);
		pci->subsystem_device = (int32_t)roll(dice, 0x10000);
	}
	if (likely(dice))
		pci->speed_mtps = speeds[roll(dice, 6)];
	if (likely(dice))
		pci->width = 1 << roll(dice, 5);
}

static int32_t random_node(struct dice *dice, struct topo_map *map,
                           int32_t parent, int32_t numa, int32_t class)
{
	char bus_id[MAP_BUS_MAX];
	int32_t pci;

	(void)snprintf(bus_id, sizeof(bus_id), "0000:%02zx:00.0", map->n_pcis);
	pci = map_add_pci(map, parent, numa, bus_id, "");
	random_pci(dice, &map->pcis[pci], class);
	return pci;
}

static void random_gpu_below(struct dice *dice, struct topo_map *map,
                             int32_t parent, int32_t numa)
{
	int32_t pci = random_node(dice, map, parent, numa, 0x030200), gpu;

	map_add_gpu(map, pci);
	gpu = (int32_t)map->n_gpus - 1;
	map->gpus[gpu].sm = 90;
	map->gpus[gpu].rank = gpu;
	map->gpus[gpu].gdr = 1;
	for (uint32_t links = roll(dice, 4); links; links--) {
		struct map_nvlink *link;

		map_add_nvlink(map, gpu, -1, 1 + (int32_t)roll(dice, 18));
		link = &map->nvlinks[map->n_nvlinks - 1];
		(void)snprintf(link->remote_bus, MAP_BUS_MAX, "0000:f%u:00.0",
		               roll(dice, 8));
	}
}

static void random_hca_below(struct dice *dice, struct topo_map *map,
                             int32_t parent, int32_t numa)
{
	int32_t pci = random_node(dice, map, parent, numa, 0x020700);
	struct map_port *port;

	map_add_hca(map, pci);
	map->hcas[map->n_hcas - 1].numa = numa;
	(void)snprintf(map->hcas[map->n_hcas - 1].name, MAP_NAME_MAX,
	               "mlx5_<&\">%zu", map->n_hcas);
	for (int32_t ports = 1 + (int32_t)roll(dice, 2), i = 1; i <= ports;
	     i++) {
		assert_int_equal(topo_map_add_port(map, &port, NULL), FP_OK);
		port->hca = (int32_t)map->n_hcas - 1;
		port->port = i;
		port->dev = (int32_t)map->n_ports - 1;
		port->rate_bps = 200000 * INT64_C(1000000);
		port->latency_ns = roll(dice, 100000);
		port->maxconn = 131072;
		port->gdr = (int32_t)roll(dice, 2);
		(void)snprintf(port->guid, MAP_ID_MAX, "0x%x",
		               roll(dice, 1 << 30));
	}
}

static void random_below(struct dice *dice, struct topo_map *map,
                         int32_t parent, int32_t numa, int depth)
{
	for (uint32_t n = 1 + roll(dice, 3); n; n--) {
		uint32_t what = roll(dice, depth < 3 ? 3 : 2);

		if (map->n_pcis > 200)
			return;
		if (what == 0)
			random_gpu_below(dice, map, parent, numa);
		else if (what == 1)
			random_hca_below(dice, map, parent, numa);
		else
			random_below(
				dice, map,
				random_node(dice, map, parent, numa, 0x060400),
				numa, depth + 1);
	}
}

/* What a GPU's place says of it is not random. */
static void place(struct topo_map *map)
{
	for (size_t i = 0; i < map->n_gpus; i++) {
		struct map_gpu *gpu = &map->gpus[i];
		const struct map_numa *numa =
			&map->numas[map->pcis[gpu->pci].numa];

		topo_set_add(&gpu->numas, numa->id);
		gpu->cpus = numa->cpus;
		gpu->cpus_known = topo_set_first(&numa->cpus) >= 0;
	}
}

static void random_tree(struct dice *dice, struct topo_map *map)
{
	map->tree = TREE_SWITCHES;
	for (int32_t n = 0, numas = 1 + (int32_t)roll(dice, 4); n < numas;
	     n++) {
		struct map_numa *numa;
		int32_t at = map_add_numa(map, n);

		numa = &map->numas[at];
		numa->family = 6;
		numa->model = 143;
		(void)snprintf(numa->arch, MAP_ID_MAX, "x86_64");
		(void)snprintf(numa->vendor, MAP_ID_MAX, "GenuineIntel");
		if (likely(dice))
			random_set(dice, TOPO_SET_MAX, &numa->cpus);
		random_below(dice, map, -1, at, 0);
	}
	place(map);
	topo_map_resolve(map);
}

static void topology_files_are_read_again(void **state)
{
	struct dice dice = { 11 };

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct topo_map map = { 0 }, again;
		struct fp_text text = { 0 };

		random_tree(&dice, &map);
		assert_int_equal(render_nccl(&map, &text, NULL), FP_OK);
		map_read(fp_text_str(&text), &again);
		map_check_equal(&map, &again);
		topo_map_done(&again);
		fp_text_free(&text);
		topo_map_done(&map);
	}
}

static void a_drawing_is_no_topology_file(void **state)
{
	struct topo_map map;
	struct fp_text text = { 0 };

	(void)state;
	map_read("\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU1\tPIX\t X \n", &map);
	assert_int_equal(render_nccl(&map, &text, NULL), FP_ERR_NOTSUP);
	fp_text_free(&text);
	topo_map_done(&map);
}

static void peer_access_is_drawn_and_read_again(void **state)
{
	static const char drawn[] =
		"\tGPU0\tGPU1\tGPU2\nGPU0\tX\tOK\tCNS\nGPU1\tOK\tX\tGNS\n"
		"GPU2\tTNS\tU\tX\n";
	struct topo_map map;
	struct fp_text text = { 0 };

	(void)state;
	map_read(drawn, &map);
	render_p2p(&map, &text);
	assert_memory_equal(fp_text_str(&text), drawn, sizeof(drawn) - 1);
	fp_text_free(&text);
	topo_map_done(&map);
}

static void graphs_can_be_quoted(void **state)
{
	struct dice dice = { 5 };
	struct topo_map map = { 0 };
	struct path_matrix matrix;
	struct fp_text text = { 0 };
	size_t quotes = 0;

	(void)state;
	random_tree(&dice, &map);
	assert_int_equal(path_matrix_init(&map, PATH_VIEW_SMI, &matrix, NULL),
	                 FP_OK);
	render_dot(&map, &matrix, &text);
	assert_memory_equal(fp_text_str(&text), "graph host {\n", 13);
	for (size_t i = 0; i < text.len; i++)
		quotes += text.data[i] == '"';
	assert_int_equal(quotes % 2, 0);
	fp_text_free(&text);
	path_matrix_done(&matrix);
	topo_map_done(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_and_read_again),
		cmocka_unit_test(topology_files_are_read_again),
		cmocka_unit_test(a_drawing_is_no_topology_file),
		cmocka_unit_test(peer_access_is_drawn_and_read_again),
		cmocka_unit_test(graphs_can_be_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
