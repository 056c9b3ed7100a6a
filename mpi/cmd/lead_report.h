/* SPDX-License-Identifier: Apache-2.0 */
/* What rank 0 keeps on disk and what it hands out at the end. */
#ifndef FP_MPI_CMD_LEAD_REPORT_H
#define FP_MPI_CMD_LEAD_REPORT_H

#include "mpi/cmd/cmd.h"
#include "probes/journal/journal.h"

/** struct lead_saved - a run's texts and journal. */
struct lead_saved {
	struct journal *journal; /* NULL without --out */
	bool journal_failed;     /* a line of it could not be written */
	char *command, *options;
	char started_utc[32];
};

/**
 * lead_saved_open() - check that every output can be written before anything
 * is measured, and begin the journal.
 *
 * Return: FP_OK; FP_ERR_USAGE naming the option and the path.
 */
enum fp_status lead_saved_open(struct lead_saved *s, const struct cmd *cmd,
                               struct fp_err *err);

/**
 * lead_report() - the text on stdout, the JSON where it was asked for, both
 * under --out too; stdout last, so that its last line is about all of them.
 * An output that cannot be written is said on stderr; so is the last line
 * where stdout carries no text.
 *
 * Return: the verdict's exit status; CMD_EXIT_USAGE if the run is healthy but
 * an output that was asked for could not be written.
 */
int lead_report(struct lead_saved *s, const struct cmd *cmd,
                struct session *session);

/**
 * lead_report_make() - the report of @session with all that presents it, to
 * be rendered by whoever has more to say.
 */
struct report lead_report_make(const struct lead_saved *s,
                               const struct cmd *cmd, struct session *session);

/** lead_report_files() - what --out and --evidence are to hold. False, and
 * said on stderr, where not all of it could be written. */
bool lead_report_files(struct lead_saved *s, const struct cmd *cmd,
                       struct report *report);

/** lead_saved_close() - takes a half-opened one. */
void lead_saved_close(struct lead_saved *s);

#endif
