// SPDX-License-Identifier: Apache-2.0
// Reads topology files of NCCL (NCCL_TOPO_DUMP_FILE, NCCL_TOPO_FILE).
#include <stdlib.h>
#include <string.h>

#include "topo/source/pci_kind.h"
#include "topo/source/xml.h"

struct reader {
	struct topo_map *map;
	int32_t numa, gpu;
	int32_t pcis[XML_DEPTH_MAX + 1]; /* open <pci> elements */
	size_t depth;
	bool graph; /* of <graphs>: no tree */
};

typedef enum fp_status begin_fn(struct reader *r, const char *const *attrs,
                                struct fp_err *err);

static void copy_attr(char *dst, size_t size, const char *const *attrs,
                      const char *name)
{
	fp_copy(dst, size, xml_attr(attrs, name));
}

static enum fp_status begin_cpu(struct reader *r, const char *const *attrs,
                                struct fp_err *err)
{
	const char *affinity = xml_attr(attrs, "affinity");
	struct map_numa *numa;
	enum fp_status status = topo_map_add_numa(r->map, &numa, err);

	if (status != FP_OK)
		return status;
	r->numa = (int32_t)r->map->n_numas - 1;
	numa->id = xml_number(attrs, "numaid", INT32_MAX);
	numa->family = xml_number(attrs, "familyid", INT32_MAX);
	numa->model = xml_number(attrs, "modelid", INT32_MAX);
	copy_attr(numa->arch, sizeof(numa->arch), attrs, "arch");
	copy_attr(numa->vendor, sizeof(numa->vendor), attrs, "vendor");
	copy_attr(numa->host_hash, sizeof(numa->host_hash), attrs, "host_hash");
	if (*affinity && !topo_set_read_mask(affinity, &numa->cpus))
		return fp_err_set(err, FP_ERR_INPUT, "affinity is no mask");
	return FP_OK;
}

static int32_t pci_open(const struct reader *r)
{
	return r->depth ? r->pcis[r->depth - 1] : -1;
}

static enum fp_status begin_pci(struct reader *r, const char *const *attrs,
                                struct fp_err *err)
{
	struct map_pci *pci;
	enum fp_status status = topo_map_add_pci(r->map, &pci, err);

	if (status != FP_OK)
		return status;
	if (!map_bus_id(xml_attr(attrs, "busid"), pci->bus_id))
		return fp_err_set(err, FP_ERR_INPUT, "busid is no PCI address");
	pci->parent = pci_open(r);
	pci->numa = r->numa;
	pci->class_code = xml_number(attrs, "class", PCI_CLASS_MAX);
	pci->vendor = xml_number(attrs, "vendor", PCI_ID_MAX);
	pci->device = xml_number(attrs, "device", PCI_ID_MAX);
	pci->subsystem_vendor =
		xml_number(attrs, "subsystem_vendor", PCI_ID_MAX);
	pci->subsystem_device =
		xml_number(attrs, "subsystem_device", PCI_ID_MAX);
	pci->speed_mtps = pci_speed_read(xml_attr(attrs, "link_speed"));
	pci->width = xml_number(attrs, "link_width", INT32_MAX);
	if (pci->width == 0)
		pci->width = -1;
	r->pcis[r->depth++] = (int32_t)r->map->n_pcis - 1;
	r->map->tree = TREE_SWITCHES;
	return FP_OK;
}

static enum fp_status begin_gpu(struct reader *r, const char *const *attrs,
                                struct fp_err *err)
{
	int32_t dev = xml_number(attrs, "dev", INT32_MAX);
	struct map_gpu *gpu;
	enum fp_status status;

	/* A graph names each GPU once a channel. */
	if (r->graph && topo_map_find_gpu(r->map, dev) >= 0)
		return FP_OK;
	status = topo_map_add_gpu(r->map, &gpu, err);
	if (status != FP_OK)
		return status;
	r->gpu = (int32_t)r->map->n_gpus - 1;
	gpu->index = dev;
	gpu->pci = pci_open(r);
	gpu->sm = xml_number(attrs, "sm", INT32_MAX);
	gpu->rank = xml_number(attrs, "rank", INT32_MAX);
	gpu->gdr = xml_number(attrs, "gdr", INT32_MAX);
	return FP_OK;
}

static uint32_t remote_of(const char *const *attrs)
{
	switch (xml_number(attrs, "tclass", INT32_MAX)) {
	case 0x068000:
		return REMOTE_NVSWITCH;
	case 0x068001:
		return REMOTE_CPU;
	case 0x030000:
	case 0x030200:
		return REMOTE_GPU;
	default:
		return REMOTE_UNKNOWN;
	}
}

static enum fp_status begin_nvlink(struct reader *r, const char *const *attrs,
                                   struct fp_err *err)
{
	int32_t count = xml_number(attrs, "count", 4096);
	struct map_nvlink *link;
	enum fp_status status;

	if (r->gpu < 0)
		return FP_OK;
	status = topo_map_add_nvlink(r->map, &link, err);
	if (status != FP_OK)
		return status;
	link->gpu = r->gpu;
	link->count = count > 0 ? count : 1;
	link->state = LINK_UP;
	link->remote = (int32_t)remote_of(attrs);
	(void)map_bus_id(xml_attr(attrs, "target"), link->remote_bus);
	return FP_OK;
}

static enum fp_status begin_c2c(struct reader *r, const char *const *attrs,
                                struct fp_err *err)
{
	int32_t count = xml_number(attrs, "count", 4096);
	struct map_nvlink *link;
	enum fp_status status;

	if (r->gpu < 0)
		return FP_OK;
	status = topo_map_add_nvlink(r->map, &link, err);
	if (status != FP_OK)
		return status;
	link->gpu = r->gpu;
	link->count = count > 0 ? count : 1;
	link->state = LINK_UP;
	link->remote = REMOTE_CPU;
	link->speed_MBps = xml_number(attrs, "bw", INT32_MAX);
	return FP_OK;
}

/* Two <net> of one name on one function are two ports of one device. */
static enum fp_status hca_of(struct reader *r, const char *const *attrs,
                             int32_t *ret_hca, struct fp_err *err)
{
	char name[MAP_NAME_MAX];
	struct map_hca *hca;
	enum fp_status status;
	int32_t found;

	copy_attr(name, sizeof(name), attrs, "name");
	found = topo_map_find_hca(r->map, name);
	if (found >= 0 && name[0] && r->map->hcas[found].pci == pci_open(r)) {
		*ret_hca = found;
		return FP_OK;
	}
	status = topo_map_add_hca(r->map, &hca, err);
	if (status != FP_OK)
		return status;
	memcpy(hca->name, name, sizeof(name));
	hca->index = (int32_t)r->map->n_hcas - 1;
	hca->pci = pci_open(r);
	hca->numa = r->numa;
	*ret_hca = hca->index;
	return FP_OK;
}

static enum fp_status begin_net(struct reader *r, const char *const *attrs,
                                struct fp_err *err)
{
	int32_t speed = xml_number(attrs, "speed", INT32_MAX), hca = -1;
	struct map_port *port;
	enum fp_status status;

	status = r->graph ? FP_OK : hca_of(r, attrs, &hca, err);
	if (status != FP_OK || r->graph)
		return status;
	status = topo_map_add_port(r->map, &port, err);
	if (status != FP_OK)
		return status;
	port->hca = hca;
	port->port = xml_number(attrs, "port", INT32_MAX);
	port->dev = xml_number(attrs, "dev", INT32_MAX);
	port->gdr = xml_number(attrs, "gdr", INT32_MAX);
	port->maxconn = xml_number(attrs, "maxconn", INT32_MAX);
	port->rate_bps = speed > 0 ? speed * INT64_C(1000000) : -1;
	copy_attr(port->guid, sizeof(port->guid), attrs, "guid");
	if (*xml_attr(attrs, "latency")) {
		double us = strtod(xml_attr(attrs, "latency"), NULL);

		port->latency_ns =
			us >= 0 && us < 1e9 ? (int64_t)(us * 1e3 + 0.5) : -1;
	}
	return FP_OK;
}

static enum fp_status begin_graph(struct reader *r, const char *const *attrs,
                                  struct fp_err *err)
{
	(void)err;
	r->graph = true;
	topo_map_note(r->map, 0, 0,
	              "graph %s of NCCL, no topology: %s channels, %s inside, "
	              "%s to NICs",
	              xml_attr(attrs, "id"), xml_attr(attrs, "nchannels"),
	              xml_attr(attrs, "typeintra"),
	              xml_attr(attrs, "typeinter"));
	return FP_OK;
}

static const struct {
	const char *name;
	begin_fn *begin;
} elements[] = {
	{ "cpu", begin_cpu },       { "pci", begin_pci }, { "gpu", begin_gpu },
	{ "nvlink", begin_nvlink }, { "net", begin_net }, { "c2c", begin_c2c },
	{ "graph", begin_graph },
};

static enum fp_status on_begin(void *arg, const char *name,
                               const char *const *attrs, struct fp_err *err)
{
	for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++) {
		enum fp_status status;

		if (strcmp(name, elements[i].name) != 0)
			continue;
		status = elements[i].begin(arg, attrs, err);
		if (status != FP_OK)
			fp_err_prefix(err, "<%s>", name);
		return status;
	}
	return FP_OK;
}

static void on_end(void *arg, const char *name)
{
	struct reader *r = arg;

	if (strcmp(name, "pci") == 0 && r->depth)
		r->depth--;
	else if (strcmp(name, "cpu") == 0)
		r->numa = -1;
	else if (strcmp(name, "gpu") == 0)
		r->gpu = -1;
}

static bool sniff(const struct source_text *text)
{
	return xml_has_root(text, "system") || xml_has_root(text, "graphs");
}

static enum fp_status read(const struct source_text *text, struct topo_map *map,
                           struct fp_err *err)
{
	struct reader r = { .map = map, .numa = -1, .gpu = -1 };
	struct xml_ops ops = { .begin = on_begin, .end = on_end };
	struct map_note cut;
	enum fp_status status;

	ops.root = xml_has_root(text, "system") ? "system" : "graphs";
	status = xml_parse(text, &ops, &r, &cut, err);
	if (status == FP_OK)
		status = pci_find_devices(map, err);
	if (status == FP_OK && cut.line) {
		topo_map_note(map, cut.line, cut.column, "the file is cut");
		map->partial = true;
	}
	return status;
}

const struct source_ops source_nccl_xml_ops = {
	.name = "NCCL topology",
	.help = "the XML that NCCL_TOPO_DUMP_FILE writes",
	.phase = SOURCE_WHOLE,
	.sniff = sniff,
	.read = read,
};
