/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The map of one host: GPUs, HCAs and their ports, NVLinks, the PCI tree and
 * the NUMA nodes it hangs from; or the relations that a drawing gave instead
 * of a tree. Arrays addressed by index; -1 points nowhere and is "not known".
 */
#ifndef FP_TOPO_MODEL_MODEL_MAP_H
#define FP_TOPO_MODEL_MODEL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"
#include "topo/model/model_set.h"

#define MAP_NAME_MAX 64
#define MAP_ID_MAX 24  /* a GUID, a vendor */
#define MAP_BUS_MAX 20 /* "0000:0f:00.0", a domain of up to 8 digits */
#define MAP_NOTE_MAX 120
#define MAP_DEVICES_MAX 512 /* GPUs and HCAs together */
#define MAP_NUMAS_MAX 256
#define MAP_PCIS_MAX 4096
#define MAP_NVLINKS_MAX 8192
#define MAP_NOTES_MAX 32
#define PCI_ID_MAX 0xffff      /* of a vendor and of a device */
#define PCI_CLASS_MAX 0xffffff /* class, subclass and interface */

/**
 * enum path_type - how two devices reach one another, nearest first: the
 * union of the words of nvidia-smi and of NCCL.
 * @PATH_UNKNOWN: nobody said
 * @PATH_SELF:    the device itself; X
 * @PATH_NVLINK:  bonded NVLinks, direct or through NVSwitch; NV#
 * @PATH_NVB:     NVLinks of a third GPU between
 * @PATH_C2C:     a chip-to-chip link to the CPU
 * @PATH_PIX:     at most one PCIe switch between
 * @PATH_PXB:     several PCIe switches, no CPU
 * @PATH_P2C:     NCCL: C2C to the CPU and PCIe behind it
 * @PATH_PXN:     NCCL: through the HCA's own GPU
 * @PATH_PHB:     through the host bridge of a CPU
 * @PATH_NODE:    between host bridges of one NUMA node
 * @PATH_SYS:     between NUMA nodes
 * @PATH_NET:     over the network
 * @PATH_DIS:     not connected
 */
enum path_type {
	PATH_UNKNOWN,
	PATH_SELF,
	PATH_NVLINK,
	PATH_NVB,
	PATH_C2C,
	PATH_PIX,
	PATH_PXB,
	PATH_P2C,
	PATH_PXN,
	PATH_PHB,
	PATH_NODE,
	PATH_SYS,
	PATH_NET,
	PATH_DIS,
	PATH_TYPE_COUNT
};

/** struct path - a relation. @nvlinks: bonded links of PATH_NVLINK, else 0. */
struct path {
	uint8_t type;
	uint8_t nvlinks;
};

/** enum p2p_status - what the driver says of peer access. */
enum p2p_status {
	P2P_NONE, /* not asked */
	P2P_SELF,
	P2P_OK,
	P2P_CNS, /* chipset not supported */
	P2P_GNS, /* GPU not supported */
	P2P_TNS, /* topology not supported */
	P2P_NS,  /* not supported */
	P2P_DR,  /* disabled by a registry key */
	P2P_U,   /* unknown */
	P2P_STATUS_COUNT
};

enum map_link_state { LINK_UNKNOWN, LINK_UP, LINK_DOWN, LINK_STATE_COUNT };
enum map_remote {
	REMOTE_UNKNOWN,
	REMOTE_GPU,
	REMOTE_NVSWITCH,
	REMOTE_CPU,
	REMOTE_COUNT
};
enum map_port_state {
	PORT_UNKNOWN,
	PORT_DOWN,
	PORT_INIT,
	PORT_ARMED,
	PORT_ACTIVE,
	PORT_STATE_COUNT
};
enum map_port_phys {
	PHYS_UNKNOWN,
	PHYS_SLEEP,
	PHYS_POLLING,
	PHYS_DISABLED,
	PHYS_TRAINING,
	PHYS_LINKUP,
	PHYS_RECOVERY,
	PHYS_COUNT
};
enum map_layer {
	PORT_LAYER_UNKNOWN,
	PORT_LAYER_IB,
	PORT_LAYER_ETHERNET,
	PORT_LAYER_COUNT
};

/** enum map_tree - what the nodes between a device and its CPU stand for. */
enum map_tree {
	TREE_NONE,     /* there is none */
	TREE_SWITCHES, /* one node for each switch, no root ports (NCCL) */
	TREE_PORTS,    /* each bridge, root ports too (sysfs, hwloc) */
	TREE_COUNT
};

/** Columns that a drawing has behind its matrix. */
#define MAP_COLUMN_CPUS 1u
#define MAP_COLUMN_NUMAS 2u
#define MAP_COLUMN_GPU_NUMA 4u

/** struct map_numa - a NUMA node, with the CPUs of it. */
struct map_numa {
	int32_t id;
	struct topo_set cpus; /* empty: not known */
	char arch[MAP_ID_MAX], vendor[MAP_ID_MAX];
	int32_t family, model;
	char host_hash[MAP_ID_MAX];
};

/** struct map_pci - a PCI function or bridge. */
struct map_pci {
	char bus_id[MAP_BUS_MAX]; /* lower case; "" only for a placeholder */
	char root[MAP_BUS_MAX];   /* its host bridge, "0000:00"; "" unknown */
	int32_t parent;           /* index into pcis; -1: at the CPU */
	int32_t numa;             /* index into numas */
	int32_t class_code;       /* 24 bits */
	int32_t vendor, device, subsystem_vendor, subsystem_device;
	int32_t speed_mtps; /* megatransfers per second of a lane, at most */
	int32_t width;      /* lanes, at most; -1 where a VM says 0 */
};

/** struct map_gpu - a GPU. */
struct map_gpu {
	char name[MAP_NAME_MAX], uuid[MAP_NAME_MAX];
	int32_t index; /* the number in its name, as the source has it */
	int32_t pci;
	struct topo_set cpus, numas;
	bool cpus_known; /* else cpus is not known, not empty */
	bool mig;
	bool links_cut; /* the text that lists its NVLinks is cut */
	int32_t gpu_numa;
	int32_t sm, rank, gdr; /* as NCCL has it */
};

/** struct map_hca - an RDMA device, or a netdev that NCCL uses. */
struct map_hca {
	char name[MAP_NAME_MAX];
	int32_t index; /* of NIC<index> in a drawing; -1: drawn by its name */
	int32_t pci;
	int32_t numa; /* index into numas, where it has no PCI function */
	char board[MAP_ID_MAX], firmware[MAP_NAME_MAX], guid[MAP_ID_MAX];
};

/** struct map_port - a port of an HCA. */
struct map_port {
	int32_t hca;
	int32_t port; /* 0: a netdev, not an RDMA port */
	int32_t state, phys, layer;
	int64_t rate_bps;
	char guid[MAP_ID_MAX], netdev[MAP_ID_MAX];
	int32_t dev, gdr, maxconn; /* as NCCL has it */
	int64_t latency_ns;
};

/** struct map_nvlink - NVLinks of one GPU with the same other end. */
struct map_nvlink {
	int32_t gpu;
	int32_t link; /* its number; -1: @count links without numbers */
	int32_t count;
	int32_t state;      /* enum map_link_state */
	int32_t speed_MBps; /* of one link, one direction */
	int32_t remote;     /* enum map_remote */
	int32_t remote_gpu; /* index into gpus; -1: not in this map */
	char remote_bus[MAP_BUS_MAX];
};

/** struct map_note - why the map is not all it could be. */
struct map_note {
	int32_t line, column; /* from 1; 0: of the whole */
	char text[MAP_NOTE_MAX];
};

/** struct topo_map - the map. Zero-initialise; topo_map_done() at the end. */
struct topo_map {
	struct map_numa *numas;
	struct map_pci *pcis;
	struct map_gpu *gpus;
	struct map_hca *hcas;
	struct map_port *ports;
	struct map_nvlink *nvlinks;
	struct map_note *notes;
	size_t n_numas, n_pcis, n_gpus, n_hcas, n_ports, n_nvlinks, n_notes;
	struct path *drawn; /* device x device, GPUs first; NULL: no drawing */
	uint8_t *p2p;       /* enum p2p_status, GPU x GPU; NULL: not read */
	uint32_t columns;   /* MAP_COLUMN_* of the drawing */
	uint32_t tree;      /* enum map_tree */
	bool partial;       /* something is missing; the notes say what */
	bool excerpt;       /* only because some GPUs were left out */
};

/** topo_map_done() - free all; takes NULL. */
void topo_map_done(struct topo_map *map);

/**
 * topo_map_copy() - deep copy. @dst is overwritten, not freed first.
 *
 * Return: FP_OK or FP_ERR_NOMEM; then @dst is empty.
 */
enum fp_status topo_map_copy(struct topo_map *dst, const struct topo_map *src,
                             struct fp_err *err);

/**
 * topo_map_add_*() - one more row, at the end, of which nothing is known.
 * Pointers into that array are not to be used afterwards.
 *
 * Return: FP_OK with the row, valid until the next one; FP_ERR_LIMIT,
 * FP_ERR_NOMEM.
 */
enum fp_status topo_map_add_numa(struct topo_map *map, struct map_numa **ret,
                                 struct fp_err *err);
enum fp_status topo_map_add_pci(struct topo_map *map, struct map_pci **ret,
                                struct fp_err *err);
enum fp_status topo_map_add_gpu(struct topo_map *map, struct map_gpu **ret,
                                struct fp_err *err);
enum fp_status topo_map_add_hca(struct topo_map *map, struct map_hca **ret,
                                struct fp_err *err);
enum fp_status topo_map_add_port(struct topo_map *map, struct map_port **ret,
                                 struct fp_err *err);
enum fp_status topo_map_add_nvlink(struct topo_map *map,
                                   struct map_nvlink **ret, struct fp_err *err);

/**
 * topo_map_note() - say what is missing or odd in what was read. Beyond
 * MAP_NOTES_MAX nothing more is kept.
 * @line: of the text, from 1; 0: of all of it.
 */
void topo_map_note(struct topo_map *map, int32_t line, int32_t column,
                   const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/** topo_map_devices() - GPUs and HCAs: the size of the matrix. */
size_t topo_map_devices(const struct topo_map *map);

/** topo_map_find_*() - the index of the first such row, or -1. */
int32_t topo_map_find_gpu(const struct topo_map *map, int32_t index);
int32_t topo_map_find_hca(const struct topo_map *map, const char *name);
int32_t topo_map_find_pci(const struct topo_map *map, const char *bus_id);
int32_t topo_map_find_numa(const struct topo_map *map, int32_t id);
int32_t topo_map_find_port(const struct topo_map *map, int32_t hca,
                           int32_t port);

/**
 * topo_map_resolve() - once all rows are there: which GPU is at the other end
 * of each NVLink, and what kind of thing is.
 */
void topo_map_resolve(struct topo_map *map);

/**
 * topo_map_device_name() - "GPU3", "NIC0", "mlx5_0" of device @i, as a
 * drawing has it.
 *
 * Return: @buf.
 */
char *topo_map_device_name(const struct topo_map *map, size_t i,
                           char buf[static MAP_NAME_MAX]);

/**
 * map_bus_id() - a PCI address in its usual form: lower case, four digits of
 * domain at least ("00000000:3B:00.0", "3b:00.0" and "0000:3b:00" are taken).
 *
 * Return: false if @text is none; then @ret is untouched.
 */
bool map_bus_id(const char *text, char ret[static MAP_BUS_MAX]);

#endif
