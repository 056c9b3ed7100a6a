/* SPDX-License-Identifier: Apache-2.0 */
/* The other half of fabricprobe simulate. */
#ifndef FP_MPI_CMD_SIMULATE_H
#define FP_MPI_CMD_SIMULATE_H

#include "mpi/cmd/cmd.h"

/** simulate_catalogue() - print how well each kind of fault is named on
 * clusters of three sizes. Return: the exit status; CMD_EXIT_FAULT if somebody
 * innocent was accused. */
int simulate_catalogue(const struct cmd *cmd);

#endif
