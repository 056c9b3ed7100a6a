// SPDX-License-Identifier: Apache-2.0
// Reads the XML of hwloc (lstopo): NUMA nodes, the PCI tree, RDMA devices.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/source/pci_kind.h"
#include "topo/source/xml.h"

/* An open <object>: where what it holds hangs. */
struct frame {
	int32_t numa, pci;
	char root[MAP_BUS_MAX];
};

struct reader {
	struct topo_map *map;
	struct frame frames[XML_DEPTH_MAX + 1];
	size_t depth;
};

typedef enum fp_status object_fn(struct reader *r, const char *const *attrs,
                                 struct fp_err *err);

static struct frame *top(struct reader *r)
{
	return &r->frames[r->depth];
}

/* "0x000000ff,0xffffffff": the mask of NCCL with another prefix. */
static enum fp_status numa_object(struct reader *r, const char *const *attrs,
                                  struct fp_err *err)
{
	struct map_numa *numa;
	enum fp_status status = topo_map_add_numa(r->map, &numa, err);

	if (status != FP_OK)
		return status;
	numa->id = xml_number(attrs, "os_index", INT32_MAX);
	(void)topo_set_read_mask(xml_attr(attrs, "cpuset"), &numa->cpus);
	top(r)->numa = (int32_t)r->map->n_numas - 1;
	/* In version 2 it is a child of the object whose memory it is. */
	if (r->depth && r->frames[r->depth - 1].numa < 0)
		r->frames[r->depth - 1].numa = top(r)->numa;
	return FP_OK;
}

/* "0302 [10de:2330] [10de:16c1] a1", brackets and the rest as may be. */
static void take_type(struct map_pci *pci, const char *type)
{
	unsigned class_code, vendor, device, sub_vendor, sub_device;
	/* NOLINTNEXTLINE(cert-err34-c): four digits always fit */
	int n = sscanf(type, "%4x [%4x:%4x] [%4x:%4x]", &class_code, &vendor,
	               &device, &sub_vendor, &sub_device);

	/* Masks, because it takes signs, too. */
	if (n >= 1)
		pci->class_code = (int32_t)((class_code & 0xffff) << 8);
	if (n >= 3) {
		pci->vendor = (int32_t)(vendor & 0xffff);
		pci->device = (int32_t)(device & 0xffff);
	}
	if (n == 5) {
		pci->subsystem_vendor = (int32_t)(sub_vendor & 0xffff);
		pci->subsystem_device = (int32_t)(sub_device & 0xffff);
	}
}

static enum fp_status pci_object(struct reader *r, const char *const *attrs,
                                 struct fp_err *err)
{
	char bus_id[MAP_BUS_MAX];
	struct map_pci *pci;
	enum fp_status status;

	if (!map_bus_id(xml_attr(attrs, "pci_busid"), bus_id))
		return fp_err_set(err, FP_ERR_INPUT,
		                  "pci_busid is no PCI address");
	status = topo_map_add_pci(r->map, &pci, err);
	if (status != FP_OK)
		return status;
	memcpy(pci->bus_id, bus_id, sizeof(bus_id));
	memcpy(pci->root, top(r)->root, sizeof(pci->root));
	pci->parent = top(r)->pci;
	pci->numa = top(r)->numa;
	take_type(pci, xml_attr(attrs, "pci_type"));
	top(r)->pci = (int32_t)r->map->n_pcis - 1;
	r->map->tree = TREE_PORTS;
	return FP_OK;
}

/* A host bridge has no function of its own, only the buses behind it. */
static enum fp_status bridge_object(struct reader *r, const char *const *attrs,
                                    struct fp_err *err)
{
	unsigned domain, bus;

	if (strcmp(xml_attr(attrs, "bridge_type"), "0-1") != 0)
		return pci_object(r, attrs, err);
	/* NOLINTNEXTLINE(cert-err34-c): eight digits always fit */
	if (sscanf(xml_attr(attrs, "bridge_pci"), "%8x:[%2x", &domain, &bus) ==
	    2)
		(void)snprintf(top(r)->root, MAP_BUS_MAX, "%04x:%02x", domain,
		               bus);
	return FP_OK;
}

static enum fp_status os_object(struct reader *r, const char *const *attrs,
                                struct fp_err *err)
{
	static const char openfabrics[] = "3";
	struct map_hca *hca;
	enum fp_status status;

	if (strcmp(xml_attr(attrs, "osdev_type"), openfabrics) != 0)
		return FP_OK;
	status = topo_map_add_hca(r->map, &hca, err);
	if (status != FP_OK)
		return status;
	fp_copy(hca->name, sizeof(hca->name), xml_attr(attrs, "name"));
	hca->index = (int32_t)r->map->n_hcas - 1;
	hca->pci = top(r)->pci;
	hca->numa = top(r)->numa;
	return FP_OK;
}

static const struct {
	const char *type;
	object_fn *take;
} objects[] = {
	{ "NUMANode", numa_object },
	{ "PCIDev", pci_object },
	{ "Bridge", bridge_object },
	{ "OSDev", os_object },
};

static enum fp_status on_begin(void *arg, const char *name,
                               const char *const *attrs, struct fp_err *err)
{
	struct reader *r = arg;
	const char *type = xml_attr(attrs, "type");

	if (strcmp(name, "object") != 0 || r->depth >= XML_DEPTH_MAX)
		return FP_OK;
	r->depth++;
	r->frames[r->depth] = r->frames[r->depth - 1];
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
		if (strcmp(type, objects[i].type) == 0)
			return objects[i].take(r, attrs, err);
	}
	return FP_OK;
}

static void on_end(void *arg, const char *name)
{
	struct reader *r = arg;

	if (strcmp(name, "object") == 0 && r->depth)
		r->depth--;
}

static bool sniff(const struct source_text *text)
{
	return xml_has_root(text, "topology") && source_has(text, "<object ");
}

static enum fp_status read(const struct source_text *text, struct topo_map *map,
                           struct fp_err *err)
{
	static const struct xml_ops ops = { "topology", on_begin, on_end };
	struct reader r = { .map = map };
	struct map_note cut;
	enum fp_status status;

	r.frames[0] = (struct frame){ .numa = -1, .pci = -1 };
	status = xml_parse(text, &ops, &r, &cut, err);
	if (status == FP_OK)
		status = pci_find_devices(map, err);
	if (status == FP_OK && map->n_pcis == 0)
		return fp_err_set(
			err, FP_ERR_INPUT,
			"hwloc's XML (lstopo), without PCI devices: give one "
			"written with 'lstopo --whole-io', or the file that "
			"NCCL_TOPO_DUMP_FILE names");
	if (status == FP_OK && cut.line) {
		topo_map_note(map, cut.line, cut.column, "the file is cut");
		map->partial = true;
	}
	return status;
}

const struct source_ops source_hwloc_xml_ops = {
	.name = "hwloc XML",
	.help = "the XML of lstopo, with I/O devices",
	.phase = SOURCE_WHOLE,
	.sniff = sniff,
	.read = read,
};
