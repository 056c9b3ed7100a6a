// SPDX-License-Identifier: Apache-2.0
// Unit tests of what a process adds by NVML to a host whose bus has more GPUs
// than the process sees, or as many. The library is a fake.
#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/map_bed.h"
#include "topo/source/live.h"

#define LIBRARY "fake/libnvidia-ml.so.1"
#define FUNCTIONS "sys/bus/pci/devices"
#define GPUS 4 /* of the fake: 0000:1a:00.0 to 0000:1d:00.0 */

/** struct host - a host with the fake's GPUs; root_fd -1: there is no fake. */
struct host {
	char root[64];
	int root_fd;
};

static void put_file(int root_fd, const char *bus, const char *name,
                     const char *text)
{
	char path[128];
	int fd;

	(void)snprintf(path, sizeof(path), FUNCTIONS "/%s/%s", bus, name);
	fd = openat(root_fd, path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* The fake's GPUs, a switch between them, and the display of a BMC. */
static void make_bus(int root_fd)
{
	static const char *const folders[] = { "sys", "sys/bus", "sys/bus/pci",
		                               FUNCTIONS };
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

	for (size_t i = 0; i < N_ROWS(folders); i++)
		assert_int_equal(mkdirat(root_fd, folders[i], 0700), 0);
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		(void)snprintf(path, sizeof(path), FUNCTIONS "/%s",
		               rows[i].bus);
		assert_int_equal(mkdirat(root_fd, path, 0700), 0);
		put_file(root_fd, rows[i].bus, "class", rows[i].class_code);
		put_file(root_fd, rows[i].bus, "vendor", rows[i].vendor);
	}
}

static int make_host(void **state)
{
	const char *progs = getenv("FP_PROGS");
	static struct host host;
	char library[4096];

	host = (struct host){ .root = "/tmp/fp-nvml-XXXXXX", .root_fd = -1 };
	*state = &host;
	(void)snprintf(library, sizeof(library), "%s/" LIBRARY,
	               progs ? progs : ".");
	/* Once it is loaded, the reader finds it by its name. */
	if (access(library, R_OK) != 0 || !dlopen(library, RTLD_NOW))
		return 0;
	if (!mkdtemp(host.root))
		return -1;
	host.root_fd = open(host.root, O_DIRECTORY | O_CLOEXEC);
	make_bus(host.root_fd);
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static int remove_host(void **state)
{
	struct host *host = *state;

	if (host->root_fd < 0)
		return 0;
	close(host->root_fd);
	return nftw(host->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A process that sees what the fake's @words say; one that @reads_host has
 * the tree of the bus already, others have nothing. */
static struct live read_as(const struct host *host, const char *words,
                           bool reads_host)
{
	struct live live = {
		.root_fd = host->root_fd,
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
	const struct host *host = *state;
	struct live live;

	if (host->root_fd < 0)
		skip();
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
	const struct host *host = *state;
	struct live live;

	if (host->root_fd < 0)
		skip();
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
