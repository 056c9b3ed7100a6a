// SPDX-License-Identifier: Apache-2.0
// A topology file in the grammar that NCCL reads.
#include "topo/render/render.h"

#include <stdlib.h>

#include "topo/compare/map_switches.h"

#define INDENT_MAX 64

struct writer {
	const struct topo_map *map;
	struct fp_text *text;
	int depth;
};

static void indent(const struct writer *w)
{
	int depth = w->depth < INDENT_MAX ? w->depth : INDENT_MAX;

	fp_text_printf(w->text, "%*s", 2 * depth, "");
}

/* An attribute whose value may be anything. */
static void write_text(const struct writer *w, const char *name,
                       const char *value)
{
	if (!*value)
		return;
	fp_text_printf(w->text, " %s=\"", name);
	for (; *value; value++) {
		if (*value == '&')
			fp_text_printf(w->text, "&amp;");
		else if (*value == '<')
			fp_text_printf(w->text, "&lt;");
		else if (*value == '"')
			fp_text_printf(w->text, "&quot;");
		else
			fp_text_append(w->text, value, 1);
	}
	fp_text_printf(w->text, "\"");
}

static void write_number(const struct writer *w, const char *name, int64_t n)
{
	if (n >= 0)
		fp_text_printf(w->text, " %s=\"%lld\"", name, (long long)n);
}

static void write_hex(const struct writer *w, const char *name, int32_t n,
                      int digits)
{
	if (n >= 0)
		fp_text_printf(w->text, " %s=\"0x%0*x\"", name, digits,
		               (unsigned)n);
}

static void write_speed(const struct writer *w, int32_t mtps)
{
	if (mtps > 0)
		fp_text_printf(w->text, " link_speed=\"%d.%d GT/s PCIe\"",
		               mtps / 1000, mtps % 1000 / 100);
}

static void write_net(const struct writer *w, const struct map_hca *hca,
                      const struct map_port *port)
{
	indent(w);
	fp_text_printf(w->text, "<net");
	write_text(w, "name", hca->name);
	write_number(w, "dev", port->dev);
	write_number(w, "speed",
	             port->rate_bps < 0 ? -1 : port->rate_bps / 1000000);
	write_number(w, "port", port->port);
	if (port->latency_ns >= 0)
		fp_text_printf(w->text, " latency=\"%lld.%03lld000\"",
		               (long long)port->latency_ns / 1000,
		               (long long)port->latency_ns % 1000);
	write_text(w, "guid", port->guid);
	write_number(w, "maxconn", port->maxconn);
	write_number(w, "gdr", port->gdr);
	fp_text_printf(w->text, "/>\n");
}

/* The HCAs of a PCI function, or those that hang from a NUMA node only. */
static void write_nics(struct writer *w, int32_t pci, int32_t numa)
{
	const struct topo_map *map = w->map;
	bool open = false;

	for (size_t i = 0; i < map->n_ports; i++) {
		const struct map_port *port = &map->ports[i];
		const struct map_hca *hca =
			port->hca >= 0 ? &map->hcas[port->hca] : NULL;

		if (!hca || hca->pci != pci || (pci < 0 && hca->numa != numa))
			continue;
		if (!open) {
			indent(w);
			fp_text_printf(w->text, "<nic>\n");
			w->depth++;
			open = true;
		}
		write_net(w, hca, port);
	}
	if (!open)
		return;
	w->depth--;
	indent(w);
	fp_text_printf(w->text, "</nic>\n");
}

static void write_nvlink(struct writer *w, const struct map_nvlink *link)
{
	static const char *const classes[REMOTE_COUNT] = {
		[REMOTE_GPU] = "0x030200",
		[REMOTE_NVSWITCH] = "0x068000",
		[REMOTE_CPU] = "0x068001",
		[REMOTE_UNKNOWN] = "",
	};

	indent(w);
	if (link->remote == REMOTE_CPU && !link->remote_bus[0]) {
		fp_text_printf(w->text, "<c2c");
		write_number(w, "bw", link->speed_MBps);
		write_number(w, "count", link->count);
	} else {
		fp_text_printf(w->text, "<nvlink");
		write_text(w, "target",
		           link->remote_bus[0] ? link->remote_bus
		                               : "fffffff:ffff:ff");
		write_number(w, "count", link->count);
		write_text(w, "tclass", classes[link->remote]);
	}
	fp_text_printf(w->text, "/>\n");
}

static void write_gpu(struct writer *w, int32_t g)
{
	const struct map_gpu *gpu = &w->map->gpus[g];
	bool links = false;

	for (size_t i = 0; i < w->map->n_nvlinks; i++)
		links |= w->map->nvlinks[i].gpu == g;
	if (!links && gpu->sm < 0 && gpu->rank < 0 && gpu->gdr < 0)
		return;
	indent(w);
	fp_text_printf(w->text, "<gpu");
	write_number(w, "dev", gpu->index);
	write_number(w, "sm", gpu->sm);
	write_number(w, "rank", gpu->rank);
	write_number(w, "gdr", gpu->gdr);
	fp_text_printf(w->text, links ? ">\n" : "/>\n");
	if (!links)
		return;
	w->depth++;
	for (size_t i = 0; i < w->map->n_nvlinks; i++) {
		if (w->map->nvlinks[i].gpu == g)
			write_nvlink(w, &w->map->nvlinks[i]);
	}
	w->depth--;
	indent(w);
	fp_text_printf(w->text, "</gpu>\n");
}

static void write_pci_begin(struct writer *w, const struct map_pci *pci)
{
	indent(w);
	fp_text_printf(w->text, "<pci");
	write_text(w, "busid", pci->bus_id);
	write_hex(w, "class", pci->class_code, 6);
	write_hex(w, "vendor", pci->vendor, 4);
	write_hex(w, "device", pci->device, 4);
	write_hex(w, "subsystem_vendor", pci->subsystem_vendor, 4);
	write_hex(w, "subsystem_device", pci->subsystem_device, 4);
	write_speed(w, pci->speed_mtps);
	write_number(w, "link_width", pci->width);
	fp_text_printf(w->text, ">\n");
	w->depth++;
}

/* The functions that hang from @parent, or of @numa where it is -1. */
static void write_pcis(struct writer *w, int32_t parent, int32_t numa)
{
	const struct topo_map *map = w->map;

	for (size_t i = (size_t)parent + 1; i < map->n_pcis; i++) {
		const struct map_pci *pci = &map->pcis[i];

		if (pci->parent != parent || pci->numa != numa)
			continue;
		write_pci_begin(w, pci);
		for (size_t g = 0; g < map->n_gpus; g++) {
			if (map->gpus[g].pci == (int32_t)i)
				write_gpu(w, (int32_t)g);
		}
		write_nics(w, (int32_t)i, numa);
		write_pcis(w, (int32_t)i, numa);
		w->depth--;
		indent(w);
		fp_text_printf(w->text, "</pci>\n");
	}
}

static void write_cpu(struct writer *w, int32_t n)
{
	const struct map_numa *numa = &w->map->numas[n];

	indent(w);
	fp_text_printf(w->text, "<cpu");
	write_text(w, "host_hash", numa->host_hash);
	write_number(w, "numaid", numa->id);
	if (topo_set_first(&numa->cpus) >= 0) {
		fp_text_printf(w->text, " affinity=\"");
		topo_set_write_mask(&numa->cpus, w->text);
		fp_text_printf(w->text, "\"");
	}
	write_text(w, "arch", numa->arch);
	write_text(w, "vendor", numa->vendor);
	write_number(w, "familyid", numa->family);
	write_number(w, "modelid", numa->model);
	fp_text_printf(w->text, ">\n");
	w->depth++;
	write_pcis(w, -1, n);
	write_nics(w, -1, n);
	w->depth--;
	indent(w);
	fp_text_printf(w->text, "</cpu>\n");
}

enum fp_status render_nccl(const struct topo_map *map, struct fp_text *text,
                           struct fp_err *err)
{
	struct topo_map switches;
	struct writer w = { .map = &switches, .text = text, .depth = 1 };
	enum fp_status status = topo_map_switches(map, &switches, err);

	if (status != FP_OK)
		return status;
	fp_text_printf(text, "<system version=\"1\">\n");
	for (size_t i = 0; i < switches.n_numas; i++)
		write_cpu(&w, (int32_t)i);
	fp_text_printf(text, "</system>\n");
	topo_map_done(&switches);
	return FP_OK;
}
