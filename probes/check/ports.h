/* SPDX-License-Identifier: Apache-2.0 */
/* The ports of all hosts in one list, whatever told of them. */
#ifndef FP_PROBES_CHECK_PORTS_H
#define FP_PROBES_CHECK_PORTS_H

#include "probes/check/look.h"

/** struct check_port - a port, by map or readings. */
struct check_port {
	char name[LOOK_NAME_MAX]; /* "mlx5_0/1" */
	char hca[LOOK_NAME_MAX];
	const char *type;     /* of the HCA: model or CA type; "" unknown */
	const char *firmware; /* "" unknown */
	const char *guid;     /* of the port; "" unknown */
	size_t host;          /* index into the job's hosts */
	int32_t state, phys, layer; /* enum map_port_* */
	int64_t rate_bps;           /* -1 unknown */
};

/** struct check_ports - grouped by type and host; check_ports_done(). */
struct check_ports {
	struct check_port *p;
	size_t n, room;
	bool failed;
};

/** check_ports_make() - of all of @hosts, which are borrowed. */
void check_ports_make(const struct check_host *hosts, size_t n_hosts,
                      struct check_ports *ret);

/** check_ports_done() - free; takes NULL. */
void check_ports_done(struct check_ports *ports);

#endif
