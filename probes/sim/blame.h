/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How well culprits are found: random faults, flags with errors, and the real
 * schedule and attribution, many times. No rates here: see model.h for them.
 */
#ifndef FP_PROBES_SIM_BLAME_H
#define FP_PROBES_SIM_BLAME_H

#include "probes/stats/rng.h"
#include "topo/base/status.h"

/** struct sim_blame - one cell of the table. */
struct sim_blame {
	int32_t hosts;                      /* of 8 GPUs and 8 NICs; even */
	int32_t matchings, swaps, memories; /* between hosts: same rail, swapped
	                                       HCA, memory of the host */
	int32_t faults;
	double alpha, beta; /* true error rates of a flag */
	uint32_t trials;
	uint64_t seed;
	bool refined; /* the whole decoder; else its greedy step only */
	bool unmask;  /* take out what was found, test again, until nothing
	                 new is found */
};

/** struct sim_score - what came of it. */
struct sim_score {
	uint32_t trials;
	double exact;             /* share of trials: found == planted */
	double precision, recall; /* over all trials */
	uint32_t rounds;          /* of a screening; unmasking adds as many */
	double repeats;           /* mean number of screenings */
};

/** sim_blame_rounds() - what the plan of @c costs. */
uint32_t sim_blame_rounds(const struct sim_blame *c);

/** sim_blame_run() - FP_OK, FP_ERR_NOMEM, FP_ERR_INPUT. */
enum fp_status sim_blame_run(const struct sim_blame *c, struct sim_score *ret,
                             struct fp_err *err);

#endif
