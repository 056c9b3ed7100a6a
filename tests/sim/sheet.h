/* SPDX-License-Identifier: Apache-2.0 */
/* Accuracy figures that the decisions must reproduce, and a run of each. */
#ifndef FP_TESTS_SIM_SHEET_H
#define FP_TESTS_SIM_SHEET_H

#include "probes/sim/blame.h"
#include "probes/sim/pairs.h"

/** struct sheet_figure - what is published, what came out. */
struct sheet_figure {
	char name[96];
	double want, got;
	double n_want, n_got; /* trials behind each */
	bool count;           /* per trial, not a share of trials */
};

/** The tables; each has sheet_count() figures. */
enum sheet_table { SHEET_ENDPOINTS, SHEET_LADDER, SHEET_BLAME, SHEET_COUNT };

size_t sheet_count(unsigned table);

/**
 * sheet_run() - make the @i-th figure of @table, with @scale times the
 * trials that are published.
 */
enum fp_status sheet_run(unsigned table, size_t i, double scale,
                         struct sheet_figure *ret, struct fp_err *err);

/** sheet_error() - three standard errors of the difference, at least 2 % (of
 * 1 for shares; of the figure for counts). */
double sheet_error(const struct sheet_figure *f);

#endif
