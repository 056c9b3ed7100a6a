// SPDX-License-Identifier: Apache-2.0
// NVLinks of a GPU: into the map, and into readings where one is not well.
#include <stdio.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/source/nvml_lib.h"

#define SM_HOPPER 90 /* from here on a field tells the state */

/* One link, as it answers. */
struct link {
	bool up;
	int32_t speed_MBps;
	int32_t remote; /* enum map_remote */
	char bus_id[MAP_BUS_MAX];
};

static int read_state(const struct nvml *lib, nvml_dev dev, unsigned number,
                      bool by_field, bool *ret_up)
{
	int (*get)(nvml_dev, unsigned, unsigned *);
	unsigned active = 0;
	int64_t state = 0;
	int code;

	if (by_field) {
		code = nvml_read_field(lib, dev, NVML_FIELD_LINK_STATE, number,
		                       &state);
		if (code == NVML_OK) {
			*ret_up = state == 1;
			return code;
		}
	}
	if (!nvml_symbol(lib, "nvmlDeviceGetNvLinkState", &get))
		return NVML_FUNCTION_NOT_FOUND;
	code = get(dev, number, &active);
	*ret_up = active == 1;
	return code;
}

static int32_t read_speed(const struct nvml *lib, nvml_dev dev, unsigned number)
{
	int64_t speed = 0;

	return nvml_read_field(lib, dev, NVML_FIELD_LINK_SPEED, number,
	                       &speed) == NVML_OK &&
	                       speed > 0 && speed < INT32_MAX
	               ? (int32_t)speed
	               : -1;
}

static void read_remote(const struct nvml *lib, nvml_dev dev, unsigned number,
                        struct link *link)
{
	static const int32_t kinds[] = {
		[NVML_REMOTE_GPU] = REMOTE_GPU,
		[NVML_REMOTE_NPU] = REMOTE_CPU,
		[NVML_REMOTE_SWITCH] = REMOTE_NVSWITCH,
	};
	int (*get_kind)(nvml_dev, unsigned, unsigned *);
	int (*get_pci)(nvml_dev, unsigned, struct nvml_pci *);
	unsigned kind = NVML_REMOTE_UNKNOWN;
	struct nvml_pci pci = { .domain = 0 };

	if (nvml_symbol(lib, "nvmlDeviceGetNvLinkRemoteDeviceType",
	                &get_kind) &&
	    get_kind(dev, number, &kind) == NVML_OK && kind < 3)
		link->remote = kinds[kind];
	if (nvml_symbol(lib, "nvmlDeviceGetNvLinkRemotePciInfo_v2", &get_pci) &&
	    get_pci(dev, number, &pci) == NVML_OK) {
		pci.bus_id[sizeof(pci.bus_id) - 1] = '\0';
		(void)map_bus_id(pci.bus_id, link->bus_id);
	}
	/* Each switch has an address of its own: they count as one. */
	if (link->remote == REMOTE_NVSWITCH)
		link->bus_id[0] = '\0';
}

static void put_errors(const struct nvml *lib, nvml_dev dev, unsigned number,
                       struct reading_pen *pen)
{
	static const char *const names[] = {
		[NVML_LINK_REPLAY] = "nvlink.replays",
		[NVML_LINK_RECOVERY] = "nvlink.recoveries",
		[NVML_LINK_CRC] = "nvlink.crc_errors",
	};
	int (*get)(nvml_dev, unsigned, int, unsigned long long *);

	if (!nvml_symbol(lib, "nvmlDeviceGetNvLinkErrorCounter", &get))
		return;
	for (int i = 0; i < 3; i++) {
		unsigned long long value = 0;

		if (get(dev, number, i, &value) == NVML_OK && value)
			reading_put_int(pen, names[i], (int64_t)value);
	}
}

/* Links with the same other end are one row; one that is down has its own. */
static enum fp_status add_link(struct topo_map *map, int32_t gpu,
                               unsigned number, const struct link *link,
                               struct fp_err *err)
{
	struct map_nvlink *row = NULL;
	enum fp_status status;

	for (size_t i = 0; link->up && i < map->n_nvlinks; i++) {
		row = &map->nvlinks[i];
		if (row->gpu == gpu && row->state == LINK_UP && row->link < 0 &&
		    row->remote == link->remote &&
		    row->speed_MBps == link->speed_MBps &&
		    strcmp(row->remote_bus, link->bus_id) == 0) {
			row->count++;
			return FP_OK;
		}
	}
	status = topo_map_add_nvlink(map, &row, err);
	if (status != FP_OK)
		return status;
	row->gpu = gpu;
	row->link = link->up ? -1 : (int32_t)number;
	row->state = link->up ? LINK_UP : LINK_DOWN;
	row->speed_MBps = link->speed_MBps;
	row->remote = link->remote;
	memcpy(row->remote_bus, link->bus_id, sizeof(row->remote_bus));
	return FP_OK;
}

static void put_link(const struct nvml *lib, const struct nvml_gpu *gpu,
                     unsigned number, bool up, struct live *live)
{
	char device[READING_NAME_MAX];
	struct reading_pen pen;

	(void)snprintf(device, sizeof(device), "%s/nvlink%u", gpu->bus_id,
	               number);
	pen = live_pen(live, READ_NVML, device, NULL);
	if (!up)
		reading_put_int(&pen, "nvlink.state", 0);
	put_errors(lib, gpu->dev, number, &pen);
}

/* What the readings say of the GPU's generation. */
static bool is_hopper(const struct live *live, const char *bus_id)
{
	return readings_get_int(live->readings, bus_id, "gpu.sm", 0) >=
	       SM_HOPPER;
}

/* The chip-to-chip links of a GPU to its CPU, all as one row. */
static enum fp_status add_c2c(const struct nvml *lib,
                              const struct nvml_gpu *gpu, struct live *live,
                              struct reading_pen *pen, struct fp_err *err)
{
	struct map_nvlink *row;
	int64_t n = 0, up = 0, speed = 0, least = INT32_MAX;
	enum fp_status status;

	if (nvml_read_field(lib, gpu->dev, NVML_FIELD_C2C_COUNT, 0, &n) !=
	            NVML_OK ||
	    n <= 0 || n > NVML_LINKS_MAX)
		return FP_OK;
	for (uint32_t i = 0; i < n; i++) {
		int64_t state = 0;

		if (nvml_read_field(lib, gpu->dev, NVML_FIELD_C2C_STATE, i,
		                    &state) != NVML_OK ||
		    state != 1)
			continue;
		up++;
		if (nvml_read_field(lib, gpu->dev, NVML_FIELD_C2C_SPEED, i,
		                    &speed) == NVML_OK &&
		    speed > 0 && speed < least)
			least = speed;
	}
	reading_put_int(pen, "gpu.c2c", n);
	reading_put_int(pen, "gpu.c2c_up", up);
	if (!up || gpu->gpu < 0)
		return FP_OK;
	status = topo_map_add_nvlink(live->map, &row, err);
	if (status != FP_OK)
		return status;
	row->gpu = gpu->gpu;
	row->count = (int32_t)up;
	row->state = LINK_UP;
	row->speed_MBps = least < INT32_MAX ? (int32_t)least : -1;
	row->remote = REMOTE_CPU;
	return FP_OK;
}

enum fp_status nvml_links(const struct nvml *lib, const struct nvml_gpu *gpu,
                          struct live *live, struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_NVML, gpu->bus_id, err);
	bool by_field = is_hopper(live, gpu->bus_id);
	enum fp_status status = FP_OK;
	int64_t n = 0, up = 0;

	for (unsigned i = 0; i < NVML_LINKS_MAX && status == FP_OK; i++) {
		struct link link = { .speed_MBps = -1 };

		if (read_state(lib, gpu->dev, i, by_field, &link.up) != NVML_OK)
			continue;
		n++;
		up += link.up;
		if (link.up) {
			link.speed_MBps = read_speed(lib, gpu->dev, i);
			read_remote(lib, gpu->dev, i, &link);
		}
		put_link(lib, gpu, i, link.up, live);
		if (gpu->gpu >= 0)
			status = add_link(live->map, gpu->gpu, i, &link, err);
	}
	if (n) {
		reading_put_int(&pen, "gpu.nvlinks", n);
		reading_put_int(&pen, "gpu.nvlinks_up", up);
	}
	if (status == FP_OK)
		status = add_c2c(lib, gpu, live, &pen, err);
	return status == FP_OK ? pen.status : status;
}
