// SPDX-License-Identifier: Apache-2.0
// Faults by their place and by how tests fail.
#include "probes/decide/signature.h"

#include <stddef.h>
#include <string.h>

#include "probes/attribute/layers.h"
#include "topo/fabric/fabric.h"

#define KIND(kind) (1u << FABRIC_##kind)
#define PORTS (KIND(PORT_TX) | KIND(PORT_RX))
#define LESS (SIGN_BIT(SLOW) | SIGN_BIT(MILD))

/* The first row that fits is taken. */
static const struct row {
	uint32_t signs, kinds;
	uint32_t must; /* features */
	const char *name, *advice;
} rows[] = {
	{ SIGN_BIT(BROKEN), KIND(GPU), FEATURE_INIT, "gpu-lost",
	  "look for Xid in the kernel log; reset the GPU or the host" },
	{ SIGN_BIT(BROKEN), KIND(CONFIG_NET), FEATURE_INIT, "firewall",
	  "open the host's firewall for the interfaces that carry data" },
	{ SIGN_BIT(BROKEN), KIND(CONFIG_NET), 0, "roce",
	  "compare GID index, VLAN and PFC of the host with its neighbours" },
	{ SIGN_BIT(BROKEN), KIND(CONFIG_GDR), 0, "acs",
	  "turn PCIe ACS off for peer-to-peer, and the IOMMU to pass-through" },
	{ SIGN_BIT(BROKEN), KIND(HCA) | PORTS, FEATURE_SMALL_OK, "mtu",
	  "set the same MTU on the port, the leaf and all hosts" },
	{ SIGN_BIT(BROKEN), KIND(HCA) | PORTS, 0, "nic-dead",
	  "look at the port's state and its cable; replace the HCA" },
	{ LESS, KIND(NVLINK), FEATURE_BRIDGE, "nvlink-bridge",
	  "reseat or replace the bridge; read the NVLink error counters" },
	{ LESS, KIND(NVLINK), 0, "nvlink-lost",
	  "read the NVLink states of the GPU; reset it or replace it" },
	{ LESS, KIND(NVSWITCH), 0, "nvswitch-down",
	  "look at the fabric manager and the NVSwitch states of the host" },
	{ LESS, KIND(GPU), 0, "gpu-throttle",
	  "read the clock throttle reasons, temperature and ECC counters" },
	{ LESS, KIND(GPU_PCIE), 0, "gpu-pcie",
	  "compare the link's width and speed with what it can; reseat it" },
	{ LESS, KIND(PCIE_SWITCH), 0, "pcie-switch",
	  "read AER errors and link widths of the switch's ports" },
	{ LESS, KIND(HCA), 0, "nic-slow",
	  "compare firmware, PCIe width and NUMA node with other HCAs" },
	{ LESS, KIND(PORT_TX), 0, "cable-tx",
	  "clean or replace cable or transceiver; read the leaf's counters" },
	{ LESS, KIND(PORT_RX), 0, "cable-rx",
	  "clean or replace cable or transceiver; read the port's counters" },
	{ LESS, KIND(LEAF), 0, "leaf-slow",
	  "look at the leaf: its load, its firmware, its counters" },
	{ LESS, KIND(CONFIG_GDR), 0, "gdr-off",
	  "load nvidia-peermem, or allow DMA-BUF, on the host" },
	{ LESS, KIND(SLOT), 0, "gdr-root",
	  "choose an HCA under the same PCIe switch for this GPU" },
	{ LESS, KIND(HOST), 0, "host-slow",
	  "compare CPU governor, NUMA binding and BIOS with other hosts" },
	{ LESS, KIND(UPLINK) | KIND(DOWNLINK), 0, "uplinks-slow",
	  "count the leaf's uplinks that are up, and their speeds" },
	{ 0, KIND(CLUSTER), 0, "spines-slow", /* told by where it shows */
	  "look at the spines, routing and the speeds of all uplinks" },
	{ SIGN_BIT(FLAKY), KIND(PORT_TX), 0, "lossy-tx",
	  "read symbol and FEC errors on the leaf's side of the cable" },
	{ SIGN_BIT(FLAKY), KIND(PORT_RX), 0, "lossy-rx",
	  "read symbol and FEC errors of the port" },
	{ SIGN_BIT(FLAKY), KIND(UPLINK), 0, "uplink-member",
	  "read the error counters of the leaf's links to its spines" },
	{ SIGN_BIT(FLAKY), KIND(DOWNLINK), 0, "downlink-member",
	  "read the error counters of the spines' links to the leaf" },
	{ SIGN_BIT(LATE), KIND(HCA) | PORTS, 0, "rail-swap",
	  "check into which leaf the port's cable goes" },
	{ SIGN_BIT(LOADED), KIND(LEAF), 0, "pfc-storm",
	  "read pause counters of the leaf; look for incast" },
	{ SIGN_BIT(LOADED), KIND(CLUSTER), 0, "oversubscribed",
	  "no fault: too few uplinks, or no adaptive routing" },
};

static const struct row *find(unsigned sign, unsigned kind, unsigned features)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].signs & 1u << sign && rows[i].kinds & 1u << kind &&
		    (features & rows[i].must) == rows[i].must)
			return &rows[i];
	return NULL;
}

const char *decide_signature(unsigned sign, unsigned kind, unsigned features)
{
	const struct row *r = find(sign, kind, features);

	return r ? r->name : "other";
}

const char *decide_signature_advice(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].advice;
	return "compare it with its neighbours";
}
