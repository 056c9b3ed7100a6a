// SPDX-License-Identifier: Apache-2.0
// Components in words.
#include <stdio.h>

#include "topo/fabric/fabric.h"

/* How a kind is named, and whether a number in its host belongs to it. */
static const struct kind_words {
	const char *name, *of, *behind;
	bool numbered;
} kind_words[FABRIC_KIND_COUNT] = {
	[FABRIC_HOST] = { "host", "", "", false },
	[FABRIC_GPU] = { "GPU", "GPU", "", true },
	[FABRIC_NVLINK] = { "NVLink", "NVLink", "", true },
	[FABRIC_NVSWITCH] = { "NVSwitch plane", "NVSwitch plane", "", false },
	[FABRIC_GPU_PCIE] = { "PCIe link of a GPU", "PCIe link of GPU", "",
	                      true },
	[FABRIC_PCIE_SWITCH] = { "PCIe switch", "PCIe switch", "", true },
	[FABRIC_SOCKET] = { "CPU socket", "CPU socket", "", true },
	[FABRIC_HCA] = { "HCA", "HCA", "", true },
	[FABRIC_PORT_TX] = { "port, sending", "port", ", sending", true },
	[FABRIC_PORT_RX] = { "port, receiving", "port", ", receiving", true },
	[FABRIC_CONFIG_GDR] = { "GPUDirect settings of a host",
	                        "GPUDirect settings", "", false },
	[FABRIC_CONFIG_NET] = { "network settings of a host",
	                        "network settings", "", false },
	[FABRIC_LEAF] = { "leaf", "leaf", "", false },
	[FABRIC_UPLINK] = { "uplinks of a leaf", "uplinks of leaf", "", false },
	[FABRIC_DOWNLINK] = { "downlinks to a leaf", "downlinks to leaf", "",
	                      false },
	[FABRIC_SLOT] = { "the same GPU of every host", "every host, GPU", "",
	                  false },
	[FABRIC_CLUSTER] = { "settings of the whole cluster",
	                     "settings of the whole cluster", "", false },
};

const char *fabric_kind_name(unsigned kind)
{
	return kind < FABRIC_KIND_COUNT ? kind_words[kind].name : "?";
}

static char *host_name(const struct fabric *f, int32_t host,
                       char buf[static TOPO_NAME_MAX])
{
	if (f->host_names)
		(void)snprintf(buf, TOPO_NAME_MAX, "%s", f->host_names[host]);
	else
		(void)snprintf(buf, TOPO_NAME_MAX, "%d", (int)host);
	return buf;
}

static char *leaf_name(const struct fabric *f, int32_t leaf,
                       char buf[static TOPO_NAME_MAX])
{
	if (f->leaf_names)
		(void)snprintf(buf, TOPO_NAME_MAX, "%s", f->leaf_names[leaf]);
	else
		(void)snprintf(buf, TOPO_NAME_MAX, "%d", (int)leaf);
	return buf;
}

/* " (leaf l0, port 7, cable 12)" of a port that is plugged somewhere. */
static int plug_text(const struct fabric *f, const struct fabric_place *at,
                     char *buf, size_t size)
{
	const struct fabric_port *p =
		&f->ports[at->host * f->spec.nics + at->local];
	char leaf[TOPO_NAME_MAX];
	char port[32] = "";

	if (p->leaf < 0)
		return 0;
	if (p->port >= 0)
		(void)snprintf(port, sizeof(port), ", port %d", (int)p->port);
	return snprintf(buf, size, " (leaf %s%s%s%s)",
	                leaf_name(f, p->leaf, leaf), port,
	                p->cable[0] ? ", cable " : "", p->cable);
}

static void host_part(const struct fabric *f, const struct fabric_place *at,
                      char *buf, size_t size)
{
	const struct kind_words *w = &kind_words[at->kind];
	char host[TOPO_NAME_MAX], local[16] = "";
	int n;

	if (w->numbered)
		(void)snprintf(local, sizeof(local), " %d", (int)at->local);
	n = snprintf(buf, size, "%s%s%shost %s%s", w->of, local,
	             w->of[0] ? " of " : "", host_name(f, at->host, host),
	             w->behind);
	if (n > 0 && (size_t)n < size &&
	    (at->kind == FABRIC_PORT_TX || at->kind == FABRIC_PORT_RX))
		(void)plug_text(f, at, buf + n, size - (size_t)n);
}

char *fabric_locus(const struct fabric *f, int32_t id,
                   char buf[static FABRIC_NAME_MAX])
{
	struct fabric_place at = fabric_place(f, id);
	char leaf[TOPO_NAME_MAX];

	if (at.host >= 0)
		host_part(f, &at, buf, FABRIC_NAME_MAX);
	else if (at.kind == FABRIC_SLOT)
		(void)snprintf(buf, FABRIC_NAME_MAX, "%s %d",
		               kind_words[at.kind].of, (int)at.index);
	else if (at.kind == FABRIC_CLUSTER)
		(void)snprintf(buf, FABRIC_NAME_MAX, "%s",
		               kind_words[at.kind].of);
	else
		(void)snprintf(buf, FABRIC_NAME_MAX, "%s %s",
		               kind_words[at.kind].of,
		               leaf_name(f, at.index, leaf));
	return buf;
}
