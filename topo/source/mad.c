// SPDX-License-Identifier: Apache-2.0
// Asks the switch at the other end of a cable what its port counts: who it is
// by directed route, one hop, then its performance agent by its LID. In workers
// only; where the user may not, that is a skip.
#include "topo/source/mad.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "topo/base/fmt.h"
#include "topo/source/library.h"
#include "topo/source/sysfs.h"

#define UMADS_MAX 128
#define UMAD_CLASS "sys/class/infiniband_mad"
#define QP_PERFORMANCE 1
#define QKEY_PERFORMANCE 0x80010000u

/** struct mad - the functions that are used. */
struct mad {
	struct mad_port *(*open)(char *device, int port, int *classes, int n);
	void (*close)(struct mad_port *port);
	void (*set_timeout)(struct mad_port *port, int ms);
	void (*set_retries)(struct mad_port *port, int n);
	uint8_t *(*query)(void *buf, struct mad_dest *dest, unsigned attr,
	                  unsigned mod, unsigned ms,
	                  const struct mad_port *port);
	uint8_t *(*count)(void *buf, struct mad_dest *dest, int number,
	                  unsigned ms, unsigned attr,
	                  const struct mad_port *port);
};

/* NULL, or why it cannot be loaded. */
static const char *mad_load(const char *library, struct mad *m)
{
	const struct library_row rows[] = {
		{ "mad_rpc_open_port", &m->open },
		{ "mad_rpc_close_port", &m->close },
		{ "mad_rpc_set_timeout", &m->set_timeout },
		{ "mad_rpc_set_retries", &m->set_retries },
		{ "smp_query_via", &m->query },
		{ "pma_query_via", &m->count },
	};

	return library_open(library, rows, sizeof(rows) / sizeof(*rows));
}

/* The device file of @hca's port; "" if there is none. */
static void find_umad(int root_fd, const char *hca, int32_t port,
                      char ret[static 32])
{
	struct fp_err err = { 0 };
	char **names = NULL, text[64];
	size_t n = 0;

	ret[0] = '\0';
	(void)sysfs_list(root_fd, UMAD_CLASS, UMADS_MAX, &names, &n, &err);
	for (size_t i = 0; i < n && !ret[0]; i++) {
		struct sysfs_dir dir =
			sysfs_dir(root_fd, UMAD_CLASS "/%s", names[i]);

		if (sysfs_dir_read(&dir, "ibdev", text, sizeof(text)) &&
		    strcmp(text, hca) == 0 &&
		    sysfs_dir_int(&dir, "port", -1) == port)
			fp_copy(ret, 32, names[i]);
	}
	sysfs_list_free(names, n);
}

/* May MADs be sent by this port? If not, that is said. */
static bool may_ask(struct live *live, const char *hca, int32_t port,
                    struct reading_pen *pen)
{
	char umad[32], path[64];

	find_umad(live->root_fd, hca, port, umad);
	if (!umad[0]) {
		reading_put_skip(pen, "port.switch",
		                 "no umad device (modprobe ib_umad)");
		return false;
	}
	(void)snprintf(path, sizeof(path), "dev/infiniband/%s", umad);
	if (faccessat(live->root_fd, path, R_OK | W_OK, 0) == 0)
		return true;
	reading_put_skip(pen, "port.switch", "/%s: %s", path,
	                 strerrordesc_np(errno));
	return false;
}

/* Who is at the other end, and where its performance agent is. */
static bool find_switch(const struct mad *m, const struct mad_port *port,
                        int32_t number, struct mad_node *ret_node,
                        uint16_t *ret_lid)
{
	struct mad_dest next = {
		.path = { .hops = 1, .ports = { 0, (uint8_t)number } },
	};
	uint8_t buf[MAD_BUFFER_BYTES] = { 0 };

	if (!m->query(buf, &next, MAD_NODE_INFO, 0, 0, port))
		return false;
	*ret_node = mad_node_info(buf);
	memset(buf, 0, sizeof(buf));
	if (!m->query(buf, &next, MAD_PORT_INFO, 0, 0, port))
		return false;
	*ret_lid = mad_port_lid(buf);
	return true;
}

static void put_counters(const struct mad *m, const struct mad_port *port,
                         const struct mad_node *node, uint16_t lid,
                         struct reading_pen *pen)
{
	struct mad_dest to = {
		.lid = lid,
		.qp = QP_PERFORMANCE,
		.qkey = QKEY_PERFORMANCE,
	};
	uint8_t counters[MAD_BUFFER_BYTES] = { 0 };
	uint8_t extended[MAD_BUFFER_BYTES] = { 0 };
	char where[64];
	bool wide;

	(void)snprintf(where, sizeof(where), "lid %u, port %u", lid,
	               node->port);
	if (!m->count(counters, &to, node->port, 0, MAD_PORT_COUNTERS, port)) {
		reading_put_skip(pen, "port.switch",
		                 "%s does not say what it counts", where);
		return;
	}
	wide = m->count(extended, &to, node->port, 0,
	                MAD_PORT_COUNTERS_EXTENDED, port);
	reading_put_text(pen, "port.switch", where);
	mad_put_counters(pen, counters, wide ? extended : NULL);
}

static void ask_switch(const struct mad *m, const struct mad_port *port,
                       int32_t number, struct reading_pen *pen)
{
	struct mad_node node;
	uint16_t lid;

	if (!find_switch(m, port, number, &node, &lid))
		reading_put_skip(pen, "port.switch",
		                 "what is at the other end does not answer");
	else if (!node.is_switch)
		reading_put_skip(pen, "port.switch",
		                 "no switch is at the other end");
	else
		put_counters(m, port, &node, lid, pen);
}

static void put_port(const struct mad *m, struct live *live,
                     const struct map_port *p, struct reading_pen *pen)
{
	int classes[] = { MAD_SMI, MAD_SMI_DIRECT, MAD_PERFORMANCE };
	char *hca = live->map->hcas[p->hca].name, device[READING_NAME_MAX];
	struct mad_port *port;

	(void)snprintf(device, sizeof(device), "%.56s/%d", hca, (int)p->port);
	pen->device = device;
	if (may_ask(live, hca, p->port, pen)) {
		errno = 0;
		port = m->open(hca, p->port, classes,
		               sizeof(classes) / sizeof(*classes));
		if (port) {
			m->set_timeout(port, MAD_WAIT_MS);
			m->set_retries(port, 1);
			ask_switch(m, port, p->port, pen);
			m->close(port);
		} else {
			reading_put_skip(pen, "port.switch",
			                 "mad_rpc_open_port: %s",
			                 strerrordesc_np(errno));
		}
	}
	pen->device = "";
}

/* RoCE has no MADs; a port that is down has nobody at its other end. */
static bool has_switch(const struct map_port *p)
{
	return p->hca >= 0 && p->port > 0 && p->port < 256 &&
	       p->layer == PORT_LAYER_IB && p->state == PORT_ACTIVE;
}

enum fp_status live_mad_read(struct live *live, const char *library,
                             struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_MAD, "", err);
	const struct topo_map *map = live->map;
	struct mad m = { 0 };
	const char *why;
	size_t i = 0;

	while (i < map->n_ports && !has_switch(&map->ports[i]))
		i++;
	if (i == map->n_ports)
		return FP_OK;
	why = mad_load(library, &m);
	if (why) {
		reading_put_skip(&pen, "port.switch", "%s", why);
		return pen.status;
	}
	for (; i < map->n_ports; i++)
		if (has_switch(&map->ports[i]))
			put_port(&m, live, &map->ports[i], &pen);
	/* It keeps state of its own: the library stays. */
	return pen.status;
}

static enum fp_status read_mad(struct live *live, struct fp_err *err)
{
	return live_mad_read(live, MAD_LIBRARY, err);
}

const struct live_ops live_mad_ops = {
	.name = "switch ports",
	.help = "what InfiniBand switches count, by libibmad (if it is there)",
	.where = LIVE_DRIVER,
	.read = read_mad,
};
