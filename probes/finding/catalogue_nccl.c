// SPDX-License-Identifier: Apache-2.0
// The catalogue, third part: what NCCL does wrong, told by control arms. Each
// stands beside the fault that it explains.
#include "probes/finding/catalogue.h"

#define ROW(code) [FINDING_##code - FINDING_NCCL_FIRST]

const struct finding_info catalogue_nccl[FINDING_CODE_COUNT - FINDING_NCCL_FIRST] = {
	ROW(NCCL_P2P) = {
		"FP-NCCL-P2P", SEVERITY_WARN, LAYER_DRIVER,
		"NCCL's peer-to-peer path is at fault: without it the pair runs",
		"nvidia-smi topo -p2p r and topo -m for this pair; ACS and the "
		"IOMMU (fabricprobe check --only p2p); dmesg | grep -i xid. "
		"NCCL_P2P_DISABLE=1 gets a job through meanwhile, slowly.",
	},
	ROW(NCCL_SHM) = {
		"FP-NCCL-SHM", SEVERITY_WARN, LAYER_RESOURCES,
		"NCCL's shared memory is at fault: without it the pair runs",
		"df -h /dev/shm (a container wants --shm-size=1g or more), "
		"ulimit -l, and whether both ranks see the same /dev/shm.",
	},
	ROW(NCCL_LOCAL) = {
		"FP-NCCL-LOCAL", SEVERITY_WARN, LAYER_DRIVER,
		"Inside the host NCCL fails both ways, over the network it runs",
		"Peer access and shared memory: nvidia-smi topo -p2p r, ACS, "
		"IOMMU, df -h /dev/shm. In a container: --ipc=host.",
	},
	ROW(NCCL_GDR) = {
		"FP-NCCL-GDR", SEVERITY_WARN, LAYER_DRIVER,
		"GPUDirect RDMA is at fault: through host memory the pair runs",
		"lsmod | grep nvidia_peermem and its version against the "
		"driver's; ACS on the bridges between GPU and HCA; the HCA's "
		"firmware. NCCL_NET_GDR_LEVEL=LOC gets a job through meanwhile.",
	},
	ROW(NCCL_IB) = {
		"FP-NCCL-IB", SEVERITY_WARN, LAYER_HARDWARE,
		"NCCL fails through HCAs, through sockets the pair runs",
		"fabricprobe --xport verbs for the same ports without NCCL and "
		"GPUs: does it fail there, it is port, cable or switch; if not, "
		"compare NCCL_IB_* and the network plug-in of both hosts.",
	},
	ROW(NCCL_HCA) = {
		"FP-NCCL-HCA", SEVERITY_WARN, LAYER_HARDWARE,
		"Through another HCA of the same hosts the pair runs",
		"The HCA that NCCL takes for this GPU, its cable or its switch "
		"port: ibstat, ibqueryerrors, then swap the cable. "
		"NCCL_IB_HCA=^NAME leaves it out meanwhile.",
	},
	ROW(NCCL_ENV) = {
		"FP-NCCL-ENV", SEVERITY_WARN, LAYER_APPLICATION,
		"The job's NCCL_* settings are at fault: without them it runs",
		"env | grep NCCL_ in the job, and /etc/nccl.conf and "
		"~/.nccl.conf: drop all that nobody can say the reason of, then "
		"add the others one by one.",
	},
	ROW(NCCL_FEATURE) = {
		"FP-NCCL-FEATURE", SEVERITY_WARN, LAYER_DRIVER,
		"An algorithm or feature of NCCL is at fault: without it it runs",
		"Set what the evidence names for the job meanwhile, and report "
		"it with the NCCL and driver versions; a newer NCCL may know "
		"this machine.",
	},
	ROW(NCCL_ONLY) = {
		"FP-NCCL-ONLY", SEVERITY_WARN, LAYER_DRIVER,
		"NCCL is at fault between two GPUs that copy without trouble",
		"The hardware carries data: look at software. The same NCCL and "
		"driver on all hosts (fabricprobe check --only versions); "
		"another NCCL by --nccl-lib; NCCL_DEBUG=INFO of the pair.",
	},
	ROW(NCCL_INCONCLUSIVE) = {
		"FP-NCCL-INCONCLUSIVE", SEVERITY_INFO, LAYER_DRIVER,
		"Whether NCCL or what is below it fails is not told: controls "
		"fail too",
		"Go by the fault above: both ends, what is between them, and "
		"the driver's log come before NCCL's settings.",
	},
};
