// SPDX-License-Identifier: Apache-2.0
// HCAs and their ports: state, rate and link layer against their peers'.
#include <stdlib.h>
#include <string.h>

#include "probes/check/accuse.h"
#include "probes/check/hca.h"
#include "probes/check/tally.h"
#include "topo/model/port_words.h"

/* The ports in two orders: by host as they are, and by name. */
struct hca_view {
	const struct check_input *in;
	struct check_ports ports;
	const struct check_port **order;
	struct tally *across; /* of each port's name; by place in ports.p */
};

static int name_cmp(const void *pa, const void *pb)
{
	const struct check_port *a = *(const struct check_port *const *)pa;
	const struct check_port *b = *(const struct check_port *const *)pb;
	int by = strcmp(a->type, b->type);

	if (!by)
		by = strcmp(a->name, b->name);
	return by ? by : (a->host > b->host) - (a->host < b->host);
}

static bool same_name(const struct check_port *a, const struct check_port *b)
{
	return strcmp(a->name, b->name) == 0 && strcmp(a->type, b->type) == 0;
}

static bool same_host(const struct check_port *a, const struct check_port *b)
{
	return a->host == b->host && strcmp(a->type, b->type) == 0;
}

static size_t run_of(const struct check_port *const *order, size_t n,
                     bool (*same)(const struct check_port *,
                                  const struct check_port *))
{
	size_t i = 1;

	while (i < n && same(order[0], order[i]))
		i++;
	return i;
}

static void tally_names(struct hca_view *v)
{
	size_t n = v->ports.n, len;

	for (size_t i = 0; i < n; i++)
		v->order[i] = &v->ports.p[i];
	if (n)
		qsort(v->order, n, sizeof(*v->order), name_cmp);
	for (size_t i = 0; i < n; i += len) {
		struct tally t;

		len = run_of(v->order + i, n - i, same_name);
		t = tally_make(v->order + i, len);
		for (size_t k = i; k < i + len; k++)
			v->across[v->order[k] - v->ports.p] = t;
	}
	for (size_t i = 0; i < n; i++)
		v->order[i] = &v->ports.p[i];
}

static unsigned down_code(const struct check_port *p)
{
	if (p->state == PORT_INIT || p->state == PORT_ARMED)
		return p->layer == PORT_LAYER_ETHERNET ? FINDING_PORT_DOWN
		                                       : FINDING_PORT_INIT;
	if (p->phys == PHYS_POLLING)
		return FINDING_PORT_POLLING;
	return p->phys == PHYS_DISABLED ? FINDING_PORT_DISABLED
	                                : FINDING_PORT_DOWN;
}

/* It has a partner, and is not up: no port that nobody uses looks so. */
static bool half_up(const struct check_port *p)
{
	return p->layer == PORT_LAYER_IB &&
	       (p->state == PORT_INIT || p->state == PORT_ARMED ||
	        (p->state == PORT_DOWN && p->phys == PHYS_LINKUP));
}

static void judge_down(const struct hca_view *v, const struct check_port *p,
                       const struct tally *inside, const struct tally *across,
                       struct check_out *out)
{
	struct finding *f;

	if (!half_up(p) && !tally_wants_up(inside, across))
		return;
	f = accuse(out, down_code(p), LOCUS_PORT, v->in->hosts[p->host].host,
	           p->name);
	accuse_note(f, "%s (%s): state %s, physical state %s", p->name, p->type,
	            port_state_name(p->state), port_phys_name(p->phys));
	accuse_note(f, "%zu of %zu ports of type %s of this host are active",
	            inside->active, inside->n, p->type);
	if (across->n > 1)
		accuse_note(f, "it is active on %zu of %zu hosts",
		            across->active, across->n);
}

/* A port that is down shows a placeholder: only active ones have a rate. */
static void judge_active(const struct hca_view *v, const struct check_port *p,
                         const struct tally *inside, const struct tally *across,
                         struct check_out *out)
{
	const struct topo_host *host = v->in->hosts[p->host].host;
	int64_t rate = tally_rate(inside, across);
	int32_t layer = tally_layer(inside, across);
	struct finding *f;

	if (rate > 0 && p->rate_bps > 0 && p->rate_bps < rate) {
		f = accuse(out, FINDING_PORT_RATE, LOCUS_PORT, host, p->name);
		accuse_values(f, (double)p->rate_bps / 8, (double)rate / 8,
		              "B/s");
		accuse_note(f, "%s (%s): rate %lld Gb/s; its peers have %lld",
		            p->name, p->type,
		            (long long)(p->rate_bps / 1000000000),
		            (long long)(rate / 1000000000));
	}
	if (layer > 0 && p->layer > 0 && p->layer != layer) {
		f = accuse(out, FINDING_PORT_LAYER, LOCUS_PORT, host, p->name);
		accuse_note(f, "%s (%s): link layer %s; its peers have %s",
		            p->name, p->type, port_layer_name(p->layer),
		            port_layer_name(layer));
	}
}

static void judge_host_ports(const struct hca_view *v, size_t first, size_t n,
                             struct check_out *out)
{
	struct tally inside = tally_make(v->order + first, n);

	for (size_t i = first; i < first + n; i++) {
		const struct check_port *p = &v->ports.p[i];

		if (p->state == PORT_ACTIVE)
			judge_active(v, p, &inside, &v->across[i], out);
		else if (p->state != PORT_UNKNOWN)
			judge_down(v, p, &inside, &v->across[i], out);
	}
}

static void judge_ports(struct hca_view *v, struct check_out *out)
{
	size_t len;

	tally_names(v);
	for (size_t i = 0; i < v->ports.n; i += len) {
		len = run_of(v->order + i, v->ports.n - i, same_host);
		judge_host_ports(v, i, len, out);
	}
	hca_judge_gids(v->in, &v->ports, out);
	hca_judge_subnets(v->in, &v->ports, out);
	hca_judge_firmware(v->in, &v->ports, out);
}

static void judge(const struct check_input *in, struct check_out *out)
{
	struct hca_view v = { .in = in };

	check_ports_make(in->hosts, in->n_hosts, &v.ports);
	v.order = calloc(v.ports.n + 1, sizeof(*v.order));
	v.across = calloc(v.ports.n + 1, sizeof(*v.across));
	if (v.ports.failed || !v.order || !v.across)
		out->failed = true;
	else
		judge_ports(&v, out);
	hca_judge_mixed(in, out);
	free(v.across);
	free(v.order);
	check_ports_done(&v.ports);
}

const struct check_ops check_hca_ops = {
	.name = "hca",
	.help = "HCAs and ports: state, rate, link layer, firmware, addresses",
	.needs = "port.*, hca.*, netdev.addr, netdev.pfc, netdev.trust",
	.host = hca_judge_errors,
	.job = judge,
};
