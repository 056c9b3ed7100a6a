// SPDX-License-Identifier: Apache-2.0
// Priors of kinds of components, and the tests that tell two kinds apart.
#include "probes/attribute/kinds.h"

#include <math.h>
#include <stdlib.h>

/* Scale: published failure counts of large training clusters, turned into
 * the chance that a part is bad on the day a cluster is commissioned. */
static const double priors[FABRIC_KIND_COUNT] = {
	[FABRIC_HOST] = 2e-3,       [FABRIC_GPU] = 5e-3,
	[FABRIC_NVLINK] = 2e-3,     [FABRIC_NVSWITCH] = 1e-3,
	[FABRIC_GPU_PCIE] = 2e-3,   [FABRIC_PCIE_SWITCH] = 1e-3,
	[FABRIC_SOCKET] = 1e-3,     [FABRIC_HCA] = 2e-3,
	[FABRIC_PORT_TX] = 3e-3,    [FABRIC_PORT_RX] = 3e-3,
	[FABRIC_CONFIG_GDR] = 3e-3, [FABRIC_CONFIG_NET] = 3e-3,
	[FABRIC_LEAF] = 2e-3,       [FABRIC_UPLINK] = 2e-3,
	[FABRIC_DOWNLINK] = 2e-3,   [FABRIC_SLOT] = 2e-3,
	[FABRIC_CLUSTER] = 1e-2,
};

double attribute_prior(unsigned kind)
{
	return kind < FABRIC_KIND_COUNT ? priors[kind] : 0;
}

double *attribute_logits(const struct fabric *f)
{
	double *logit = calloc((size_t)fabric_size(f) + 1, sizeof(*logit));
	unsigned k;
	int32_t c;

	if (!logit)
		return NULL;
	for (k = 0; k < FABRIC_KIND_COUNT; k++)
		for (c = f->first[k]; c < f->first[k + 1]; c++)
			logit[c] = log(priors[k] / (1 - priors[k]));
	return logit;
}

#define BIT(kind) (1u << FABRIC_##kind)
#define PORTS (BIT(PORT_TX) | BIT(PORT_RX))
#define NETWORK (PORTS | BIT(LEAF) | BIT(UPLINK) | BIT(DOWNLINK))
#define SETTINGS (BIT(CONFIG_GDR) | BIT(CONFIG_NET) | BIT(SLOT) | BIT(CLUSTER))
#define CARD (BIT(HCA) | PORTS)
#define GPU_SIDE (BIT(GPU) | BIT(GPU_PCIE))
#define ANY FABRIC_ALL_KINDS

/* One of each side; the first row that fits is taken. */
static const struct next_row {
	uint32_t a, b;
	enum attribute_next next;
} next_rows[] = {
	{ BIT(GPU), BIT(GPU_PCIE), NEXT_COPY },
	{ GPU_SIDE, BIT(NVLINK) | BIT(NVSWITCH), NEXT_HOST_MEMORY },
	{ GPU_SIDE | BIT(CONFIG_GDR), CARD, NEXT_HOST_MEMORY },
	{ GPU_SIDE, BIT(PCIE_SWITCH) | BIT(SOCKET), NEXT_COPY },
	{ BIT(HCA), PORTS, NEXT_LOOPBACK },
	{ BIT(PORT_TX), BIT(PORT_RX), NEXT_OTHER_PARTNER },
	{ PORTS, PORTS, NEXT_OTHER_PARTNER },
	{ CARD, BIT(PCIE_SWITCH) | BIT(SOCKET), NEXT_SWAP_NIC },
	{ CARD, BIT(LEAF), NEXT_LOOPBACK },
	{ BIT(LEAF), BIT(UPLINK) | BIT(DOWNLINK), NEXT_SAME_LEAF },
	{ BIT(UPLINK), BIT(DOWNLINK), NEXT_OTHER_PARTNER },
	{ NETWORK, NETWORK, NEXT_SAME_LEAF },
	{ SETTINGS, ANY, NEXT_SETTINGS },
	{ BIT(HOST), NETWORK | BIT(HCA), NEXT_LOOPBACK },
	{ BIT(HOST), ANY, NEXT_OTHER_PARTNER },
	{ BIT(NVLINK), BIT(NVSWITCH), NEXT_OTHER_PARTNER },
	{ ANY, ANY, NEXT_OTHER_HOST },
};

enum attribute_next attribute_next_test(unsigned a, unsigned b)
{
	uint32_t bit_a, bit_b;
	size_t i;

	if (a >= FABRIC_KIND_COUNT || b >= FABRIC_KIND_COUNT)
		return NEXT_NONE;
	bit_a = 1u << a;
	bit_b = 1u << b;
	for (i = 0; i < sizeof(next_rows) / sizeof(*next_rows); i++) {
		const struct next_row *r = &next_rows[i];

		if ((r->a & bit_a && r->b & bit_b) ||
		    (r->a & bit_b && r->b & bit_a))
			return r->next;
	}
	return NEXT_NONE;
}

static const char *const next_texts[NEXT_COUNT] = {
	[NEXT_NONE] = "no test of this program tells them apart",
	[NEXT_HOST_MEMORY] = "test the same ports from memory of the host",
	[NEXT_COPY] = "copy between the host's memory and this GPU alone",
	[NEXT_OTHER_PARTNER] = "test three other partners, each direction",
	[NEXT_SWAP_NIC] = "test the same GPU through another HCA",
	[NEXT_LOOPBACK] = "send out of this HCA into another of the same host",
	[NEXT_SAME_LEAF] = "compare a pair under one leaf with one across",
	[NEXT_OTHER_HOST] = "repeat the same test on other hosts",
	[NEXT_SETTINGS] = "compare this host's settings with those of others",
};

const char *attribute_next_text(unsigned next)
{
	return next_texts[next < NEXT_COUNT ? next : NEXT_NONE];
}
