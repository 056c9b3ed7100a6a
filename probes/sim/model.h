/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cluster that is made of numbers: the slowest component of a path decides
 * its rate, noise multiplies it, load takes from it, faults take more.
 */
#ifndef FP_PROBES_SIM_MODEL_H
#define FP_PROBES_SIM_MODEL_H

#include "probes/sim/fault.h"
#include "probes/sim/rng.h"

#define SIM_REPEATS 3
#define SIM_FLOWS 4 /* queue pairs of a first look, each with its hash */

/** struct sim_noise - what a healthy cluster does to a sample. */
struct sim_noise {
	double sigma;         /* of ln(rate), .01 */
	double latency_sigma; /* of ln(latency), .05 */
	double load;          /* chance that a sample is times U(.5, .95) */
	bool collide;         /* flows across leaves keep to one uplink for each
	                 repetition, and share it with whom they meet there */
};

/** struct sim_model - the cluster. Borrows all. */
struct sim_model {
	const struct fabric *f;
	const struct sim_fault *faults;
	size_t n_faults;
	struct sim_noise noise;
	uint64_t seed;
};

/** struct sim_test - one transfer of the plan. */
struct sim_test {
	struct fabric_transfer t;
	uint32_t round;
	uint16_t cls;   /* enum sim_class */
	uint16_t share; /* flows on its uplink in its round; 1: alone */
};

/** enum sim_class - tests of which the same is expected. */
enum sim_class {
	SIM_COPY,
	SIM_INSIDE,      /* by NVLink */
	SIM_INSIDE_PCIE, /* without one */
	SIM_LOOPBACK,
	SIM_LOOPBACK_MEMORY,
	SIM_SAME_LEAF,
	SIM_CROSS_LEAF,
	SIM_SWAPPED,
	SIM_SWAPPED_CROSS,
	SIM_MEMORY,
	SIM_MEMORY_CROSS,
	SIM_CLASS_COUNT
};

/** struct sim_look - what one repetition of a test showed; ln of parts of
 * what is usual. */
struct sim_look {
	uint8_t state; /* enum outcome_state */
	uint8_t stage; /* enum outcome_stage */
	bool small_ok; /* small messages passed at the usual rate */
	double capability, floor;
	double latency; /* best */
};

/** sim_class_of() - the class of @t in @f. */
enum sim_class sim_class_of(const struct fabric *f,
                            const struct fabric_transfer *t);

/**
 * sim_look() - repeat @test.
 * @index: its number in the plan. @look: 0 for the first time; another number
 * is another round, with other hashes. @solo: few others run.
 */
struct sim_look sim_look(const struct sim_model *m, const struct sim_test *test,
                         size_t index, uint32_t look, bool solo);

#endif
