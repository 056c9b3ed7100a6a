// SPDX-License-Identifier: Apache-2.0
// Reads the PCI tree down to GPUs, NVSwitches and RDMA functions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topo/base/fmt.h"
#include "topo/source/live.h"
#include "topo/source/pci_config.h"
#include "topo/source/pci_kind.h"
#include "topo/source/proc_text.h"
#include "topo/source/sysfs.h"

#define DEVICES "sys/bus/pci/devices"
#define FUNCTIONS_MAX 65536
#define CLASS_BRIDGE 0x0604
#define CLASS_NVSWITCH 0x0680
#define VENDOR_NVIDIA 0x10de

static struct sysfs_dir function_dir(const struct live *live, const char *bus)
{
	return sysfs_dir(live->root_fd, DEVICES "/%s", bus);
}

static int32_t read_width(const struct sysfs_dir *dir, const char *file)
{
	int64_t width = sysfs_dir_int(dir, file, -1);

	/* 0 and 255 are how a function says that it has no link. */
	return width > 0 && width < 255 ? (int32_t)width : -1;
}

static int32_t read_speed(const struct sysfs_dir *dir, const char *file)
{
	char text[64];

	return sysfs_dir_read(dir, file, text, sizeof(text))
	               ? pci_speed_read(text)
	               : -1;
}

static void fill_row(struct map_pci *pci, const struct live *live,
                     const struct sysfs_dir *dir)
{
	pci->class_code = sysfs_dir_hex(dir, "class", PCI_CLASS_MAX);
	pci->vendor = sysfs_dir_hex(dir, "vendor", PCI_ID_MAX);
	pci->device = sysfs_dir_hex(dir, "device", PCI_ID_MAX);
	pci->subsystem_vendor =
		sysfs_dir_hex(dir, "subsystem_vendor", PCI_ID_MAX);
	pci->subsystem_device =
		sysfs_dir_hex(dir, "subsystem_device", PCI_ID_MAX);
	pci->speed_mtps = read_speed(dir, "max_link_speed");
	pci->width = read_width(dir, "max_link_width");
	pci->numa =
		live_numa_of(live->map, sysfs_dir_int(dir, "numa_node", -1));
}

/* A link is what both its ends can do; NCCL counts on the same. */
static int32_t lesser(int32_t a, int32_t b)
{
	if (a < 0 || b < 0)
		return a < 0 ? b : a;
	return a < b ? a : b;
}

/* A port of a virtual machine says the least there is, whatever the link is. */
static void limit_by_port(struct map_pci *pci, const struct map_pci *port)
{
	bool made_up = port->speed_mtps <= 2500 && port->width == 1;

	if (port->class_code >> 8 != CLASS_BRIDGE || made_up)
		return;
	pci->speed_mtps = lesser(pci->speed_mtps, port->speed_mtps);
	pci->width = lesser(pci->width, port->width);
}

/* The path of a function below the devices of its host bridge, cut up:
 * "0000:00", then each bridge, then the function. */
struct way {
	char root[MAP_BUS_MAX];
	char buses[32][MAP_BUS_MAX];
	size_t n;
};

static void way_add(struct way *way, const char *part)
{
	char bus[MAP_BUS_MAX];

	if (!way->root[0] && strncmp(part, "pci", 3) == 0)
		fp_copy(way->root, sizeof(way->root), part + 3);
	else if (way->root[0] && map_bus_id(part, bus) && way->n < 32)
		memcpy(way->buses[way->n++], bus, sizeof(bus));
}

/* A tree whose folders are no links has no bridges that are known. */
static void way_find(const struct live *live, const char *bus, struct way *way)
{
	char path[SYSFS_PATH_MAX], target[4096], *save = NULL;
	ssize_t n;

	*way = (struct way){ .n = 0 };
	(void)snprintf(path, sizeof(path), DEVICES "/%s", bus);
	n = readlinkat(live->root_fd, path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	for (char *part = strtok_r(target, "/", &save); part;
	     part = strtok_r(NULL, "/", &save))
		way_add(way, part);
	if (way->n == 0)
		memcpy(way->buses[way->n++], bus, MAP_BUS_MAX);
}

static enum fp_status add_row(struct live *live, const struct way *way,
                              size_t i, int32_t parent, struct fp_err *err)
{
	struct sysfs_dir dir = function_dir(live, way->buses[i]);
	struct map_pci *pci;
	enum fp_status status = topo_map_add_pci(live->map, &pci, err);

	if (status != FP_OK)
		return status;
	memcpy(pci->bus_id, way->buses[i], sizeof(pci->bus_id));
	memcpy(pci->root, way->root, sizeof(pci->root));
	fill_row(pci, live, &dir);
	pci->parent = parent;
	if (parent >= 0)
		limit_by_port(pci, &live->map->pcis[parent]);
	return FP_OK;
}

static enum fp_status add_way(struct live *live, const struct way *way,
                              struct fp_err *err)
{
	enum fp_status status = FP_OK;
	int32_t parent = -1;

	for (size_t i = 0; i < way->n && status == FP_OK; i++) {
		int32_t at = topo_map_find_pci(live->map, way->buses[i]);

		if (at < 0) {
			status = add_row(live, way, i, parent, err);
			at = (int32_t)live->map->n_pcis - 1;
		}
		parent = at;
	}
	return status;
}

static bool is_wanted(const struct sysfs_dir *dir)
{
	struct map_pci pci = {
		.class_code = sysfs_dir_hex(dir, "class", PCI_CLASS_MAX),
		.vendor = sysfs_dir_hex(dir, "vendor", PCI_ID_MAX),
	};

	return pci_is_gpu(&pci) ||
	       (pci.class_code >> 8 == CLASS_NVSWITCH &&
	        pci.vendor == VENDOR_NVIDIA) ||
	       (pci.class_code >= 0 && sysfs_dir_has(dir, "infiniband"));
}

/* By address: hexadecimal, of one width but for long domains. */
static int by_address(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t len_x = strlen(x), len_y = strlen(y);

	if (len_x != len_y)
		return len_x < len_y ? -1 : 1;
	return strcmp(x, y);
}

static enum fp_status read_functions(struct live *live, struct fp_err *err)
{
	enum fp_status status;
	char **names;
	size_t n;

	status = sysfs_list(live->root_fd, DEVICES, FUNCTIONS_MAX, &names, &n,
	                    err);
	if (n > 0)
		qsort(names, n, sizeof(*names), by_address);
	for (size_t i = 0; status == FP_OK && i < n; i++) {
		struct sysfs_dir dir = function_dir(live, names[i]);
		char bus[MAP_BUS_MAX];
		struct way way;

		if (!map_bus_id(names[i], bus) || !is_wanted(&dir))
			continue;
		way_find(live, bus, &way);
		status = add_way(live, &way, err);
	}
	sysfs_list_free(names, n);
	return status;
}

static void put_link(const struct sysfs_dir *dir, struct reading_pen *pen)
{
	static const struct {
		const char *name, *file;
		int32_t (*read)(const struct sysfs_dir *dir, const char *file);
	} rows[] = {
		{ "pcie.speed", "current_link_speed", read_speed },
		{ "pcie.width", "current_link_width", read_width },
		{ "pcie.max_speed", "max_link_speed", read_speed },
		{ "pcie.max_width", "max_link_width", read_width },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char text[64];
		int32_t value;

		if (!sysfs_dir_read(dir, rows[i].file, text, sizeof(text)))
			continue;
		value = rows[i].read(dir, rows[i].file);
		if (value >= 0)
			reading_put_int(pen, rows[i].name, value);
		else
			reading_put_skip(pen, rows[i].name,
			                 "the kernel says '%s'", text);
	}
}

/* The sum is the last line of each: "TOTAL_ERR_COR 0". */
static void put_aer(const struct sysfs_dir *dir, struct reading_pen *pen)
{
	static const struct {
		const char *name, *file, *total;
	} rows[] = {
		{ "pcie.aer_correctable", "aer_dev_correctable",
		  "TOTAL_ERR_COR " },
		{ "pcie.aer_nonfatal", "aer_dev_nonfatal",
		  "TOTAL_ERR_NONFATAL " },
		{ "pcie.aer_fatal", "aer_dev_fatal", "TOTAL_ERR_FATAL " },
	};
	char text[SYSFS_TEXT_MAX];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *at;

		if (sysfs_dir_read_all(dir, rows[i].file, text, sizeof(text)) <
		    0)
			continue;
		at = strstr(text, rows[i].total);
		if (at)
			reading_put_int(
				pen, rows[i].name,
				strtoll(at + strlen(rows[i].total), NULL, 10));
	}
}

static void put_iommu(const struct live *live, const struct sysfs_dir *dir,
                      struct reading_pen *pen)
{
	char group[32], path[SYSFS_PATH_MAX];

	sysfs_dir_link(dir, "iommu_group", group, sizeof(group));
	if (proc_text_number_behind(group, "") < 0)
		return;
	reading_put_int(pen, "pcie.iommu_group",
	                proc_text_number_behind(group, ""));
	(void)snprintf(path, sizeof(path), "sys/kernel/iommu_groups/%s/type",
	               group);
	live_put_file(pen, "pcie.iommu_type", live->root_fd, path);
}

static enum fp_status put_function(struct live *live, const struct map_pci *pci,
                                   struct fp_err *err)
{
	struct sysfs_dir dir = function_dir(live, pci->bus_id);
	struct reading_pen pen = live_pen(live, READ_SYSFS, pci->bus_id, err);
	char text[64];

	put_link(&dir, &pen);
	sysfs_dir_link(&dir, "driver", text, sizeof(text));
	reading_put_text(&pen, "pcie.driver", text);
	if (sysfs_dir_read(&dir, "power_state", text, sizeof(text)))
		reading_put_text(&pen, "pcie.power", text);
	put_iommu(live, &dir, &pen);
	put_aer(&dir, &pen);
	if (pci->class_code >> 8 == CLASS_BRIDGE)
		pci_config_put_acs(&dir, &pen);
	return pen.status;
}

static enum fp_status read_tree(struct live *live, struct fp_err *err)
{
	enum fp_status status = read_functions(live, err);

	if (status == FP_OK && live->map->n_pcis > 0)
		live->map->tree = TREE_PORTS;
	for (size_t i = 0; i < live->map->n_pcis && status == FP_OK; i++)
		status = put_function(live, &live->map->pcis[i], err);
	return status;
}

const struct live_ops live_pci_ops = {
	.name = "pci",
	.help = "GPUs, NVSwitches, RDMA functions and the bridges above them",
	.where = LIVE_FILES,
	.read = read_tree,
};
