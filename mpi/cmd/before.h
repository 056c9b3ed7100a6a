/* SPDX-License-Identifier: Apache-2.0 */
/* A saved run that another is held against. */
#ifndef FP_MPI_CMD_BEFORE_H
#define FP_MPI_CMD_BEFORE_H

#include "probes/journal/journal.h"
#include "probes/judge/since.h"

/** struct before - a saved run, its pairs judged. before_close(). */
struct before {
	struct journal_run saved;
	struct matrices matrices;
	struct judge_run run; /* points into this struct: do not copy it */
};

/**
 * before_open() - read the run saved in @path: a folder, or its journal.
 *
 * Return: FP_OK; FP_ERR_INPUT naming the file and what is wrong, also where
 * nothing was measured; FP_ERR_NOMEM. before_close() in any case.
 */
enum fp_status before_open(const char *path, struct before *ret,
                           struct fp_err *err);
void before_close(struct before *b);

#endif
