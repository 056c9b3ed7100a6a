/* SPDX-License-Identifier: Apache-2.0 */
/* The checks as a part of a run's judging. */
#ifndef FP_PROBES_SESSION_CHECKS_H
#define FP_PROBES_SESSION_CHECKS_H

#include "probes/session/session.h"

/**
 * session_check() - add what checks find in @s->job to @s->findings. What a
 * trial found of a cause that a check names already becomes its evidence.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status session_check(struct session *s, struct fp_err *err);

#endif
