/* SPDX-License-Identifier: Apache-2.0 */
/* What one test of a pair shows, against what is usual in its class. */
#ifndef FP_PROBES_JUDGE_FLAGS_H
#define FP_PROBES_JUDGE_FLAGS_H

#include "probes/judge/class.h"

/** enum judge_flag - what one test shows; each is asked for again by itself. */
enum judge_flag { FLAG_LOW, FLAG_SLOW, FLAG_UNSTEADY, FLAG_LOSS, FLAG_COUNT };

/** struct judge_look - a figure of a cell, turned as struct judge_usual's x. */
struct judge_look {
	const struct judge_group *g;
	const struct matrix_cell *c;
	double x, usual;
};

/** judge_looks_slow() - is it below usual by @drop_z: a drop, a robust z? */
bool judge_looks_slow(const struct judge_look *look,
                      const struct judge_limit *l, const double drop_z[2]);

/** judge_test_flags() - what test @t of cell @c shows: 1 << enum judge_flag. */
uint32_t judge_test_flags(const struct judge_group *g,
                          const struct matrix_cell *c,
                          const struct judge_test *t);

#endif
