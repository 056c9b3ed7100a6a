// SPDX-License-Identifier: Apache-2.0
// Reads RDMA devices and their ports.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/model/port_words.h"
#include "topo/source/live.h"
#include "topo/source/sysfs.h"

#define CLASS "sys/class/infiniband"
#define PORTS_MAX 16
#define GIDS_MAX 256

static void put_texts(const struct sysfs_dir *dir, struct reading_pen *pen)
{
	static const struct {
		const char *name, *file;
	} rows[] = {
		{ "hca.firmware", "fw_ver" },
		{ "hca.board", "board_id" },
		{ "hca.type", "hca_type" },
		{ "hca.guid", "node_guid" },
		{ "hca.image_guid", "sys_image_guid" },
	};
	char text[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (sysfs_dir_read(dir, rows[i].file, text, sizeof(text)))
			reading_put_text(pen, rows[i].name, text);
	}
}

static enum fp_status add_hca(struct live *live, const char *name,
                              const struct sysfs_dir *dir, struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_SYSFS, name, err);
	char target[MAP_NAME_MAX], bus[MAP_BUS_MAX];
	struct sysfs_dir device;
	struct map_hca *hca;
	enum fp_status status = topo_map_add_hca(live->map, &hca, err);

	if (status != FP_OK)
		return status;
	fp_copy(hca->name, sizeof(hca->name), name);
	hca->index = (int32_t)live->map->n_hcas - 1;
	(void)sysfs_dir_read(dir, "board_id", hca->board, sizeof(hca->board));
	(void)sysfs_dir_read(dir, "fw_ver", hca->firmware,
	                     sizeof(hca->firmware));
	(void)sysfs_dir_read(dir, "node_guid", hca->guid, sizeof(hca->guid));
	sysfs_dir_link(dir, "device", target, sizeof(target));
	device = sysfs_dir(live->root_fd, "%s/device", dir->path);
	hca->numa = live_numa_of(live->map,
	                         sysfs_dir_int(&device, "numa_node", -1));
	put_texts(dir, &pen);
	if (map_bus_id(target, bus)) {
		hca->pci = topo_map_find_pci(live->map, bus);
		reading_put_text(&pen, "hca.pci", bus);
	}
	return pen.status;
}

/* "0xffff" or "12": InfiniBand's in hexadecimal, and 0 on Ethernet. */
static void put_lid(const struct sysfs_dir *dir, const char *name,
                    const char *file, struct reading_pen *pen)
{
	int32_t lid = sysfs_dir_hex(dir, file, 0xffff);

	if (lid >= 0)
		reading_put_int(pen, name, lid);
}

static bool is_zero_gid(const char *gid)
{
	return !gid[strspn(gid, "0:")];
}

/* The table is long and mostly empty. Return: GIDs of RoCE v2. */
static int64_t put_gids(const struct sysfs_dir *dir, struct reading_pen *pen)
{
	int64_t v2 = 0;

	for (int i = 0; i < GIDS_MAX; i++) {
		char file[64], name[64], gid[64], type[32];

		(void)snprintf(file, sizeof(file), "gids/%d", i);
		if (!sysfs_dir_read(dir, file, gid, sizeof(gid)))
			break;
		if (is_zero_gid(gid))
			continue;
		(void)snprintf(name, sizeof(name), "port.gid.%d", i);
		reading_put_text(pen, name, gid);
		(void)snprintf(file, sizeof(file), "gid_attrs/types/%d", i);
		if (!sysfs_dir_read(dir, file, type, sizeof(type)))
			continue;
		(void)snprintf(name, sizeof(name), "port.gid_type.%d", i);
		reading_put_text(pen, name, type);
		v2 += strcmp(type, "RoCE v2") == 0;
	}
	return v2;
}

static void put_counters(const struct sysfs_dir *dir, struct reading_pen *pen)
{
	static const char *const files[] = {
		"counters/symbol_error",
		"counters/link_error_recovery",
		"counters/link_downed",
		"counters/local_link_integrity_errors",
		"counters/excessive_buffer_overrun_errors",
		"counters/port_rcv_errors",
		"counters/port_rcv_remote_physical_errors",
		"counters/port_xmit_discards",
		"counters/port_xmit_wait",
		"hw_counters/out_of_sequence",
		"hw_counters/packet_seq_err",
		"hw_counters/local_ack_timeout_err",
		"hw_counters/rnr_nak_retry_err",
		"hw_counters/rx_icrc_encapsulated",
		"hw_counters/roce_slow_restart",
		"hw_counters/np_cnp_sent",
		"hw_counters/rp_cnp_handled",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		int64_t value = sysfs_dir_int(dir, files[i], -1);
		char name[READING_NAME_MAX];

		if (value < 0)
			continue;
		(void)snprintf(name, sizeof(name), "port.counter.%s",
		               strchr(files[i], '/') + 1);
		reading_put_int(pen, name, value);
	}
}

static void take_state(struct map_port *port, const struct sysfs_dir *dir,
                       struct reading_pen *pen)
{
	char text[64];

	if (sysfs_dir_read(dir, "state", text, sizeof(text))) {
		port->state = port_state_read(text);
		reading_put_text(pen, "port.state",
		                 port_state_name(port->state));
	}
	if (sysfs_dir_read(dir, "phys_state", text, sizeof(text))) {
		port->phys = port_phys_read(text);
		reading_put_text(pen, "port.phys_state",
		                 port_phys_name(port->phys));
	}
	if (sysfs_dir_read(dir, "rate", text, sizeof(text))) {
		port->rate_bps = port_rate_read(text);
		reading_put_int(pen, "port.rate", port->rate_bps);
	}
	if (sysfs_dir_read(dir, "link_layer", text, sizeof(text))) {
		port->layer = port_layer_read(text);
		reading_put_text(pen, "port.link_layer", text);
	}
}

/* By its first GID; a port that is down may have none. */
static void take_netdev(struct map_port *port, const struct sysfs_dir *dir,
                        struct reading_pen *pen)
{
	char text[MAP_ID_MAX];

	if (!sysfs_dir_read(dir, "gid_attrs/ndevs/0", text, sizeof(text)) ||
	    !text[0])
		return;
	memcpy(port->netdev, text, sizeof(port->netdev));
	reading_put_text(pen, "port.netdev", text);
}

static enum fp_status add_port(struct live *live, int32_t number,
                               const struct sysfs_dir *dir, struct fp_err *err)
{
	int32_t h = (int32_t)live->map->n_hcas - 1;
	char device[2 * MAP_NAME_MAX];
	struct reading_pen pen;
	struct map_port *port;
	enum fp_status status = topo_map_add_port(live->map, &port, err);
	int64_t v2;

	if (status != FP_OK)
		return status;
	(void)snprintf(device, sizeof(device), "%.56s/%d",
	               live->map->hcas[h].name, number);
	pen = live_pen(live, READ_SYSFS, device, err);
	port->hca = h;
	port->port = number;
	take_state(port, dir, &pen);
	take_netdev(port, dir, &pen);
	put_lid(dir, "port.lid", "lid", &pen);
	put_lid(dir, "port.sm_lid", "sm_lid", &pen);
	v2 = put_gids(dir, &pen);
	if (port->layer == PORT_LAYER_ETHERNET)
		reading_put_int(&pen, "port.gids_roce_v2", v2);
	put_counters(dir, &pen);
	return pen.status;
}

static enum fp_status read_device(struct live *live, const char *name,
                                  struct fp_err *err)
{
	struct sysfs_dir dir = sysfs_dir(live->root_fd, CLASS "/%s", name);
	enum fp_status status;
	char **ports, path[2 * SYSFS_PATH_MAX];
	size_t n;

	if (!sysfs_dir_has(&dir, "ports"))
		return FP_OK;
	status = add_hca(live, name, &dir, err);
	if (status != FP_OK)
		return status;
	(void)snprintf(path, sizeof(path), "%s/ports", dir.path);
	status = sysfs_list(live->root_fd, path, PORTS_MAX, &ports, &n, err);
	for (size_t i = 0; status == FP_OK && i < n; i++) {
		struct sysfs_dir port =
			sysfs_dir(live->root_fd, "%s/%s", path, ports[i]);
		long number = strtol(ports[i], NULL, 10);

		if (number > 0 && number <= INT32_MAX)
			status = add_port(live, (int32_t)number, &port, err);
	}
	sysfs_list_free(ports, n);
	return status;
}

static enum fp_status read(struct live *live, struct fp_err *err)
{
	enum fp_status status;
	char **names;
	size_t n;

	status = sysfs_list(live->root_fd, CLASS, MAP_DEVICES_MAX, &names, &n,
	                    err);
	for (size_t i = 0; status == FP_OK && i < n; i++)
		status = read_device(live, names[i], err);
	sysfs_list_free(names, n);
	return status;
}

const struct live_ops live_ib_ops = {
	.name = "rdma",
	.help = "RDMA devices, their ports, GIDs and error counters",
	.where = LIVE_FILES,
	.read = read,
};
