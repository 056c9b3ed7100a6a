// SPDX-License-Identifier: Apache-2.0
// Causes that lie in the network between hosts.
#include "probes/explain/cause.h"
#include "probes/finding/finding.h"

static const struct cause rows[] = {
	{
		.code = "FP-EXPLAIN-MTU",
		.title = "The two ends have different MTUs",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_PLAIN,
		.who = WHO_PAIR,
		.probe = CAUSE_PROBE_RDMA,
		.confidence = 0.8,
		.any = { { KIND_WC_REM_INV, { 0 } },
	                 { KIND_IB_ACCESS, { 0 } },
	                 { KIND_WC_LOC_LEN, { 0 } },
	                 { KIND_MTU_DIFFERS, { 0 } } },
		.next = "Compare active_mtu (ibv_devinfo) of that NIC on both "
			"hosts and of the ports between; set the same",
		.disprove = "active_mtu is the same on both ends",
	},
	{
		.code = "FP-EXPLAIN-NIC-DEAD",
		.title = "A NIC or its firmware failed",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_HARD,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_RDMA,
		.confidence = 0.85,
		.any = { { KIND_NIC_FATAL, { 0 } }, { KIND_IB_FATAL, { 0 } } },
		.next = "Reset the NIC (or reboot), update its firmware; "
			"replace it if that returns",
		.disprove = "the NIC works under load after a reset",
	},
	{
		.code = "FP-EXPLAIN-PORT-DOWN",
		.title = "A port of a NIC is down",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_HARD,
		.who = WHO_SELF,
		.probe = CAUSE_PROBE_RDMA,
		.confidence = 0.85,
		.any = { { KIND_PORT_POLLING, { 0 } },
	                 { KIND_PORT_DOWN, { 0 } },
	                 { KIND_NIC_CABLE, { 0 } } },
		.next = "Polling: check cable, transceiver and the switch "
			"port; Disabled: enable it; Init: the subnet manager",
		.disprove = "ibstat shows Active, LinkUp on that port",
	},
	{
		.code = "FP-EXPLAIN-LINK",
		.title = "A link of the fabric loses packets or went down",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_LIKELY,
		.who = WHO_PAIR,
		.probe = CAUSE_PROBE_RDMA,
		.confidence = 0.6,
		.any = { { KIND_IB_PORT, { 0 } },
	                 { KIND_IB_SPEED, { 0 } },
	                 { KIND_NIC_FLAP, { 0 } },
	                 { KIND_PORT_ERRORS, { 0 } },
	                 { KIND_PORT_SLOW, { 0 } },
	                 { KIND_WC_RETRY, { 0 } },
	                 { KIND_WC_RNR, { 0 } } },
		.none = { { KIND_RETRY_ROUTE, { 0 } } },
		.next = "Look at the counters of that port and of its switch "
			"port (symbol errors, link downed, discards), then "
			"cable and transceiver",
		.disprove = "the pair moves data at full rate for minutes and "
			    "no counter grows",
	},
	{
		.code = "FP-EXPLAIN-ROCE-ADDRESS",
		.title = "RoCE addresses do not reach each other: wrong GID "
			 "index, no route, or rails that are not joined",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_LIKELY,
		.who = WHO_PAIR,
		.probe = CAUSE_PROBE_RDMA,
		.confidence = 0.75,
		.any = { { KIND_QP_MODIFY, { 0 } },
	                 { KIND_RETRY_ROUTE, { 0 } },

	                 { KIND_PORT_NO_GID, { 0 } } },
		.next = "show_gids on both hosts: NCCL_IB_GID_INDEX must be "
			"the RoCEv2/IPv4 one; on a rail-only fabric set "
			"NCCL_CROSS_NIC=0; one subnet per rail",
		.disprove = "ping and ib_write_bw -x INDEX work between these "
			    "two NICs",
	},
	{
		.code = "FP-EXPLAIN-INTERFACE",
		.title = "Hosts cannot connect: wrong interface, container "
			 "network or firewall",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_PLAIN,
		.who = WHO_PEER,
		.probe = CAUSE_PROBE_TRAFFIC,
		.confidence = 0.8,
		.any = { { KIND_SOCK_CONNECT, { 0 } },
	                 { KIND_SOCK_NONE, { 0 } } },
		.next = "Set NCCL_SOCKET_IFNAME to the interface that all "
			"hosts can reach; containers need --net=host; open "
			"all ports between the hosts (test with nc)",
		.disprove = "nc connects to that address on a high port",
	},
	{
		.code = "FP-EXPLAIN-SOCKETS",
		.title = "Data goes over sockets although there are RDMA NICs",
		.layer = LAYER_DRIVER,
		.tier = CAUSE_SLOW,
		.who = WHO_JOB,
		.confidence = 0.6,
		.any = { { KIND_SOCKET_ONLY, { 0 } } },
		.next = "NCCL_DEBUG=INFO: why does NET/IB find no device? "
			"/dev/infiniband in the container, libibverbs, "
			"NCCL_IB_DISABLE, NCCL_IB_HCA",
		.disprove = "the channel lines say NET/IB",
	},
	{
		.code = "FP-EXPLAIN-PORT-DISABLED",
		.title = "A port is switched off",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_NOTE,
		.who = WHO_SELF,
		.confidence = 0.6,
		.any = { { KIND_PORT_DISABLED, { 0 } } },
		.next = "If the job needs it, enable it; an unused port is no "
			"fault",
		.disprove = "nobody uses that port",
	},
};

const struct cause_table cause_net = { rows, sizeof(rows) / sizeof(rows[0]) };
