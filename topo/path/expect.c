// SPDX-License-Identifier: Apache-2.0
// Expected bandwidths, as tables.
#include "topo/path/expect.h"

#include <string.h>

#define NCCL_TOPO_H "NCCL 2.28 src/graph/topo.h"
#define NVBANDWIDTH "NVIDIA/nvbandwidth README"
#define ML_ENG "stas00/ml-engineering network"

/* The longer name first where one is part of another. */
static const struct expect_gpu gpus[] = {
	{ "GB200", 100, 18, 53.125e9, 747e9, 32000, ML_ENG },
	{ "GB300", 100, 18, 53.125e9, 747e9, 64000, ML_ENG },
	{ "B200", 100, 18, 53.125e9, 0, 32000, "nvidia-smi nvlink -s" },
	{ "H100 NVL", 90, 12, 26.562e9, 256e9, 32000, "nvbandwidth" },
	{ "H100 PCIe", 90, -1, 26.562e9, 0, 32000, "nvidia-smi nvlink -s" },
	{ "H100", 90, 18, 26.562e9, 376e9, 32000, ML_ENG },
	{ "H200", 90, 18, 26.562e9, 396e9, 32000, ML_ENG },
	{ "H800", 90, 8, 26.562e9, 160e9, 32000, "NVIDIA/nccl issue 933" },
	{ "H20", 90, 18, 26.562e9, 0, 32000, "nvidia-smi nvlink -s" },
	{ "A100", 80, 12, 25e9, 274e9, 16000, NVBANDWIDTH },
	{ "A800", 80, 8, 25e9, 0, 16000, "NVIDIA/nccl issue 933" },
	{ "V100", 70, 6, 25.781e9, 0, 8000, "nvidia-smi nvlink -s" },
	{ "P100", 60, 4, 20e9, 0, 8000, NCCL_TOPO_H },
	{ "A6000", 86, 4, 14.062e9, 0, 16000, "nvidia-smi nvlink -s" },
	{ "3090", 86, 4, 14.062e9, 0, 16000, "nvidia-smi nvlink -s" },
};

/* NCCL's own model, per direction. */
static const struct {
	int32_t sm;
	double Bps;
} nvlinks[] = {
	{ 100, 40.1e9 }, { 90, 20.6e9 }, { 87, 20e9 },
	{ 86, 12e9 },    { 70, 20e9 },   { 60, 18e9 },
};

static const struct {
	const char *arch, *vendor;
	int32_t model; /* this one and later ones */
	double Bps;
} cpus[] = {
	{ "x86_64", "GenuineIntel", 0xcf, 40e9 }, /* Emerald Rapids */
	{ "x86_64", "GenuineIntel", 0x8f, 22e9 }, /* Sapphire Rapids */
	{ "x86_64", "GenuineIntel", 0x55, 10e9 }, /* Skylake */
	{ "x86_64", "GenuineIntel", -1, 6e9 },
	{ "x86_64", "AuthenticAMD", -1, 16e9 },
	{ "arm64", "", -1, 6e9 },
	{ "aarch64", "", -1, 6e9 },
	{ "ppc64", "", -1, 32e9 },
};

#define ROWS(table) (sizeof(table) / sizeof(*(table)))

const struct expect_gpu *expect_gpu_find(const char *name)
{
	for (size_t i = 0; i < ROWS(gpus); i++) {
		if (strstr(name, gpus[i].name))
			return &gpus[i];
	}
	return NULL;
}

double expect_nvlink_Bps(int32_t sm)
{
	for (size_t i = 0; i < ROWS(nvlinks); i++) {
		if (sm >= nvlinks[i].sm)
			return nvlinks[i].Bps;
	}
	return 20e9;
}

double expect_cpu_Bps(const struct map_numa *numa)
{
	for (size_t i = 0; i < ROWS(cpus); i++) {
		if (strcmp(numa->arch, cpus[i].arch) == 0 &&
		    (!cpus[i].vendor[0] ||
		     strcmp(numa->vendor, cpus[i].vendor) == 0) &&
		    numa->model >= cpus[i].model)
			return cpus[i].Bps;
	}
	return 5000e9;
}

double expect_pcie_Bps(int32_t speed_mtps, int32_t width)
{
	/* 5 GT/s of a lane with 8b/10b code are 0.5 GB/s; NCCL counts three
	 * quarters of what a lane of any generation carries. */
	double lane_Bps = (speed_mtps > 0 ? speed_mtps : 8000) * 1e6 / 8 * 0.75;

	return lane_Bps * (width > 0 ? width : 16);
}

double expect_pcie_payload_Bps(int32_t speed_mtps, int32_t width)
{
	double code = speed_mtps >= 8000 ? 128.0 / 130 : 0.8;

	if (speed_mtps <= 0 || width <= 0)
		return 0;
	return speed_mtps * 1e6 / 8 * code * width;
}

double expect_net_Bps(int64_t rate_bps)
{
	return rate_bps > 0 ? (double)rate_bps / 8 * 0.96 : 0;
}
