// SPDX-License-Identifier: Apache-2.0
// Derived events of channels, NICs, addresses and MTUs.
#include <string.h>

#include "probes/explain/derive.h"
#include "probes/explain/nccl.h"

#define SLOT_SLOW_MBPS 100000 /* no port that a GPU job uses needs less */

/* Does the same rank have a channel of @kind too? */
static bool has_channel(const struct events *ev, const struct event *of,
                        unsigned kind)
{
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];

		if (e->kind == kind && e->rank == of->rank)
			return true;
	}
	return false;
}

/* The first of a kind stands for all: there may be thousands of channels. */
static void derive_gdr(struct events *ev)
{
	const struct event *plain = events_first(ev, KIND_CHANNEL_NET, 0);
	bool some = events_first(ev, KIND_CHANNEL_GDR, 0) != NULL;
	size_t n = ev->n;

	if (!plain)
		return;
	if (!some) {
		struct event e = *plain;

		derive_add(ev, &e, KIND_NO_GDR);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct event e = ev->e[i];

		if (e.kind != KIND_CHANNEL_NET ||
		    has_channel(ev, &e, KIND_CHANNEL_GDR))
			continue;
		e.n[0] = 0;
		derive_add(ev, &e, KIND_GDR_UNEVEN);
	}
	if (!events_first(ev, KIND_GDR_UNEVEN, 0)) {
		struct event e = *events_first(ev, KIND_CHANNEL_NET, 0);

		derive_add(ev, &e, KIND_GDR_UNEVEN);
	}
}

static void derive_socket(struct events *ev)
{
	const struct event *socket = events_first(ev, KIND_CHANNEL_SOCKET, 0);

	if (socket && !events_first(ev, KIND_CHANNEL_NET, 0) &&
	    !events_first(ev, KIND_CHANNEL_GDR, 0) &&
	    events_first(ev, KIND_PORT_OK, 0)) {
		struct event e = *socket;

		derive_add(ev, &e, KIND_SOCKET_ONLY);
	}
}

/* Hosts whose list of NICs is another length than the first host's. */
static void derive_nics(struct events *ev)
{
	const struct event *first = events_first(ev, KIND_HCAS, 0);
	int64_t n_first = first ? first->n[0] : 0;
	size_t n = ev->n;

	for (size_t i = 0; i < n; i++) {
		struct event e = ev->e[i];

		if (e.kind == KIND_HCAS && e.n[0] != n_first)
			derive_add(ev, &e, KIND_NICS_DIFFER);
	}
}

/* Hosts that use another network, or another version, than the first. */
static void derive_software(struct events *ev, unsigned kind, unsigned as)
{
	const struct event *first = events_first(ev, kind, 0);
	uint32_t op = first ? first->op : 0, host = first ? first->host : 0;
	size_t n = ev->n;

	for (size_t i = 0; i < n; i++) {
		struct event e = ev->e[i];

		if (e.kind == kind && e.op != op && e.host != host)
			derive_add(ev, &e, as);
	}
}

/* Several of this host's addresses in the subnet in which @of found no peer:
 * the reply may leave by another NIC. */
static bool is_multihomed(const struct events *ev, const struct event *of)
{
	const char *mine = event_str(ev, of->group);

	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];

		if (e->kind == KIND_WC_RETRY && e->host == of->host &&
		    e->group && e->group != of->group &&
		    nccl_gids(mine, event_str(ev, e->group)) == NCCL_GIDS_SAME)
			return true;
	}
	return false;
}

/*
 * No answer on RoCE: addresses that cannot be routed, or never worked. Once
 * the addresses are of one subnet, or the link is InfiniBand, it is loss.
 */
static void derive_route(struct events *ev)
{
	const struct event *port = events_first(ev, KIND_PORT_OK, 0);
	bool ethernet = port && port->n[1];
	size_t n = ev->n;

	for (size_t i = 0; i < n; i++) {
		struct event e = ev->e[i];
		bool route;

		if (e.kind != KIND_WC_RETRY)
			continue;
		route = e.n[3] == NCCL_GIDS_APART ||
		        (e.n[3] == NCCL_GIDS_LOCAL && ethernet) ||
		        (e.n[3] == NCCL_GIDS_UNKNOWN && ethernet) ||
		        (e.n[3] == NCCL_GIDS_SAME && is_multihomed(ev, &e));
		if (route)
			derive_add(ev, &e, KIND_RETRY_ROUTE);
	}
}

static void derive_mtu(struct events *ev)
{
	const struct event *first = events_first(ev, KIND_PORT_MTU, 0);
	int64_t mtu = first ? first->n[0] : 0;
	size_t n = ev->n;

	for (size_t i = 0; i < n; i++) {
		struct event e = ev->e[i];

		if (e.kind == KIND_PORT_MTU && e.n[0] != mtu)
			derive_add(ev, &e, KIND_MTU_DIFFERS);
	}
}

static void derive_slot(struct events *ev)
{
	size_t n = ev->n;

	for (size_t i = 0; i < n; i++) {
		struct event e = ev->e[i];

		if (e.kind == KIND_PCIE_LINK && e.n[0] > 0 &&
		    e.n[0] < SLOT_SLOW_MBPS)
			derive_add(ev, &e, KIND_SLOT_SLOW);
	}
}

void derive_net(struct events *ev)
{
	derive_gdr(ev);
	derive_socket(ev);
	derive_nics(ev);
	derive_software(ev, KIND_NETWORK, KIND_NICS_DIFFER);
	derive_software(ev, KIND_LIBRARY, KIND_VERSIONS);
	derive_route(ev);
	derive_mtu(ev);
	derive_slot(ev);
}
