/* SPDX-License-Identifier: Apache-2.0 */
/* What rank 0 measures, once everybody is there. */
#ifndef FP_MPI_CMD_LEAD_MEASURE_H
#define FP_MPI_CMD_LEAD_MEASURE_H

#include "mpi/cmd/before.h"
#include "mpi/cmd/fabric.h"
#include "mpi/cmd/lead.h"
#include "mpi/cmd/lead_journal.h"
#include "mpi/conductor/conductor.h"

/** struct lead_measure - a session and what it is held against. */
struct lead_measure {
	const struct lead_how *how;
	struct conductor *conductor; /* borrowed; once it is measured */
	struct lead_journal journal;
	struct session session;
	struct fabric fabric;
	struct before before;
	struct progress progress;
};

/**
 * lead_measure_init() - read what --baseline names, before anybody waits for
 * it and before --out may move it away.
 * @saved: may be opened later.
 *
 * Return: FP_OK; as before_open(). Undo with lead_measure_done(), in any case.
 */
enum fp_status lead_measure_init(struct lead_measure *m,
                                 const struct lead_how *how,
                                 struct lead_saved *saved, struct fp_err *err);

/**
 * lead_measure_run() - the session over @conductor's agents, each step into
 * the journal where there is one. A drill that changed nothing is said so.
 *
 * Return: FP_OK; FP_ERR_INTR when it was stopped, with what is known by then
 * in the session; FP_ERR_USAGE, FP_ERR_INPUT for options that do not fit the
 * job.
 */
enum fp_status lead_measure_run(struct lead_measure *m,
                                struct conductor *conductor,
                                struct fp_err *err);

/** lead_measure_done() - takes one that is zero. */
void lead_measure_done(struct lead_measure *m);

#endif
