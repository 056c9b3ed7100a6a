/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of a standard run on a modelled cluster. */
#ifndef FP_PROBES_SIM_TESTS_H
#define FP_PROBES_SIM_TESTS_H

#include "probes/sim/model.h"

/** struct sim_tests - in the order of their rounds. _done() takes NULL. */
struct sim_tests {
	struct sim_test *t;
	size_t n, room;
	uint32_t n_rounds;
};

/** struct sim_extent - how much is tested. */
struct sim_extent {
	uint32_t matchings; /* of hosts, the same rail; 0: all of them */
	uint32_t swaps;     /* by the neighbour's HCA */
	uint32_t memories;  /* from memory of the host */
};

/** sim_extent_standard() - for @hosts: all matchings of up to 16 hosts, else
 * 3; one swapped, one of memory. */
struct sim_extent sim_extent_standard(int32_t hosts);

/**
 * sim_tests_make() - copies, GPU pairs inside hosts, each HCA's loopback (of a
 * single host: between all of them, for nothing else reaches them), and
 * matchings. @seed chooses which matchings.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_LIMIT.
 */
enum fp_status sim_tests_make(const struct fabric *f,
                              const struct sim_extent *extent, uint64_t seed,
                              struct sim_tests *ret, struct fp_err *err);
void sim_tests_done(struct sim_tests *t);

#endif
