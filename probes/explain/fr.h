/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch's Flight Recorder: what a rank had enqueued when it was dumped. */
#ifndef FP_PROBES_EXPLAIN_FR_H
#define FP_PROBES_EXPLAIN_FR_H

#include "probes/explain/reader.h"
#include "probes/explain/value.h"

/** enum fr_state - of an entry. */
enum fr_state { FR_SCHEDULED, FR_STARTED, FR_COMPLETED };

/** enum fr_direction - of an entry: to and from one peer, or all. */
enum fr_direction { FR_COLLECTIVE, FR_SEND, FR_RECV };

#define FR_RANKS_MAX (1 << 22) /* of a job */
#define FR_KEEP 64 /* open entries kept of one group, the oldest ones */

/** fr_is_dump() - does the tree look like a dump? */
bool fr_is_dump(const struct value *dump);

/**
 * fr_read() - add the events of a dump. Of each group the oldest FR_KEEP
 * entries that are not completed are kept, and the last completed one:
 * nothing else tells where it hangs.
 *
 * Return: FP_OK; FP_ERR_INPUT if it is no dump, or its file's name does not
 * tell the rank.
 */
enum fp_status fr_read(struct intake *r, const struct value *dump,
                       struct fp_err *err);

#endif
