/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cluster as components that bytes cross: hosts x rails x leaves x spines.
 * Every component has one dense id, so that evidence about it is an array.
 */
#ifndef FP_TOPO_FABRIC_FABRIC_H
#define FP_TOPO_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"
#include "topo/model/model.h"

/** enum fabric_kind - kinds of components; ids of one kind are neighbours. */
enum fabric_kind {
	FABRIC_HOST,
	FABRIC_GPU,
	FABRIC_NVLINK,      /* a GPU's links to the switch, or one bridge */
	FABRIC_NVSWITCH,    /* the switch plane of a host */
	FABRIC_GPU_PCIE,    /* a GPU's link to its PCIe switch */
	FABRIC_PCIE_SWITCH, /* shared by neighbouring GPUs and HCAs */
	FABRIC_SOCKET,      /* CPU and root ports */
	FABRIC_HCA,         /* card, firmware, its PCIe link */
	FABRIC_PORT_TX,     /* port and cable, leaving the host */
	FABRIC_PORT_RX,     /* and entering it */
	FABRIC_CONFIG_GDR,  /* a host's settings of GPU <-> HCA transfers */
	FABRIC_CONFIG_NET,  /* a host's settings of the network */
	FABRIC_LEAF,
	FABRIC_UPLINK,   /* all links of a leaf, leaf -> spines */
	FABRIC_DOWNLINK, /* spines -> leaf */
	FABRIC_SLOT,     /* the same GPU of every host: how such hosts are
	                    built, for transfers between GPU and HCA */
	FABRIC_CLUSTER,  /* settings that all hosts share */
	FABRIC_KIND_COUNT
};
#define FABRIC_ALL_KINDS ((1u << FABRIC_KIND_COUNT) - 1)

/** enum fabric_inside - how the GPUs of a host reach one another. */
enum fabric_inside {
	FABRIC_INSIDE_NVSWITCH,
	FABRIC_INSIDE_NVLINK, /* bridges between GPUs 2i and 2i+1, PCIe else */
	FABRIC_INSIDE_PCIE,
	FABRIC_INSIDE_COUNT
};

#define FABRIC_MAX_HOSTS 65536
#define FABRIC_MAX_PER_HOST 64
#define FABRIC_PATH_MAX 32 /* components of one transfer at most */
#define FABRIC_NAME_MAX 192

/** struct fabric_spec - the short description. Zero-initialise; see
 * fabric_spec_defaults(). */
struct fabric_spec {
	int32_t hosts, gpus, nics; /* gpus and nics: of each host */
	int32_t nvlinks;           /* of each GPU */
	double nic_gbps;
	int32_t hosts_per_leaf; /* 0: all under one */
	int32_t leaves;         /* 0: as many as are needed */
	int32_t spines;
	double oversubscription; /* down / up, 1: none */
	bool rail_optimised;     /* rail r of a pod has a leaf of its own */
	uint32_t inside;         /* enum fabric_inside */
	uint32_t kinds;          /* bits of enum fabric_kind that are told
	                            apart; the others are not components */
};

/** struct fabric_port - where a port is plugged; "" and -1: not known. */
struct fabric_port {
	int32_t leaf;
	int32_t port; /* of the leaf */
	char cable[24];
};

/** struct fabric - a cluster. Owns its arrays. */
struct fabric {
	struct fabric_spec spec;
	int32_t first[FABRIC_KIND_COUNT + 1]; /* ids of each kind */
	int32_t each[FABRIC_KIND_COUNT];      /* of one host; 0: not of hosts */
	struct fabric_port *ports;            /* [hosts * nics] */
	int32_t n_leaves;
	char (*host_names)[TOPO_NAME_MAX]; /* [hosts], or NULL */
	char (*leaf_names)[TOPO_NAME_MAX]; /* [n_leaves], or NULL */
};

/** struct fabric_end - one end of a transfer; -1: none there. */
struct fabric_end {
	int32_t host;
	int32_t gpu; /* -1: memory of the host */
	int32_t nic; /* -1 on both ends: inside the host, by no HCA */
};

/** struct fabric_transfer - bytes from @src to @dst. */
struct fabric_transfer {
	struct fabric_end src, dst;
};

/** fabric_spec_defaults() - 8 GPUs and 8 NICs a host behind NVSwitch, rails of
 * 400 Gb/s, 32 hosts a leaf, no oversubscription, all kinds. */
void fabric_spec_defaults(struct fabric_spec *spec, int32_t hosts);

/**
 * fabric_spec_check() - can it be built?
 *
 * Return: FP_OK, or FP_ERR_INPUT naming the member that cannot be.
 */
enum fp_status fabric_spec_check(const struct fabric_spec *spec,
                                 struct fp_err *err);

/**
 * fabric_init() - build what @spec describes. Undo with fabric_done().
 *
 * Return: FP_OK, FP_ERR_INPUT, FP_ERR_LIMIT, FP_ERR_NOMEM.
 */
enum fp_status fabric_init(struct fabric *f, const struct fabric_spec *spec,
                           struct fp_err *err);
void fabric_done(struct fabric *f); /* takes NULL */

/**
 * fabric_rewire() - all ports are plugged as @leaf_of says ([hosts * nics], -1
 * where not known), with @n_leaves leaves. Ids above the leaves move. Names of
 * leaves are forgotten, ports and cables kept.
 *
 * Return: FP_OK, FP_ERR_INPUT for a leaf out of range, FP_ERR_LIMIT.
 */
enum fp_status fabric_rewire(struct fabric *f, const int32_t *leaf_of,
                             int32_t n_leaves, struct fp_err *err);

/** fabric_size() - number of components: ids are 0..size-1. */
static inline int32_t fabric_size(const struct fabric *f)
{
	return f->first[FABRIC_KIND_COUNT];
}

/** fabric_count() - components of @kind; 0 if it is not told apart. */
static inline int32_t fabric_count(const struct fabric *f, unsigned kind)
{
	return f->first[kind + 1] - f->first[kind];
}

/** fabric_id() - of the @index-th of @kind; -1 if there is none. */
int32_t fabric_id(const struct fabric *f, unsigned kind, int32_t index);

/** fabric_host_id() - of the @local-th @kind of @host; -1 if none. */
int32_t fabric_host_id(const struct fabric *f, unsigned kind, int32_t host,
                       int32_t local);

/** struct fabric_place - what an id means. */
struct fabric_place {
	uint32_t kind; /* enum fabric_kind */
	int32_t index; /* among its kind */
	int32_t host;  /* -1: of no host */
	int32_t local; /* in the host; index for what is of no host */
};

/** fabric_place() - of @id, which is in range. */
struct fabric_place fabric_place(const struct fabric *f, int32_t id);

/** fabric_leaf() - the leaf of @host's @nic, or -1. */
int32_t fabric_leaf(const struct fabric *f, int32_t host, int32_t nic);

/** fabric_uplinks() - links of a leaf to the spines: ECMP's choices; >= 1. */
int32_t fabric_uplinks(const struct fabric *f);

/** Where inside a host a device sits. */
int32_t fabric_gpu_switch(const struct fabric *f, int32_t gpu);
int32_t fabric_nic_switch(const struct fabric *f, int32_t nic);
int32_t fabric_switch_socket(const struct fabric *f, int32_t pcie_switch);
int32_t fabric_gpu_nic(const struct fabric *f, int32_t gpu); /* its rail */

/** fabric_kind_name() - "host", "port, sending"; "?" for a number that is
 * none. */
const char *fabric_kind_name(unsigned kind);

/**
 * fabric_locus() - the component in words, with leaf, port and cable where
 * they are known: "port 5 of host h3, sending (leaf l0, port 7, cable 12)".
 *
 * Return: @buf.
 */
char *fabric_locus(const struct fabric *f, int32_t id,
                   char buf[static FABRIC_NAME_MAX]);

/**
 * fabric_cross() - components that @t crosses, each once.
 * Which: inside a host GPU to GPU (NVLink, bridge or PCIe), memory to GPU,
 * and out of one HCA into another, of the same host (loopback) or not, from
 * memory or a GPU at each end.
 *
 * Return: how many of @ids are set; 0 for a transfer that cannot be.
 */
size_t fabric_cross(const struct fabric *f, const struct fabric_transfer *t,
                    int32_t ids[static FABRIC_PATH_MAX]);

/**
 * fabric_cross_begun() - what @t touches before its first byte: hosts, GPUs
 * and, between hosts, their settings. A transfer that ends there says nothing
 * about links.
 *
 * Return: as fabric_cross().
 */
size_t fabric_cross_begun(const struct fabric *f,
                          const struct fabric_transfer *t,
                          int32_t ids[static FABRIC_PATH_MAX]);

#endif
