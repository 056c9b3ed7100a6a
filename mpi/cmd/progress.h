/* SPDX-License-Identifier: Apache-2.0 */
/* One line on stderr about how far a run is: rewritten on a terminal. */
#ifndef FP_MPI_CMD_PROGRESS_H
#define FP_MPI_CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/session/session.h"

/** struct progress - zero-initialise by progress_init(). */
struct progress {
	bool on, terminal;
	int columns;
	int64_t next_ns; /* not before */
	bool dirty;      /* a line stands there that must be cleared */
};

/** progress_init() - @on: not --no-progress. Looks at stderr. */
void progress_init(struct progress *p, bool on);

/** progress_show() - tell; rate-limited to 10 a second, or one in 5 s. */
void progress_show(struct progress *p, const struct session_progress *now);

/** progress_clear() - before anything else is printed. */
void progress_clear(struct progress *p);

/**
 * progress_format() - the line, without its end, cut to @columns - 1.
 * @buf: at least @columns bytes.
 */
void progress_format(const struct session_progress *now, char *buf,
                     int columns);

#endif
