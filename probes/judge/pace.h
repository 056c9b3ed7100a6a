/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast single messages pass where what is measured shares its cores with
 * others. A core that is taken away makes a rate low, but most messages pass
 * in between as fast as ever; on a path that is slow none does.
 */
#ifndef FP_PROBES_JUDGE_PACE_H
#define FP_PROBES_JUDGE_PACE_H

#include "probes/judge/class.h"

enum judge_pace {
	PACE_GOOD, /* as usual, or not known */
	PACE_OPEN, /* too slow so far; wants more tests */
	PACE_SLOW, /* too slow in as many tests as it takes and well in one at
	              most, while clean pairs beside are not slow */
};

/**
 * judge_pace_of() - the pace of @cell of @g, whose ratio is known by then;
 * PACE_GOOD where a class is not CPU-bound, or too small to compare in.
 * @ret_pace: unless so, the rate of a median message in its best test but one,
 * B/s.
 */
enum judge_pace judge_pace_of(const struct judge_group *g, size_t cell,
                              double *ret_pace);

#endif
