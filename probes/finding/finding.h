/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong, where, why it is believed, and what to do: the catalogue. */
#ifndef FP_PROBES_FINDING_FINDING_H
#define FP_PROBES_FINDING_FINDING_H

#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

/** enum finding_code - rows of the catalogue; ids never change. */
enum finding_code {
	FINDING_NIC_TX_SLOW, /* FP-NIC-TX-SLOW */
	FINDING_NIC_RX_SLOW,
	FINDING_NIC_SLOW,
	FINDING_NIC_TX_DEAD, /* nothing it sends arrives anywhere */
	FINDING_NIC_RX_DEAD,
	FINDING_NIC_DEAD,
	FINDING_NIC_LOSS, /* retransmits on all its flows */
	FINDING_NIC_JITTER,
	FINDING_NIC_MTU, /* full-size packets to or from it vanish */
	FINDING_RANK_TX_SLOW,
	FINDING_RANK_RX_SLOW,
	FINDING_RANK_SLOW,
	FINDING_RANK_HANG,
	FINDING_RANK_ERROR,
	FINDING_GPU_ERROR, /* by a code of its own, not a link's */
	FINDING_HOST_SLOW, /* everything inside it, against other hosts */
	FINDING_HOST_LOST,
	FINDING_PAIR_SLOW,
	FINDING_PAIR_LATENCY,
	FINDING_PAIR_JITTER,
	FINDING_PAIR_LOSS,
	FINDING_PAIR_BLACKHOLE, /* one direction: nothing arrives */
	FINDING_PAIR_MTU,       /* one direction: small yes, full size no */
	FINDING_PAIR_HANG,
	FINDING_PAIR_ERROR,
	FINDING_DATA_CORRUPT, /* locus: pair, or the rank it follows */
	FINDING_COLL_HANG,
	FINDING_COLL_ERROR,
	FINDING_AGENT_LOST,
	FINDING_WORKER_START,
	FINDING_WORKER_DIED,
	FINDING_WORKER_HUNG,
	FINDING_WORKER_WEDGED,
	FINDING_WORKER_GARBAGE,
	FINDING_CONTROL_LINK,
	FINDING_CONTROL_SHARED,
	FINDING_CC_MIXED, /* congestion control differs between hosts */
	FINDING_STRANGERS,
	FINDING_JOURNAL,
	FINDING_DRILL_IDLE,

	/* of checks, which need no traffic */
	FINDING_MTU_MIXED,
	FINDING_PORT_MTU_MIXED,
	FINDING_P2P_OFF,
	FINDING_P2P_PAIR,
	FINDING_P2P_ACS,
	FINDING_P2P_IOMMU,
	FINDING_GDR_OFF,
	FINDING_PCIE_WIDTH,
	FINDING_PCIE_SPEED,
	FINDING_PCIE_NARROW_SLOT,
	FINDING_PCIE_AER,
	FINDING_PCIE_REPLAYS,
	FINDING_NVLINK_NONE,
	FINDING_NVLINK_FEWER,
	FINDING_NVLINK_PAIR,
	FINDING_NVLINK_DOWN,
	FINDING_NVLINK_ERRORS,
	FINDING_C2C_DOWN,
	FINDING_FABRIC_STATE,
	FINDING_FABRIC_HEALTH,
	FINDING_FABRIC_SPLIT,
	FINDING_IMEX_CHANNEL,
	FINDING_PORT_POLLING,
	FINDING_PORT_DISABLED,
	FINDING_PORT_DOWN,
	FINDING_PORT_INIT,
	FINDING_PORT_RATE,
	FINDING_PORT_LAYER,
	FINDING_PORT_GID,
	FINDING_PORT_SUBNET,
	FINDING_PORT_ERRORS,
	FINDING_HCA_FIRMWARE,
	FINDING_HCA_SET,
	FINDING_PFC_MIXED,
	FINDING_NCCL_MIXED,
	FINDING_ENV_MIXED,
	FINDING_ENV_DEBUG,
	FINDING_SOFTWARE_MIXED,
	FINDING_CPU_MIXED,
	FINDING_GPU_MIXED,
	FINDING_DRIVER_OLD,
	FINDING_KNOWN_HANG,
	FINDING_MEMLOCK,
	FINDING_NOFILE,
	FINDING_SHM_SMALL,
	FINDING_CPUSET,
	FINDING_CORES_FEW,
	FINDING_GPU_MIG,
	FINDING_GPU_VISIBLE,
	FINDING_GPU_BUSY,
	FINDING_COMPUTE_MODE,
	FINDING_GPU_LOST,
	FINDING_XID_HARDWARE,
	FINDING_XID_DRIVER,
	FINDING_XID_LINK,
	FINDING_XID_APPLICATION,
	FINDING_SXID,
	FINDING_AER_LOG,
	FINDING_LINK_FLAP,
	FINDING_OOM_KILL,
	FINDING_MACHINE_CHECK,
	FINDING_GPU_HOT,
	FINDING_GPU_SLOWDOWN,
	FINDING_GPU_ECC,
	FINDING_GPU_REMAP_PENDING,
	FINDING_GPU_REMAP_FAILED,
	FINDING_GPU_RETIREMENT,
	FINDING_GPU_RECOVERY,

	/* of components */
	FINDING_GPU_SLOW,
	FINDING_GPU_PCIE_SLOW,
	FINDING_NVLINK_DEGRADED,
	FINDING_NVLINK_BRIDGE,
	FINDING_GPU_LINK_SLOW,
	FINDING_GPU_PAIR_SLOW,
	FINDING_GPU_HANG,
	FINDING_NCCL_GDR_OFF,
	FINDING_NCCL_SOCKET,
	FINDING_NVSWITCH_DOWN,
	FINDING_PCIE_SWITCH_SLOW,
	FINDING_PCIE_ACS,
	FINDING_GDR_ROOT,
	FINDING_HCA_DEAD,
	FINDING_HCA_SLOW,
	FINDING_HCA_MTU,
	FINDING_HCA_CABLING,
	FINDING_PORT_TX_SLOW,
	FINDING_PORT_RX_SLOW,
	FINDING_PORT_TX_LOSSY,
	FINDING_PORT_RX_LOSSY,
	FINDING_HOST_FIREWALL,
	FINDING_HOST_ROCE,
	FINDING_HOST_WEAK, /* all that it does, by whatever way */
	FINDING_LEAF_SLOW,
	FINDING_LEAF_PAUSES,
	FINDING_UPLINK_SLOW,
	FINDING_UPLINK_MEMBER,
	FINDING_DOWNLINK_MEMBER,
	FINDING_OVERSUBSCRIBED,
	FINDING_CLUSTER_SLOW,
	FINDING_SPINES_SLOW, /* all that crosses leaves */
	FINDING_COMPONENT,   /* none of these: by its place */

	/* of collectives, by bisection */
	FINDING_COLL_CULPRIT,
	FINDING_COLL_INTERACTION,
	FINDING_COLL_SCALE,
	FINDING_COLL_SETTING,
	FINDING_COLL_UNRESOLVED,
	FINDING_APPLICATION, /* nothing is wrong here: look there */

	/* of RDMA transfers, by their codes */
	FINDING_RDMA_GID,
	FINDING_RDMA_ROUTE,
	FINDING_RDMA_REFUSED,
	FINDING_PORT_FOREIGN,

	/* against an earlier run */
	FINDING_SINCE_CLASS,
	FINDING_SINCE_HOST,
	FINDING_SINCE_PAIR,
	FINDING_SINCE_COLL,

	/* of NCCL, by control arms: beside the findings that they explain */
	FINDING_NCCL_P2P,
	FINDING_NCCL_SHM,
	FINDING_NCCL_LOCAL, /* peer access or shared memory */
	FINDING_NCCL_GDR,
	FINDING_NCCL_IB,
	FINDING_NCCL_HCA,
	FINDING_NCCL_ENV,
	FINDING_NCCL_FEATURE, /* an algorithm, a protocol, an optimisation */
	FINDING_NCCL_ONLY,    /* whatever its settings */
	FINDING_NCCL_INCONCLUSIVE,
	FINDING_CODE_COUNT
};

enum finding_severity { SEVERITY_INFO, SEVERITY_WARN, SEVERITY_FAULT };

enum finding_layer {
	LAYER_HARDWARE,
	LAYER_DRIVER, /* driver and runtime */
	LAYER_RESOURCES,
	LAYER_APPLICATION,
	LAYER_COUNT
};

enum locus_kind {
	LOCUS_JOB,
	LOCUS_HOST,
	LOCUS_NETDEV,
	LOCUS_RANK,
	LOCUS_PAIR, /* of ranks */
	LOCUS_HOST_PAIR,
	LOCUS_GPU,    /* from here on named by locus.device */
	LOCUS_NVLINK, /* "0000:0f:00.0/nvlink3" */
	LOCUS_PCIE,   /* a function, bridge or port of PCI */
	LOCUS_HCA,
	LOCUS_PORT,      /* "mlx5_0/1" */
	LOCUS_COMPONENT, /* of a host or the fabric: "GPU 3", "leaf l0" */
	LOCUS_KIND_COUNT
};

enum locus_direction {
	DIRECTION_NONE,
	DIRECTION_TX,
	DIRECTION_RX,
	DIRECTION_BOTH
};

/** struct locus - where. Empty or -1 is "does not apply". */
struct locus {
	uint32_t kind;      /* enum locus_kind */
	uint32_t direction; /* enum locus_direction; of a pair: rank -> peer */
	int32_t rank, peer_rank;
	char host[64], peer_host[64];
	char netdev[64];
	char device[64]; /* as readings call it, or a component in words */
};

#define FINDING_EVIDENCE_MAX 8
#define FINDING_TEXT_MAX 192

/** struct finding - one row of a verdict. Values in base units (B/s, s). */
struct finding {
	uint32_t code;     /* enum finding_code */
	uint32_t severity; /* enum finding_severity; the catalogue's, or milder
	                      when the evidence is weak */
	struct locus locus;
	double observed, expected; /* NaN: none */
	char unit[8];              /* "B/s", "s", "bytes", "%" or "" */
	double confidence;         /* 0..1 */
	uint32_t n_evidence;
	char evidence[FINDING_EVIDENCE_MAX][FINDING_TEXT_MAX];
	char detail[FINDING_TEXT_MAX]; /* one sentence for this case, or "" */
};

/** struct finding_info - a row of the catalogue. */
struct finding_info {
	const char *id; /* "FP-NIC-TX-SLOW" */
	uint32_t severity, layer;
	const char *title; /* what, in a person's words */
	const char *next;  /* what a person does next */
};

/** finding_info() - the row of @code; never NULL. */
const struct finding_info *finding_info(unsigned code);

/** struct findings - a grown list, worst first once sorted. */
struct findings {
	struct finding *f;
	size_t n, room;
};

/**
 * findings_add() - a new finding of @code with the catalogue's severity,
 * locus "job", no values, confidence 1. NULL without memory.
 *
 * Return: borrowed until the next add.
 */
struct finding *findings_add(struct findings *list, unsigned code);

/** finding_evidence() - append a line of evidence; dropped when full. */
void finding_evidence(struct finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** locus_cmp() - an order of places; 0: the same. */
int locus_cmp(const struct locus *a, const struct locus *b);

/** findings_sort() - severity, then the catalogue's order, then locus. */
void findings_sort(struct findings *list);

/** findings_worst() - highest severity, or -1 for none. */
int findings_worst(const struct findings *list);

void findings_done(struct findings *list);

/** Names as in the report's JSON. */
const char *finding_severity_name(unsigned severity);
const char *finding_layer_name(unsigned layer);
const char *locus_kind_name(unsigned kind);
const char *locus_direction_name(unsigned direction); /* "", "tx", ... */

/**
 * locus_text() - the place in words: "host h3, eth0, receiving", "rank 2 (h1)
 * -> rank 5 (h3)". Cut to @size.
 */
void locus_text(const struct locus *l, char *buf, size_t size);

#endif
