/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 0 of a run: conductor, its own agent, session, journal and reports. */
#ifndef FP_MPI_CMD_LEAD_H
#define FP_MPI_CMD_LEAD_H

#include <stdbool.h>

#include "mpi/boot/boot.h"
#include "mpi/cmd/cmd.h"
#include "topo/model.h"

struct event_base;

/** struct lead_how - lent for lead_run(). */
struct lead_how {
	const struct cmd *cmd;
	const struct boot_ops *boot_ops;
	struct boot *boot;
	struct event_base *base;
	const struct topo_host *identity;
	const char *worker_path;
	const char *gpu_path; /* of the GPU worker; NULL: not wanted */
	cmd_show_fn *show;    /* NULL: measure and report */
};

/**
 * lead_run() - the whole run; reports are out before anything is torn down.
 * @ret_all_answered: may MPI_Finalize be tried?
 *
 * Return: the exit status.
 */
int lead_run(const struct lead_how *how, bool *ret_all_answered);

/** lead_agent_opts() - what every rank's agent is given. */
struct agent_opts;
void lead_agent_opts(const struct lead_how *how, struct agent_opts *ret);

#endif
