// SPDX-License-Identifier: Apache-2.0
// Causes that lie in limits, containers, versions and assignment.
#include "probes/explain/cause.h"
#include "probes/finding/finding.h"

static const struct cause rows[] = {
	{
		.code = "FP-EXPLAIN-DUPLICATE-GPU",
		.title = "Two ranks were given the same GPU",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_PLAIN,
		.who = WHO_SELF,
		.confidence = 0.95,
		.any = { { KIND_DUPLICATE_GPU, { 0 } },
	                 { KIND_CUDA_ORDINAL, { 0 } } },
		.next = "Count the launchers on that host and the ranks each "
			"starts; set the device from the local rank, not from "
			"the global one",
		.disprove = "each rank prints another PCI address",
	},
	{
		.code = "FP-EXPLAIN-RANK-TWICE",
		.title = "Processes disagree on the ranks: two claim one, or "
			 "they count differently many",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_PLAIN,
		.who = WHO_SELF,
		.confidence = 0.9,
		.any = { { KIND_RANK_TWICE, { 0 } } },
		.next = "Print rank and number of ranks in each process at its "
			"start: a launcher started twice, or each host counts "
			"from 0",
		.disprove =
			"all processes show another rank of the same number "
			"of ranks",
	},
	{
		.code = "FP-EXPLAIN-SHM",
		.title = "/dev/shm is too small",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_PLAIN,
		.who = WHO_SELF,
		.confidence = 0.95,
		.any = { { KIND_SHM_SMALL, { 0 } } },
		.next = "Give the container more: docker --shm-size=1g or "
			"--ipc=host, in Kubernetes an emptyDir with medium "
			"Memory on /dev/shm",
		.disprove = "df /dev/shm shows room while the job starts",
	},
	{
		.code = "FP-EXPLAIN-MEMLOCK",
		.title = "The limit for locked memory is too low",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_PLAIN,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_RDMA,
		.confidence = 0.9,
		.any = { { KIND_REG_MEMORY, { 0 } } },
		.next = "Set memlock unlimited (limits.conf, the daemon's "
			"LimitMEMLOCK, docker --ulimit memlock=-1) and check "
			"ulimit -l inside the launched process",
		.disprove = "ulimit -l says unlimited inside the job",
	},
	{
		.code = "FP-EXPLAIN-RANKS-DIFFER",
		.title = "Ranks differ in software or in the NICs they see",
		.layer = LAYER_DRIVER,
		.tier = CAUSE_PLAIN,
		.who = WHO_SELF,
		.confidence = 0.85,
		.any = { { KIND_VERSIONS, { 0 } },
	                 { KIND_OPEN_DEVICE, { 0 } },
	                 { KIND_NICS_DIFFER, { 0 } },
	                 { KIND_CUDA_DRIVER, { 0 } },
	                 { KIND_CUDA_NO_DEVICE, { 0 } },
	                 { KIND_TOPO_WRONG, { 0 } } },
		.next = "Compare that host with the others: image, versions "
			"of driver, CUDA, NCCL and plugin, devices in the "
			"container",
		.disprove = "all hosts show the same versions and devices",
	},
	{
		.code = "FP-EXPLAIN-EFA",
		.title = "EFA (libfabric) cannot make or reach an endpoint",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_PLAIN,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_RDMA,
		.confidence = 0.8,
		.any = { { KIND_OFI_ADDRESS, { 0 } },
	                 { KIND_OFI_RESOURCE, { 0 } },
	                 { KIND_OFI_OTHER, { 0 } } },
		.next = "Check the security group first (all traffic in and "
			"out to itself), then the versions of the EFA driver, "
			"libfabric and the NCCL plugin; fi_pingpong between "
			"the two hosts",
		.disprove = "fi_pingpong -p efa works between these hosts",
	},
	{
		.code = "FP-EXPLAIN-ACS",
		.title = "GPUs cannot reach each other or a NIC directly: PCIe "
			 "access control, IOMMU, or a board without P2P",
		.layer = LAYER_DRIVER,
		.tier = CAUSE_LIKELY,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_GPU,
		.confidence = 0.8,
		.any = { { KIND_ACS_ON, { 0 } },
	                 { KIND_IOMMU_FAULT, { 0 } },
	                 { KIND_WC_LOC_PROT, { 0 } },
	                 { KIND_WC_REM_OP, { 0 } },
	                 { KIND_WC_REM_ACC, { 0 } },
	                 { KIND_MATRIX_P2P, { 0 } },
	                 { KIND_CUDA_P2P, { 0 } } },
		.next = "lspci -vvv | grep ACSCtl on that host: all flags must "
			"be off on bridges above GPUs and NICs; IOMMU off or "
			"in pass-through; NCCL_P2P_DISABLE=1 or "
			"NCCL_NET_GDR_LEVEL=0 show whether that is it",
		.disprove = "it fails in the same way with P2P and GPUDirect "
			    "off",
	},
	{
		.code = "FP-EXPLAIN-GDR",
		.title = "GPUDirect RDMA is not in use",
		.layer = LAYER_DRIVER,
		.tier = CAUSE_SLOW,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_GPU,
		.confidence = 0.75,
		.any = { { KIND_GDR_OFF, { 0 } },
	                 { KIND_REG_ADDRESS, { 0 } },
	                 { KIND_GDR_UNEVEN, { 0 } },
	                 { KIND_NO_GDR, { 0 } } },
		.next = "On that host: lsmod | grep nvidia_peermem, or a "
			"kernel and driver with DMA-BUF; then look for "
			"/GDRDMA in the channel lines",
		.disprove = "the channel lines end in /GDRDMA on both ends",
	},
	{
		.code = "FP-EXPLAIN-GPU-OOM",
		.title = "A GPU ran out of memory",
		.layer = LAYER_APPLICATION,
		.tier = CAUSE_PLAIN,
		.who = WHO_SELF,
		.confidence = 0.85,
		.any = { { KIND_CUDA_MEMORY, { 0 } } },
		.next = "Find what else is on that GPU (nvidia-smi); use less "
			"memory in the program",
		.disprove = "nvidia-smi shows room when it fails",
	},
	{
		.code = "FP-EXPLAIN-POWER-BRAKE",
		.title = "A GPU is held back by power from outside it",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_NOTE,
		.who = WHO_SELF,
		.confidence = 0.5,
		.any = { { KIND_SMI_BRAKE, { 0 } } },
		.next = "nvidia-smi -q -d PERFORMANCE,CLOCK under load: if the "
			"brake stays and SM is low, look at the power "
			"supplies (BMC log)",
		.disprove = "it is not active under load",
	},
};

const struct cause_table cause_setup = { rows, sizeof(rows) / sizeof(rows[0]) };
