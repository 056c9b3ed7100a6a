// SPDX-License-Identifier: Apache-2.0
// Unit tests of saved text of all kinds: what is recognised, what is refused.
#include "tests/unit/map_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/reading/reading.h"

static void kinds_are_found_by_content(void **state)
{
	static const struct {
		const char *text, *kinds;
	} rows[] = {
		{ "\tGPU0\tGPU1\nGPU0\t X \tPIX\n", "nvidia-smi topo" },
		{ "GPU 0: L4 (UUID: GPU-1)\n Link 0: 25 GB/s\n",
		  "nvidia-smi nvlink" },
		{ "\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU 0: L4 (UUID: GPU-1)\n",
		  "nvidia-smi topo, nvidia-smi nvlink" },
		{ "junk\n<!-- c -->\n<system version=\"1\"><cpu numaid=\"0\"/>"
		  "</system>\njunk",
		  "NCCL topology" },
		{ "Attached GPUs : 1\nGPU 00000000:19:00.0\n"
		  " Product Name : NVIDIA L4\n",
		  "nvidia-smi -q" },
		{ "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n", "ibstat" },
		{ "hca_id:\tmlx5_0\n\tport:\t1\n\t\tstate:\tPORT_ACTIVE (4)\n",
		  "ibv_devinfo" },
		{ "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM "
		  "\"hwloc2.dtd\">\n<topology version=\"2.0\"><object "
		  "type=\"Machine\"><object type=\"PCIDev\" "
		  "pci_busid=\"0000:01:00.0\" pci_type=\"0302 [10de:2330] "
		  "[10de:16c1] a1\"/></object></topology>",
		  "hwloc XML" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct source_text text = { rows[i].text,
			                    strlen(rows[i].text) };
		struct fp_text kinds = { 0 };
		struct fp_err err = { 0 };
		struct topo_map map;

		if (topo_from_text(&text, &map, &kinds, &err) != FP_OK)
			fail_msg("%s: %s", rows[i].kinds, err.text);
		assert_string_equal(fp_text_str(&kinds), rows[i].kinds);
		fp_text_free(&kinds);
		topo_map_done(&map);
	}
}

static void counters_beyond_32_bits(void **state)
{
	static const char saved[] = "GPU 0: NVIDIA H100 (UUID: GPU-1)\n"
				    "\t Link 0: Replay Errors: 4294967296\n"
				    "\t Link 0: CRC FLIT Error: 12\n"
				    "\t Link 1: Replay Errors: N/A\n";
	const struct source_text text = { saved, strlen(saved) };
	struct topo_host host = { .n_cpus = -1 };
	struct fp_text kinds = { 0 };

	(void)state;
	assert_int_equal(topo_host_from_text(&text, &host, &kinds, NULL),
	                 FP_OK);
	assert_int_equal(readings_get_int(host.readings, "GPU0/nvlink0",
	                                  "nvlink.replays", -1),
	                 4294967296);
	assert_int_equal(readings_get_int(host.readings, "GPU0/nvlink0",
	                                  "nvlink.crc_errors", -1),
	                 12);
	assert_int_equal(readings_get_int(host.readings, "GPU0/nvlink1",
	                                  "nvlink.replays", -1),
	                 -1);
	fp_text_free(&kinds);
	topo_host_done(&host);
}

#define SYSTEM(inside) "<system version=\"1\">\n" inside "</system>\n"
#define CPU(inside) SYSTEM("<cpu numaid=\"0\">\n" inside "</cpu>\n")

static void what_is_refused(void **state)
{
	static const struct {
		const char *text;
		enum fp_status status;
		const char *word;
	} rows[] = {
		{ "", FP_ERR_INPUT, "explain" },
		{ "hello\n", FP_ERR_INPUT, "explain" },
		{ "[    1.5] NVRM: Xid (PCI:0000:07:00): 79, x\n", FP_ERR_INPUT,
		  "kernel log, which tells of no map" },
		{ "GPU0 is slow\n", FP_ERR_INPUT, "no device" },
		{ SYSTEM(""), FP_ERR_INPUT, "no device" },
		{ CPU("<pci busid=\"nonsense\"/>\n"), FP_ERR_INPUT,
		  "line 3, column 1" },
		{ CPU("<pci busid=\"0000:01:00.0\">\n<oops></pci>\n"),
		  FP_ERR_INPUT, "line 4" },
		{ CPU("<pci busid=\"0000:01:00.0\" a=b/>\n"), FP_ERR_INPUT,
		  "line 3" },
		{ SYSTEM("<cpu numaid=\"0\" affinity=\"xyz\"/>"), FP_ERR_INPUT,
		  "affinity" },
		{ "<?xml version=\"1.0\"?><topology version=\"2.0\"><object "
		  "type=\"Machine\"/></topology>",
		  FP_ERR_INPUT, "hwloc" },
		{ "{\"schema\":\"fabricprobe-snapshot/1\"}", FP_ERR_LIMIT,
		  "snapshot" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++)
		map_read_fails(rows[i].text, strlen(rows[i].text),
		               rows[i].status, rows[i].word);
}

/* Lines of the same text, many times over. */
static char *repeat(const char *head, const char *text, size_t times,
                    size_t *ret_len)
{
	size_t first = strlen(head), len = strlen(text);
	char *all = malloc(first + times * len + 1);

	assert_non_null(all);
	memcpy(all, head, first + 1);
	for (size_t i = 0; i < times; i++)
		memcpy(all + first + i * len, text, len + 1);
	*ret_len = first + times * len;
	return all;
}

static void limits(void **state)
{
	static const struct {
		const char *head, *text;
		size_t times;
		const char *word;
	} rows[] = {
		{ "", "\tGPU0", 1000000, "column" },
		{ "", "GPU0 X\n", 3000000, "bytes" },
		{ "<system>", "<pci busid=\"0000:01:00.0\">", 100, "deep" },
		{ "<system>", "<cpu/>", 1000, "rows" },
		{ "<system>", "<x/>", 300000, "elements" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		size_t len;
		char *text =
			repeat(rows[i].head, rows[i].text, rows[i].times, &len);

		map_read_fails(text, len, FP_ERR_LIMIT, rows[i].word);
		free(text);
	}
}

static void as_many_devices_as_may_be(void **state)
{
	struct fp_text text = { 0 };
	struct topo_map map;

	(void)state;
	for (int i = 0; i < MAP_DEVICES_MAX; i++)
		fp_text_printf(&text, "\tGPU%d", i);
	fp_text_printf(&text, "\nGPU0\t X ");
	for (int i = 1; i < MAP_DEVICES_MAX; i++)
		fp_text_printf(&text, "\tSYS");
	fp_text_printf(&text, "\n");
	map_read(fp_text_str(&text), &map);
	assert_int_equal(map.n_gpus, MAP_DEVICES_MAX);
	assert_int_equal(map.drawn[MAP_DEVICES_MAX - 1].type, PATH_SYS);
	topo_map_done(&map);
	fp_text_free(&text);
}

/* Each entity is ten of the one before. */
static void entities_are_not_expanded(void **state)
{
	static const char bomb[] =
		"<?xml version=\"1.0\"?>\n<!DOCTYPE topology [\n"
		"<!ENTITY a \"aaaaaaaaaa\">\n"
		"<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">\n]>\n"
		"<topology><object type=\"&b;\"/></topology>";
	static const char inner[] =
		"<system><!ENTITY a \"x\"><cpu numaid=\"&a;\"/></system>";

	(void)state;
	map_read_fails(bomb, sizeof(bomb) - 1, FP_ERR_INPUT, "line");
	map_read_fails(inner, sizeof(inner) - 1, FP_ERR_INPUT, "line");
}

static const char whole_xml[] =
	"<system version=\"1\">\n"
	" <cpu numaid=\"0\" affinity=\"ff\" arch=\"x86_64\">\n"
	"  <pci busid=\"0000:01:00.0\" class=\"0x060400\">\n"
	"   <pci busid=\"0000:02:00.0\" class=\"0x030200\">\n"
	"    <gpu dev=\"0\" sm=\"90\" rank=\"0\"/>\n"
	"   </pci>\n"
	"  </pci>\n"
	" </cpu>\n"
	"</system>\n";

static void a_cut_file_is_said_to_be_cut(void **state)
{
	struct topo_map map;
	size_t len = sizeof(whole_xml) - 1;

	(void)state;
	for (size_t cut = 30; cut < len - 10; cut++) {
		struct source_text text = { whole_xml, cut };
		struct fp_text kinds = { 0 };

		if (topo_from_text(&text, &map, &kinds, NULL) == FP_OK) {
			assert_true(map.partial);
			assert_int_equal(map.n_notes, 1);
			assert_true(map.notes[0].line > 0);
			topo_map_done(&map);
		}
		fp_text_free(&kinds);
	}
	map_read(whole_xml, &map);
	assert_false(map.partial);
	assert_int_equal(map.n_gpus, 1);
	topo_map_done(&map);
}

static void nuls_and_noise(void **state)
{
	static const char text[] = "\0\0\tGPU0\0\tGPU1\0\nGPU0\t\0X\t\0PIX\n"
				   "GPU1\tPIX\tX\n\xff\xfe\x1b[";
	struct source_text source = { text, sizeof(text) - 1 };
	struct fp_text kinds = { 0 };
	struct topo_map map;

	(void)state;
	assert_int_equal(topo_from_text(&source, &map, &kinds, NULL), FP_OK);
	assert_int_equal(map.n_gpus, 2);
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "PIX");
	topo_map_done(&map);
	fp_text_free(&kinds);
}

static void ports(void **state)
{
	static const char text[] =
		"CA 'mlx5_0'\n\tCA type: MT4129\n\tNumber of ports: 1\n"
		"\tFirmware version: 28.39.1002\n\tPort 1:\n"
		"\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n"
		"\t\tLink layer: InfiniBand\n"
		"CA 'mlx5_1'\n        Port 1:\n                State: Down\n"
		"                Physical state: Polling\n"
		"                Rate: 10\n"
		"CA 'mlx5_2'\n\tPort 1:\n\t\tState: Down\n"
		"\t\tPhysical state: Disabled\n\t\tLink layer: Ethernet\n";
	static const char status[] =
		"Infiniband device 'mlx5_0' port 1 status:\n"
		"\tstate:\t\t 4: ACTIVE\n\tphys state:\t 5: LinkUp\n"
		"\trate:\t\t 200 Gb/sec (4X HDR)\n\tlink_layer:\t InfiniBand\n";
	struct topo_map map;

	(void)state;
	map_read(text, &map);
	assert_int_equal(map.n_hcas, 3);
	assert_int_equal(map.n_ports, 3);
	assert_string_equal(map.hcas[0].board, "MT4129");
	assert_int_equal(map.ports[0].state, PORT_ACTIVE);
	assert_int_equal(map.ports[0].rate_bps, 400000000000);
	assert_int_equal(map.ports[0].layer, PORT_LAYER_IB);
	assert_int_equal(map.ports[1].phys, PHYS_POLLING);
	assert_int_equal(map.ports[2].phys, PHYS_DISABLED);
	assert_int_equal(map.ports[2].layer, PORT_LAYER_ETHERNET);
	topo_map_done(&map);
	map_read(status, &map);
	assert_int_equal(map.n_ports, 1);
	assert_int_equal(map.ports[0].state, PORT_ACTIVE);
	assert_int_equal(map.ports[0].phys, PHYS_LINKUP);
	assert_int_equal(map.ports[0].rate_bps, 200000000000);
	topo_map_done(&map);
}

static void hwloc_trees(void **state)
{
	static const char text[] =
		"<topology version=\"2.0\"><object type=\"Machine\">"
		"<object type=\"Package\">"
		"<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0xff\"/>"
		"<object type=\"Bridge\" bridge_type=\"0-1\" "
		"bridge_pci=\"0000:[00-10]\">"
		"<object type=\"Bridge\" bridge_type=\"1-1\" "
		"pci_busid=\"0000:00:01.0\" pci_type=\"0604 [8086:1] [0:0] "
		"0\">"
		"<object type=\"PCIDev\" pci_busid=\"0000:01:00.0\" "
		"pci_type=\"0302 [10de:2330] [10de:16c1] a1\"/></object>"
		"<object type=\"Bridge\" bridge_type=\"1-1\" "
		"pci_busid=\"0000:00:02.0\">"
		"<object type=\"PCIDev\" pci_busid=\"0000:02:00.0\" "
		"pci_type=\"0207 [15b3:1021] [0:0] 0\"><object type=\"OSDev\" "
		"name=\"mlx5_0\" osdev_type=\"3\"/></object></object>"
		"</object></object></object></topology>";
	struct topo_map map;

	(void)state;
	map_read(text, &map);
	assert_int_equal(map.n_gpus, 1);
	assert_int_equal(map.n_hcas, 1);
	assert_string_equal(map.hcas[0].name, "mlx5_0");
	map_check_path(&map, PATH_VIEW_SMI, 0, 1, "PHB");
	map_check_tail(&map, 0, "0-7", "0", -1);
	topo_map_done(&map);
}

/* Displays of management controllers, AMD's accelerators, NVSwitches. */
static void classes(void **state)
{
	static const struct {
		const char *attrs;
		size_t gpus, hcas;
	} rows[] = {
		{ "class=\"0x030200\" vendor=\"0x10de\"", 1, 0 },
		{ "class=\"0x030000\" vendor=\"0x10de\"", 1, 0 },
		{ "class=\"0x030000\" vendor=\"0x1a03\"", 0, 0 },
		{ "class=\"0x038000\" vendor=\"0x1002\"", 1, 0 },
		{ "class=\"0x120000\" vendor=\"0x1002\"", 1, 0 },
		{ "class=\"0x068000\" vendor=\"0x10de\"", 0, 0 },
		{ "class=\"0x020000\" vendor=\"0x1d0f\"", 0, 1 },
		{ "class=\"0x020700\"", 0, 1 },
		{ "", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct topo_map map;
		char text[200];

		(void)snprintf(text, sizeof(text),
		               "<system><cpu numaid=\"0\"><pci "
		               "busid=\"0000:01:00.0\" %s/></cpu></system>",
		               rows[i].attrs);
		map_read(text, &map);
		assert_int_equal(map.n_gpus, rows[i].gpus);
		assert_int_equal(map.n_hcas, rows[i].hcas);
		topo_map_done(&map);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_found_by_content),
		cmocka_unit_test(counters_beyond_32_bits),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(limits),
		cmocka_unit_test(as_many_devices_as_may_be),
		cmocka_unit_test(entities_are_not_expanded),
		cmocka_unit_test(a_cut_file_is_said_to_be_cut),
		cmocka_unit_test(nuls_and_noise),
		cmocka_unit_test(ports),
		cmocka_unit_test(hwloc_trees),
		cmocka_unit_test(classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
