/* SPDX-License-Identifier: Apache-2.0 */
/* --local: a launcher of N processes of this program on this host. */
#ifndef FP_MPI_LOCAL_LOCAL_H
#define FP_MPI_LOCAL_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/base/status.h"

/** struct local_opts - texts are lent for the call. */
struct local_opts {
	uint32_t n;     /* processes, 1..1024 */
	uint32_t hosts; /* host names to spread them over in blocks; 0: this
	                 * host's own */
	const char *out_dir; /* --out, for an error text; "" or NULL: none */
};

/** local_is_child() - did local_launch() start this process? */
bool local_is_child(void);

/**
 * local_child_guard() - early in main(): a process that local_launch()
 * started gets SIGTERM when its launcher dies. In any other process: nothing.
 */
void local_child_guard(void);

/**
 * local_launch() - run this program again @opts->n times with the arguments
 * @argv, each with the boot_env variables of its rank and a process group of
 * its own, and wait until they have ended. SIGINT, SIGTERM and SIGHUP go to
 * rank 0 only, which ends the others; a process that outlives rank 0 by
 * seconds is ended by its pid. The signals stay blocked, so that a late one
 * does not take the exit status away.
 *
 * Return: rank 0's exit status; 1 when a signal ended it, which is logged,
 * naming the signal; -1 when the processes could not be started (then @err
 * says why and none is left).
 */
int local_launch(const struct local_opts *opts, char *const argv[],
                 struct fp_err *err);

/**
 * local_host_of() - which of @hosts names rank @rank of @n gets: blocks of
 * equal size, differing by one at most.
 */
uint32_t local_host_of(uint32_t rank, uint32_t n, uint32_t hosts);

#endif
