// SPDX-License-Identifier: Apache-2.0
// Unit tests of what a process adds by NVML to a host whose bus has more GPUs
// than the process sees, or as many. The library is a fake.
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/made_root.h"
#include "tests/unit/map_bed.h"
#include "topo/source/live.h"

#define LIBRARY "fake/libnvidia-ml.so.1"
#define FUNCTIONS "sys/bus/pci/devices"
#define GPUS 4 /* of the fake: 0000:1a:00.0 to 0000:1d:00.0 */

/* The fake's GPUs, a switch between them, and the display of a BMC. */
static void make_bus(const struct made_root *root)
{
	static const struct {
		const char *bus, *class_code, *vendor;
	} rows[] = {
		{ "0000:02:00.0", "0x030000\n", "0x1a03\n" },
		{ "0000:1a:00.0", "0x030200\n", "0x10de\n" },
		{ "0000:1b:00.0", "0x030200\n", "0x10de\n" },
		{ "0000:1c:00.0", "0x030200\n", "0x10de\n" },
		{ "0000:1d:00.0", "0x030200\n", "0x10de\n" },
		{ "0000:1e:00.0", "0x068000\n", "0x10de\n" },
	};
	char path[128];

	for (size_t i = 0; i < N_ROWS(rows); i++) {
		(void)snprintf(path, sizeof(path), FUNCTIONS "/%s/class",
		               rows[i].bus);
		made_root_put(root, path, rows[i].class_code);
		(void)snprintf(path, sizeof(path), FUNCTIONS "/%s/vendor",
		               rows[i].bus);
		made_root_put(root, path, rows[i].vendor);
	}
}

/* A host with the fake's GPUs; NULL where there is no fake. */
static int make_host(void **state)
{
	const char *progs = getenv("FP_PROGS");
	static struct made_root root;
	char library[4096];

	(void)snprintf(library, sizeof(library), "%s/" LIBRARY,
	               progs ? progs : ".");
	/* Once it is loaded, the reader finds it by its name. */
	if (access(library, R_OK) != 0 || !dlopen(library, RTLD_NOW))
		return 0;
	made_root_make(&root);
	make_bus(&root);
	*state = &root;
	return 0;
}

static int remove_host(void **state)
{
	if (*state)
		made_root_remove(*state);
	return 0;
}

/* A process that sees what the fake's @words say; one that @reads_host has
 * the tree of the bus already, others have nothing. */
static struct live read_as(const struct made_root *host, const char *words,
                           bool reads_host)
{
	struct live live = {
		.root_fd = host->fd,
		.running = true,
		.map = calloc(1, sizeof(*live.map)),
		.readings = readings_new(1),
	};

	assert_non_null(live.map);
	assert_non_null(live.readings);
	assert_int_equal(setenv("FAKE_NVML", words, 1), 0);
	for (int i = 0; reads_host && i < GPUS; i++) {
		int32_t numa = i ? 0 : map_add_numa(live.map, 0);
		char bus[MAP_BUS_MAX];

		(void)snprintf(bus, sizeof(bus), "0000:%02x:00.0", 0x1a + i);
		map_add_gpu(live.map,
		            map_add_pci(live.map, -1, numa, bus, "0000:00"));
		live.map->gpus[i].index = i;
	}
	assert_int_equal(live_nvml_ops.read(&live, NULL), FP_OK);
	return live;
}

static void forget(struct live *live)
{
	topo_map_done(live->map);
	free(live->map);
	readings_unref(live->readings);
}

/* NVML numbers what it shows from 0, whatever else is in the host. */
static void a_part_keeps_the_numbers_of_the_bus(void **state)
{
	const struct made_root *host = *state;
	struct live live;

	if (!host) {
		skip();
		return;
	}
	live = read_as(host, "only2", true);
	assert_int_equal(live.map->n_gpus, GPUS);
	for (int i = 0; i < GPUS; i++)
		assert_int_equal(live.map->gpus[i].index, i);
	assert_string_equal(live.map->gpus[2].uuid, "GPU-2");
	assert_string_equal(live.map->gpus[0].uuid, "");
	forget(&live);
}

/* One that sees a part has a map of it, for the host's reader may see another;
 * one that sees all has nothing to add. */
static void who_adds_to_the_map(void **state)
{
	const struct made_root *host = *state;
	struct live live;

	if (!host) {
		skip();
		return;
	}
	live = read_as(host, "only2", false);
	assert_int_equal(live.map->n_gpus, 1);
	assert_string_equal(live.map->gpus[0].uuid, "GPU-2");
	forget(&live);
	live = read_as(host, "", false);
	assert_int_equal(live.map->n_gpus, 0);
	forget(&live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_keeps_the_numbers_of_the_bus),
		cmocka_unit_test(who_adds_to_the_map),
	};

	return cmocka_run_group_tests_name("nvml_view", tests, make_host,
	                                   remove_host);
}
