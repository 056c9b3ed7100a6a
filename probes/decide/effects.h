/* SPDX-License-Identifier: Apache-2.0 */
/* Effects of senders, receivers and components in many values at once. */
#ifndef FP_PROBES_DECIDE_EFFECTS_H
#define FP_PROBES_DECIDE_EFFECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/attribute/attribute.h"
#include "topo/base/status.h"

/** struct decide_cell - one value of a sparse matrix. */
struct decide_cell {
	int32_t row, col;
	double x;
	double residual; /* set by decide_polish() */
};

/** struct decide_polished - x = overall + rows[r] + cols[c] + residual. */
struct decide_polished {
	double overall;
	double *rows, *cols; /* the sender's and the receiver's part; 0 for
	                        those without a value */
};

/**
 * decide_polish() - two-way effects by median polish, 10 turns or until
 * nothing moves. Outlying residuals are peculiar to a pair.
 * @n_rows, @n_cols: rows and columns are below.
 *
 * Return: FP_OK, FP_ERR_NOMEM; FP_ERR_INPUT for a cell out of range.
 */
enum fp_status decide_polish(struct decide_cell *cells, size_t n,
                             int32_t n_rows, int32_t n_cols,
                             struct decide_polished *ret, struct fp_err *err);
void decide_polished_done(struct decide_polished *p); /* takes NULL */

/** struct decide_part - what a component's tests say together. */
struct decide_part {
	double u;       /* median z of its tests; NaN without any */
	uint32_t n;     /* tests */
	uint32_t below; /* of them with z <= -3 */
	bool flagged;   /* u <= -3, 4 tests or more, 75 % of them below */
};

/**
 * decide_parts() - the median z of each component over the tests that cross
 * it: finds what is 5 % slow in all of its tests, which no single test shows.
 * @z: [tests->n_tests]; @ret: room for tests->n_comps.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status decide_parts(const struct attribute_tests *tests,
                            const double *z, struct decide_part *ret,
                            struct fp_err *err);

#endif
