// SPDX-License-Identifier: Apache-2.0
// Components of a cluster and their ids.
#include "topo/fabric/fabric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GPUS_PER_SWITCH 2
#define SOCKETS 2

void fabric_spec_defaults(struct fabric_spec *spec, int32_t hosts)
{
	*spec = (struct fabric_spec){
		.hosts = hosts,
		.gpus = 8,
		.nvlinks = 18,
		.nics = 8,
		.nic_gbps = 400,
		.hosts_per_leaf = 32,
		.spines = 1,
		.oversubscription = 1,
		.rail_optimised = true,
		.inside = FABRIC_INSIDE_NVSWITCH,
		.kinds = FABRIC_ALL_KINDS,
	};
}

static const struct spec_range {
	const char *name;
	size_t at;
	int32_t min, max;
} spec_ranges[] = {
	{ "hosts", offsetof(struct fabric_spec, hosts), 1, FABRIC_MAX_HOSTS },
	{ "gpus", offsetof(struct fabric_spec, gpus), 0, FABRIC_MAX_PER_HOST },
	{ "nics", offsetof(struct fabric_spec, nics), 0, FABRIC_MAX_PER_HOST },
	{ "nvlinks", offsetof(struct fabric_spec, nvlinks), 0, 1024 },
	{ "hosts_per_leaf", offsetof(struct fabric_spec, hosts_per_leaf), 0,
	  FABRIC_MAX_HOSTS },
	{ "leaves", offsetof(struct fabric_spec, leaves), 0,
	  FABRIC_MAX_HOSTS *FABRIC_MAX_PER_HOST },
	{ "spines", offsetof(struct fabric_spec, spines), 0, 65536 },
};

enum fp_status fabric_spec_check(const struct fabric_spec *spec,
                                 struct fp_err *err)
{
	size_t i;

	for (i = 0; i < sizeof(spec_ranges) / sizeof(*spec_ranges); i++) {
		const struct spec_range *r = &spec_ranges[i];
		int32_t v = *(const int32_t *)((const char *)spec + r->at);

		if (v < r->min || v > r->max)
			return fp_err_set(err, FP_ERR_INPUT,
			                  "%s is %d, not between %d and %d",
			                  r->name, (int)v, (int)r->min,
			                  (int)r->max);
	}
	if (!(spec->oversubscription >= 1 && spec->oversubscription <= 1000))
		return fp_err_set(err, FP_ERR_INPUT,
		                  "oversubscription is not between 1 and 1000");
	if (!(spec->nic_gbps > 0 && spec->nic_gbps <= 1e6))
		return fp_err_set(err, FP_ERR_INPUT,
		                  "nic_gbps is not between 0 and 1000000");
	if (spec->inside >= FABRIC_INSIDE_COUNT)
		return fp_err_set(err, FP_ERR_INPUT, "no such inside");
	return FP_OK;
}

static int32_t pods(const struct fabric_spec *s)
{
	if (s->hosts_per_leaf == 0)
		return 1;
	return (s->hosts + s->hosts_per_leaf - 1) / s->hosts_per_leaf;
}

static int32_t leaves_needed(const struct fabric_spec *s)
{
	if (s->nics == 0)
		return 0;
	return s->rail_optimised ? pods(s) * s->nics : pods(s);
}

static int32_t spec_leaf(const struct fabric_spec *s, int32_t host, int32_t nic)
{
	int32_t pod = s->hosts_per_leaf ? host / s->hosts_per_leaf : 0;

	return s->rail_optimised ? pod * s->nics + nic : pod;
}

static int32_t switches(const struct fabric_spec *s)
{
	int32_t most = s->gpus > s->nics ? s->gpus : s->nics;

	return (most + GPUS_PER_SWITCH - 1) / GPUS_PER_SWITCH;
}

static int32_t nvlink_parts(const struct fabric_spec *s)
{
	switch (s->inside) {
	case FABRIC_INSIDE_NVSWITCH:
		return s->gpus;
	case FABRIC_INSIDE_NVLINK:
		return s->gpus / 2;
	default:
		return 0;
	}
}

static void count_each(struct fabric *f)
{
	const struct fabric_spec *s = &f->spec;
	const int32_t each[FABRIC_KIND_COUNT] = {
		[FABRIC_HOST] = 1,
		[FABRIC_GPU] = s->gpus,
		[FABRIC_NVLINK] = nvlink_parts(s),
		[FABRIC_NVSWITCH] = s->inside == FABRIC_INSIDE_NVSWITCH,
		[FABRIC_GPU_PCIE] = s->gpus,
		[FABRIC_PCIE_SWITCH] = switches(s),
		[FABRIC_SOCKET] = SOCKETS,
		[FABRIC_HCA] = s->nics,
		[FABRIC_PORT_TX] = s->nics,
		[FABRIC_PORT_RX] = s->nics,
		[FABRIC_CONFIG_GDR] = s->gpus && s->nics,
		[FABRIC_CONFIG_NET] = s->nics > 0,
	};
	size_t k;

	for (k = 0; k < FABRIC_KIND_COUNT; k++)
		f->each[k] = each[k];
}

static int64_t count_kind(const struct fabric *f, unsigned kind)
{
	if (!(f->spec.kinds & 1u << kind))
		return 0;
	switch (kind) {
	case FABRIC_LEAF:
	case FABRIC_UPLINK:
	case FABRIC_DOWNLINK:
		return f->n_leaves;
	case FABRIC_SLOT:
		return f->spec.nics ? f->spec.gpus : 0;
	case FABRIC_CLUSTER:
		return 1;
	default:
		return (int64_t)f->each[kind] * f->spec.hosts;
	}
}

static enum fp_status number(struct fabric *f, struct fp_err *err)
{
	int64_t at = 0;
	unsigned k;

	for (k = 0; k < FABRIC_KIND_COUNT; k++) {
		f->first[k] = (int32_t)at;
		at += count_kind(f, k);
		if (at > INT32_MAX)
			return fp_err_set(err, FP_ERR_LIMIT,
			                  "too many components");
	}
	f->first[FABRIC_KIND_COUNT] = (int32_t)at;
	return FP_OK;
}

static void plug_as_described(struct fabric *f)
{
	const struct fabric_spec *s = &f->spec;
	int32_t h, n;

	for (h = 0; h < s->hosts; h++)
		for (n = 0; n < s->nics; n++)
			f->ports[h * s->nics + n] = (struct fabric_port){
				.leaf = spec_leaf(s, h, n),
				.port = -1,
			};
}

static enum fp_status too_few(const struct fabric_spec *s, int32_t need,
                              struct fp_err *err)
{
	char rails[48] = "";

	if (s->rail_optimised)
		(void)snprintf(rails, sizeof(rails), " and a leaf a rail (%d)",
		               (int)s->nics);
	return fp_err_set(
		err, FP_ERR_INPUT,
		"\"leaves\": %d are too few: %d hosts, %d a leaf%s, "
		"need %d; leave \"leaves\" out to have that many%s",
		(int)s->leaves, (int)s->hosts,
		(int)(s->hosts_per_leaf ? s->hosts_per_leaf : s->hosts), rails,
		(int)need,
		s->rail_optimised ? ", or say \"rail_optimised\": "
				    "false"
				  : "");
}

enum fp_status fabric_init(struct fabric *f, const struct fabric_spec *spec,
                           struct fp_err *err)
{
	enum fp_status status = fabric_spec_check(spec, err);
	int32_t need;

	if (status)
		return status;
	need = leaves_needed(spec);
	if (spec->leaves && spec->leaves < need)
		return too_few(spec, need, err);
	*f = (struct fabric){ .spec = *spec };
	f->n_leaves = spec->leaves ? spec->leaves : need;
	count_each(f);
	status = number(f, err);
	if (status)
		return status;
	f->ports = calloc((size_t)spec->hosts * (size_t)spec->nics + 1,
	                  sizeof(*f->ports));
	if (!f->ports)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a fabric");
	plug_as_described(f);
	return FP_OK;
}

void fabric_done(struct fabric *f)
{
	if (!f)
		return;
	free(f->ports);
	free(f->host_names);
	free(f->leaf_names);
	*f = (struct fabric){ 0 };
}

enum fp_status fabric_rewire(struct fabric *f, const int32_t *leaf_of,
                             int32_t n_leaves, struct fp_err *err)
{
	size_t n = (size_t)f->spec.hosts * (size_t)f->spec.nics, i;
	int32_t before = f->n_leaves;
	enum fp_status status;

	for (i = 0; i < n; i++)
		if (leaf_of[i] < -1 || leaf_of[i] >= n_leaves)
			return fp_err_set(err, FP_ERR_INPUT, "leaf %d of %d",
			                  (int)leaf_of[i], (int)n_leaves);
	f->n_leaves = n_leaves;
	status = number(f, err);
	if (status) {
		f->n_leaves = before;
		(void)number(f, NULL);
		return status;
	}
	for (i = 0; i < n; i++)
		f->ports[i].leaf = leaf_of[i];
	free(f->leaf_names);
	f->leaf_names = NULL;
	return FP_OK;
}

int32_t fabric_id(const struct fabric *f, unsigned kind, int32_t index)
{
	if (kind >= FABRIC_KIND_COUNT || index < 0 ||
	    index >= fabric_count(f, kind))
		return -1;
	return f->first[kind] + index;
}

int32_t fabric_host_id(const struct fabric *f, unsigned kind, int32_t host,
                       int32_t local)
{
	if (kind >= FABRIC_KIND_COUNT || host < 0 || host >= f->spec.hosts ||
	    local < 0 || local >= f->each[kind])
		return -1;
	return fabric_id(f, kind, host * f->each[kind] + local);
}

struct fabric_place fabric_place(const struct fabric *f, int32_t id)
{
	struct fabric_place p = { .host = -1 };

	while (id >= f->first[p.kind + 1])
		p.kind++;
	p.index = p.local = id - f->first[p.kind];
	if (f->each[p.kind]) {
		p.host = p.index / f->each[p.kind];
		p.local = p.index % f->each[p.kind];
	}
	return p;
}

int32_t fabric_leaf(const struct fabric *f, int32_t host, int32_t nic)
{
	if (host < 0 || host >= f->spec.hosts || nic < 0 || nic >= f->spec.nics)
		return -1;
	return f->ports[host * f->spec.nics + nic].leaf;
}

int32_t fabric_uplinks(const struct fabric *f)
{
	int32_t down =
		f->spec.hosts_per_leaf ? f->spec.hosts_per_leaf : f->spec.hosts;
	double up;

	if (!f->spec.rail_optimised)
		down *= f->spec.nics;
	up = ceil((double)down / f->spec.oversubscription);
	return up < 1 ? 1 : (int32_t)up;
}

int32_t fabric_gpu_switch(const struct fabric *f, int32_t gpu)
{
	return gpu * f->each[FABRIC_PCIE_SWITCH] / f->spec.gpus;
}

int32_t fabric_nic_switch(const struct fabric *f, int32_t nic)
{
	return nic * f->each[FABRIC_PCIE_SWITCH] / f->spec.nics;
}

int32_t fabric_switch_socket(const struct fabric *f, int32_t pcie_switch)
{
	return pcie_switch * SOCKETS / f->each[FABRIC_PCIE_SWITCH];
}

int32_t fabric_gpu_nic(const struct fabric *f, int32_t gpu)
{
	return f->spec.gpus ? gpu * f->spec.nics / f->spec.gpus : -1;
}
