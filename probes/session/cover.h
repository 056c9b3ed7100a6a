/* SPDX-License-Identifier: Apache-2.0 */
/* What a run looked at, against what it should have; from results alone. */
#ifndef FP_PROBES_SESSION_COVER_H
#define FP_PROBES_SESSION_COVER_H

#include <stdbool.h>

#include "probes/session/session.h"

/**
 * session_cover() - fill @s->coverage anew from its options, job, results and
 * matrices.
 * @ret_missing: is evidence missing that a healthy verdict needs?
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status session_cover(struct session *s, bool *ret_missing,
                             struct fp_err *err);

void session_coverage_done(struct session_coverage *c); /* takes NULL */

#endif
