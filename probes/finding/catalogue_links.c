// SPDX-License-Identifier: Apache-2.0
// Rows of the catalogue that checks of links, devices and ports find.
#include "probes/finding/catalogue.h"

#define ROW(code) [FINDING_##code - FINDING_LINKS_FIRST]

const struct finding_info catalogue_links[FINDING_HOSTS_FIRST - FINDING_LINKS_FIRST] = {
	ROW(MTU_MIXED) = {
		"FP-MTU-MIXED", SEVERITY_FAULT, LAYER_DRIVER,
		"Network device has another MTU than its peers",
		"ip link set DEV mtu N, the same on all hosts, and in "
		"what sets it at boot; every switch port between needs at "
		"least that. An MTU that differs makes RDMA transfers "
		"fail or hang.",
	},
	ROW(PORT_MTU_MIXED) = {
		"FP-PORT-MTU-MIXED", SEVERITY_FAULT, LAYER_DRIVER,
		"RDMA port runs at another MTU than its peers",
		"ibv_devinfo -v (active_mtu) on both ends; on Ethernet "
		"set the MTU of the network device below it, on "
		"InfiniBand that of the subnet manager's partition, then "
		"take the link down and up.",
	},
	ROW(P2P_OFF) = {
		"FP-P2P-OFF", SEVERITY_WARN, LAYER_DRIVER,
		"No GPU of the host offers peer access to another",
		"nvidia-smi topo -p2p r and the driver's log say why. "
		"NCCL copies through host memory instead (SHM), which "
		"bounds rates to the CPU's memory; check IOMMU, ACS, a "
		"hypervisor that hides the switches, and NVreg_ settings "
		"of the driver.",
	},
	ROW(P2P_PAIR) = {
		"FP-P2P-PAIR", SEVERITY_FAULT, LAYER_DRIVER,
		"GPU lacks peer access that the others have",
		"nvidia-smi topo -p2p rw; dmesg for the GPU and the "
		"bridges above it; compare ACS of these bridges (lspci "
		"-vvv, ACSCtl) with the others'. NCCL goes through host "
		"memory for these pairs alone and slows the ring down.",
	},
	ROW(P2P_ACS) = {
		"FP-P2P-ACS", SEVERITY_WARN, LAYER_DRIVER,
		"PCI bridge sends peer traffic up to the CPU (ACS)",
		"Switch ACS off on the bridges between GPUs and HCAs: "
		"setpci -s BRIDGE ECAP_ACS+6.w=0 at each boot, or in the "
		"BIOS, if no virtual machine needs it. Until then peer "
		"copies and GPUDirect are slow, or hang.",
	},
	ROW(P2P_IOMMU) = {
		"FP-P2P-IOMMU", SEVERITY_WARN, LAYER_DRIVER,
		"The IOMMU translates what GPUs and HCAs send",
		"Boot with iommu=pt (intel_iommu=on or amd_iommu=on "
		"beside it), or switch the IOMMU off in the BIOS, unless "
		"the host runs virtual machines: peer copies through a "
		"translating IOMMU are slow, and hang on some boards.",
	},
	ROW(GDR_OFF) = {
		"FP-GDR-OFF", SEVERITY_WARN, LAYER_DRIVER,
		"GPUDirect RDMA has no way into GPU memory",
		"modprobe nvidia-peermem, or use the open kernel modules "
		"with a kernel of 5.12 or later (DMA-BUF). Until then "
		"NCCL copies through host memory between hosts: a third "
		"of the rate is usual.",
	},
	ROW(PCIE_WIDTH) = {
		"FP-PCIE-WIDTH", SEVERITY_FAULT, LAYER_HARDWARE,
		"PCIe link has fewer lanes than both ends and the slot allow",
		"Reseat the card or its riser, look at the slot's "
		"contacts, then swap it with that of a good one: does the "
		"fault go with the card or stay with the slot? lspci -vv "
		"(LnkCap, LnkSta) shows both ends.",
	},
	ROW(PCIE_SPEED) = {
		"FP-PCIE-SPEED", SEVERITY_FAULT, LAYER_HARDWARE,
		"PCIe link runs slower than both ends allow",
		"Look again under load (an idle GPU lowers its speed). If "
		"it stays: reseat card and riser, look for retrained "
		"links and AER lines in dmesg, check the slot's speed "
		"setting in the BIOS.",
	},
	ROW(PCIE_NARROW_SLOT) = {
		"FP-PCIE-NARROW-SLOT", SEVERITY_WARN, LAYER_HARDWARE,
		"Network adapter's PCIe link carries less than its ports",
		"Put the adapter into a slot with more lanes or a newer "
		"generation; the kernel's line names the link that limits "
		"it (lspci -tv shows the way). The ports cannot reach "
		"their rate before.",
	},
	ROW(PCIE_AER) = {
		"FP-PCIE-AER", SEVERITY_WARN, LAYER_HARDWARE,
		"PCIe errors were counted at a device",
		"Watch aer_dev_correctable and aer_dev_fatal under "
		"/sys/bus/pci/devices grow under load; growing ones mean "
		"signal trouble: reseat the card, change riser or slot.",
	},
	ROW(PCIE_REPLAYS) = {
		"FP-PCIE-REPLAYS", SEVERITY_WARN, LAYER_HARDWARE,
		"GPU's PCIe link repeats far more than its peers'",
		"Watch Replays Since Reset of nvidia-smi -q grow under "
		"load. Growing: reseat the GPU or its riser; the link "
		"loses bandwidth and may fall off the bus next.",
	},
	ROW(NVLINK_NONE) = {
		"FP-NVLINK-NONE", SEVERITY_FAULT, LAYER_HARDWARE,
		"GPU has no NVLink to its peers, which have them",
		"nvidia-smi nvlink -s -i N, nvidia-smi -q -i N (Fabric "
		"State), dmesg for Xid 74 and 144 to 150; reset the GPU "
		"and restart the fabric manager, then reboot. Keep jobs "
		"off this GPU until it has them again.",
	},
	ROW(NVLINK_FEWER) = {
		"FP-NVLINK-FEWER", SEVERITY_FAULT, LAYER_HARDWARE,
		"GPU has fewer NVLinks than its peers",
		"nvidia-smi nvlink -s -i N and -e -i N; dmesg for Xid 74; "
		"reset the GPU. If the same links stay down: reseat "
		"bridge or baseboard, then replace the GPU.",
	},
	ROW(NVLINK_PAIR) = {
		"FP-NVLINK-PAIR", SEVERITY_FAULT, LAYER_HARDWARE,
		"Two GPUs have fewer NVLinks between them than others",
		"nvidia-smi nvlink -s on both GPUs, dmesg for Xid 74 of "
		"either; reset both, reseat the bridge between them.",
	},
	ROW(NVLINK_DOWN) = {
		"FP-NVLINK-DOWN", SEVERITY_FAULT, LAYER_HARDWARE,
		"NVLinks of a GPU are inactive",
		"nvidia-smi nvlink -s -i N and -e -i N; dmesg for Xid 74; "
		"drain the host and reset the GPU. If the same links stay "
		"inactive: reseat bridge or baseboard, then replace the "
		"GPU.",
	},
	ROW(NVLINK_ERRORS) = {
		"FP-NVLINK-ERRORS", SEVERITY_WARN, LAYER_HARDWARE,
		"NVLink counts recoveries or errors that its peers do not",
		"nvidia-smi nvlink -e -i N twice, under load between: "
		"growing counters announce a link that goes down. Reseat "
		"the board at the next service; replace the GPU if it is "
		"the same link again.",
	},
	ROW(FABRIC_STATE) = {
		"FP-FABRIC-STATE", SEVERITY_FAULT, LAYER_DRIVER,
		"GPU is not registered with the NVLink fabric",
		"systemctl status nvidia-fabricmanager (of the driver's "
		"version), its log, IMEX on multi-host NVLink; start it, "
		"then reset the GPUs. CUDA fails with error 802 until it "
		"is done.",
	},
	ROW(C2C_DOWN) = {
		"FP-C2C-DOWN", SEVERITY_FAULT, LAYER_HARDWARE,
		"Chip-to-chip links between a GPU and its CPU are inactive",
		"nvidia-smi c2c -s -i N, dmesg for Xid; power the host off "
		"and on. The module is one part: if they stay inactive, "
		"it is replaced as a whole.",
	},
	ROW(FABRIC_HEALTH) = {
		"FP-FABRIC-HEALTH", SEVERITY_FAULT, LAYER_HARDWARE,
		"The NVLink fabric is not well at a GPU",
		"nvidia-smi -q -i N (Fabric: Health), log of "
		"nvidia-fabricmanager or of the NVLink switches' manager: "
		"which link or switch? Keep jobs off this GPU until the "
		"route is whole again.",
	},
	ROW(FABRIC_SPLIT) = {
		"FP-FABRIC-SPLIT", SEVERITY_WARN, LAYER_DRIVER,
		"GPUs of one host are in different NVLink domains or cliques",
		"Partition of the NVLink switches' manager, and IMEX "
		"(nvidia-imex-ctl -N) on the hosts of the domain: GPUs of "
		"different cliques reach one another over the network "
		"only.",
	},
	ROW(IMEX_CHANNEL) = {
		"FP-IMEX-CHANNEL", SEVERITY_FAULT, LAYER_DRIVER,
		"Host has no IMEX channel, others of its NVLink domain have",
		"As root: nvidia-modprobe -c 0 -s, or mknod "
		"/dev/nvidia-caps-imex-channels/channel0 c MAJOR 0 (MAJOR "
		"from /proc/devices); for good NVreg_CreateImexChannel0=1. "
		"In a container pass the device in. Without it CUDA refuses "
		"memory that is shared by NVLink between hosts.",
	},
	ROW(PORT_POLLING) = {
		"FP-PORT-POLLING", SEVERITY_FAULT, LAYER_HARDWARE,
		"Port is on but has no link partner",
		"Cable, transceiver and switch port: mlxlink -d HCA -p "
		"PORT says what it sees; swap the cable with that of a "
		"good port. The port itself is enabled.",
	},
	ROW(PORT_DISABLED) = {
		"FP-PORT-DISABLED", SEVERITY_FAULT, LAYER_DRIVER,
		"Port was switched off",
		"Nothing is wrong with the cable yet: ip link set DEV up "
		"(Ethernet), ibportstate LID PORT enable (InfiniBand), or "
		"find out who disabled it (firmware setting, switch, "
		"health daemon).",
	},
	ROW(PORT_DOWN) = {
		"FP-PORT-DOWN", SEVERITY_FAULT, LAYER_HARDWARE,
		"Port is down where its peers are active",
		"ibstat and ethtool of it, dmesg for link-down lines, "
		"mlxlink -d HCA -p PORT; cable, transceiver, switch port "
		"in this order.",
	},
	ROW(PORT_INIT) = {
		"FP-PORT-INIT", SEVERITY_FAULT, LAYER_DRIVER,
		"Port has a link, but no subnet manager brought it up",
		"sminfo; is a subnet manager running in this fabric, and "
		"does it reach this port (partition, routing, its log)? "
		"The cable is good: the physical state is LinkUp.",
	},
	ROW(PORT_RATE) = {
		"FP-PORT-RATE-LOW", SEVERITY_FAULT, LAYER_HARDWARE,
		"Port runs below the rate of its peers",
		"mlxlink -d HCA -p PORT: lanes and speed that were "
		"negotiated; clean or swap cable and transceiver, compare "
		"the switch port's speed setting; a split cable in a full "
		"port does this, too.",
	},
	ROW(PORT_LAYER) = {
		"FP-PORT-LAYER", SEVERITY_WARN, LAYER_DRIVER,
		"Port has another link layer than its peers",
		"mlxconfig -d HCA q LINK_TYPE_P1: set the same on all (1 "
		"InfiniBand, 2 Ethernet) and restart the firmware. NCCL "
		"does not join the two.",
	},
	ROW(PORT_GID) = {
		"FP-PORT-GID", SEVERITY_WARN, LAYER_DRIVER,
		"RoCE port has no RoCE v2 address",
		"show_gids: give the network device below it an address "
		"(ip addr), in this network namespace; then set "
		"NCCL_IB_GID_INDEX to an index that is RoCE v2 on every "
		"host. Queue pairs fail with errno 19 or time out without "
		"it.",
	},
	ROW(PORT_SUBNET) = {
		"FP-PORT-SUBNET", SEVERITY_FAULT, LAYER_DRIVER,
		"RoCE port's address is not in its rail's subnet",
		"ip -4 addr show DEV on it and on a good host; give the "
		"device the address of its own rail, or swap the cables "
		"that are crossed. Queue pairs to the rail's other hosts "
		"time out without it, unless the network routes between "
		"these subnets.",
	},
	ROW(PORT_ERRORS) = {
		"FP-PORT-ERRORS", SEVERITY_WARN, LAYER_HARDWARE,
		"Port counts errors that its peers do not",
		"perfquery or ethtool -S twice, under load between: "
		"growing symbol, link-down or receive errors mean cable "
		"or transceiver; clean, then swap.",
	},
	ROW(HCA_FIRMWARE) = {
		"FP-HCA-FIRMWARE", SEVERITY_WARN, LAYER_DRIVER,
		"HCA runs another firmware than its peers",
		"flint -d DEV q; bring all HCAs of one board id to one "
		"version (mlxfwmanager) and restart them.",
	},
	ROW(HCA_SET) = {
		"FP-HCA-SET", SEVERITY_FAULT, LAYER_DRIVER,
		"Host offers other HCAs than the other hosts",
		"ibv_devices on it and on a good host; lspci for a "
		"missing card, the container's devices (/dev/infiniband), "
		"SR-IOV. NCCL hangs when ranks count different NICs and "
		"NCCL_IGNORE_NET_MISMATCH is set.",
	},
	ROW(PFC_MIXED) = {
		"FP-PFC-MIXED", SEVERITY_WARN, LAYER_DRIVER,
		"Flow control or trust of a port differs from its peers'",
		"mlnx_qos -i DEV, or dcb pfc show dev DEV: the same "
		"priorities and the same trust (dscp) on all ports and "
		"switches; else RoCE loses packets under load.",
	},
};
