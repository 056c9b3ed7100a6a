// SPDX-License-Identifier: Apache-2.0
// The matrices that nvidia-smi topo draws, with the same tabs.
#include "topo/render/render.h"

static const struct {
	uint32_t column;
	const char *name;
} columns[] = {
	{ MAP_COLUMN_CPUS, "CPU Affinity" },
	{ MAP_COLUMN_NUMAS, "NUMA Affinity" },
	{ MAP_COLUMN_GPU_NUMA, "GPU NUMA ID" },
};

/* Words that nvidia-smi's own legend explains come first, and always. */
static const struct {
	uint8_t type;
	bool always;
	const char *text;
} legend[] = {
	{ PATH_SELF, true, "X    = the device itself" },
	{ PATH_SYS, true,
	  "SYS  = through two CPUs and the link between their sockets" },
	{ PATH_NODE, true,
	  "NODE = through two host bridges of one CPU or NUMA node" },
	{ PATH_PHB, true, "PHB  = through one host bridge of the CPU" },
	{ PATH_PXB, true,
	  "PXB  = through several PCIe switches, past the CPU" },
	{ PATH_PIX, true, "PIX  = through one PCIe switch, or none" },
	{ PATH_NVLINK, true, "NV#  = through # NVLinks side by side" },
	{ PATH_NVB, false, "NVB  = NVLinks by way of a third GPU" },
	{ PATH_C2C, false, "C2C  = Chip-to-chip link to the CPU" },
	{ PATH_P2C, false, "P2C  = Chip-to-chip link, then PCIe" },
	{ PATH_PXN, false, "PXN  = By NVLink to the NIC's own GPU" },
	{ PATH_UNKNOWN, false, "?    = Not known" },
};

static void write_tail(const struct map_gpu *gpu, uint32_t shown,
                       struct fp_text *text)
{
	if (shown & MAP_COLUMN_CPUS) {
		fp_text_printf(text, gpu->cpus_known ? "\t" : "\tN/A");
		topo_set_write(&gpu->cpus, text);
	}
	if (shown & MAP_COLUMN_NUMAS) {
		fp_text_printf(text, topo_set_first(&gpu->numas) < 0 ? "\tN/A"
		                                                     : "\t");
		topo_set_write(&gpu->numas, text);
	}
	if (shown & MAP_COLUMN_GPU_NUMA && gpu->gpu_numa < 0)
		fp_text_printf(text, "\t\tN/A");
	else if (shown & MAP_COLUMN_GPU_NUMA)
		fp_text_printf(text, "\t\t%d", gpu->gpu_numa);
}

static void write_row(const struct topo_map *map,
                      const struct path_matrix *matrix, size_t row,
                      uint32_t shown, struct fp_text *text)
{
	char name[MAP_NAME_MAX], cell[8];

	fp_text_printf(text, "%s", topo_map_device_name(map, row, name));
	for (size_t i = 0; i < matrix->n; i++) {
		struct path path = path_matrix_at(matrix, row, i);

		if (path.type == PATH_SELF)
			fp_text_printf(text, "\t X ");
		else
			fp_text_printf(text, "\t%s", path_name(path, cell));
	}
	if (row < map->n_gpus)
		write_tail(&map->gpus[row], shown, text);
	else
		fp_text_printf(text, shown ? "\t\t\t\t" : "");
	fp_text_printf(text, "\n");
}

static void write_legend(const struct path_matrix *matrix, struct fp_text *text)
{
	bool seen[PATH_TYPE_COUNT] = { false };

	for (size_t i = 0; i < matrix->n * matrix->n; i++)
		seen[matrix->cells[i].type] = true;
	fp_text_printf(text, "\nLegend:\n\n");
	for (size_t i = 0; i < sizeof(legend) / sizeof(*legend); i++) {
		if (legend[i].always || seen[legend[i].type])
			fp_text_printf(text, "  %s\n", legend[i].text);
	}
}

static void write_nics(const struct topo_map *map, struct fp_text *text)
{
	bool any = false;

	for (size_t i = 0; i < map->n_hcas; i++) {
		const struct map_hca *hca = &map->hcas[i];

		if (hca->index < 0 || !hca->name[0])
			continue;
		if (!any)
			fp_text_printf(text, "\nNIC Legend:\n\n");
		fp_text_printf(text, "  NIC%d: %s\n", hca->index, hca->name);
		any = true;
	}
}

void render_smi(const struct topo_map *map, const struct path_matrix *matrix,
                struct fp_text *text)
{
	uint32_t shown = map->drawn ? map->columns
	                            : MAP_COLUMN_CPUS | MAP_COLUMN_NUMAS |
	                                      MAP_COLUMN_GPU_NUMA;
	char name[MAP_NAME_MAX];

	for (size_t i = 0; i < matrix->n; i++)
		fp_text_printf(text, "\t%s",
		               topo_map_device_name(map, i, name));
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		if (shown & columns[i].column)
			fp_text_printf(text, "\t%s", columns[i].name);
	}
	fp_text_printf(text, "\n");
	for (size_t i = 0; i < matrix->n; i++)
		write_row(map, matrix, i, shown, text);
	write_legend(matrix, text);
	write_nics(map, text);
}

static const char *const p2p_names[P2P_STATUS_COUNT] = {
	[P2P_NONE] = "-",  [P2P_SELF] = "X",  [P2P_OK] = "OK",
	[P2P_CNS] = "CNS", [P2P_GNS] = "GNS", [P2P_TNS] = "TNS",
	[P2P_NS] = "NS",   [P2P_DR] = "DR",   [P2P_U] = "U",
};

void render_p2p(const struct topo_map *map, struct fp_text *text)
{
	size_t n = map->n_gpus;

	if (!map->p2p)
		return;
	for (size_t i = 0; i < n; i++)
		fp_text_printf(text, "\tGPU%d", map->gpus[i].index);
	fp_text_printf(text, "\n");
	for (size_t a = 0; a < n; a++) {
		fp_text_printf(text, "GPU%d", map->gpus[a].index);
		for (size_t b = 0; b < n; b++)
			fp_text_printf(text, "\t%s",
			               p2p_names[map->p2p[a * n + b]]);
		fp_text_printf(text, "\n");
	}
	fp_text_printf(text, "\nLegend:\n\n"
	                     "  X    = Self\n"
	                     "  OK   = Status Ok\n"
	                     "  CNS  = Chipset not supported\n"
	                     "  GNS  = GPU not supported\n"
	                     "  TNS  = Topology not supported\n"
	                     "  NS   = Not supported\n"
	                     "  DR   = Disabled by a registry key\n"
	                     "  U    = Unknown\n");
}
