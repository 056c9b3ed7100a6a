// SPDX-License-Identifier: Apache-2.0
// Differences of two maps, in words.
#include "topo/compare/map_differ.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "topo/model/port_words.h"
#include "topo/path/path.h"

#define LINES_OF_A_KIND 6

/* Lines of one kind: the first are written, the others counted. */
struct lines {
	struct fp_text *text;
	size_t n;
};

static void line(struct lines *lines, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void line(struct lines *lines, const char *fmt, ...)
{
	char text[256];
	va_list args;

	if (lines->n++ >= LINES_OF_A_KIND)
		return;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	fp_text_printf(lines->text, "  %s\n", text);
}

static void lines_end(const struct lines *lines, const char *of_what)
{
	if (lines->n > LINES_OF_A_KIND)
		fp_text_printf(lines->text, "  and %zu more %s\n",
		               lines->n - LINES_OF_A_KIND, of_what);
}

static void count_differs(struct fp_text *text, const char *what, size_t usual,
                          size_t n)
{
	if (usual != n)
		fp_text_printf(text, "  %zu %s; usual: %zu\n", n, what, usual);
}

static void gpus_differ(const struct topo_map *usual,
                        const struct topo_map *map, struct fp_text *text)
{
	struct lines lines = { .text = text };

	for (size_t i = 0; i < map->n_gpus && i < usual->n_gpus; i++) {
		const struct map_gpu *u = &usual->gpus[i], *g = &map->gpus[i];

		if (strcmp(u->name, g->name) != 0)
			line(&lines, "GPU%d is %s; usual: %s", g->index,
			     g->name[0] ? g->name : "?",
			     u->name[0] ? u->name : "?");
		if (u->mig != g->mig)
			line(&lines, "GPU%d: MIG is %s; usual: %s", g->index,
			     g->mig ? "on" : "off", u->mig ? "on" : "off");
		if (!topo_set_equal(&u->numas, &g->numas))
			line(&lines, "GPU%d: NUMA node %d; usual: %d", g->index,
			     topo_set_first(&g->numas),
			     topo_set_first(&u->numas));
	}
	lines_end(&lines, "about GPUs");
}

static void hcas_differ(const struct topo_map *usual,
                        const struct topo_map *map, struct fp_text *text)
{
	struct lines lines = { .text = text };

	for (size_t i = 0; i < usual->n_hcas; i++) {
		if (topo_map_find_hca(map, usual->hcas[i].name) < 0)
			line(&lines, "no %s, which is usual",
			     usual->hcas[i].name);
	}
	for (size_t i = 0; i < map->n_hcas; i++) {
		if (topo_map_find_hca(usual, map->hcas[i].name) < 0)
			line(&lines, "%s, which is not usual",
			     map->hcas[i].name);
	}
	lines_end(&lines, "NICs");
}

static double gbps(int64_t rate_bps)
{
	return rate_bps < 0 ? 0 : (double)rate_bps / 1e9;
}

static void port_differs(struct lines *lines, const char *hca,
                         const struct map_port *u, const struct map_port *p)
{
	if (u->state != p->state || u->phys != p->phys)
		line(lines, "%s/%d is %s (%s); usual: %s (%s)", hca, p->port,
		     port_state_name(p->state), port_phys_name(p->phys),
		     port_state_name(u->state), port_phys_name(u->phys));
	if (u->rate_bps != p->rate_bps)
		line(lines, "%s/%d: %g Gb/s; usual: %g", hca, p->port,
		     gbps(p->rate_bps), gbps(u->rate_bps));
	if (u->layer != p->layer)
		line(lines, "%s/%d: another link layer than usual", hca,
		     p->port);
}

static void ports_differ(const struct topo_map *usual,
                         const struct topo_map *map, struct fp_text *text)
{
	struct lines lines = { .text = text };

	for (size_t i = 0; i < map->n_ports; i++) {
		const struct map_port *p = &map->ports[i];
		int32_t hca, at;

		if (p->hca < 0)
			continue;
		hca = topo_map_find_hca(usual, map->hcas[p->hca].name);
		at = hca < 0 ? -1 : topo_map_find_port(usual, hca, p->port);
		if (at >= 0)
			port_differs(&lines, map->hcas[p->hca].name,
			             &usual->ports[at], p);
	}
	lines_end(&lines, "about ports");
}

static void links_differ(const struct topo_map *usual,
                         const struct topo_map *map, struct fp_text *text)
{
	struct lines lines = { .text = text };

	for (size_t i = 0; i < map->n_nvlinks; i++) {
		const struct map_nvlink *link = &map->nvlinks[i];

		if (link->state == LINK_DOWN && link->gpu >= 0 &&
		    link->link >= 0)
			line(&lines, "GPU%d: NVLink %d is down",
			     map->gpus[link->gpu].index, link->link);
	}
	(void)usual;
	lines_end(&lines, "NVLinks down");
}

/* Pairs of devices that both have: by their names in the drawing. */
static void paths_differ(const struct topo_map *usual,
                         const struct topo_map *map,
                         const struct path_matrix *mu,
                         const struct path_matrix *mm, struct fp_text *text)
{
	struct lines lines = { .text = text };
	char a_name[MAP_NAME_MAX], b_name[MAP_NAME_MAX], is[8], was[8];

	if (usual->n_gpus != map->n_gpus || mu->n != mm->n)
		return;
	for (size_t a = 0; a < mm->n; a++) {
		for (size_t b = a + 1; b < mm->n; b++) {
			struct path p = path_matrix_at(mm, a, b);
			struct path u = path_matrix_at(mu, a, b);

			if (p.type == u.type && p.nvlinks == u.nvlinks)
				continue;
			line(&lines, "%s to %s: %s; usual: %s",
			     topo_map_device_name(map, a, a_name),
			     topo_map_device_name(map, b, b_name),
			     path_name(p, is), path_name(u, was));
		}
	}
	lines_end(&lines, "pairs");
}

static void slots_differ(const struct topo_map *usual,
                         const struct topo_map *map, struct fp_text *text)
{
	struct lines lines = { .text = text };

	for (size_t i = 0; i < map->n_pcis && i < usual->n_pcis; i++) {
		const struct map_pci *u = &usual->pcis[i], *p = &map->pcis[i];

		if (u->class_code != p->class_code ||
		    (u->speed_mtps == p->speed_mtps && u->width == p->width))
			continue;
		line(&lines, "%s: PCIe %g GT/s x%d at most; usual: %g GT/s x%d",
		     p->bus_id, p->speed_mtps / 1000.0, p->width,
		     u->speed_mtps / 1000.0, u->width);
	}
	lines_end(&lines, "PCIe links");
}

enum fp_status map_differ_write(const struct topo_map *usual,
                                const struct topo_map *map,
                                struct fp_text *text, struct fp_err *err)
{
	struct path_matrix mu = { 0 }, mm = { 0 };
	enum fp_status status;

	status = path_matrix_init(usual, PATH_VIEW_SMI, &mu, err);
	if (status == FP_OK)
		status = path_matrix_init(map, PATH_VIEW_SMI, &mm, err);
	if (status == FP_OK) {
		size_t before = text->len;

		count_differs(text, "GPUs", usual->n_gpus, map->n_gpus);
		count_differs(text, "NICs", usual->n_hcas, map->n_hcas);
		count_differs(text, "NUMA nodes", usual->n_numas, map->n_numas);
		gpus_differ(usual, map, text);
		hcas_differ(usual, map, text);
		ports_differ(usual, map, text);
		links_differ(usual, map, text);
		paths_differ(usual, map, &mu, &mm, text);
		slots_differ(usual, map, text);
		if (text->len == before)
			fp_text_printf(text, "  its PCI tree has another "
			                     "shape\n");
	}
	path_matrix_done(&mm);
	path_matrix_done(&mu);
	return status;
}
