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
	double lost_after_s; /* a rank 0 that is stopped so long is ended */
};

/** struct local_end - how it ended. */
struct local_end {
	int status;     /* rank 0's exit status, or one of the same meaning */
	bool mute;      /* rank 0 was ended: what it printed has no last line */
	char text[256]; /* then: how, and where to look */
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
 * its own, and wait until they have ended. A child in a session of its own does
 * it, which ends them where this process is killed. SIGINT, SIGTERM and SIGHUP
 * go to rank 0 only, which ends the others; a process that outlives rank 0 by
 * seconds is ended by its pid, and so is a rank 0 that is stopped for
 * @opts->lost_after_s, or outlives all others by a minute. The signals stay
 * blocked, so that a late one does not take the exit status away.
 * @ret: status 1 where rank 0, or that child, was ended; 3 where a signal to
 *       the launcher did it before rank 0 could report.
 *
 * Return: FP_OK; else the processes could not be started, and none is left.
 */
enum fp_status local_launch(const struct local_opts *opts, char *const argv[],
                            struct local_end *ret, struct fp_err *err);

#endif
