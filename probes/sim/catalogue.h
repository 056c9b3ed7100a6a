/* SPDX-License-Identifier: Apache-2.0 */
/* How well each kind of fault is named on clusters of a size: whole runs on
 * models with random places, many times. */
#ifndef FP_PROBES_SIM_CATALOGUE_H
#define FP_PROBES_SIM_CATALOGUE_H

#include "probes/sim/run.h"

#define SIM_FAULTS_MAX 16

/** struct sim_cell - one cell of the table. */
struct sim_cell {
	int32_t hosts;
	const uint8_t *kinds; /* enum sim_fault_kind to draw from */
	size_t n_kinds;
	uint32_t faults; /* in each trial, at different places; 0: healthy */
	struct sim_noise noise;
	uint32_t trials;
	uint64_t seed;
};

/** struct sim_tally - what came of it; trials unless it says otherwise. */
struct sim_tally {
	uint32_t trials;
	uint32_t exact; /* all, by place and kind of fault, and nothing else */
	uint32_t grouped;  /* all, some only as one of a group of equals */
	uint32_t missed;   /* nothing wrong, not all */
	uint32_t wrong;    /* somebody innocent accused */
	uint64_t accused;  /* components, in all trials */
	uint64_t innocent; /* of them, not planted and in no group of one */
	uint64_t found;    /* planted ones that were accused, or in a group */
	uint64_t pairs, retests, rounds; /* in all trials */
};

/** sim_noise_usual() - 1 % of rates, 5 % of latencies, 5 % of samples under
 * foreign load. */
struct sim_noise sim_noise_usual(void);

/** sim_cluster() - the description of a cluster of @hosts for faults of
 * @kind: four pods, or leaves of 32 hosts where there are enough. */
void sim_cluster(struct fabric_spec *spec, int32_t hosts, unsigned kind);

/** sim_cell_run() - FP_OK, FP_ERR_NOMEM, FP_ERR_INPUT. */
enum fp_status sim_cell_run(const struct sim_cell *c, struct sim_tally *ret,
                            struct fp_err *err);

#endif
