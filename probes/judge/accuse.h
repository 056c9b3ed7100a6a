/* SPDX-License-Identifier: Apache-2.0 */
/* From blames to findings: code, place, figures, evidence. */
#ifndef FP_PROBES_JUDGE_ACCUSE_H
#define FP_PROBES_JUDGE_ACCUSE_H

#include "probes/judge/blame.h"
#include "probes/judge/gram.h"

/**
 * judge_accuse() - a finding for each blame of @c that no other explains;
 * what it explains becomes its evidence.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_accuse(const struct judge_case *c,
                            const struct grams *grams, struct findings *list,
                            struct fp_err *err);

#endif
