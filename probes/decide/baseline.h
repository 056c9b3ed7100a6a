/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is usual in a class of tests, and how far from it one is. Values are
 * x = ln(rate) or -ln(latency): noise multiplies, and more is better.
 */
#ifndef FP_PROBES_DECIDE_BASELINE_H
#define FP_PROBES_DECIDE_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A class of fewer has no opinion of its own. */
#define DECIDE_CLASS_MIN 8
/** Nothing is known better than to 1 %. */
#define DECIDE_SIGMA_FLOOR 0.01

/** struct decide_baseline - of one class. */
struct decide_baseline {
	double med;
	double sigma; /* from the upper half; at least the floor */
	size_t n;
	bool able; /* n >= DECIDE_CLASS_MIN */
};

/**
 * decide_baseline() - median and spread of the @n of @x (clobbered), of which
 * those below 3 sigma are left out until none is, but never more than half.
 * @scratch has room for n. NaN values for n == 0.
 */
struct decide_baseline decide_baseline(double *x, size_t n, double floor,
                                       double *scratch);

/** struct decide_opinions - what the rate should be, by whom; NaN: no opinion.
 * All as ln(rate). */
struct decide_opinions {
	double class_med; /* the others, now */
	double expected;  /* the hardware's data sheet, as fractions of it go */
	double saved;     /* an earlier run */
};

/** enum decide_against - bits: below which opinion something is. */
enum decide_against {
	DECIDE_BELOW_CLASS = 1,
	DECIDE_BELOW_EXPECTED = 2, /* under 80 % of the data sheet */
	DECIDE_NEAR_EXPECTED = 4,  /* between 80 % and 90 % */
	DECIDE_BELOW_SAVED = 8,
};

/** decide_against() - enum decide_against bits of @x, for drops of @drop. */
unsigned decide_against(const struct decide_opinions *o, double x, double drop);

/** decide_z() - robust z of @x; negative is slower. */
static inline double decide_z(const struct decide_baseline *b, double x)
{
	return (x - b->med) / b->sigma;
}

/** decide_drop() - part of the usual rate that is missing: 1 - exp(x - med).
 */
double decide_drop(const struct decide_baseline *b, double x);

#endif
