// SPDX-License-Identifier: Apache-2.0
// Collects ports: from the map where there is one, and from readings.
#include "probes/check/ports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/trial/grow.h"
#include "topo/base/fmt.h"
#include "topo/model/port_words.h"

static struct check_port *add(struct check_ports *ports, size_t host)
{
	struct check_port *p;

	if (grow_room(&ports->p, &ports->room, ports->n + 1, sizeof(*ports->p),
	              NULL) != FP_OK) {
		ports->failed = true;
		return NULL;
	}
	p = &ports->p[ports->n++];
	*p = (struct check_port){ .type = "",
		                  .firmware = "",
		                  .guid = "",
		                  .host = host,
		                  .rate_bps = -1 };
	return p;
}

static const char *or_else(const char *text, const char *other)
{
	return text[0] ? text : other;
}

static void from_map(const struct check_host *host, size_t index,
                     struct check_ports *ports)
{
	const struct topo_map *map = host->host->map;

	for (size_t i = 0; map && i < map->n_ports; i++) {
		const struct map_port *port = &map->ports[i];
		const struct map_hca *hca;
		struct check_port *p;

		if (port->hca < 0 || port->port <= 0)
			continue;
		p = add(ports, index);
		if (!p)
			return;
		hca = &map->hcas[port->hca];
		fp_copy(p->hca, sizeof(p->hca), hca->name);
		(void)snprintf(p->name, sizeof(p->name), "%.48s/%d", hca->name,
		               port->port);
		p->type = or_else(look_text(host, p->hca, "hca.type"),
		                  hca->board);
		p->firmware = hca->firmware;
		p->guid = port->guid;
		p->state = port->state;
		p->phys = port->phys;
		p->layer = port->layer;
		p->rate_bps = port->rate_bps;
	}
}

static struct check_port *port_named(struct check_ports *ports, size_t first,
                                     const char *name)
{
	for (size_t i = first; i < ports->n; i++) {
		if (strcmp(ports->p[i].name, name) == 0)
			return &ports->p[i];
	}
	return NULL;
}

static void take_readings(const struct check_host *host, struct check_port *p)
{
	const char *state = look_text(host, p->name, "port.state");
	const char *phys = look_text(host, p->name, "port.phys_state");
	const char *layer = look_text(host, p->name, "port.link_layer");

	p->type = or_else(look_text(host, p->hca, "hca.type"), p->type);
	p->firmware =
		or_else(look_text(host, p->hca, "hca.firmware"), p->firmware);
	p->rate_bps = look_int(host, p->name, "port.rate", p->rate_bps);
	if (state[0])
		p->state = port_state_read(state);
	if (phys[0])
		p->phys = port_phys_read(phys);
	if (layer[0])
		p->layer = port_layer_read(layer);
}

static void from_readings(const struct check_host *host, size_t index,
                          size_t first, struct check_ports *ports)
{
	for (size_t i = 0; i < host->n_devices; i++) {
		const char *name = host->devices[i].name;
		const char *slash = strchr(name, '/');
		struct check_port *p;

		if (!(host->devices[i].kinds & KIND_PORT) || !slash)
			continue;
		p = port_named(ports, first, name);
		if (!p)
			p = add(ports, index);
		if (!p)
			return;
		fp_copy(p->name, sizeof(p->name), name);
		(void)snprintf(p->hca, sizeof(p->hca), "%.*s",
		               (int)(slash - name), name);
		take_readings(host, p);
	}
}

/* Where nothing tells the type, InfiniBand and Ethernet are two. */
static void fill_types(struct check_ports *ports, size_t first)
{
	for (size_t i = first; i < ports->n; i++) {
		struct check_port *p = &ports->p[i];

		if (!p->type[0] && p->layer == PORT_LAYER_IB)
			p->type = "InfiniBand";
		if (!p->type[0] && p->layer == PORT_LAYER_ETHERNET)
			p->type = "Ethernet";
	}
}

static int port_cmp(const void *pa, const void *pb)
{
	const struct check_port *a = pa, *b = pb;
	int by = strcmp(a->type, b->type);

	if (by)
		return by;
	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	return strcmp(a->name, b->name);
}

void check_ports_make(const struct check_host *hosts, size_t n_hosts,
                      struct check_ports *ret)
{
	*ret = (struct check_ports){ .n = 0 };
	for (size_t i = 0; i < n_hosts && !ret->failed; i++) {
		size_t first = ret->n;

		from_map(&hosts[i], i, ret);
		from_readings(&hosts[i], i, first, ret);
		fill_types(ret, first);
	}
	if (ret->n)
		qsort(ret->p, ret->n, sizeof(*ret->p), port_cmp);
}

void check_ports_done(struct check_ports *ports)
{
	if (!ports)
		return;
	free(ports->p);
	*ports = (struct check_ports){ .n = 0 };
}
