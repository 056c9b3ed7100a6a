/* SPDX-License-Identifier: Apache-2.0 */
/* How a byte gets from one modelled GPU to another, and how fast. */
#ifndef FP_TESTS_DOUBLES_PATH_H
#define FP_TESTS_DOUBLES_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/doubles/scenario.h"

enum fpd_via {
	FPD_VIA_LOCAL,
	FPD_VIA_NVLINK,
	FPD_VIA_PCIE, /* peer to peer through switches */
	FPD_VIA_SHM,  /* through host memory */
	FPD_VIA_NET,  /* HCA to HCA */
	FPD_VIA_SOCKET,
	FPD_VIA_COUNT
};

/** struct fpd_switches - NCCL's own, that close ways. */
struct fpd_switches {
	bool no_p2p, no_shm, no_ib, no_gdr;
	bool nccl; /* asked by it, not for a copy */
};

/** struct fpd_path - one way, one direction. */
struct fpd_path {
	enum fpd_via via;
	bool gdr_tx, gdr_rx; /* net: at the sender, at the receiver */
	double Bps, latency_s;
};

/** fpd_nvlinks() - active NVLinks of a GPU. */
unsigned fpd_nvlinks(struct fpd_end g);

/** fpd_pcie_width() - lanes of a GPU's link. */
unsigned fpd_pcie_width(struct fpd_end g);

/** fpd_pcie_Bps() - what its lanes carry one way. */
double fpd_pcie_Bps(struct fpd_end g);

/** fpd_peer_ok() - does the driver allow peer access between two GPUs? */
bool fpd_peer_ok(struct fpd_end a, struct fpd_end b);

/** fpd_gpu_factor() - by how much GPU @g computes slower; 1: not at all. */
double fpd_gpu_factor(struct fpd_end g);

/**
 * fpd_path() - the path from @a to @b that a library with these @sw takes;
 * copies of the runtime take the same with none set.
 */
struct fpd_path fpd_path(struct fpd_end a, struct fpd_end b,
                         struct fpd_switches sw);

/** fpd_path_s() - how long @bytes take on it. */
double fpd_path_s(const struct fpd_path *p, uint64_t bytes);

/** fpd_via_name() - "nvlink", as in a fault's via. */
const char *fpd_via_name(enum fpd_via via);

#endif
