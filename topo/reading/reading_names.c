// SPDX-License-Identifier: Apache-2.0
// The table of the names of readings.
#include "topo/reading/reading_names.h"

#include <string.h>

#define SAME READING_SAME
#define OWN READING_OWN
#define CHANGES READING_CHANGES

static const struct reading_name rows[] = {
	/* the host */
	{ "kernel.release", "host", "", SAME, "uname -r" },
	{ "kernel.cmdline", "host", "", OWN, "what the kernel was started by" },
	{ "os.name", "host", "", SAME, "distribution and version" },
	{ "cpu.vendor", "host", "", SAME, "GenuineIntel, AuthenticAMD, ARM" },
	{ "cpu.family", "host", "", SAME, "CPU family" },
	{ "cpu.model", "host", "", SAME, "CPU model of that family" },
	{ "cpu.name", "host", "", SAME, "CPU model, as it is sold" },
	{ "cpu.hypervisor", "host", "", SAME, "1: a virtual machine" },
	{ "cpu.packages", "host", "", SAME, "CPU packages" },
	{ "cpu.cores", "host", "", SAME, "cores" },
	{ "cpu.threads", "host", "", SAME, "threads that may be used" },
	{ "cpu.l3_caches", "host", "", SAME, "last-level caches" },
	{ "cpu.online", "host", "", SAME, "list of CPUs that are on" },
	{ "cpu.usable", "host", "", SAME, "CPUs the reader may run on" },
	{ "cpu.allowed", "host", "", OWN, "list of these CPUs" },
	{ "mem.total", "host", "bytes", SAME, "memory, to the next GiB" },
	{ "mem.available", "host", "bytes", CHANGES, "memory to be had" },
	{ "mem.hugepages", "host", "", SAME, "reserved huge pages" },
	{ "shm.size", "host", "bytes", SAME, "size of /dev/shm" },
	{ "shm.free", "host", "bytes", CHANGES, "free in /dev/shm" },
	{ "limit.*", "host", "", SAME,
	  "memlock, nofile, nproc, stack, core of the reader; -1: none" },
	{ "cgroup.cpus", "host", "", OWN, "list: the cgroup's CPUs" },
	{ "cgroup.mems", "host", "", SAME, "list: the cgroup's NUMA nodes" },
	{ "cgroup.memory_max", "host", "bytes", SAME, "-1: no limit" },
	{ "cgroup.cpu_max", "host", "", SAME, "quota and period, as is" },
	{ "module.*", "host", "", SAME,
	  "version of a kernel module; \"loaded\" if it has none" },
	{ "lib.*.version", "host", "", SAME, "of a library, by its file" },
	{ "lib.*.path", "host", "", SAME, "the file of a library" },
	{ "env.*", "host", "", SAME, /* and "rank": what is its own */
	  "an environment variable that NCCL, UCX, libfabric, CUDA or MPI "
	  "look at" },
	{ "driver.nvidia", "host", "", SAME, "version of the GPU driver" },
	{ "driver.cuda", "host", "", SAME, "CUDA version of that driver" },
	{ "nvml.gpus", "host", "", OWN, /* and "rank", as env.* */
	  "PCI addresses of the GPUs that the reading process sees" },
	{ "driver.nvml", "host", "", SAME, "version of NVML" },
	{ "iommu.groups", "host", "", SAME, "how many IOMMU groups" },
	{ "imex.channels", "host", "", SAME, "IMEX channels to open" },
	{ "kmsg.*", "pci", "", CHANGES,
	  "a line of the kernel log: the text is the line, the time the "
	  "event's; xid and sxid: the number; aer: 0 corrected, 1 not fatal, "
	  "2 fatal; pcie_bandwidth: Mb/s; bus_lost, link_down, link_up, oom, "
	  "mce; events: how many" },

	/* NUMA nodes */
	{ "numa.cpus", "numa", "", SAME, "list of its CPUs" },
	{ "numa.distance", "numa", "", SAME, "to each node, as the kernel" },
	{ "numa.mem_total", "numa", "bytes", SAME, "memory, next GiB" },

	/* PCI functions and bridges */
	{ "pcie.speed", "pci", "MT/s", SAME, "of a lane, now" },
	{ "pcie.width", "pci", "lanes", SAME, "lanes in use" },
	{ "pcie.max_speed", "pci", "MT/s", SAME, "of a lane, at most" },
	{ "pcie.max_width", "pci", "lanes", SAME, "lanes at most" },
	{ "pcie.driver", "pci", "", SAME, "kernel driver; \"\" for none" },
	{ "pcie.iommu_group", "pci", "", OWN, "number of its group" },
	{ "pcie.iommu_type", "pci", "", SAME,
	  "identity: not translated; DMA, DMA-FQ: translated" },
	{ "pcie.acs", "pci", "", SAME,
	  "ACS control bits of a bridge; 0: off; 0x4, 0x8: redirected" },
	{ "pcie.power", "pci", "", CHANGES, "D0, D3cold, ..." },
	{ "pcie.aer_correctable", "pci", "", CHANGES, "errors since boot" },
	{ "pcie.aer_nonfatal", "pci", "", CHANGES, "errors since boot" },
	{ "pcie.aer_fatal", "pci", "", CHANGES, "errors since boot" },

	/* GPUs */
	{ "gpu.name", "gpu", "", SAME, "product" },
	{ "gpu.uuid", "gpu", "", OWN, "NVML's identity of it" },
	{ "gpu.serial", "gpu", "", OWN, "of the board" },
	{ "gpu.minor", "gpu", "", SAME, "number of its device file" },
	{ "gpu.vbios", "gpu", "", SAME, "version of its firmware" },
	{ "gpu.index", "gpu", "", SAME, "its number in NVML" },
	{ "gpu.sm", "gpu", "", SAME, "compute capability times 10" },
	{ "gpu.numa", "gpu", "", SAME, "NUMA node that is its memory" },
	{ "gpu.mig", "gpu", "", SAME, "1: cut into MIG instances" },
	{ "gpu.persistence", "gpu", "", SAME, "1: driver stays loaded" },
	{ "gpu.compute_mode", "gpu", "", SAME,
	  "0 default, 2 prohibited, 3 exclusive process" },
	{ "gpu.ecc", "gpu", "", SAME, "1: ECC is on" },
	{ "gpu.ecc_pending", "gpu", "", SAME, "ECC after a restart" },
	{ "gpu.ecc_uncorrected", "gpu", "", CHANGES, "since driver load" },
	{ "gpu.ecc_uncorrected_all", "gpu", "", CHANGES, "of its lifetime" },
	{ "gpu.ecc_corrected", "gpu", "", CHANGES, "since driver load" },
	{ "gpu.remap_corrected", "gpu", "", CHANGES, "rows remapped" },
	{ "gpu.remap_uncorrected", "gpu", "", CHANGES, "rows remapped" },
	{ "gpu.remap_pending", "gpu", "", SAME, "1: reset it to remap" },
	{ "gpu.remap_failed", "gpu", "", SAME, "1: could not remap" },
	{ "gpu.retired_sbe", "gpu", "", CHANGES, "pages retired" },
	{ "gpu.retired_dbe", "gpu", "", CHANGES, "pages retired" },
	{ "gpu.retired_pending", "gpu", "", SAME, "1: restart to retire" },
	{ "gpu.temperature", "gpu", "degrees C", CHANGES, "of the die" },
	{ "gpu.temperature_slowdown", "gpu", "degrees C", SAME, "limit" },
	{ "gpu.memory_temperature", "gpu", "degrees C", CHANGES, "HBM" },
	{ "gpu.power", "gpu", "mW", CHANGES, "drawn now" },
	{ "gpu.power_limit", "gpu", "mW", SAME, "enforced" },
	{ "gpu.clock_sm", "gpu", "MHz", CHANGES, "now" },
	{ "gpu.clock_sm_max", "gpu", "MHz", SAME, "at most" },
	{ "gpu.clock_memory", "gpu", "MHz", CHANGES, "now" },
	{ "gpu.clock_memory_max", "gpu", "MHz", SAME, "at most" },
	{ "gpu.clock_events", "gpu", "", CHANGES,
	  "why it is not faster, bits of NVML: 0x1 idle, 0x4 power cap, 0x8 "
	  "hardware slowdown, 0x20 and 0x40 heat, 0x80 power brake" },
	{ "gpu.utilization", "gpu", "%", CHANGES, "busy" },
	{ "gpu.memory_total", "gpu", "bytes", SAME, "of its memory" },
	{ "gpu.memory_used", "gpu", "bytes", CHANGES, "of its memory" },
	{ "gpu.processes", "gpu", "", CHANGES, "processes that compute" },
	{ "gpu.process", "gpu", "bytes", CHANGES,
	  "memory of one of them, -1 if not told; the text is its number" },
	{ "gpu.pcie_gen", "gpu", "", CHANGES, "generation of the link now" },
	{ "gpu.pcie_gen_max", "gpu", "", SAME, "with this slot" },
	{ "gpu.pcie_gen_device_max", "gpu", "", SAME, "of the GPU itself" },
	{ "gpu.pcie_width", "gpu", "lanes", SAME, "in use" },
	{ "gpu.pcie_width_max", "gpu", "lanes", SAME, "with this slot" },
	{ "gpu.pcie_replays", "gpu", "", CHANGES, "since driver load" },
	{ "gpu.fabric_state", "gpu", "", SAME,
	  "0 none, 1 not started, 2 in progress, 3 completed" },
	{ "gpu.fabric_status", "gpu", "", SAME, "error of registering; 0" },
	{ "gpu.fabric_health", "gpu", "", SAME, "mask of NVML" },
	{ "gpu.fabric_clique", "gpu", "", OWN, "NVLink clique" },
	{ "gpu.fabric_cluster", "gpu", "", OWN, "NVLink domain" },
	{ "gpu.recovery", "gpu", "", SAME,
	  "what it needs: 0 nothing, 1 reset, 2 reboot, 3 drain P2P, 4 drain "
	  "and reset, 5 recover IMEX" },
	{ "gpu.c2c", "gpu", "", SAME, "chip-to-chip links to its CPU" },
	{ "gpu.c2c_up", "gpu", "", SAME, "of these, active" },
	{ "gpu.nvlinks", "gpu", "", SAME, "links that it has" },
	{ "gpu.nvlinks_up", "gpu", "", SAME, "of these, active" },

	/* processes that have a GPU open; the device is "process 4711" */
	{ "process.name", "process", "", CHANGES, "its command" },
	{ "process.gpus", "process", "", CHANGES, "minors of these GPUs" },
	{ "process.state", "process", "", CHANGES,
	  "R runs, S sleeps, D waits and cannot be killed" },
	{ "process.wchan", "process", "", CHANGES,
	  "kernel function that it waits in" },
	{ "process.stack", "process", "", CHANGES,
	  "kernel functions, the innermost first" },

	/* NVLinks */
	{ "nvlink.state", "nvlink", "", SAME,
	  "0: down; left out for one that is up" },
	{ "nvlink.replays", "nvlink", "", CHANGES, "left out if 0" },
	{ "nvlink.recoveries", "nvlink", "", CHANGES, "left out if 0" },
	{ "nvlink.crc_errors", "nvlink", "", CHANGES, "left out if 0" },

	/* RDMA devices */
	{ "hca.firmware", "hca", "", SAME, "version" },
	{ "hca.board", "hca", "", SAME, "PSID" },
	{ "hca.type", "hca", "", SAME, "model" },
	{ "hca.guid", "hca", "", OWN, "node GUID" },
	{ "hca.image_guid", "hca", "", OWN, "system image GUID" },
	{ "hca.pci", "hca", "", SAME, "its function" },

	/* their ports */
	{ "port.state", "port", "", SAME, "Down, Init, Armed, Active" },
	{ "port.phys_state", "port", "", SAME,
	  "Sleep, Polling, Disabled, PortConfigurationTraining, LinkUp, "
	  "LinkErrorRecovery" },
	{ "port.rate", "port", "b/s", SAME, "of the port" },
	{ "port.link_layer", "port", "", SAME, "InfiniBand or Ethernet" },
	{ "port.lid", "port", "", OWN, "its address in the subnet" },
	{ "port.sm_lid", "port", "", SAME, "address of the subnet manager" },
	{ "port.active_mtu", "port", "bytes", SAME, "RDMA MTU" },
	{ "port.netdev", "port", "", SAME, "its network device" },
	{ "port.gids_roce_v2", "port", "", SAME, "GIDs of RoCE v2" },
	{ "port.gid.*", "port", "", OWN, "GID of that index" },
	{ "port.gid_type.*", "port", "", SAME, "IB/RoCE v1 or RoCE v2" },
	{ "port.counter.*", "port", "", CHANGES, "an error counter" },
	{ "port.switch", "port", "", OWN, "switch port at the other end" },
	{ "port.switch.counter.*", "port", "", CHANGES, "what that counts" },

	/* network devices */
	{ "netdev.mtu", "netdev", "bytes", SAME, "MTU" },
	{ "netdev.speed", "netdev", "b/s", SAME, "as the driver says" },
	{ "netdev.operstate", "netdev", "", SAME, "up, down, ..." },
	{ "netdev.carrier_changes", "netdev", "", CHANGES, "since boot" },
	{ "netdev.driver", "netdev", "", SAME, "kernel driver" },
	{ "netdev.pci", "netdev", "", SAME, "its function" },
	{ "netdev.mac", "netdev", "", OWN, "hardware address" },
	{ "netdev.addr", "netdev", "", OWN,
	  "its address with the subnet's length, \"10.1.0.2/16\"" },
	{ "netdev.pfc", "netdev", "", SAME,
	  "priorities with flow control, bits; by DCB" },
	{ "netdev.trust", "netdev", "", SAME, "dscp or pcp; by DCB" },
};

const struct reading_name *reading_names(size_t *ret_n)
{
	*ret_n = sizeof(rows) / sizeof(*rows);
	return rows;
}

/* A '*' stands for any text; at most one in a row. */
static int fits(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t head, tail, len = strlen(name);

	if (!star)
		return strcmp(pattern, name) == 0;
	head = (size_t)(star - pattern);
	tail = strlen(star + 1);
	return len >= head + tail && strncmp(pattern, name, head) == 0 &&
	       strcmp(name + len - tail, star + 1) == 0;
}

const struct reading_name *reading_name_find(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (fits(rows[i].name, name))
			return &rows[i];
	}
	return NULL;
}

uint32_t reading_use(const char *name)
{
	const struct reading_name *row = reading_name_find(name);

	return row ? row->use : READING_CHANGES;
}
