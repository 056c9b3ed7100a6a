/* SPDX-License-Identifier: Apache-2.0 */
/* A session's steps, as they are taken, into its journal and its progress. */
#ifndef FP_MPI_CMD_LEAD_JOURNAL_H
#define FP_MPI_CMD_LEAD_JOURNAL_H

#include "mpi/cmd/lead_report.h"
#include "mpi/cmd/progress.h"

/** struct lead_journal - who is told of a session; borrows all. */
struct lead_journal {
	struct lead_saved *saved; /* its journal may be NULL: none is kept */
	struct progress *progress;
	void *arg;
	/** the journal cannot be written: told once; may be NULL */
	void (*trouble)(void *arg, const struct fp_err *err);
};

/** lead_journal_hooks() - for session_run(); @to is borrowed until its end. */
struct session_hooks lead_journal_hooks(struct lead_journal *to);

/**
 * lead_journal_begin() - the job, the options, and how hosts are plugged.
 * @fabric: text of --fabric or --cluster; NULL: neither was given.
 * @model: see journal_fabric().
 */
void lead_journal_begin(struct lead_journal *to, const struct session *session,
                        const char *fabric, bool model);

/** lead_journal_event() - one more, after the session. */
void lead_journal_event(struct lead_journal *to, const struct run_event *e);

#endif
