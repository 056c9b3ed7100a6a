/* SPDX-License-Identifier: Apache-2.0 */
/* What explain and explain --probe share. */
#ifndef FP_MPI_CMD_EXPLAIN_READ_H
#define FP_MPI_CMD_EXPLAIN_READ_H

#include "mpi/cmd/cmd.h"
#include "probes/explain/story.h"

/**
 * explain_read() - the files of the command line, and RAS where it was asked
 * for; then what happened.
 * @gather, @ret: zero-initialised; story_done() and gather_done() in any case.
 *
 * Return: FP_OK; FP_ERR_SYS naming a file; FP_ERR_NOMEM, FP_ERR_LIMIT.
 */
enum fp_status explain_read(const struct cmd *cmd, struct gather *gather,
                            struct story *ret, struct fp_err *err);

/** explain_write_json() - @text to where --json says. */
enum fp_status explain_write_json(const struct opts *opts,
                                  const struct fp_text *text,
                                  struct fp_err *err);

#endif
