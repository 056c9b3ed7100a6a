/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a modelled cluster: what each does to which transfers. */
#ifndef FP_PROBES_SIM_FAULT_H
#define FP_PROBES_SIM_FAULT_H

#include "topo/fabric/fabric.h"

/** enum sim_fault_kind - rows of the catalogue. */
enum sim_fault_kind {
	SIM_GPU_THROTTLE,
	SIM_GPU_PCIE,
	SIM_NVLINK_LOST,
	SIM_NVSWITCH_DOWN,
	SIM_NVLINK_BRIDGE, /* clusters with bridges only */
	SIM_NIC_DEAD,
	SIM_NIC_SLOW,
	SIM_CABLE_TX,
	SIM_CABLE_RX,
	SIM_LOSSY_TX,
	SIM_LOSSY_RX,
	SIM_LEAF_SLOW,
	SIM_UPLINK_MEMBER,
	SIM_DOWNLINK_MEMBER,
	SIM_OVERSUBSCRIBED,
	SIM_SPINES_SLOW,
	SIM_PCIE_SWITCH,
	SIM_ACS,
	SIM_GDR_OFF,
	SIM_GDR_ROOT,
	SIM_MTU,
	SIM_ROCE,
	SIM_PFC_STORM,
	SIM_RAIL_SWAP,
	SIM_HOST_SLOW,
	SIM_FIREWALL,
	SIM_GPU_LOST,
	SIM_FAULT_COUNT, /* of those that show in pairs */
	/* collectives only; pairs are as usual */
	SIM_COLL_SCALE = SIM_FAULT_COUNT, /* over so many hosts or more */
	SIM_COLL_HOST,                    /* with this host */
	SIM_COLL_PAIR,                    /* with these two hosts */
	SIM_KIND_COUNT
};

/** enum sim_when - bits: which transfers a fault shows in. */
enum sim_when {
	SIM_LARGE = 1,        /* not in small messages */
	SIM_CONCURRENT = 2,   /* not when few run at once */
	SIM_NETWORK = 4,      /* only between HCAs */
	SIM_CROSS = 8,        /* only across leaves */
	SIM_MEMBER = 16,      /* only by one of the links of a set */
	SIM_BEGIN = 32,       /* before the first byte */
	SIM_EVERYWHERE = 64,  /* in the same place of every host */
	SIM_SAMPLES = 128,    /* each sample by itself */
	SIM_COLLECTIVE = 256, /* only in collectives */
};

/** struct sim_fault_info - a row. */
struct sim_fault_info {
	const char *name;
	uint32_t at;    /* enum fabric_kind of its place */
	uint32_t when;  /* bits of enum sim_when */
	double ratio;   /* of the usual rate */
	double latency; /* of the usual latency */
	double duty;    /* part of the time that it is there */
	uint32_t state; /* enum outcome_state that it ends in */
	uint32_t stage; /* enum outcome_stage that is reached, if not OK */
};

/** struct sim_fault - one of them, somewhere. sim_fault_make() */
struct sim_fault {
	struct sim_fault_info info; /* of its kind; may be changed */
	uint32_t kind;
	int32_t comp; /* id in the fabric */
	int32_t with; /* SIM_COLL_PAIR: the other host's id */
	int32_t from; /* SIM_COLL_SCALE: hosts */
};

/** sim_fault_info() - row of @kind, which is in range. */
const struct sim_fault_info *sim_fault_info(unsigned kind);

/** sim_fault_make() - as its row says, at component @comp. */
struct sim_fault sim_fault_make(unsigned kind, int32_t comp);

/** sim_fault_find() - kind by name; SIM_KIND_COUNT if there is none. */
unsigned sim_fault_find(const char *name);

/**
 * sim_fault_parse() - one written as "KIND PLACE key=value...": the kind by
 * its name; PLACE is a host ("3", or its name), a device of one ("3/5"), a
 * leaf ("2", or its name), two hosts ("3,7"), or nothing for the whole cluster.
 * Keys: ratio (of the usual rate), duty (part of the time), latency (times the
 * usual), state (OK, ERROR, HANG), stage (INIT, CONNECT, XFER), from (hosts).
 *
 * Return: FP_OK; FP_ERR_USAGE naming the word and what is accepted.
 */
enum fp_status sim_fault_parse(const struct fabric *f, const char *text,
                               struct sim_fault *ret, struct fp_err *err);

#endif
