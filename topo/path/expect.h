/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a path can carry, as data with its source: by GPU model, by generation
 * of the NVLinks, by PCIe link. Bytes per second of one direction.
 */
#ifndef FP_TOPO_PATH_EXPECT_H
#define FP_TOPO_PATH_EXPECT_H

#include "topo/path/path.h"

/** struct expect_gpu - a model of GPU and its NVLinks. */
struct expect_gpu {
	const char *name;   /* part of the product's name */
	int32_t sm;         /* compute capability x 10 */
	int32_t nvlinks;    /* full width; -1: differs between boards */
	double link_Bps;    /* raw, of one link, as nvlink -s shows it */
	double pair_Bps;    /* reached by a copy between two; 0: not known */
	int32_t pcie_mtps;  /* highest speed of a lane */
	const char *source; /* where the numbers are from */
};

/**
 * expect_gpu_find() - the row for a product's name.
 *
 * Return: NULL if there is none.
 */
const struct expect_gpu *expect_gpu_find(const char *name);

/** expect_nvlink_Bps() - of one link of a GPU, as NCCL counts on it. */
double expect_nvlink_Bps(int32_t sm);

/** expect_cpu_Bps() - between two CPUs such as @numa, as NCCL counts on it. */
double expect_cpu_Bps(const struct map_numa *numa);

/**
 * expect_pcie_Bps() - of a link, as NCCL counts on it: 12e9 for 16 lanes of
 * 8 GT/s. What is not known (-1) is taken as 16 lanes, and 8 GT/s.
 */
double expect_pcie_Bps(int32_t speed_mtps, int32_t width);

/** expect_pcie_payload_Bps() - the most that the encoding leaves; 0 unknown. */
double expect_pcie_payload_Bps(int32_t speed_mtps, int32_t width);

/**
 * expect_pair_Bps() - of the path @path of the devices @a (a GPU) and @b of
 * @map, the narrowest part of it, one direction: what a copy over NVLinks
 * reaches where that was measured, else as NCCL counts on it.
 *
 * Return: 0 where nothing is known.
 */
double expect_pair_Bps(const struct topo_map *map, size_t a, size_t b,
                       struct path path);

/** expect_net_Bps() - of a port of @rate_bps, as NCCL counts on it. */
double expect_net_Bps(int64_t rate_bps);

#endif
