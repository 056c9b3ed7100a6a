// SPDX-License-Identifier: Apache-2.0
// What looks like a fault in a map and is none, or is a matter of taste.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/compare/oddity.h"
#include "topo/path/rail.h"

struct judge {
	const struct topo_map *map;
	const struct path_matrix *matrix;
	struct oddities *to;
};

typedef void remark_fn(const struct judge *j);

/* "GPU1, GPU2, GPU3" of those that are @in, cut where it gets long. */
static char *gpu_names(const struct topo_map *map, const bool *in, char *buf,
                       size_t size)
{
	size_t used = 0;

	*buf = '\0';
	for (size_t i = 0; i < map->n_gpus; i++) {
		int n;

		if (!in[i])
			continue;
		if (used + 24 > size) {
			(void)snprintf(buf + used, size - used, " ...");
			break;
		}
		n = snprintf(buf + used, size - used, "%sGPU%d",
		             used ? ", " : "", map->gpus[i].index);
		used += (size_t)n;
	}
	return buf;
}

static void pcie_only(const struct judge *j)
{
	size_t n = j->map->n_gpus, known = 0;

	for (size_t a = 0; a < n; a++) {
		for (size_t b = 0; b < a; b++) {
			struct path path = path_matrix_at(j->matrix, a, b);

			if (path.nvlinks)
				return;
			known += path.type != PATH_UNKNOWN;
		}
	}
	if (known && !j->map->n_nvlinks)
		oddities_add(j->to, ODDITY_PCIE_ONLY, -1, -1,
		             "no NVLink is told of: as far as is known the "
		             "GPUs reach one another over PCIe");
}

static void mig(const struct judge *j)
{
	bool in[MAP_DEVICES_MAX] = { false }, any = false;
	char names[96];

	for (size_t i = 0; i < j->map->n_gpus; i++)
		any |= in[i] = j->map->gpus[i].mig;
	if (any)
		oddities_add(j->to, ODDITY_MIG, -1, -1,
		             "%s in MIG mode: NVLinks are not told of and not "
		             "used there, which is no fault of theirs",
		             gpu_names(j->map, in, names, sizeof(names)));
}

static void cpuset(const struct judge *j)
{
	bool in[MAP_DEVICES_MAX] = { false }, any = false, other = false;
	char names[96];

	for (size_t i = 0; i < j->map->n_gpus; i++) {
		const struct map_gpu *gpu = &j->map->gpus[i];
		bool none = topo_set_first(&gpu->cpus) < 0;

		any |= in[i] = gpu->cpus_known && none;
		other |= !none;
	}
	if (any && other)
		oddities_add(j->to, ODDITY_CPUSET, -1, -1,
		             "%s: none of the CPUs near them may be used (a "
		             "cpuset leaves them out), so that host memory and "
		             "NICs are reached from another NUMA node",
		             gpu_names(j->map, in, names, sizeof(names)));
}

/* HCAs that are far from all GPUs: management, storage; or all there are. */
static bool is_far(const struct judge *j, size_t hca)
{
	uint8_t nearest = PATH_DIS;

	for (size_t g = 0; g < j->map->n_gpus; g++) {
		uint8_t type =
			path_matrix_at(j->matrix, g, j->map->n_gpus + hca).type;

		if (type < nearest)
			nearest = type;
	}
	return nearest == PATH_SYS;
}

static void hca_far(const struct judge *j)
{
	char name[MAP_NAME_MAX];
	size_t far = 0;

	for (size_t h = 0; h < j->map->n_hcas; h++)
		far += is_far(j, h);
	for (size_t h = 0; far < j->map->n_hcas && h < j->map->n_hcas; h++) {
		if (!is_far(j, h))
			continue;
		topo_map_device_name(j->map, j->map->n_gpus + h, name);
		oddities_add(j->to, ODDITY_HCA_FAR, -1, -1,
		             "%s is SYS to every GPU: no rail of theirs; it "
		             "may be for management or storage",
		             name);
	}
	if (far && far == j->map->n_hcas)
		oddities_add(j->to, ODDITY_HCA_FAR, -1, -1,
		             "every NIC is SYS to every GPU: all traffic to "
		             "other hosts crosses the sockets' link, and "
		             "GPUDirect RDMA is off by default");
}

static void hca_shared(const struct judge *j)
{
	const struct topo_map *map = j->map;

	for (size_t h = 0; h < map->n_hcas; h++) {
		bool in[MAP_DEVICES_MAX] = { false };
		char names[96], name[MAP_NAME_MAX];
		size_t n = 0;

		for (size_t g = 0; g < map->n_gpus; g++) {
			struct path path =
				path_matrix_at(j->matrix, g, map->n_gpus + h);

			in[g] = path_local(path) &&
			        rail_near(map, j->matrix, g, h);
			n += in[g];
		}
		if (n > 1)
			oddities_add(j->to, ODDITY_HCA_SHARED, -1, -1,
			             "%s is the nearest NIC of %zu GPUs: %s",
			             topo_map_device_name(map, map->n_gpus + h,
			                                  name),
			             n,
			             gpu_names(map, in, names, sizeof(names)));
	}
}

/* Virtual machines show no link, or that of an emulated bridge. */
static void virtual_links(const struct judge *j)
{
	size_t blank = 0, emulated = 0;

	for (size_t i = 0; i < j->map->n_pcis; i++) {
		const struct map_pci *pci = &j->map->pcis[i];
		bool bridge = pci->class_code >> 8 == 0x0604;

		blank += !bridge && pci->width < 0 && pci->class_code > 0;
		emulated +=
			bridge && pci->speed_mtps == 2500 && pci->width == 1;
	}
	if (blank)
		oddities_add(j->to, ODDITY_VIRTUAL, -1, -1,
		             "speed or width of %zu PCI link%s is not known: "
		             "an artefact of a virtual machine, no slow link",
		             blank, blank == 1 ? "" : "s");
	if (emulated)
		oddities_add(j->to, ODDITY_VIRTUAL, -1, -1,
		             "%zu PCI bridge%s of 2.5 GT/s x1: emulated by a "
		             "virtual machine, no slow link",
		             emulated, emulated == 1 ? "" : "s");
}

static void dangling(const struct judge *j)
{
	size_t outside = 0, self = 0;

	for (size_t i = 0; i < j->map->n_nvlinks; i++) {
		const struct map_nvlink *link = &j->map->nvlinks[i];
		int32_t pci = link->gpu >= 0 ? j->map->gpus[link->gpu].pci : -1;

		if (!link->remote_bus[0] || link->remote != REMOTE_GPU ||
		    link->remote_gpu >= 0)
			continue;
		if (pci >= 0 &&
		    strcmp(j->map->pcis[pci].bus_id, link->remote_bus) == 0)
			self++;
		else
			outside++;
	}
	if (outside)
		oddities_add(j->to, ODDITY_DANGLING, -1, -1,
		             "%zu NVLink bonds lead to GPUs that are not in "
		             "the file: those of other jobs, no missing ones",
		             outside);
	if (self)
		oddities_add(j->to, ODDITY_DANGLING, -1, -1,
		             "%zu NVLink bonds name their own GPU as the other "
		             "end: which GPUs they join is not known",
		             self);
}

static void no_class(const struct judge *j)
{
	const struct topo_map *map = j->map;
	size_t leaves = 0, groups = 0;

	for (size_t i = 0; i < map->n_pcis; i++) {
		bool parent = false, group = false;

		for (size_t k = i + 1; k < map->n_pcis; k++)
			parent |= map->pcis[k].parent == (int32_t)i;
		if (parent || map->pcis[i].class_code >= 0)
			continue;
		leaves++;
		for (size_t k = 0; k < i; k++)
			group |= map->pcis[k].class_code < 0 &&
			         map->pcis[i].parent >= 0 &&
			         map->pcis[k].parent == map->pcis[i].parent;
		groups += !group && map->pcis[i].parent >= 0;
	}
	if (!leaves || map->tree == TREE_NONE)
		return;
	if (groups)
		oddities_add(j->to, ODDITY_NO_CLASS, -1, -1,
		             "%zu PCI devices, in %zu groups behind a bridge, "
		             "of no stated class: GPUs or NICs, the file does "
		             "not say which",
		             leaves, groups);
	else
		oddities_add(j->to, ODDITY_NO_CLASS, -1, -1,
		             "%zu PCI devices, all directly at a CPU, of no "
		             "stated class: GPUs or NICs, the file does not "
		             "say which",
		             leaves);
}

static void p2p(const struct judge *j)
{
	size_t n = j->map->n_gpus, bad = 0;

	for (size_t i = 0; j->map->p2p && i < n * n; i++)
		bad += j->map->p2p[i] > P2P_OK;
	if (bad)
		oddities_add(j->to, ODDITY_P2P, -1, -1,
		             "the driver does not offer peer access between "
		             "%zu of %zu ordered pairs of GPUs: their data go "
		             "through host memory",
		             bad, n * (n - 1));
}

void oddities_remarks(const struct topo_map *map,
                      const struct path_matrix *matrix, struct oddities *to)
{
	static remark_fn *const remarks[] = {
		pcie_only,     mig,      cpuset,   hca_far, hca_shared,
		virtual_links, dangling, no_class, p2p,
	};
	const struct judge j = { map, matrix, to };

	for (size_t i = 0; i < sizeof(remarks) / sizeof(*remarks); i++)
		remarks[i](&j);
}
