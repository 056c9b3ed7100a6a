/* SPDX-License-Identifier: Apache-2.0 */
/* From samples to a verdict on one directed pair. */
#ifndef FP_PROBES_DECIDE_LADDER_H
#define FP_PROBES_DECIDE_LADDER_H

#include "probes/decide/baseline.h"

/** struct decide_sample - k repeats of one test. */
struct decide_sample {
	double capability; /* best of them: contention only takes away */
	double typical;    /* median */
	double floor;      /* 5th percentile */
};

/** decide_sample() - of the @k of @x (sorted in place); NaNs for 0. */
struct decide_sample decide_sample(double *x, size_t k);

/** enum decide_verdict - milder first. */
enum decide_verdict {
	DECIDE_OK,
	DECIDE_DEGRADED, /* 5-10 % missing, reproduced */
	DECIDE_SUSPECT,  /* to be tested again */
	DECIDE_FLAKY,    /* can, but does not always */
	DECIDE_SLOW,     /* 10 % or more missing, reproduced */
	DECIDE_VERDICT_COUNT
};

/** struct decide_ladder - limits; decide_ladder_defaults(). */
struct decide_ladder {
	double suspect_z, suspect_drop; /* -3.5, .05 */
	double slow_z, slow_drop;       /* -6, .10 */
	double flaky_ratio;             /* .7: floor below so much of usual */
	uint32_t retests, needed;       /* 3 and 2 */
};
void decide_ladder_defaults(struct decide_ladder *l);

/** decide_is_suspect(), decide_is_slow() - one look at capability @x. */
bool decide_is_suspect(const struct decide_ladder *l,
                       const struct decide_baseline *b, double x);
bool decide_is_slow(const struct decide_ladder *l,
                    const struct decide_baseline *b, double x);

/**
 * decide_first() - what one test says: OK, FLAKY, or SUSPECT, whether of
 * being slow or degraded: nothing is held against a pair on one test.
 */
enum decide_verdict decide_first(const struct decide_ladder *l,
                                 const struct decide_baseline *b,
                                 const struct decide_sample *s);

/**
 * decide_retested() - what a suspect is after tests in @n other rounds.
 * @first: its capability then; @again: in the retests.
 *
 * Return: SLOW if the first and @l->needed retests were slow; DEGRADED if so
 * many were suspect; FLAKY if any was slow but not enough; SUSPECT while
 * the rest of @l->retests could still convict; else OK.
 */
enum decide_verdict decide_retested(const struct decide_ladder *l,
                                    const struct decide_baseline *b,
                                    double first, const double *again,
                                    size_t n);

/** decide_verdict_name() - "OK", "SLOW"; "?" for a number that is none. */
const char *decide_verdict_name(unsigned verdict);

#endif
