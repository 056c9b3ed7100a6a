// SPDX-License-Identifier: Apache-2.0
// Reads packages, cores and caches of the running host by hwloc.
//
// Where hwloc and sysfs both speak (NUMA nodes and their CPUs, the PCI tree)
// sysfs is believed: it can be read of a captured host too, and alone tells
// the speed of every hop. hwloc is asked for what sysfs spreads over the
// folders of all CPUs, and is kept away from drivers that may hang.
#include <hwloc.h>

#include "topo/source/live.h"

/* Parts that would talk to GPUs, or look at devices that sysfs reads. */
static const char *const unwanted[] = { "cuda", "nvml",      "opencl", "gl",
	                                "rsmi", "levelzero", "pci" };

static void put_counts(hwloc_topology_t topology, struct reading_pen *pen)
{
	static const struct {
		const char *name;
		hwloc_obj_type_t type;
	} rows[] = {
		{ "cpu.packages", HWLOC_OBJ_PACKAGE },
		{ "cpu.cores", HWLOC_OBJ_CORE },
		{ "cpu.threads", HWLOC_OBJ_PU },
		{ "cpu.l3_caches", HWLOC_OBJ_L3CACHE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int n = hwloc_get_nbobjs_by_type(topology, rows[i].type);

		if (n > 0)
			reading_put_int(pen, rows[i].name, n);
	}
}

static enum fp_status read_hwloc(struct live *live, struct fp_err *err)
{
	struct reading_pen pen = live_pen(live, READ_HWLOC, "", err);
	hwloc_topology_t topology;

	if (hwloc_topology_init(&topology) < 0)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for hwloc");
	for (size_t i = 0; i < sizeof(unwanted) / sizeof(*unwanted); i++)
		(void)hwloc_topology_set_components(
			topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
			unwanted[i]);
	(void)hwloc_topology_set_io_types_filter(topology,
	                                         HWLOC_TYPE_FILTER_KEEP_NONE);
	if (hwloc_topology_load(topology) == 0)
		put_counts(topology, &pen);
	else
		reading_put_skip(&pen, "cpu.packages",
		                 "hwloc cannot read this host");
	hwloc_topology_destroy(topology);
	return pen.status;
}

const struct live_ops live_hwloc_ops = {
	.name = "hwloc",
	.help = "CPU packages, cores, threads and caches",
	.where = LIVE_RUNNING,
	.read = read_hwloc,
};
