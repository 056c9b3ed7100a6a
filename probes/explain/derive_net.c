// SPDX-License-Identifier: Apache-2.0
// Derived events of channels, NICs, addresses and MTUs.
#include <stdlib.h>
#include <string.h>

#include "probes/explain/derive.h"
#include "probes/explain/nccl.h"

#define ROUTES_MAX 256        /* errors whose addresses are looked at */
#define SLOT_SLOW_MBPS 100000 /* no port that a GPU job uses needs less */

static int by_number(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Ranks with a channel that uses GPUDirect, ascending; NULL: no memory. */
static int32_t *ranks_with_gdr(const struct events *ev, size_t *ret_n)
{
	int32_t *ranks =
		calloc((size_t)ev->kinds[KIND_CHANNEL_GDR] + 1, sizeof(*ranks));
	size_t n = 0;

	for (size_t i = 0; ranks && i < ev->n; i++)
		if (ev->e[i].kind == KIND_CHANNEL_GDR)
			ranks[n++] = ev->e[i].rank;
	if (n)
		qsort(ranks, n, sizeof(*ranks), by_number);
	*ret_n = n;
	return ranks;
}

/* Ranks none of whose channels use it, where those of others do. */
static void derive_uneven(struct events *ev)
{
	size_t n = ev->n, n_gdr;
	int32_t *gdr = ranks_with_gdr(ev, &n_gdr);

	for (size_t i = 0; gdr && i < n; i++) {
		struct event e = ev->e[i];

		if (e.kind != KIND_CHANNEL_NET ||
		    (n_gdr &&
		     bsearch(&e.rank, gdr, n_gdr, sizeof(*gdr), by_number)))
			continue;
		e.n[0] = 0;
		derive_add(ev, &e, KIND_GDR_UNEVEN);
	}
	free(gdr);
}

/* The first of a kind stands for all: there may be thousands of channels. */
static void derive_gdr(struct events *ev)
{
	const struct event *plain = events_first(ev, KIND_CHANNEL_NET, 0);
	struct event e;

	if (!plain)
		return;
	e = *plain;
	if (!ev->kinds[KIND_CHANNEL_GDR]) {
		derive_add(ev, &e, KIND_NO_GDR);
		return;
	}
	derive_uneven(ev);
	if (!ev->kinds[KIND_GDR_UNEVEN])
		derive_add(ev, &e, KIND_GDR_UNEVEN);
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
	size_t n = ev->n, looked_at = 0;

	for (size_t i = 0; i < n; i++) {
		struct event e = ev->e[i];
		bool route;

		if (e.kind != KIND_WC_RETRY || looked_at++ >= ROUTES_MAX)
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

/* Did the link of @down come up later? Counts tell where lines are kept but
 * once. */
static bool came_back(const struct events *ev, const struct event *down)
{
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];

		if (e->kind == KIND_NIC_UP && e->device == down->device &&
		    e->file == down->file &&
		    (e->line > down->line || e->count > 1))
			return true;
	}
	return false;
}

/* A link that goes down once and comes back was plugged, or its host began. */
static void derive_flap(struct events *ev)
{
	size_t n = ev->n;

	for (size_t i = 0; i < n; i++) {
		struct event e = ev->e[i];

		if (e.kind != KIND_NIC_DOWN)
			continue;
		if (e.count > 1 && e.device)
			derive_add(ev, &e, KIND_NIC_FLAP);
		else if (!came_back(ev, &e))
			derive_add(ev, &e, KIND_NIC_GONE);
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
	derive_flap(ev);
}
