/* SPDX-License-Identifier: Apache-2.0 */
/* What clean pairs did at the time when suspects were measured again. */
#ifndef FP_PROBES_JUDGE_CLEAN_H
#define FP_PROBES_JUDGE_CLEAN_H

#include "probes/judge/class.h"

/**
 * judge_clean_make() - fill @g's clean from the retests of cells that are set
 * in @clean [n_cells]: those whose own first test was good.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_clean_make(struct judge_group *g, const bool *clean,
                                struct fp_err *err);

/**
 * judge_clean_beside() - what is usual in class @cls where @rank is: the worse
 * of the class's and of what clean pairs (of its host, if there are any, in a
 * class inside hosts) did while suspects were retested.
 */
struct judge_clean judge_clean_beside(const struct judge_group *g, int32_t cls,
                                      int32_t rank);

#endif
