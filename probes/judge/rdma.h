/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the codes of a failed RDMA transfer mean, and at which end: completion
 * status, errno of what could not be set up, events of the port. A table; the
 * numbers are the kernel's and the verbs library's own (ibv_wc_status(3),
 * ibv_get_async_event(3)), so that saved runs can be judged without either.
 */
#ifndef FP_PROBES_JUDGE_RDMA_H
#define FP_PROBES_JUDGE_RDMA_H

#include "probes/finding/finding.h"
#include "probes/judge/results.h"
#include "topo/model/model.h"

/** struct rdma_end - what one end of a transfer saw. */
struct rdma_end {
	int64_t setup_errno, wc_status; /* 0: none */
	int64_t event;  /* worst enum ibv_event_type, + 1; 0: none */
	uint32_t stage; /* enum outcome_stage */
	uint64_t moved; /* bytes received */
	bool there;     /* it has an outcome */
};

enum rdma_place { RDMA_NOWHERE, RDMA_TX, RDMA_RX, RDMA_BETWEEN };

/** struct rdma_verdict - what it was, and where. */
struct rdma_verdict {
	unsigned code;  /* enum finding_code */
	uint32_t place; /* enum rdma_place; NOWHERE: the codes do not tell */
};

/** rdma_end_of() - from an outcome, which may be NULL. */
struct rdma_end rdma_end_of(const struct outcome *o);

/** rdma_judge() - of a failed transfer from @tx to @rx. */
struct rdma_verdict rdma_judge(const struct rdma_end *tx,
                               const struct rdma_end *rx);

/** rdma_own() - what an end's own codes say of it; RDMA_NOWHERE or RDMA_TX. */
struct rdma_verdict rdma_own(const struct rdma_end *end);

/**
 * rdma_told() - @code of @rank's port in test @trial: FINDING_LINK_FLAP of one
 * that was down then, and later got a test of verbs through; else @code.
 */
unsigned rdma_told(const struct results *r, unsigned code, uint32_t trial,
                   int32_t rank);

/** rdma_code() - what a finding of @code about a network device is called where
 * that is an RDMA port; @direction: enum locus_direction. */
unsigned rdma_code(unsigned code, unsigned direction);

/** rdma_locus() - the RDMA port of @rank on rail @ep; -1: its first. */
void rdma_locus(const struct topo_job *job, int32_t rank, int32_t ep,
                struct locus *l);

#define RDMA_PORTS_MAX 68

/** rdma_pair_ports() - "mlx5_0/1 -> mlx5_0/1", of a pair with several. Return:
 * @buf. */
const char *rdma_pair_ports(const char *src, const char *dst,
                            char buf[static RDMA_PORTS_MAX]);

/**
 * rdma_cell() - the verdict on a pair whose test @trial failed, which must be
 * of verbs: what its ends' codes say; where they say nothing, whether one of
 * the two ports was down in another test of the run: who meets a port that has
 * just gone sees the same as with a peer that is silent.
 * @ret_rank: the rank at fault, or -1.
 */
struct rdma_verdict rdma_cell(const struct results *r, uint32_t trial,
                              int32_t *ret_rank);

#endif
