/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of transfers: ranks, and between hosts the network devices they use. */
#ifndef FP_PROBES_JUDGE_PORTS_H
#define FP_PROBES_JUDGE_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/model/model.h"

/**
 * struct judge_ports - a port is a device of a host; ranks that share it have
 * the same number. A rank without a known one, as those that drive a GPU are,
 * is a port of its own.
 */
struct judge_ports {
	const struct topo_job *job;
	int32_t *of_rank; /* [n_ranks] */
	int32_t *first;   /* [n] lowest rank of each */
	int32_t *n_ranks; /* [n] how many ranks use it */
	size_t n;
};

/** judge_ports_init() - number them. FP_ERR_NOMEM. judge_ports_done(). */
enum fp_status judge_ports_init(struct judge_ports *p,
                                const struct topo_job *job, struct fp_err *err);
void judge_ports_done(struct judge_ports *p); /* takes NULL */

/** judge_ports_is_loopback() - does this pair talk over a host's loopback? */
bool judge_ports_is_loopback(const struct topo_job *job, int32_t a, int32_t b);

#endif
