// SPDX-License-Identifier: Apache-2.0
// Which components a transfer crosses.
#include "topo/fabric/fabric.h"

/* struct path - components in the order of the bytes, each once. */
struct path {
	const struct fabric *f;
	int32_t *ids;
	size_t n;
};

static void add_id(struct path *p, int32_t id)
{
	size_t i;

	if (id < 0 || p->n == FABRIC_PATH_MAX)
		return;
	for (i = 0; i < p->n; i++)
		if (p->ids[i] == id)
			return;
	p->ids[p->n++] = id;
}

static void add(struct path *p, unsigned kind, int32_t host, int32_t local)
{
	add_id(p, fabric_host_id(p->f, kind, host, local));
}

static void add_socket(struct path *p, int32_t host, int32_t pcie_switch)
{
	add(p, FABRIC_SOCKET, host, fabric_switch_socket(p->f, pcie_switch));
}

/* A GPU's link to the top of its PCIe switch. */
static void add_link(struct path *p, int32_t host, int32_t gpu)
{
	add(p, FABRIC_GPU_PCIE, host, gpu);
	add(p, FABRIC_PCIE_SWITCH, host, fabric_gpu_switch(p->f, gpu));
}

static void cross_pcie(struct path *p, int32_t host, int32_t a, int32_t b)
{
	int32_t sa = fabric_gpu_switch(p->f, a);
	int32_t sb = fabric_gpu_switch(p->f, b);

	add(p, FABRIC_GPU, host, a);
	add_link(p, host, a);
	add(p, FABRIC_GPU, host, b);
	add_link(p, host, b);
	if (sa == sb)
		return;
	add_socket(p, host, sa);
	add_socket(p, host, sb);
}

static void cross_gpus(struct path *p, int32_t host, int32_t a, int32_t b)
{
	uint32_t inside = p->f->spec.inside;

	add(p, FABRIC_HOST, host, 0);
	if (inside == FABRIC_INSIDE_PCIE ||
	    (inside == FABRIC_INSIDE_NVLINK && a / 2 != b / 2)) {
		cross_pcie(p, host, a, b);
		return;
	}
	add(p, FABRIC_GPU, host, a);
	add(p, FABRIC_GPU, host, b);
	if (inside == FABRIC_INSIDE_NVLINK) {
		add(p, FABRIC_NVLINK, host, a / 2);
		return;
	}
	add(p, FABRIC_NVLINK, host, a);
	add(p, FABRIC_NVSWITCH, host, 0);
	add(p, FABRIC_NVLINK, host, b);
}

/* Memory of the host to or from one of its GPUs. A copy engine does not mind
 * a GPU's clocks: what is slow here is the link. */
static void cross_memory(struct path *p, int32_t host, int32_t gpu)
{
	add(p, FABRIC_HOST, host, 0);
	add_link(p, host, gpu);
	add_socket(p, host, fabric_gpu_switch(p->f, gpu));
}

static void cross_inside(struct path *p, const struct fabric_transfer *t)
{
	int32_t a = t->src.gpu, b = t->dst.gpu;

	if (t->src.host != t->dst.host || a == b)
		return;
	if (a >= 0 && b >= 0)
		cross_gpus(p, t->src.host, a, b);
	else
		cross_memory(p, t->src.host, a >= 0 ? a : b);
}

/* Memory or a GPU to the HCA of its end. */
static void cross_end(struct path *p, const struct fabric_end *e)
{
	int32_t at = fabric_nic_switch(p->f, e->nic);

	add(p, FABRIC_HOST, e->host, 0);
	add(p, FABRIC_CONFIG_NET, e->host, 0);
	if (e->gpu >= 0) {
		add(p, FABRIC_CONFIG_GDR, e->host, 0);
		add_id(p, fabric_id(p->f, FABRIC_SLOT, e->gpu));
		add(p, FABRIC_GPU, e->host, e->gpu);
		add_link(p, e->host, e->gpu);
	}
	if (e->gpu < 0 || fabric_gpu_switch(p->f, e->gpu) != at)
		add_socket(p, e->host, at);
	add(p, FABRIC_PCIE_SWITCH, e->host, at);
	add(p, FABRIC_HCA, e->host, e->nic);
}

static void cross_leaves(struct path *p, int32_t from, int32_t to)
{
	add_id(p, fabric_id(p->f, FABRIC_LEAF, from));
	if (from != to) {
		add_id(p, fabric_id(p->f, FABRIC_UPLINK, from));
		add_id(p, fabric_id(p->f, FABRIC_DOWNLINK, to));
	}
	add_id(p, fabric_id(p->f, FABRIC_LEAF, to));
}

static void cross_network(struct path *p, const struct fabric_transfer *t)
{
	cross_end(p, &t->src);
	add(p, FABRIC_PORT_TX, t->src.host, t->src.nic);
	cross_leaves(p, fabric_leaf(p->f, t->src.host, t->src.nic),
	             fabric_leaf(p->f, t->dst.host, t->dst.nic));
	add(p, FABRIC_PORT_RX, t->dst.host, t->dst.nic);
	cross_end(p, &t->dst);
	add_id(p, fabric_id(p->f, FABRIC_CLUSTER, 0));
}

static bool end_is(const struct fabric *f, const struct fabric_end *e)
{
	return e->host >= 0 && e->host < f->spec.hosts && e->gpu >= -1 &&
	       e->gpu < f->spec.gpus && e->nic >= -1 && e->nic < f->spec.nics;
}

size_t fabric_cross(const struct fabric *f, const struct fabric_transfer *t,
                    int32_t ids[static FABRIC_PATH_MAX])
{
	struct path p = { .f = f, .ids = ids };

	if (!end_is(f, &t->src) || !end_is(f, &t->dst) ||
	    (t->src.nic < 0) != (t->dst.nic < 0))
		return 0;
	if (t->src.nic < 0)
		cross_inside(&p, t);
	else
		cross_network(&p, t);
	return p.n;
}

size_t fabric_cross_begun(const struct fabric *f,
                          const struct fabric_transfer *t,
                          int32_t ids[static FABRIC_PATH_MAX])
{
	const struct fabric_end *const ends[] = { &t->src, &t->dst };
	struct path p = { .f = f, .ids = ids };
	size_t i;

	if (!end_is(f, &t->src) || !end_is(f, &t->dst))
		return 0;
	for (i = 0; i < 2; i++) {
		add(&p, FABRIC_HOST, ends[i]->host, 0);
		add(&p, FABRIC_GPU, ends[i]->host, ends[i]->gpu);
		if (ends[i]->nic >= 0)
			add(&p, FABRIC_CONFIG_NET, ends[i]->host, 0);
	}
	return p.n;
}
