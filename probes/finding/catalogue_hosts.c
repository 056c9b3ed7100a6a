// SPDX-License-Identifier: Apache-2.0
// Rows of the catalogue that checks of software, limits and logs find.
#include "probes/finding/catalogue.h"

#define ROW(code) [FINDING_##code - FINDING_HOSTS_FIRST]

const struct finding_info catalogue_hosts[FINDING_FABRIC_FIRST - FINDING_HOSTS_FIRST] = {
	ROW(NCCL_MIXED) = {
		"FP-NCCL-MIXED", SEVERITY_FAULT, LAYER_DRIVER,
		"Host has another NCCL or net plugin than the other hosts",
		"Use one container or module on all hosts; ldconfig -p | "
		"grep nccl and LD_LIBRARY_PATH show what is taken. "
		"Different versions, or a plugin on some hosts only, hang "
		"without a message.",
	},
	ROW(ENV_MIXED) = {
		"FP-ENV-MIXED", SEVERITY_FAULT, LAYER_APPLICATION,
		"Environment of NCCL differs between ranks",
		"Set the variable for all ranks or for none: mpirun -x "
		"NAME, srun --export, the container's environment, a "
		"profile on one host. Ranks that choose other algorithms, "
		"transports or devices hang in the first collective.",
	},
	ROW(ENV_DEBUG) = {
		"FP-ENV-WORKAROUND", SEVERITY_WARN, LAYER_APPLICATION,
		"A work-around left in the environment switches a path off",
		"Measure without it and remove it where nothing hangs: "
		"each of these costs bandwidth for as long as it is set, "
		"and hides the fault it was set for.",
	},
	ROW(SOFTWARE_MIXED) = {
		"FP-SOFTWARE-MIXED", SEVERITY_WARN, LAYER_DRIVER,
		"Host runs other software than the other hosts",
		"Bring the host to the versions of the others, or take it "
		"out until it has them; after an update reboot it, so "
		"that the loaded modules are the installed ones.",
	},
	ROW(CPU_MIXED) = {
		"FP-CPU-MIXED", SEVERITY_WARN, LAYER_HARDWARE,
		"Host has another kind of CPU than the other hosts",
		"NCCL tunes by the CPU's vendor; with old versions hosts "
		"that differ choose other algorithms and hang. Set "
		"NCCL_ALGO and NCCL_PROTO on all ranks, or do not mix "
		"them in one job.",
	},
	ROW(GPU_MIXED) = {
		"FP-GPU-MIXED", SEVERITY_WARN, LAYER_HARDWARE,
		"Host has other GPUs, or another number, than the other hosts",
		"nvidia-smi -L and lspci -d 10de: on it and on a good "
		"host; fewer GPUs: dmesg for Xid 79, the container's "
		"devices. A job runs at the pace of the slowest.",
	},
	ROW(DRIVER_OLD) = {
		"FP-DRIVER-OLD", SEVERITY_FAULT, LAYER_DRIVER,
		"The GPU driver is too old for the CUDA runtime in use",
		"Update the driver, or use a CUDA runtime of at most its "
		"major version (nvidia-smi shows the highest), or install "
		"the forward-compatibility package on data-centre GPUs.",
	},
	ROW(KNOWN_HANG) = {
		"FP-KNOWN-HANG", SEVERITY_FAULT, LAYER_DRIVER,
		"A combination that is known to hang, or to be unstable",
		"Take away what the evidence names (the variable on all "
		"ranks, the version on all hosts), and try the job again; "
		"the issue beside it has the story.",
	},
	ROW(MEMLOCK) = {
		"FP-MEMLOCK", SEVERITY_FAULT, LAYER_RESOURCES,
		"Locked memory is limited: RDMA cannot register its buffers",
		"ulimit -l unlimited inside the job: limits.conf or the "
		"LimitMEMLOCK of the batch daemon, docker --ulimit "
		"memlock=-1. Check it inside mpirun: a login shell has "
		"other limits.",
	},
	ROW(NOFILE) = {
		"FP-NOFILE", SEVERITY_WARN, LAYER_RESOURCES,
		"Too few open files are allowed for a large job",
		"ulimit -n 65536 inside the job: NCCL and MPI open "
		"several sockets for each peer of a rank.",
	},
	ROW(SHM_SMALL) = {
		"FP-SHM-SMALL", SEVERITY_FAULT, LAYER_RESOURCES,
		"/dev/shm is too small for NCCL between the ranks of a host",
		"docker --shm-size=16g (or --ipc=host), in Kubernetes an "
		"emptyDir of medium Memory at /dev/shm. NCCL stops with "
		"\"failed to extend\" or a bus error otherwise.",
	},
	ROW(CPUSET) = {
		"FP-CPUSET", SEVERITY_WARN, LAYER_RESOURCES,
		"None of the CPUs near a GPU may be used",
		"Give the job CPUs of each GPU's NUMA node (cpuset of the "
		"container, --cpu-bind, cgroup): host copies and NICs are "
		"reached over the sockets' link otherwise.",
	},
	ROW(CORES_FEW) = {
		"FP-CORES-FEW", SEVERITY_WARN, LAYER_RESOURCES,
		"Fewer cores than the ranks of the host need",
		"mpirun --bind-to none or --map-by slot:PE=4, srun "
		"--cpus-per-task=4: a rank needs a core for itself and "
		"two for NCCL's proxy threads, else transfers stall in "
		"turns.",
	},
	ROW(GPU_MIG) = {
		"FP-GPU-MIG", SEVERITY_INFO, LAYER_RESOURCES,
		"GPU is cut into MIG instances",
		"Nothing, if that is meant: an instance has a part of "
		"memory and cores, no NVLink and no peer access. "
		"nvidia-smi -mig 0 gives the whole GPU back.",
	},
	ROW(GPU_VISIBLE) = {
		"FP-GPU-VISIBLE", SEVERITY_WARN, LAYER_RESOURCES,
		"Ranks of a host do not see the GPUs of one another",
		"Let every task see all GPUs of the host and choose by "
		"its local rank (srun --gpus-per-node instead of "
		"--gpus-per-task): with only its own, peer access and "
		"CUDA IPC are impossible and NCCL copies through host "
		"memory.",
	},
	ROW(GPU_BUSY) = {
		"FP-GPU-BUSY", SEVERITY_WARN, LAYER_RESOURCES,
		"Other processes are on a GPU already",
		"nvidia-smi: whose are they? An earlier job that did not "
		"end, or a shared host; rates measured beside them say "
		"little, and memory may not suffice.",
	},
	ROW(COMPUTE_MODE) = {
		"FP-COMPUTE-MODE", SEVERITY_WARN, LAYER_RESOURCES,
		"GPU does not admit more than one process, or none",
		"nvidia-smi -i N -c DEFAULT: exclusive or prohibited mode "
		"makes a second process on that GPU fail, a probe as "
		"well.",
	},
	ROW(GPU_LOST) = {
		"FP-GPU-LOST", SEVERITY_FAULT, LAYER_HARDWARE,
		"GPU has fallen off the bus",
		"Power the host off and on (a warm reboot is not enough), "
		"reseat the GPU, check its power cables, temperature and "
		"riser; the root port above it has the AER lines. Twice "
		"the same GPU: replace it.",
	},
	ROW(XID_HARDWARE) = {
		"FP-XID-HARDWARE", SEVERITY_FAULT, LAYER_HARDWARE,
		"The GPU reported faulty memory or hardware (Xid)",
		"Drain the host, reset the GPU (nvidia-smi -r -i N) or "
		"reboot; run dcgmi diag -r 3. The same GPU again after "
		"that: replace it. A hang of the job is its consequence, "
		"not its cause.",
	},
	ROW(XID_DRIVER) = {
		"FP-XID-DRIVER", SEVERITY_FAULT, LAYER_DRIVER,
		"The GPU's firmware or driver stopped answering (Xid)",
		"Reset the GPU or reboot the host; if it comes again: "
		"update the driver, or switch the firmware off "
		"(NVreg_EnableGpuFirmware=0) where that is supported; "
		"then replace the GPU. NCCL hangs on it without an error.",
	},
	ROW(XID_LINK) = {
		"FP-XID-NVLINK", SEVERITY_FAULT, LAYER_HARDWARE,
		"The GPU reported an NVLink error (Xid)",
		"nvidia-smi nvlink -e -i N: which link counts errors? "
		"Reset the GPU; the same link again: reseat or replace. "
		"Other GPUs that report Xid 145 at the same time are its "
		"victims.",
	},
	ROW(XID_APPLICATION) = {
		"FP-XID-APPLICATION", SEVERITY_WARN, LAYER_APPLICATION,
		"A program's error stopped its work on a GPU (Xid)",
		"Run the program under compute-sanitizer: an illegal "
		"access in a kernel is the usual cause. Suspect the GPU "
		"only if the same program fails on this one alone.",
	},
	ROW(SXID) = {
		"FP-SXID", SEVERITY_FAULT, LAYER_HARDWARE,
		"An NVSwitch reported an error (SXid)",
		"Log of nvidia-fabricmanager; fatal ones need a reset of "
		"all GPUs of the host or a reboot; the same port again: "
		"the baseboard's service.",
	},
	ROW(AER_LOG) = {
		"FP-AER-LOG", SEVERITY_WARN, LAYER_HARDWARE,
		"The kernel logged PCIe errors",
		"The line names the port that saw them; the failing link "
		"is the one below it (lspci -tv). Reseat the card there, "
		"change riser or slot.",
	},
	ROW(LINK_FLAP) = {
		"FP-LINK-FLAP", SEVERITY_WARN, LAYER_HARDWARE,
		"A network link went down and came back",
		"Clean and reseat the transceiver, swap the cable, then "
		"the switch port; compare with the switch's log at these "
		"times. Jobs that were running lost their connections.",
	},
	ROW(OOM_KILL) = {
		"FP-OOM-KILL", SEVERITY_WARN, LAYER_RESOURCES,
		"The kernel killed a process for want of memory",
		"Whose process was it? A rank that is killed leaves the "
		"others hanging; raise the job's memory limit or lower "
		"its use (data loaders, pinned buffers).",
	},
	ROW(MACHINE_CHECK) = {
		"FP-MACHINE-CHECK", SEVERITY_WARN, LAYER_HARDWARE,
		"The CPU reported a hardware error (machine check)",
		"rasdaemon or mcelog: which memory module or link? "
		"Uncorrected ones, and corrected ones that come back, "
		"mean its replacement.",
	},
	ROW(GPU_HOT) = {
		"FP-GPU-HOT", SEVERITY_FAULT, LAYER_HARDWARE,
		"GPU is so hot that it slows down",
		"Fans, air baffles, dust, neighbours' exhaust, room or "
		"water temperature (ipmitool sensor list); nvidia-smi -q "
		"-d TEMPERATURE,PERFORMANCE while it works.",
	},
	ROW(GPU_SLOWDOWN) = {
		"FP-GPU-SLOWDOWN", SEVERITY_WARN, LAYER_HARDWARE,
		"GPU is held back by power or hardware protection",
		"nvidia-smi -q -d PERFORMANCE,POWER under load: a power "
		"brake that stays is asked for by the power supplies or "
		"the baseboard (BMC log); a power cap is the limit that "
		"somebody set (nvidia-smi -pl).",
	},
	ROW(GPU_ECC) = {
		"FP-GPU-ECC", SEVERITY_FAULT, LAYER_HARDWARE,
		"GPU memory has errors that could not be corrected",
		"nvidia-smi -q -d ECC,ROW_REMAPPER; drain the host and "
		"reset the GPU, so that rows are remapped; not zero "
		"again: replace it. Do not use it for work that matters "
		"before.",
	},
	ROW(GPU_REMAP_PENDING) = {
		"FP-GPU-REMAP-PENDING", SEVERITY_FAULT, LAYER_HARDWARE,
		"GPU memory rows wait for a reset to be remapped",
		"Drain the host and reset the GPU (nvidia-smi -r -i N) or "
		"reboot; that is enough: a replacement is due only if "
		"remapping fails or the count goes on growing.",
	},
	ROW(GPU_REMAP_FAILED) = {
		"FP-GPU-REMAP-FAILED", SEVERITY_FAULT, LAYER_HARDWARE,
		"GPU could not remap a faulty memory row",
		"Replace the GPU: it has no spare rows left in that bank "
		"(nvidia-smi -q -d ROW_REMAPPER).",
	},
	ROW(GPU_RETIREMENT) = {
		"FP-GPU-RETIREMENT", SEVERITY_WARN, LAYER_HARDWARE,
		"GPU memory pages are retired, or wait for it",
		"Reboot, if pages are pending; 60 pages or more by "
		"double-bit errors: replace the GPU (nvidia-smi -q -d "
		"PAGE_RETIREMENT).",
	},
	ROW(GPU_RECOVERY) = {
		"FP-GPU-RECOVERY", SEVERITY_FAULT, LAYER_DRIVER,
		"The driver says that the GPU needs recovery",
		"Do what it asks for: drain the host, reset the GPU, or "
		"reboot (GPU Recovery Action of nvidia-smi -q).",
	},
};
