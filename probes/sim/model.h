/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cluster that is made of numbers: the slowest component of a path decides
 * its rate, noise multiplies it, load takes from it, faults take more.
 */
#ifndef FP_PROBES_SIM_MODEL_H
#define FP_PROBES_SIM_MODEL_H

#include "probes/locate/test.h"
#include "probes/sim/fault.h"
#include "probes/stats/rng.h"

#define SIM_REPEATS 3
#define SIM_INTERVALS 256 /* of a stream, that do not overlap: 2 s of them */
#define SIM_FLOWS 4       /* queue pairs of a first look, each with its hash */

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
	const uint16_t *share; /* flows on its uplink, of each test; NULL: each
	                          has its own */
	size_t n_share;
	bool streams; /* a look is the median of SIM_INTERVALS, and its floor
	                 the 5th percentile of so many; else the best of
	                 SIM_REPEATS, and the worst of them */
};

/**
 * sim_look() - repeat @test.
 * @index: its number in the plan. @look: 0 for the first time; another number
 * is another round, with other hashes. @solo: few others run.
 */
struct locate_look sim_look(const struct sim_model *m,
                            const struct locate_test *test, size_t index,
                            uint32_t look, bool solo);

/**
 * sim_shares() - flows across leaves that fall on the same uplink of a leaf in
 * a group of @tests, by static hashing.
 *
 * Return: a value for each test for free(3), or NULL without memory.
 */
struct locate_tests;
uint16_t *sim_shares(const struct fabric *f, const struct locate_tests *tests);

#endif
