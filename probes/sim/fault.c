// SPDX-License-Identifier: Apache-2.0
// The catalogue of faults.
#include "probes/sim/fault.h"

#include <string.h>

#include "probes/trial/trial.h"

#define SLOW(r, l) .ratio = (r), .latency = (l), .duty = 1, .state = OUTCOME_OK
#define ENDS(s, g)                                                 \
	.ratio = 1, .latency = 1, .duty = 1, .state = OUTCOME_##s, \
	.stage = STAGE_##g

static const struct sim_fault_info rows[SIM_KIND_COUNT] = {
	[SIM_GPU_THROTTLE] = { "gpu-throttle", FABRIC_GPU, SIM_LARGE,
	                       SLOW(.75, 1) },
	[SIM_GPU_PCIE] = { "gpu-pcie", FABRIC_GPU_PCIE, SIM_LARGE,
	                   SLOW(.5, 1.1) },
	[SIM_NVLINK_LOST] = { "nvlink-lost", FABRIC_NVLINK, SIM_LARGE,
	                      SLOW(17 / 18.0, 1) },
	[SIM_NVSWITCH_DOWN] = { "nvswitch-down", FABRIC_NVSWITCH, 0,
	                        SLOW(.2, 4) },
	[SIM_NVLINK_BRIDGE] = { "nvlink-bridge", FABRIC_NVLINK, 0,
	                        SLOW(.3, 2) },
	[SIM_NIC_DEAD] = { "nic-dead", FABRIC_HCA, 0, ENDS(ERROR, CONNECT) },
	[SIM_NIC_SLOW] = { "nic-slow", FABRIC_HCA, 0, SLOW(.5, 1.5) },
	[SIM_CABLE_TX] = { "cable-tx", FABRIC_PORT_TX, 0, SLOW(.6, 1) },
	[SIM_CABLE_RX] = { "cable-rx", FABRIC_PORT_RX, 0, SLOW(.6, 1) },
	[SIM_LOSSY_TX] = { "lossy-tx", FABRIC_PORT_TX, SIM_LARGE | SIM_SAMPLES,
	                   .ratio = .3, .latency = 1, .duty = .5,
	                   .state = OUTCOME_OK },
	[SIM_LOSSY_RX] = { "lossy-rx", FABRIC_PORT_RX, SIM_LARGE | SIM_SAMPLES,
	                   .ratio = .3, .latency = 1, .duty = .5,
	                   .state = OUTCOME_OK },
	[SIM_LEAF_SLOW] = { "leaf-slow", FABRIC_LEAF, 0, SLOW(.6, 1.5) },
	[SIM_UPLINK_MEMBER] = { "uplink-member", FABRIC_UPLINK, SIM_MEMBER,
	                        SLOW(.3, 1) },
	[SIM_DOWNLINK_MEMBER] = { "downlink-member", FABRIC_DOWNLINK,
	                          SIM_MEMBER, SLOW(.3, 1) },
	[SIM_OVERSUBSCRIBED] = { "oversubscribed", FABRIC_CLUSTER,
	                         SIM_CROSS | SIM_CONCURRENT | SIM_LARGE,
	                         SLOW(.5, 1) },
	[SIM_SPINES_SLOW] = { "spines-slow", FABRIC_CLUSTER, SIM_CROSS,
	                      SLOW(.5, 1.2) },
	[SIM_PCIE_SWITCH] = { "pcie-switch", FABRIC_PCIE_SWITCH, SIM_LARGE,
	                      SLOW(.5, 1.1) },
	[SIM_ACS] = { "acs", FABRIC_CONFIG_GDR, 0, ENDS(HANG, XFER) },
	[SIM_GDR_OFF] = { "gdr-off", FABRIC_CONFIG_GDR, 0, SLOW(.4, 3) },
	[SIM_GDR_ROOT] = { "gdr-root", FABRIC_GPU_PCIE,
	                   SIM_NETWORK | SIM_EVERYWHERE, SLOW(.5, 1.5) },
	[SIM_MTU] = { "mtu", FABRIC_HCA, SIM_LARGE, ENDS(HANG, XFER) },
	[SIM_ROCE] = { "roce", FABRIC_CONFIG_NET, 0, ENDS(ERROR, XFER) },
	[SIM_PFC_STORM] = { "pfc-storm", FABRIC_LEAF, SIM_CONCURRENT,
	                    SLOW(.5, 2) },
	[SIM_RAIL_SWAP] = { "rail-swap", FABRIC_HCA, SIM_NETWORK,
	                    SLOW(1, 1.8) },
	[SIM_HOST_SLOW] = { "host-slow", FABRIC_HOST, 0, SLOW(.7, 1.6) },
	[SIM_FIREWALL] = { "firewall", FABRIC_CONFIG_NET, SIM_BEGIN,
	                   ENDS(HANG, INIT) },
	[SIM_GPU_LOST] = { "gpu-lost", FABRIC_GPU, SIM_BEGIN,
	                   ENDS(HANG, INIT) },
	[SIM_COLL_SCALE] = { "coll-scale", FABRIC_CLUSTER, SIM_COLLECTIVE,
	                     ENDS(HANG, XFER) },
	[SIM_COLL_HOST] = { "coll-host", FABRIC_HOST, SIM_COLLECTIVE,
	                    ENDS(HANG, XFER) },
	[SIM_COLL_PAIR] = { "coll-pair", FABRIC_HOST, SIM_COLLECTIVE,
	                    ENDS(HANG, XFER) },
};

const struct sim_fault_info *sim_fault_info(unsigned kind)
{
	return &rows[kind];
}

struct sim_fault sim_fault_make(unsigned kind, int32_t comp)
{
	return (struct sim_fault){
		.info = rows[kind],
		.kind = kind,
		.comp = comp,
		.with = -1,
	};
}

unsigned sim_fault_find(const char *name)
{
	unsigned k = 0;

	while (k < SIM_KIND_COUNT && strcmp(rows[k].name, name) != 0)
		k++;
	return k;
}
