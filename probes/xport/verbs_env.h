/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the verbs transport is asked for: by options, else by the environment
 * of the job as NCCL reads it, so that the same path is measured that the job
 * will take. And the port counters that it keeps.
 */
#ifndef FP_PROBES_XPORT_VERBS_ENV_H
#define FP_PROBES_XPORT_VERBS_ENV_H

#include <stdint.h>

#include "probes/trial/wire.h"
#include "topo/model/gid.h"
#include "topo/model/hca_list.h"

#define VERBS_TIMEOUT 16 /* 4.096 us * 2^16 = 0.27 s until a packet is resent */
#define VERBS_RETRIES 6  /* 7 is "for ever" on some devices */

enum verbs_counter {
	VERBS_SENT,    /* packets */
	VERBS_RETRIED, /* times that the sender began again, by loss or time */
	VERBS_HOLES,   /* times that the receiver missed a packet */
	VERBS_DOWNS,   /* times that the link went down */
	/* What the port moved, whoever asked for it. */
	VERBS_TX_WORDS, /* of 4 bytes */
	VERBS_RX_WORDS,
	VERBS_TX_BYTES,
	VERBS_RX_BYTES,
	VERBS_NET_TX_BYTES, /* by the network device of the port; RDMA is */
	VERBS_NET_RX_BYTES, /* among it or not */
	VERBS_COUNTERS
};

/** struct verbs_env - a worker's wishes. */
struct verbs_env {
	struct hca_list hcas;
	struct gid_wish gid;
	int32_t local_rank;
	int32_t local_size; /* ranks that share the ports; 0: not known */
	int32_t qps;
	int32_t mtu_bytes; /* 0: what both ends have */
	int32_t sl, tc, pkey_index;
	int32_t relaxed; /* may PCIe reorder what is placed? 0: no */
	uint32_t op;     /* enum wire_rdma_op */
	const char *sysroot;
};

/**
 * verbs_env_read() - from @setup, and by @get (getenv(3) or a test's) from
 * FABRICPROBE_HCA (of this rank alone, which has all of them), NCCL_IB_HCA, NCCL_IB_GID_INDEX, NCCL_IB_ADDR_FAMILY, NCCL_IB_ADDR_RANGE,
 * NCCL_IB_ROCE_VERSION_NUM, NCCL_IB_SL, NCCL_IB_TC, NCCL_IB_PKEY and
 * NCCL_IB_QPS_PER_CONNECTION and NCCL_IB_PCI_RELAXED_ORDERING.
 *
 * Return: FP_OK; FP_ERR_USAGE naming the variable or option.
 */
enum fp_status verbs_env_read(const struct wire_setup *setup,
                              char *(*get)(const char *), struct verbs_env *ret,
                              struct fp_err *err);

/**
 * verbs_counters_read() - of port @port of @hca below @sysroot; what the
 * device does not count is 0.
 */
void verbs_counters_read(const char *sysroot, const char *hca, int port,
                         uint64_t ret[static VERBS_COUNTERS]);

/**
 * verbs_counter_delta() - how much a counter grew from @before to @now: one
 * that is less now went around at 32 bits, or was reset where it was longer.
 */
uint64_t verbs_counter_delta(uint64_t before, uint64_t now);

/** struct verbs_moved - bytes. */
struct verbs_moved {
	uint64_t tx, rx;
};

/**
 * verbs_port_moved() - what went through a port whose counters grew by @delta,
 * RDMA and all else. @own: bytes that the trial moved one way; a network device
 * that moved less does not count RDMA, and comes on top; one that moved as much
 * does (soft-RoCE), or else the rest of it is not told from RDMA.
 */
struct verbs_moved verbs_port_moved(const uint64_t delta[static VERBS_COUNTERS],
                                    uint64_t own);

#endif
