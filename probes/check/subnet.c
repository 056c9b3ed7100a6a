// SPDX-License-Identifier: Apache-2.0
// RoCE ports whose address is not in the subnet of their rail: ports of the
// same name on all hosts.
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/check/accuse.h"
#include "probes/check/hca.h"
#include "probes/check/mixed.h"
#include "topo/base/fmt.h"
#include "topo/model/gid.h"

#define HOSTS_MIN 3 /* that can outvote one another */
#define GIDS_MAX 64 /* of a port */
#define GIDS_GAP 16 /* so many empty ones end the table */
#define MAPPED_BITS 96
#define BITS_UNKNOWN (MAPPED_BITS + 16) /* no mask: what differs even so */
#define BITS_IPV6 64
#define NET_TEXT_MAX (GID_TEXT_MAX + 8)
#define NO_ROUTE "only link-local"

/** struct seat - a port and where it is. */
struct seat {
	const struct check_port *port;
	uint8_t gid[GID_BYTES];
	uint32_t bits;          /* of the subnet; 0: unknown */
	char net[NET_TEXT_MAX]; /* "10.1.0.0/16", NO_ROUTE; "" not known */
	int32_t rail;           /* index into rails */
	bool odd, elsewhere;    /* not in its rail's; in another rail's */
	bool alone;             /* nobody of its rail is where it is */
};

/** struct rail - seats of one name. */
struct rail {
	const char *net; /* of more than half of them; NULL */
	size_t first, n, agree, votes;
};

struct subnets {
	const struct check_input *in;
	struct seat *seats;
	struct rail *rails;
	size_t n, n_rails;
};

static bool read_gid(const struct check_host *host, const char *port, int i,
                     struct gid_row *ret)
{
	char name[READING_NAME_MAX];
	const char *text;

	(void)snprintf(name, sizeof(name), "port.gid.%d", i);
	text = look_text(host, port, name);
	if (!text[0] || inet_pton(AF_INET6, text, ret->gid) != 1)
		return false;
	(void)snprintf(name, sizeof(name), "port.gid_type.%d", i);
	ret->index = i;
	ret->type = strcmp(look_text(host, port, name), "RoCE v2") == 0
	                    ? (uint32_t)GID_ROCE_V2
	                    : (uint32_t)GID_ROCE_V1;
	return true;
}

/* The address that NCCL takes by itself. */
static bool find_gid(const struct check_host *host, struct seat *seat)
{
	const struct gid_wish wish = { .index = -1 };
	struct gid_row rows[GIDS_MAX];
	size_t n = 0, best;
	int last = -1;

	for (int i = 0; i <= last + GIDS_GAP && n < GIDS_MAX; i++) {
		if (read_gid(host, seat->port->name, i, &rows[n])) {
			last = i;
			n++;
		}
	}
	if (!n || gid_choose(rows, n, &wish, &best, NULL) != FP_OK)
		return false;
	memcpy(seat->gid, rows[best].gid, GID_BYTES);
	return true;
}

/* The mask is the network device's, if it has this address. */
static void find_bits(const struct check_host *host, struct seat *seat)
{
	const char *dev = look_text(host, seat->port->name, "port.netdev");
	const char *addr = look_text(host, dev, "netdev.addr");
	struct gid_wish wish = { .index = -1 };

	if (gid_family_of(seat->gid) == GID_IPV6)
		seat->bits = BITS_IPV6;
	if (addr[0] && gid_wish_net(addr, &wish, NULL) == FP_OK &&
	    memcmp(wish.net, seat->gid, GID_BYTES) == 0)
		seat->bits = wish.net_bits;
}

static void write_net(struct seat *seat, uint32_t bits)
{
	bool v4 = gid_family_of(seat->gid) == GID_IPV4;
	uint8_t net[GID_BYTES];
	char text[GID_TEXT_MAX];

	for (uint32_t i = 0; i < GID_BYTES; i++) {
		uint32_t left = bits > 8 * i ? bits - 8 * i : 0;
		uint32_t mask = left >= 8 ? 0xff : 0xff00u >> left;

		net[i] = (uint8_t)(seat->gid[i] & mask);
	}
	(void)snprintf(seat->net, sizeof(seat->net), "%s/%u",
	               gid_text(net, text),
	               (unsigned)(v4 ? bits - MAPPED_BITS : bits));
}

static int name_cmp(const void *pa, const void *pb)
{
	const struct seat *a = pa, *b = pb;
	int by = strcmp(a->port->name, b->port->name);

	return by ? by
	          : (a->port->host > b->port->host) -
	                       (a->port->host < b->port->host);
}

static void take_seats(struct subnets *s, const struct check_ports *ports)
{
	for (size_t i = 0; i < ports->n; i++) {
		const struct check_port *p = &ports->p[i];
		struct seat seat = { .port = p, .rail = -1 };

		if (p->layer != PORT_LAYER_ETHERNET ||
		    p->state != PORT_ACTIVE ||
		    !find_gid(&s->in->hosts[p->host], &seat))
			continue;
		find_bits(&s->in->hosts[p->host], &seat);
		s->seats[s->n++] = seat;
	}
	if (s->n)
		qsort(s->seats, s->n, sizeof(*s->seats), name_cmp);
}

/* With one mask that is not known, all are compared by what any mask has. */
static void write_nets(struct subnets *s, const struct rail *rail)
{
	bool unknown = false;

	for (size_t i = rail->first; i < rail->first + rail->n; i++)
		unknown |= !s->seats[i].bits;
	for (size_t i = rail->first; i < rail->first + rail->n; i++) {
		struct seat *seat = &s->seats[i];

		if (gid_is_link_local(seat->gid))
			fp_copy(seat->net, sizeof(seat->net), NO_ROUTE);
		else if (unknown && gid_family_of(seat->gid) == GID_IPV4)
			write_net(seat, BITS_UNKNOWN);
		else
			write_net(seat, seat->bits);
	}
}

static bool vote(struct subnets *s, struct rail *rail)
{
	struct reading *values = calloc(rail->n, sizeof(*values));
	int32_t best;

	if (!values)
		return false;
	for (size_t i = 0; i < rail->n; i++)
		values[i] = (struct reading){
			.kind = READING_TEXT,
			.text = s->seats[rail->first + i].net,
		};
	best = mixed_majority(values, rail->n, &rail->votes, &rail->agree);
	/* Addresses of their own at each end are a routed network's; none
	 * that is routed anywhere is how the network is meant. */
	if (best >= 0 && rail->n >= HOSTS_MIN &&
	    strcmp(values[best].text, NO_ROUTE) != 0)
		rail->net = values[best].text;
	free(values);
	return true;
}

static bool make_rails(struct subnets *s)
{
	bool good = true;
	size_t end;

	for (size_t i = 0; i < s->n && good; i = end) {
		struct rail *rail = &s->rails[s->n_rails];

		for (end = i + 1;
		     end < s->n && strcmp(s->seats[i].port->name,
		                          s->seats[end].port->name) == 0;
		     end++)
			;
		*rail = (struct rail){ .first = i, .n = end - i };
		for (size_t k = i; k < end; k++)
			s->seats[k].rail = (int32_t)s->n_rails;
		write_nets(s, rail);
		good = vote(s, rail);
		s->n_rails++;
	}
	return good;
}

/* Several that differ in the same way are another subnet of the same rail. */
static void mark_odd(struct subnets *s, struct seat *seat)
{
	const struct rail *own = &s->rails[seat->rail];
	size_t same = 0;

	if (!own->net || strcmp(own->net, seat->net) == 0)
		return;
	seat->odd = true;
	for (size_t i = own->first; i < own->first + own->n; i++)
		same += strcmp(s->seats[i].net, seat->net) == 0;
	seat->alone = same == 1;
	for (size_t i = 0; i < s->n_rails; i++)
		seat->elsewhere |= s->rails[i].net &&
		                   strcmp(s->rails[i].net, seat->net) == 0;
}

static bool is_unrouted(const struct seat *seat)
{
	return strcmp(seat->net, NO_ROUTE) == 0;
}

/* A host that is elsewhere with all of its rails sits in another rack. */
static bool host_is_apart(const struct subnets *s, size_t host, size_t *ret_n)
{
	bool apart = true;

	*ret_n = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (s->seats[i].port->host != host)
			continue;
		(*ret_n)++;
		apart &= s->seats[i].odd && !s->seats[i].elsewhere;
	}
	return apart;
}

static void accuse_seat(const struct subnets *s, const struct seat *seat,
                        struct check_out *out)
{
	const struct rail *own = &s->rails[seat->rail];
	const struct check_port *p = seat->port;
	char addr[GID_TEXT_MAX];
	struct finding *f;
	size_t n_ports;

	if (host_is_apart(s, p->host, &n_ports) && n_ports > 1)
		return;
	f = accuse(out, FINDING_PORT_SUBNET, LOCUS_PORT,
	           s->in->hosts[p->host].host, p->name);
	if (seat->elsewhere)
		accuse_say(f, "its address is in the subnet of another rail");
	else if (is_unrouted(seat))
		accuse_say(f, "it has a link-local address only");
	else if (n_ports == 1)
		accuse_mild(f, SEVERITY_WARN);
	accuse_note(f, "%s: RoCE v2 GID %s; %zu of %zu hosts have it in %s",
	            p->name, gid_text(seat->gid, addr), own->agree, own->votes,
	            own->net);
}

void hca_judge_subnets(const struct check_input *in,
                       const struct check_ports *ports, struct check_out *out)
{
	struct subnets s = {
		.in = in,
		.seats = calloc(ports->n + 1, sizeof(*s.seats)),
		.rails = calloc(ports->n + 1, sizeof(*s.rails)),
	};

	if (!s.seats || !s.rails) {
		out->failed = true;
		goto done;
	}
	take_seats(&s, ports);
	if (!make_rails(&s)) {
		out->failed = true;
		goto done;
	}
	for (size_t i = 0; i < s.n; i++)
		mark_odd(&s, &s.seats[i]);
	for (size_t i = 0; i < s.n; i++) {
		if (s.seats[i].odd &&
		    (s.seats[i].alone || s.seats[i].elsewhere ||
		     is_unrouted(&s.seats[i])))
			accuse_seat(&s, &s.seats[i], out);
	}
done:
	free(s.rails);
	free(s.seats);
}
