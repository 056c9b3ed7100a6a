/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a journal's lines one after the other into a run. */
#ifndef FP_PROBES_JOURNAL_LINES_H
#define FP_PROBES_JOURNAL_LINES_H

#include "probes/journal/journal.h"

/** struct journal_ids - a batch's ids in the file, and in the results: they
 * differ once a line was lost. */
struct journal_ids {
	uint32_t file, stored, n;
};

/** struct journal_lines - what was taken so far. Zero but for @run. */
struct journal_lines {
	struct journal_run *run;
	bool has_head, has_job;
	bool fatal; /* a line that the rest stands on is bad */
	struct journal_ids *ids;
	size_t n_ids, room_ids;
};

/**
 * journal_lines_take() - one line, without its end; the first is the head.
 *
 * Return: FP_OK; FP_ERR_INPUT for a line that cannot be used, which leaves
 * the run as it was; FP_ERR_NOMEM.
 */
enum fp_status journal_lines_take(struct journal_lines *lines, const char *line,
                                  size_t len, struct fp_err *err);

#endif
