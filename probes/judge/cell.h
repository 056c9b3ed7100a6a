/* SPDX-License-Identifier: Apache-2.0 */
/* The ladder: from the tests of a directed pair to the state of its cell. */
#ifndef FP_PROBES_JUDGE_CELL_H
#define FP_PROBES_JUDGE_CELL_H

#include "probes/judge/class.h"

/**
 * judge_cell_values() - sums and best values of @tests (@n of them, one pair,
 * in order of time) into @ret; state and class are left open.
 */
void judge_cell_values(const struct judge_test *tests, size_t n,
                       struct matrix_cell *ret);

/** judge_cell_is_clean() - does the first good test of @cell look well? */
bool judge_cell_is_clean(const struct judge_group *g, size_t cell);

/** judge_cell_state() - judge @cell of @g, whose classes are known. */
void judge_cell_state(struct judge_group *g, size_t cell);

#endif
