/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 0 of a run: conductor, its own agent, session, journal and reports. */
#ifndef FP_MPI_CMD_LEAD_H
#define FP_MPI_CMD_LEAD_H

#include <stdbool.h>

#include "mpi/boot/boot.h"
#include "mpi/cmd/cmd.h"
#include "topo/model/model.h"

struct event_base;
struct lead_saved;
struct session;
struct session_opts;

/**
 * struct lead_case - a run that begins with something read and ends with
 * something said about it: of explain --probe. Each is called on rank 0.
 * @prepare: before ranks meet, who wait for it so long as
 *           lead_how.patience_s says. FP_OK, or why nothing begins.
 * @plan:    once all hosts are read: what is to be measured.
 * @report:  instead of lead_report(); @session is NULL where nothing was
 *           measured, and then @err says why. Returns the exit status.
 */
struct lead_case {
	void *arg;
	enum fp_status (*prepare)(void *arg, struct fp_err *err);
	enum fp_status (*plan)(void *arg, const struct topo_job *job,
	                       struct session_opts *opts, struct fp_err *err);
	int (*report)(void *arg, struct lead_saved *saved,
	              struct session *session, const struct fp_err *err);
};

/** struct lead_how - lent for lead_run(). */
struct lead_how {
	const struct cmd *cmd;
	const struct boot_ops *boot_ops;
	struct boot *boot;
	struct event_base *base;
	const struct topo_host *identity;
	const char *worker_path;
	const char *gpu_path;          /* of the GPU worker; NULL: not wanted */
	cmd_show_fn *show;             /* NULL: measure and report */
	const struct lead_case *about; /* NULL: nothing was read before */
	double patience_s; /* others wait so much longer for rank 0 */
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
