// SPDX-License-Identifier: Apache-2.0
// Classes of tests.
#include "probes/locate/test.h"

static const struct {
	const char *name;
	bool crosses;
} classes[LOCATE_CLASS_COUNT] = {
	[LOCATE_COPY] = { "memory and GPU", false },
	[LOCATE_INSIDE] = { "GPU to GPU, NVLink", false },
	[LOCATE_INSIDE_PCIE] = { "GPU to GPU, PCIe", false },
	[LOCATE_LOOPBACK] = { "HCA loopback, GPU", false },
	[LOCATE_LOOPBACK_MEMORY] = { "HCA loopback, memory", false },
	[LOCATE_SAME_LEAF] = { "same rail, same leaf", false },
	[LOCATE_CROSS_LEAF] = { "same rail, across leaves", true },
	[LOCATE_SWAPPED] = { "other HCA, same leaf", false },
	[LOCATE_SWAPPED_CROSS] = { "other HCA, across leaves", true },
	[LOCATE_MEMORY] = { "memory of hosts, same leaf", false },
	[LOCATE_MEMORY_CROSS] = { "memory of hosts, across leaves", true },
	[LOCATE_RAILS] = { "other rail, same leaf", false },
	[LOCATE_RAILS_CROSS] = { "other rail, across leaves", true },
};

bool locate_class_crosses(unsigned cls)
{
	return cls < LOCATE_CLASS_COUNT && classes[cls].crosses;
}

const char *locate_class_name(unsigned cls)
{
	return cls < LOCATE_CLASS_COUNT ? classes[cls].name : "?";
}

double locate_expected_Bps(const struct fabric *f, unsigned cls)
{
	int32_t links = f->spec.nvlinks > 0 ? f->spec.nvlinks : 1;

	if (cls == LOCATE_INSIDE)
		return 20.6e9 * links;
	return 12e9 * f->spec.nic_gbps / 100;
}

static enum locate_class class_inside(const struct fabric *f,
                                      const struct fabric_transfer *t)
{
	if (t->src.gpu < 0 || t->dst.gpu < 0)
		return LOCATE_COPY;
	if (f->spec.inside == FABRIC_INSIDE_NVSWITCH)
		return LOCATE_INSIDE;
	return f->spec.inside == FABRIC_INSIDE_NVLINK &&
	                       t->src.gpu / 2 == t->dst.gpu / 2
	               ? LOCATE_INSIDE
	               : LOCATE_INSIDE_PCIE;
}

enum locate_class locate_class_of(const struct fabric *f,
                                  const struct fabric_transfer *t)
{
	enum locate_class base = LOCATE_SAME_LEAF;

	if (t->src.nic < 0)
		return class_inside(f, t);
	if (t->src.host == t->dst.host)
		return t->src.gpu < 0 ? LOCATE_LOOPBACK_MEMORY
		                      : LOCATE_LOOPBACK;
	if (t->src.gpu < 0)
		base = LOCATE_MEMORY;
	else if (fabric_gpu_nic(f, t->src.gpu) != t->src.nic)
		base = LOCATE_SWAPPED;
	else if (t->src.nic != t->dst.nic)
		base = LOCATE_RAILS;
	/* The same across leaves is the next one. */
	return base + (fabric_leaf(f, t->src.host, t->src.nic) !=
	               fabric_leaf(f, t->dst.host, t->dst.nic));
}
