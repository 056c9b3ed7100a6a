// SPDX-License-Identifier: Apache-2.0
// Causes that lie in GPUs, NVLink and their firmware.
#include "probes/explain/cause.h"
#include "probes/finding/finding.h"

static const struct cause rows[] = {
	{
		.code = "FP-EXPLAIN-GPU-LOST",
		.title = "A GPU fell off the PCIe bus",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_HARD,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_GPU,
		.confidence = 0.9,
		.any = { { KIND_XID, { 79 } },
	                 { KIND_GPU_LOST, { 0 } },
	                 { KIND_CUDA_LOST, { 0 } },
	                 { KIND_AER_FATAL, { 0 } } },
		.next = "Drain the host; cold-boot it, check power, cooling, "
			"riser and seat of that GPU; replace it if it comes "
			"back",
		.disprove = "the GPU answers nvidia-smi after a cold boot and "
			    "a day of load",
	},
	{
		.code = "FP-EXPLAIN-GPU-MEMORY",
		.title = "A GPU's memory has uncorrectable errors or rows "
			 "waiting to be remapped",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_HARD,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_GPU,
		.confidence = 0.9,
		.any = { { KIND_XID,
	                   { 48, 63, 64, 92, 94, 95, 140, 171, 172 } },
	                 { KIND_CUDA_ECC, { 0 } },
	                 { KIND_SMI_ECC, { 0 } },
	                 { KIND_SMI_REMAP, { 0 } } },
		.next = "Reset the GPU so that rows are remapped; replace it "
			"if remapping failed or errors come back",
		.disprove = "no remapped row pending and no new error after a "
			    "reset and a memory test",
	},
	{
		.code = "FP-EXPLAIN-GSP",
		.title = "The GPU's firmware (GSP) does not answer",
		.layer = LAYER_DRIVER,
		.tier = CAUSE_HARD,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_GPU,
		.confidence = 0.9,
		.any = { { KIND_XID, { 119, 120 } } },
		.next = "Reset the GPU or reboot the host; if it returns, "
			"update the driver or turn GSP off "
			"(NVreg_EnableGpuFirmware=0), then replace",
		.disprove = "the same GPU answers at once after the reset and "
			    "no Xid 119 returns",
	},
	{
		.code = "FP-EXPLAIN-NVLINK",
		.title = "An NVLink is down or degraded",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_HARD,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_GPU,
		.confidence = 0.9,
		.any = { { KIND_XID, { 74, 149 } },
	                 { KIND_NVLINK_DOWN, { 0 } },
	                 { KIND_NVLINK_ERRORS, { 0 } },
	                 { KIND_CUDA_NVLINK, { 0 } },
	                 { KIND_TOPO_FAULT, { 0 } },
	                 { KIND_XID, { 144, 145, 146, 147, 148, 150 } } },
		.next = "Drain the host, reset the GPU, look at its NVLink "
			"counters; replace the GPU, bridge or tray whose link "
			"stays down",
		.disprove = "all links active and no counter grows under load",
	},
	{
		.code = "FP-EXPLAIN-FABRIC-MANAGER",
		.title = "The NVLink fabric is not set up (fabric manager, "
			 "NVSwitch, IMEX)",
		.layer = LAYER_DRIVER,
		.tier = CAUSE_PLAIN,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_GPU,
		.confidence = 0.85,
		.any = { { KIND_CUDA_NOT_READY, { 0 } },
	                 { KIND_NVLS_FAIL, { 0 } },
	                 { KIND_CUDA_IMEX, { 0 } },
	                 { KIND_FM_ERROR, { 0 } },
	                 { KIND_IMEX_ERROR, { 0 } },
	                 { KIND_SXID, { 0 } },
	                 { KIND_SMI_FABRIC, { 0 } },
	                 { KIND_P2P_OFF, { 0 } } },
		.next = "Check nvidia-fabricmanager (and nvidia-imex on "
			"multi-host NVLink) on that host: same version as the "
			"driver, running since before the GPUs' last reset; "
			"else reset all GPUs of the host with it running",
		.disprove = "nvidia-smi -q says Fabric State Completed, Status "
			    "Success on every GPU",
	},
	{
		.code = "FP-EXPLAIN-GPU-APPLICATION",
		.title = "A kernel of the program itself failed on the GPU",
		.layer = LAYER_APPLICATION,
		.tier = CAUSE_PLAIN,
		.who = WHO_SELF,
		.confidence = 0.8,
		.any = { { KIND_XID, { 13, 31, 43, 45, 69, 109 } },
	                 { KIND_CUDA_ADDRESS, { 0 } } },
		.next = "Run the program with compute-sanitizer or "
			"CUDA_LAUNCH_BLOCKING=1; suspect the GPU only if the "
			"same program fails on this one alone",
		.disprove = "the same program runs on all other GPUs and fails "
			    "on this one",
	},
	{
		.code = "FP-EXPLAIN-GPU-FAULT",
		.title = "A GPU reported a hardware or firmware error",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_PLAIN,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_GPU,
		.confidence = 0.6,
		.any = { { KIND_XID,
	                   { 32, 38, 56, 57, 61, 62, 68, 110, 121, 122, 123,
	                     136, 137, 143, 151, 155 } },
	                 { KIND_XID, { 154, 156, 157, 158, 160 } },
	                 { KIND_GPU_INIT, { 0 } },
	                 { KIND_SMI_RECOVERY, { 0 } } },
		.next = "Look the Xid up in NVIDIA's catalogue, and read the "
			"driver's lines before it; reset the GPU, and take the "
			"host out if it returns",
		.disprove = "no Xid returns after a reset under the same load",
	},
	{
		.code = "FP-EXPLAIN-THROTTLED",
		.title = "A GPU's clocks are held down by heat or power",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_SLOW,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_GPU,
		.confidence = 0.8,
		.any = { { KIND_SMI_THROTTLE, { 0 } },
	                 { KIND_THERMAL, { 0 } } },
		.next = "Check cooling, airflow, power supplies and power caps "
			"of that host",
		.disprove = "clocks stay up under the same load",
	},
	{
		.code = "FP-EXPLAIN-PCIE-ERRORS",
		.title = "A PCIe link corrects errors all the time",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_WEAK,
		.who = WHO_SELF,
		.confidence = 0.6,
		.any = { { KIND_AER_CORRECTED, { 0 } } },
		.next = "Find what is behind that port (lspci -t); reseat or "
			"replace riser, cable or card",
		.disprove = "the count of corrected errors does not grow under "
			    "load",
	},
	{
		.code = "FP-EXPLAIN-SLOT",
		.title = "A card has a slower PCIe link than its like",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_SLOW,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_GPU,
		.confidence = 0.7,
		.any = { { KIND_SLOT_SLOW, { 0 } },
	                 { KIND_MATRIX_GPU, { 0 } },
	                 { KIND_SMI_LINK, { 0 } } },
		.next = "Compare link width and generation with what card and "
			"slot can do (lspci -vv: LnkSta, LnkCap), under load; "
			"move the card",
		.disprove = "LnkSta equals LnkCap under load",
	},
	{
		.code = "FP-EXPLAIN-PAIR",
		.title = "One pair of GPUs is slower than the others",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_SLOW,
		.who = WHO_PAIR,
		.probe = CAUSE_PROBE_GPU,
		.confidence = 0.6,
		.any = { { KIND_MATRIX_PAIR, { 0 } } },
		.next = "Measure the pair again alone, and each of the two "
			"with others",
		.disprove = "the pair is as fast as others when measured again",
	},
	{
		.code = "FP-EXPLAIN-CORRUPT",
		.title = "Results are wrong: data is corrupted, or never "
			 "arrived",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_HARD,
		.who = WHO_JOB,
		.probe = CAUSE_PROBE_GPU,
		.confidence = 0.8,
		.any = { { KIND_TABLE_WRONG, { 0 } },
	                 { KIND_MATRIX_OVER, { 0 } } },
		.next = "Do not train on it; repeat with NCCL_P2P_DISABLE=1, "
			"then with NCCL_SHM_DISABLE=1, to see which path "
			"corrupts",
		.disprove = "the same test with -c 1 finds no wrong value in "
			    "several runs",
	},
	{
		.code = "FP-EXPLAIN-NO-NVSWITCH",
		.title =
			"Fabric manager was started where there is no NVSwitch",
		.layer = LAYER_DRIVER,
		.tier = CAUSE_NOTE,
		.who = WHO_SELF,
		.confidence = 0.9,
		.any = { { KIND_FM_IDLE, { 0 } } },
		.next = "Switch the service off: GPUs on PCIe or with bridges "
			"need none. On a board with NVSwitches look with lspci "
			"whether they are passed through",
		.disprove = "lspci shows NVSwitches",
	},
};

const struct cause_table cause_gpu = { rows, sizeof(rows) / sizeof(rows[0]) };
