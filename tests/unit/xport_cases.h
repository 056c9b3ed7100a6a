/* SPDX-License-Identifier: Apache-2.0 */
/* What every host transport must do: cases for the tests of each. */
#ifndef FP_TESTS_UNIT_XPORT_CASES_H
#define FP_TESTS_UNIT_XPORT_CASES_H

#include <stdbool.h>

#include "tests/unit/xport_rig.h"

/** Data arrives as it was sent, for sizes about every edge, either way and
 * both ways at once; many messages of mixed sizes; nothing at all. */
void case_integrity(const struct xport_ops *ops,
                    void (*adjust)(struct rig *, const void *));

/** Members who all call the next one first meet, and a ring of 2 keeps its two
 * edges apart; 3 members meet each other in an order made to lock up. */
void case_rings(const struct xport_ops *ops);
void case_mesh(const struct xport_ops *ops);

/** Deadlines: of a peer that never comes, and of one that is stopped.
 * @waits: an active side waits for its welcome. */
void case_never_comes(const struct xport_ops *ops, bool waits);
void case_stopped(const struct xport_ops *ops);

/** A peer that is killed, or has closed, is FP_ERR_PEER; what it had sent
 * before can still be received. */
void case_killed(const struct xport_ops *ops);
void case_closed(const struct xport_ops *ops);

/** A door that was shut refuses. */
void case_refused(const struct xport_ops *ops);

/** The abort word ends a wait, of a step and of a meeting. */
void case_aborted(const struct xport_ops *ops);

#endif
