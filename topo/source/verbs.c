// SPDX-License-Identifier: Apache-2.0
// Asks libibverbs for the one thing that sysfs does not say of a port: its
// RDMA MTU. In workers only: opening a device goes through its driver.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "topo/source/library.h"
#include "topo/source/live.h"
#include "topo/source/verbs_abi.h"

/** struct verbs - the functions that are used. */
struct verbs {
	struct verbs_device **(*list)(int *n);
	void (*list_free)(struct verbs_device **devices);
	const char *(*name)(struct verbs_device *device);
	struct verbs_context *(*open)(struct verbs_device *device);
	int (*close)(struct verbs_context *context);
	int (*query)(struct verbs_context *context, uint8_t port,
	             struct verbs_port *ret);
};

/* NULL, or why it cannot be loaded. */
static const char *verbs_load(const char *library, struct verbs *v)
{
	const struct library_row rows[] = {
		{ "ibv_get_device_list", &v->list },
		{ "ibv_free_device_list", &v->list_free },
		{ "ibv_get_device_name", &v->name },
		{ "ibv_open_device", &v->open },
		{ "ibv_close_device", &v->close },
		{ "ibv_query_port", &v->query },
	};

	return library_open(library, rows, sizeof(rows) / sizeof(*rows));
}

static void put_port(const struct verbs *v, struct verbs_context *context,
                     const char *hca, int32_t number, struct reading_pen *pen)
{
	struct verbs_port port;
	char device[READING_NAME_MAX];
	int code;

	memset(&port, 0, sizeof(port));
	(void)snprintf(device, sizeof(device), "%.56s/%d", hca, number);
	pen->device = device;
	code = v->query(context, (uint8_t)number, &port);
	if (code)
		reading_put_skip(pen, "port.active_mtu", "ibv_query_port: %s",
		                 strerror(code));
	else if (port.active_mtu >= VERBS_MTU_256 &&
	         port.active_mtu <= VERBS_MTU_4096)
		reading_put_int(pen, "port.active_mtu", 128 << port.active_mtu);
	pen->device = "";
}

static void put_hca(const struct verbs *v, struct verbs_device *device,
                    struct live *live, struct reading_pen *pen)
{
	const char *name = v->name(device);
	int32_t hca = name ? topo_map_find_hca(live->map, name) : -1;
	struct verbs_context *context;

	if (hca < 0)
		return;
	context = v->open(device);
	if (!context) {
		pen->device = name;
		reading_put_skip(pen, "port.active_mtu", "ibv_open_device: %s",
		                 strerror(errno));
		pen->device = "";
		return;
	}
	for (size_t i = 0; i < live->map->n_ports; i++) {
		const struct map_port *port = &live->map->ports[i];

		if (port->hca == hca && port->port > 0 && port->port < 256)
			put_port(v, context, name, port->port, pen);
	}
	(void)v->close(context);
}

enum fp_status live_verbs_read(struct live *live, const char *library,
                               struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_VERBS, "", err);
	struct verbs_device **devices;
	struct verbs v = { 0 };
	const char *why;
	int n = 0;

	if (live->map->n_hcas == 0)
		return FP_OK;
	why = verbs_load(library, &v);
	if (why) {
		reading_put_skip(&pen, "port.active_mtu", "%s", why);
		return pen.status;
	}
	devices = v.list(&n);
	for (int i = 0; devices && i < n; i++)
		put_hca(&v, devices[i], live, &pen);
	if (devices)
		v.list_free(devices);
	/* Providers leave handlers behind: the library stays. */
	return pen.status;
}

static enum fp_status read_verbs(struct live *live, struct fp_err *err)
{
	return live_verbs_read(live, VERBS_LIBRARY, err);
}

const struct live_ops live_verbs_ops = {
	.name = "verbs",
	.help = "RDMA MTU of ports, by libibverbs",
	.where = LIVE_DRIVER,
	.read = read_verbs,
};
