// SPDX-License-Identifier: Apache-2.0
// The catalogue, second part: components of a fabric, and what bisecting
// collectives tells.
#include "probes/finding/catalogue.h"

#define ROW(code) [FINDING_##code - FINDING_FABRIC_FIRST]

const struct finding_info catalogue_fabric[FINDING_NCCL_FIRST - FINDING_FABRIC_FIRST] = {
	ROW(GPU_SLOW) = {
		"FP-GPU-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"GPU is slow in all that reaches its memory",
		"nvidia-smi -q -i GPU -d PERFORMANCE,TEMPERATURE,ECC: "
		"throttle reasons, temperature, remapped rows. Compare its "
		"clocks with those of its neighbours under load.",
	},
	ROW(GPU_PCIE_SLOW) = {
		"FP-GPU-PCIE-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"PCIe link of a GPU is slow",
		"nvidia-smi -q -i GPU -d PCIE under load: width and "
		"generation against the maximum, replay counter. Reseat the "
		"GPU or its riser; NVLink is not concerned.",
	},
	ROW(NVLINK_DEGRADED) = {
		"FP-NVLINK-DEGRADED", SEVERITY_FAULT, LAYER_HARDWARE,
		"A GPU has lost some of its NVLinks",
		"nvidia-smi nvlink -s -i GPU and -e -i GPU: links that are "
		"down, CRC errors. Reset the GPU; replace the board if the "
		"link stays down.",
	},
	ROW(NVLINK_BRIDGE) = {
		"FP-NVLINK-BRIDGE", SEVERITY_FAULT, LAYER_HARDWARE,
		"NVLink bridge between two GPUs is slow",
		"Reseat or replace the bridge between these two GPUs; nvidia- "
		"smi nvlink -e shows errors of its links.",
	},
	ROW(GPU_LINK_SLOW) = {
		"FP-GPU-LINK-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"GPU is slow to the others of its host, which are fast",
		"nvidia-smi nvlink -s -i GPU: links that are down or missing; "
		"nvidia-smi -q -i GPU | grep -A3 Fabric; nvidia-smi -q -d "
		"PERFORMANCE: throttling. A rate of PCIe means that it left "
		"the NVLink fabric: reset the GPU, else replace the board.",
	},
	ROW(GPU_PAIR_SLOW) = {
		"FP-GPU-PAIR-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"Path between two GPUs of a host is slow, both are fast with "
		"others",
		"nvidia-smi topo -m and topo -p2p r: is peer access given for "
		"this pair; nvidia-smi nvlink -e on both: errors of the links "
		"between them; bridges: reseat.",
	},
	ROW(GPU_HANG) = {
		"FP-GPU-HANG", SEVERITY_FAULT, LAYER_DRIVER,
		"Work of a GPU does not end, whoever its partner is",
		"dmesg | grep -i xid on that host, nvidia-smi -q -i GPU; if it "
		"hangs at CONNECT look at its process: firewall, interface "
		"(NCCL_SOCKET_IFNAME), /dev/shm. Reset the GPU and run again.",
	},
	ROW(NCCL_GDR_OFF) = {
		"FP-NCCL-GDR-OFF", SEVERITY_FAULT, LAYER_DRIVER,
		"NCCL does without GPUDirect RDMA on this host, not on others",
		"lsmod | grep nvidia_peermem (modprobe nvidia-peermem), or a "
		"driver with DMA-BUF; NCCL_NET_GDR_LEVEL in the environment; "
		"nvidia-smi topo -m: is each GPU's HCA PIX or PXB.",
	},
	ROW(NCCL_SOCKET) = {
		"FP-NCCL-SOCKET", SEVERITY_FAULT, LAYER_DRIVER,
		"NCCL uses sockets on this host, HCAs on others",
		"ibstat: are the ports Active; NCCL_IB_DISABLE, NCCL_IB_HCA, "
		"NCCL_NET in the environment; ulimit -l; is libibverbs, or the "
		"network plug-in, in this host's container.",
	},
	ROW(NVSWITCH_DOWN) = {
		"FP-NVSWITCH-DOWN", SEVERITY_FAULT, LAYER_HARDWARE,
		"NVSwitch plane of a host is down or degraded",
		"systemctl status nvidia-fabricmanager, nvidia-smi -q | grep "
		"-A3 Fabric, dmesg | grep -i -e nvswitch -e sxid. Restart the "
		"fabric manager, else reboot.",
	},
	ROW(PCIE_SWITCH_SLOW) = {
		"FP-PCIE-SWITCH-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"All devices below a PCIe switch are slow",
		"lspci -vv of the switch's ports: LnkSta against LnkCap, AER "
		"errors (dmesg | grep -i aer). Reseat the board or cable that "
		"carries the switch.",
	},
	ROW(PCIE_ACS) = {
		"FP-PCIE-ACS", SEVERITY_FAULT, LAYER_DRIVER,
		"Transfers between GPU and HCA of a host hang or fail",
		"lspci -vvv | grep ACSCtl: ReqRedir+ or CmpltRedir+ sends "
		"peer-to-peer traffic through the CPU. Turn ACS off in the "
		"BIOS or by setpci, and the IOMMU to pass-through.",
	},
	ROW(GDR_ROOT) = {
		"FP-GDR-ROOT", SEVERITY_FAULT, LAYER_DRIVER,
		"The same GPU of every host has its HCA behind another root",
		"Compare nvidia-smi topo -m: choose for this GPU the HCA at "
		"PIX or PXB (NCCL_IB_HCA, rail assignment), on all hosts of "
		"this model.",
	},
	ROW(HCA_DEAD) = {
		"FP-HCA-DEAD", SEVERITY_FAULT, LAYER_HARDWARE,
		"HCA passes no data",
		"ibstat HCA (state, physical state), dmesg | grep mlx5, state "
		"of its switch port. Reseat or swap cable or transceiver, "
		"then the card.",
	},
	ROW(HCA_SLOW) = {
		"FP-HCA-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"HCA is slow in both directions",
		"mlxlink or lspci -vv of the HCA: PCIe width and speed under "
		"load; firmware and NUMA node against other hosts; active "
		"speed of its port.",
	},
	ROW(HCA_MTU) = {
		"FP-HCA-MTU", SEVERITY_FAULT, LAYER_DRIVER,
		"Large messages through an HCA never arrive, small ones do",
		"ibv_devinfo: active_mtu of both ends; the MTU of the switch "
		"ports between. Set one MTU everywhere.",
	},
	ROW(HCA_CABLING) = {
		"FP-HCA-CABLING", SEVERITY_FAULT, LAYER_HARDWARE,
		"HCA is plugged into another leaf than its rail",
		"ibnetdiscover or lldpctl: into which switch its cable goes. "
		"Compare with the same HCA of other hosts and plug it where "
		"they are.",
	},
	ROW(PORT_TX_SLOW) = {
		"FP-PORT-TX-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"Port sends slowly, and receives well",
		"Clean or swap cable or transceiver; symbol and FEC errors "
		"are counted at the other end: on the leaf's port, by "
		"ibqueryerrors or its command line.",
	},
	ROW(PORT_RX_SLOW) = {
		"FP-PORT-RX-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"Port receives slowly, and sends well",
		"Clean or swap cable or transceiver; read port_rcv_errors and "
		"symbol_error of the port itself (perfquery, ethtool -S).",
	},
	ROW(PORT_TX_LOSSY) = {
		"FP-PORT-TX-LOSSY", SEVERITY_FAULT, LAYER_HARDWARE,
		"What a port sends stalls now and then",
		"Bytes are lost and sent again: read symbol and FEC errors on "
		"the leaf's side of the cable; clean or swap cable or "
		"transceiver.",
	},
	ROW(PORT_RX_LOSSY) = {
		"FP-PORT-RX-LOSSY", SEVERITY_FAULT, LAYER_HARDWARE,
		"What a port receives stalls now and then",
		"Bytes are lost and sent again: read symbol_error and "
		"port_rcv_errors of the port; clean or swap cable or "
		"transceiver.",
	},
	ROW(HOST_FIREWALL) = {
		"FP-HOST-FIREWALL", SEVERITY_FAULT, LAYER_RESOURCES,
		"Nobody can begin a transfer with a host",
		"Connections to the host are not even set up: nft list "
		"ruleset, iptables -S, security groups; open the ports of the "
		"interfaces that carry data.",
	},
	ROW(HOST_ROCE) = {
		"FP-HOST-ROCE", SEVERITY_FAULT, LAYER_DRIVER,
		"Every transfer with a host fails at its first byte",
		"Compare GID index, VLAN, DSCP and PFC settings with another "
		"host (show_gids, mlnx_qos -i DEV); for RoCE try "
		"NCCL_IB_GID_INDEX of a good host.",
	},
	ROW(HOST_WEAK) = {
		"FP-HOST-WEAK", SEVERITY_FAULT, LAYER_RESOURCES,
		"All that a host does is slow, by whatever way",
		"Compare with another host: CPU governor (cpupower frequency- "
		"info), NUMA binding, BIOS profile, other load (top), "
		"throttling (dmesg).",
	},
	ROW(LEAF_SLOW) = {
		"FP-LEAF-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"All that crosses a leaf switch is slow",
		"Look at the leaf: CPU and buffer use, firmware, port errors, "
		"fans and power; compare its configuration with that of "
		"another leaf.",
	},
	ROW(LEAF_PAUSES) = {
		"FP-LEAF-PAUSES", SEVERITY_WARN, LAYER_DRIVER,
		"A leaf is slow while many send at once, and not alone",
		"Read pause and discard counters of its ports (PFC storm, "
		"incast); find the port that pauses most and the host behind "
		"it.",
	},
	ROW(UPLINK_SLOW) = {
		"FP-UPLINK-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"What leaves a leaf for other leaves, or comes, is slow",
		"Count the leaf's links to the spines that are up and their "
		"speeds; pairs under the leaf are as usual.",
	},
	ROW(UPLINK_MEMBER) = {
		"FP-UPLINK-MEMBER", SEVERITY_FAULT, LAYER_HARDWARE,
		"One of a leaf's links towards the spines is bad",
		"Read the error counters of the leaf's links to its spines "
		"and take the worst out of service; which flows suffer is a "
		"matter of their hash.",
	},
	ROW(DOWNLINK_MEMBER) = {
		"FP-DOWNLINK-MEMBER", SEVERITY_FAULT, LAYER_HARDWARE,
		"One of the links from the spines to a leaf is bad",
		"Read the error counters of the spines' ports to this leaf "
		"and take the worst out of service; which flows suffer is a "
		"matter of their hash.",
	},
	ROW(OVERSUBSCRIBED) = {
		"FP-OVERSUBSCRIBED", SEVERITY_WARN, LAYER_RESOURCES,
		"All that crosses leaves is slower while many send at once",
		"No fault: fewer links to the spines than to the hosts, or no "
		"adaptive routing. Place jobs under few leaves, or turn "
		"adaptive routing on.",
	},
	ROW(SPINES_SLOW) = {
		"FP-SPINES-SLOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"All that crosses leaves is slow, alone as well",
		"No single leaf's links: look at what all have in common: the "
		"spines, routing, the speed that uplinks came up with, a rate "
		"limit or QoS class between leaves.",
	},
	ROW(CLUSTER_SLOW) = {
		"FP-CLUSTER-SLOW", SEVERITY_FAULT, LAYER_DRIVER,
		"All transfers between hosts are slower than the hardware can",
		"All hosts alike: look at what they share: GPUDirect, PCIe "
		"settings, firmware, link speed, MTU, routing. Compare one "
		"pair with the data sheet.",
	},
	ROW(COMPONENT) = {
		"FP-COMPONENT", SEVERITY_FAULT, LAYER_HARDWARE,
		"A component is at fault in a way that has no name here",
		"See the evidence; compare the component with its neighbours, "
		"then swap it with one of them and run again.",
	},
	ROW(COLL_CULPRIT) = {
		"FP-COLL-CULPRIT", SEVERITY_FAULT, LAYER_APPLICATION,
		"Collectives fail or are slow whenever this takes part",
		"Leave it out of the job, and run again; then compare it with "
		"a good one: versions, NCCL_* settings, cat /proc/PID/stack "
		"while it hangs.",
	},
	ROW(COLL_INTERACTION) = {
		"FP-COLL-INTERACTION", SEVERITY_FAULT, LAYER_APPLICATION,
		"Collectives fail only when these take part together",
		"Each half passes and the whole does not: look at what is "
		"between them (routes, a firewall rule, different versions or "
		"settings).",
	},
	ROW(COLL_SCALE) = {
		"FP-COLL-SCALE", SEVERITY_FAULT, LAYER_APPLICATION,
		"Collectives fail only from some number of ranks on",
		"No subset is guilty: look at limits that grow with size: "
		"open files, connections, memory, NCCL buffers, timeouts, the "
		"switches' tables.",
	},
	ROW(COLL_SETTING) = {
		"FP-COLL-SETTING", SEVERITY_FAULT, LAYER_DRIVER,
		"Collectives fail with one setting and pass without it",
		"The setting named in the evidence tells the layer: fix that "
		"layer, or run without it until then.",
	},
	ROW(COLL_UNRESOLVED) = {
		"FP-COLL-UNRESOLVED", SEVERITY_FAULT, LAYER_APPLICATION,
		"Collectives fail; the smallest failing set found is given",
		"The search came to its limit before the set was minimal. Run "
		"fabricprobe bisect --suspects with these ranks and more "
		"time.",
	},
	ROW(APPLICATION) = {
		"FP-APPLICATION", SEVERITY_INFO, LAYER_APPLICATION,
		"Fabric healthy for these ranks at these sizes",
		"Look at the application: a rank that is late or never comes "
		"(stack of each rank, flight recorder), different order of "
		"collectives, data loading.",
	},
	ROW(RDMA_GID) = {
		"FP-RDMA-GID", SEVERITY_FAULT, LAYER_DRIVER,
		"Address of an RDMA port is missing, gone or of another kind",
		"show_gids, or /sys/class/infiniband/HCA/ports/N/gids and "
		"gid_attrs/types, on both ends: the index in use must hold a "
		"RoCE v2 address of one family everywhere (NCCL_IB_GID_INDEX, "
		"NCCL_IB_ADDR_FAMILY). Then the address of the netdev below.",
	},
	ROW(RDMA_ROUTE) = {
		"FP-RDMA-ROUTE", SEVERITY_FAULT, LAYER_DRIVER,
		"Port has no RDMA path to a peer's port",
		"ip route get PEER from ADDRESS and ip neigh on the netdev of "
		"the port. In a fabric whose rails do not meet, ports of "
		"different rails are not meant to.",
	},
	ROW(RDMA_REFUSED) = {
		"FP-RDMA-REFUSED", SEVERITY_FAULT, LAYER_DRIVER,
		"Requests of RDMA are refused by the other end",
		"The status is in the evidence: 4 and 10 are memory keys, 9 "
		"an invalid request (path MTU of both ends), 13 a receiver "
		"that is not ready. Compare firmware and drivers of both ends "
		"(ibv_devinfo), IOMMU and ACS settings.",
	},
	ROW(PORT_FOREIGN) = {
		"FP-PORT-FOREIGN", SEVERITY_WARN, LAYER_RESOURCES,
		"Others use the port while it is measured",
		"What was slow then counts for nothing, and was measured "
		"again. Find who it is: other jobs and storage on that host "
		"(squeue -w HOST, rdma resource show qp, ip -s link), or "
		"measure when it is idle.",
	},
	ROW(SINCE_CLASS) = {
		"FP-SINCE-CLASS", SEVERITY_FAULT, LAYER_DRIVER,
		"Transfers of one kind are all slower than in the earlier run",
		"All alike: look at what changed for all of them since: "
		"driver, firmware, kernel, NCCL settings, routing, a switch's "
		"configuration. fabricprobe topo --json of both days tells "
		"what hosts had.",
	},
	ROW(SINCE_HOST) = {
		"FP-SINCE-HOST", SEVERITY_FAULT, LAYER_HARDWARE,
		"Host is slower than in the earlier run",
		"The others kept their rates: look at what changed in this "
		"host: cable and port (ethtool -S, ibqueryerrors), clocks and "
		"power, PCIe width, a new kernel or driver.",
	},
	ROW(SINCE_PAIR) = {
		"FP-SINCE-PAIR", SEVERITY_FAULT, LAYER_HARDWARE,
		"Pair is slower than in the earlier run",
		"Its ends keep their rates with others: look at the way "
		"between them: routes, a link between switches, ECMP.",
	},
	ROW(SINCE_COLL) = {
		"FP-SINCE-COLL", SEVERITY_FAULT, LAYER_DRIVER,
		"Collective is slower than in the earlier run",
		"If pairs are as they were: NCCL's version and settings "
		"(algorithm, protocol, channels), the order of ranks, the "
		"number of ranks a host. Else see what is said of pairs.",
	},
};
