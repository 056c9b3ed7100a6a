/* SPDX-License-Identifier: Apache-2.0 */
/* explain, where a job is there to try its suspicion on. */
#ifndef FP_MPI_CMD_EXPLAIN_H
#define FP_MPI_CMD_EXPLAIN_H

#include "mpi/cmd/cmd.h"

/**
 * explain_probe() - this rank's part of explain --probe: rank 0 reads, all
 * run a bisection of which the suspects come first, rank 0 tells of both.
 *
 * Return: the exit status.
 */
int explain_probe(const struct cmd *cmd);

#endif
