/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to a map: of saved text, of the hosts of a job. */
#ifndef FP_MPI_CMD_TOPO_H
#define FP_MPI_CMD_TOPO_H

#include "mpi/cmd/cmd.h"

/** topo_text() - the map of saved text. Return: the exit status. */
int topo_text(const struct cmd *cmd);

/** topo_job_show() - all hosts of a job; a cmd_show_fn. */
int topo_job_show(const struct cmd *cmd, const struct topo_job *job);

#endif
