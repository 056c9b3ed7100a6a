// SPDX-License-Identifier: Apache-2.0
// Unit tests of maps within hosts and jobs: copies, snapshots, many hosts.
#include "tests/unit/map_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/json/snapshot.h"

/* A host such as clusters are made of: 8 GPUs, 10 HCAs, 4 NVSwitches. */
static void build_host(struct topo_map *map)
{
	int32_t numas[2] = { map_add_numa(map, 0), map_add_numa(map, 1) };

	map->tree = TREE_PORTS;
	for (int32_t i = 0; i < 10; i++) {
		int32_t numa = numas[i % 2], up;
		char bus_id[MAP_BUS_MAX];

		(void)snprintf(bus_id, sizeof(bus_id), "0000:%02x:00.0",
		               16 * i);
		up = map_add_pci(map, -1, numa, bus_id, "0000:00");
		for (int32_t k = 1; k < 5; k++) {
			bus_id[6] = (char)('0' + k);
			up = map_add_pci(map, k < 3 ? up : up - 1, numa, bus_id,
			                 "0000:00");
		}
		map_add_hca(map, up);
		if (i >= 8)
			continue;
		map_add_gpu(map, up - 1);
		for (int32_t link = 0; link < 18; link++) {
			map_add_nvlink(map, i, -1, 1);
			map->nvlinks[map->n_nvlinks - 1].link = link;
		}
	}
	for (int32_t i = 0; i < 10; i++) {
		struct map_port *port;

		assert_int_equal(topo_map_add_port(map, &port, NULL), FP_OK);
		port->hca = i;
		port->port = 1;
	}
}

static void copies_are_their_own(void **state)
{
	struct topo_map map = { 0 }, copy;
	struct topo_host host = { .name = "a", .map = &map }, other;

	(void)state;
	build_host(&map);
	topo_map_note(&map, 3, 0, "a note");
	assert_int_equal(topo_map_copy(&copy, &map, NULL), FP_OK);
	map_check_equal(&map, &copy);
	assert_string_equal(copy.notes[0].text, "a note");
	map.gpus[0].index = 99;
	assert_int_equal(copy.gpus[0].index, 0);
	topo_map_done(&copy);
	assert_int_equal(topo_host_copy(&other, &host, NULL), FP_OK);
	assert_ptr_not_equal(other.map, &map);
	map_check_equal(&map, other.map);
	topo_host_done(&other);
	assert_null(other.map);
	topo_map_done(&map);
}

static void a_host_learns_its_map(void **state)
{
	struct topo_map map = { 0 };
	struct topo_host known = { .name = "a", .host_id = "a", .n_cpus = -1 };
	struct topo_host read = known;
	struct topo_job job;

	(void)state;
	build_host(&map);
	assert_int_equal(topo_job_init(&job, 2, NULL), FP_OK);
	assert_int_equal(topo_job_place(&job, 0, &known, NULL), FP_OK);
	assert_null(job.hosts[0].map);
	read.map = &map;
	assert_int_equal(topo_job_place(&job, 0, &read, NULL), FP_OK);
	assert_non_null(job.hosts[0].map);
	map_check_equal(&map, job.hosts[0].map);
	assert_int_equal(topo_job_place(&job, 1, &known, NULL), FP_OK);
	assert_int_equal(job.n_hosts, 1);
	map_check_equal(&map, job.hosts[0].map);
	topo_job_done(&job);
	topo_map_done(&map);
}

static void snapshots_keep_maps(void **state)
{
	static const char *const texts[] = {
		"\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
		"GPU0\t X \tNV4\tPIX\t0-3,8\t0,2-3\t\t9\n"
		"GPU1\tNV4\t X \tSYS\t\t1\t\tN/A\nNIC0\tPIX\tSYS\t X \n",
		"\tGPU0\tGPU1\nGPU0\tX\tOK\nGPU1\tCNS\tX\n",
		"CA 'mlx5_0'\n Port 1:\n  State: Active\n  Rate: 400\n",
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(texts); i++) {
		struct topo_map map;
		struct topo_host host = { .map = &map, .n_cpus = -1 }, again;
		char *text;

		map_read(texts[i], &map);
		text = topo_host_to_json(&host);
		assert_int_equal(
			topo_host_from_json(text, strlen(text), &again, NULL),
			FP_OK);
		map_check_equal(&map, again.map);
		topo_host_done(&again);
		free(text);
		topo_map_done(&map);
	}
}

static void bad_maps_are_refused(void **state)
{
	static const struct {
		const char *map, *word;
	} rows[] = {
		{ "[]", "object" },
		{ "{\"gpus\":{}}", "'gpus'" },
		{ "{\"gpus\":[{\"pci\":0}]}", "index" },
		{ "{\"gpus\":[{\"cpus\":\"3-1\"}]}", "gpus 0: 'cpus'" },
		{ "{\"pcis\":[{\"parent\":0}]}", "index" },
		{ "{\"pcis\":[{\"parent\":1},{\"parent\":0}]}", "index" },
		{ "{\"pcis\":[{\"vendor\":65536}]}", "'vendor'" },
		{ "{\"nvlinks\":[{\"gpu\":0}]}", "index" },
		{ "{\"ports\":[{\"hca\":0}]}", "index" },
		{ "{\"tree\":9}", "'tree'" },
		{ "{\"gpus\":[{}],\"drawn\":[]}", "'drawn'" },
		{ "{\"gpus\":[{}],\"drawn\":[99999]}", "'drawn'" },
		{ "{\"gpus\":[{}],\"p2p\":[-1]}", "'p2p'" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct fp_err err = { 0 };
		struct topo_host host;
		char text[256];

		(void)snprintf(text, sizeof(text), "{\"map\":%s}", rows[i].map);
		assert_int_not_equal(
			topo_host_from_json(text, strlen(text), &host, &err),
			FP_OK);
		if (!strstr(err.text, rows[i].word))
			fail_msg("'%s' is not in '%s'", rows[i].word, err.text);
	}
}

#define MANY 8192
#define MANY_BYTES (200u << 20)

static size_t host_bytes(const struct topo_host *host)
{
	const struct topo_map *map = host->map;

	return sizeof(*host) + sizeof(*map) +
	       map->n_numas * sizeof(*map->numas) +
	       map->n_pcis * sizeof(*map->pcis) +
	       map->n_gpus * sizeof(*map->gpus) +
	       map->n_hcas * sizeof(*map->hcas) +
	       map->n_ports * sizeof(*map->ports) +
	       map->n_nvlinks * sizeof(*map->nvlinks);
}

static void many_hosts_are_cheap(void **state)
{
	struct topo_map map = { 0 };
	struct topo_host host = { .map = &map }, copy;

	(void)state;
	build_host(&map);
	assert_int_equal(topo_host_copy(&copy, &host, NULL), FP_OK);
	/* Twelve netdevs, and what the allocator adds to each of its blocks. */
	assert_true((host_bytes(&copy) + 12 * sizeof(*copy.netdevs) + 10 * 32) *
	                    MANY <=
	            MANY_BYTES);
	topo_host_done(&copy);
	topo_map_done(&map);
}

static void notes_and_rows_end(void **state)
{
	struct topo_map map = { 0 };
	struct map_gpu *gpu;
	struct map_hca *hca;

	(void)state;
	for (int32_t i = 0; i < 2 * MAP_NOTES_MAX; i++)
		topo_map_note(&map, i, 0, "note %d", i);
	assert_int_equal(map.n_notes, MAP_NOTES_MAX);
	for (int32_t i = 0; i < MAP_DEVICES_MAX - 1; i++)
		assert_int_equal(topo_map_add_gpu(&map, &gpu, NULL), FP_OK);
	assert_int_equal(topo_map_add_hca(&map, &hca, NULL), FP_OK);
	assert_int_equal(topo_map_add_hca(&map, &hca, NULL), FP_ERR_LIMIT);
	assert_int_equal(topo_map_add_gpu(&map, &gpu, NULL), FP_ERR_LIMIT);
	topo_map_done(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_are_their_own),
		cmocka_unit_test(a_host_learns_its_map),
		cmocka_unit_test(snapshots_keep_maps),
		cmocka_unit_test(bad_maps_are_refused),
		cmocka_unit_test(many_hosts_are_cheap),
		cmocka_unit_test(notes_and_rows_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
