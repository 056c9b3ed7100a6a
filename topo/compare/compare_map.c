// SPDX-License-Identifier: Apache-2.0
// Which hosts look the same.
#include <stdlib.h>
#include <string.h>

#include "topo/compare/compare.h"
#include "topo/model/model_map.h"
#include "topo/path/path.h"

#define GROUPS_MAX 256 /* hosts are compared with one host of each */

static bool numas_equal(const struct topo_map *a, const struct topo_map *b)
{
	if (a->n_numas != b->n_numas)
		return false;
	for (size_t i = 0; i < a->n_numas; i++) {
		if (a->numas[i].id != b->numas[i].id ||
		    !topo_set_equal(&a->numas[i].cpus, &b->numas[i].cpus))
			return false;
	}
	return true;
}

/* The tree, but for its addresses: *@same_bus says whether these agree. */
static bool pcis_equal(const struct topo_map *a, const struct topo_map *b,
                       bool *same_bus)
{
	if (a->n_pcis != b->n_pcis || a->tree != b->tree)
		return false;
	for (size_t i = 0; i < a->n_pcis; i++) {
		const struct map_pci *x = &a->pcis[i], *y = &b->pcis[i];

		*same_bus &= strcmp(x->bus_id, y->bus_id) == 0 &&
		             strcmp(x->root, y->root) == 0;
		if (x->parent != y->parent || x->numa != y->numa ||
		    x->class_code != y->class_code || x->vendor != y->vendor ||
		    x->device != y->device || x->speed_mtps != y->speed_mtps ||
		    x->width != y->width)
			return false;
	}
	return true;
}

static bool gpus_equal(const struct topo_map *a, const struct topo_map *b)
{
	if (a->n_gpus != b->n_gpus)
		return false;
	for (size_t i = 0; i < a->n_gpus; i++) {
		const struct map_gpu *x = &a->gpus[i], *y = &b->gpus[i];

		if (strcmp(x->name, y->name) != 0 || x->index != y->index ||
		    x->pci != y->pci || x->mig != y->mig ||
		    x->gpu_numa != y->gpu_numa || x->sm != y->sm ||
		    x->cpus_known != y->cpus_known ||
		    !topo_set_equal(&x->cpus, &y->cpus) ||
		    !topo_set_equal(&x->numas, &y->numas))
			return false;
	}
	return true;
}

static bool hcas_equal(const struct topo_map *a, const struct topo_map *b)
{
	if (a->n_hcas != b->n_hcas || a->n_ports != b->n_ports)
		return false;
	for (size_t i = 0; i < a->n_hcas; i++) {
		const struct map_hca *x = &a->hcas[i], *y = &b->hcas[i];

		if (strcmp(x->name, y->name) != 0 || x->index != y->index ||
		    x->pci != y->pci || x->numa != y->numa)
			return false;
	}
	for (size_t i = 0; i < a->n_ports; i++) {
		const struct map_port *x = &a->ports[i], *y = &b->ports[i];

		if (x->hca != y->hca || x->port != y->port ||
		    x->state != y->state || x->phys != y->phys ||
		    x->layer != y->layer || x->rate_bps != y->rate_bps)
			return false;
	}
	return true;
}

static bool nvlinks_equal(const struct topo_map *a, const struct topo_map *b)
{
	if (a->n_nvlinks != b->n_nvlinks)
		return false;
	for (size_t i = 0; i < a->n_nvlinks; i++) {
		const struct map_nvlink *x = &a->nvlinks[i];
		const struct map_nvlink *y = &b->nvlinks[i];

		if (x->gpu != y->gpu || x->link != y->link ||
		    x->count != y->count || x->state != y->state ||
		    x->speed_MBps != y->speed_MBps || x->remote != y->remote ||
		    x->remote_gpu != y->remote_gpu)
			return false;
	}
	return true;
}

static bool bytes_equal(const void *a, const void *b, size_t n)
{
	return !a == !b && (!a || memcmp(a, b, n) == 0);
}

/* Host bridges by other addresses may be the same or other neighbours. */
static bool paths_equal(const struct topo_map *a, const struct topo_map *b)
{
	struct path_matrix ma, mb;
	bool equal = false;

	if (path_matrix_init(a, PATH_VIEW_SMI, &ma, NULL) != FP_OK)
		return false;
	if (path_matrix_init(b, PATH_VIEW_SMI, &mb, NULL) == FP_OK) {
		equal = ma.n == mb.n &&
		        memcmp(ma.cells, mb.cells,
		               ma.n * ma.n * sizeof(*ma.cells)) == 0;
		path_matrix_done(&mb);
	}
	path_matrix_done(&ma);
	return equal;
}

bool map_look_equal(const struct topo_map *a, const struct topo_map *b)
{
	size_t n = topo_map_devices(a);
	bool same_bus = true;

	if (!n && !topo_map_devices(b))
		return true;
	return gpus_equal(a, b) && hcas_equal(a, b) && nvlinks_equal(a, b) &&
	       pcis_equal(a, b, &same_bus) && numas_equal(a, b) &&
	       bytes_equal(a->drawn, b->drawn, n * n * sizeof(*a->drawn)) &&
	       bytes_equal(a->p2p, b->p2p, a->n_gpus * a->n_gpus) &&
	       (same_bus || paths_equal(a, b));
}

static void sort_host(const struct topo_job *job, size_t host,
                      struct host_groups *g)
{
	const struct topo_map *map = job->hosts[host].map;
	size_t looked_at = g->n < GROUPS_MAX ? g->n : GROUPS_MAX, at = 0;

	g->group[host] = -1;
	if (!map)
		return;
	while (at < looked_at &&
	       !map_look_equal(map, job->hosts[g->first[at]].map))
		at++;
	if (at == looked_at)
		at = g->n;
	if (at == g->n) {
		g->first[at] = host;
		g->count[at] = 0;
		g->n++;
	}
	g->count[at]++;
	g->group[host] = (int32_t)at;
}

struct size_order {
	size_t group, count;
};

static int by_size(const void *a, const void *b)
{
	const struct size_order *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

/* The largest first; of equals, the one that was met first. */
static enum fp_status order_groups(struct host_groups *g, size_t n_hosts,
                                   struct fp_err *err)
{
	struct size_order *order = calloc(g->n + 1, sizeof(*order));
	size_t *first = calloc(g->n + 1, sizeof(*first));
	int32_t *to = calloc(g->n + 1, sizeof(*to));
	bool ok = order && first && to;

	for (size_t i = 0; i < g->n && ok; i++) {
		order[i] = (struct size_order){ i, g->count[i] };
		first[i] = g->first[i];
	}
	if (ok)
		qsort(order, g->n, sizeof(*order), by_size);
	for (size_t i = 0; i < g->n && ok; i++) {
		to[order[i].group] = (int32_t)i;
		g->first[i] = first[order[i].group];
		g->count[i] = order[i].count;
	}
	for (size_t h = 0; h < n_hosts && ok; h++) {
		if (g->group[h] >= 0)
			g->group[h] = to[g->group[h]];
	}
	free(to);
	free(first);
	free(order);
	return ok ? FP_OK
	          : fp_err_set(err, FP_ERR_NOMEM, "no memory to sort hosts");
}

enum fp_status host_groups_init(const struct topo_job *job,
                                struct host_groups *ret, struct fp_err *err)
{
	size_t n = job->n_hosts;
	struct host_groups g = {
		.group = calloc(n + 1, sizeof(*g.group)),
		.first = calloc(n + 1, sizeof(*g.first)),
		.count = calloc(n + 1, sizeof(*g.count)),
	};
	enum fp_status status;

	if (!g.group || !g.first || !g.count) {
		host_groups_done(&g);
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory to sort %zu hosts", n);
	}
	for (size_t h = 0; h < n; h++)
		sort_host(job, h, &g);
	status = order_groups(&g, n, err);
	if (status == FP_OK)
		*ret = g;
	else
		host_groups_done(&g);
	return status;
}

void host_groups_done(struct host_groups *groups)
{
	if (!groups)
		return;
	free(groups->group);
	free(groups->first);
	free(groups->count);
	*groups = (struct host_groups){ 0 };
}
