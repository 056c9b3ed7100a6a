/* SPDX-License-Identifier: Apache-2.0 */
/* The steps from events to clocks. */
#ifndef FP_PROBES_EXPLAIN_CLOCK_PART_H
#define FP_PROBES_EXPLAIN_CLOCK_PART_H

#include "probes/explain/clock.h"

/** clock_owners() - the clock of each event that has a time; years are filled
 * in. FP_ERR_NOMEM. */
enum fp_status clock_owners(struct events *events, struct clocks *clocks,
                            struct fp_err *err);

/** struct clock_sight - a moment as one clock saw it. */
struct clock_sight {
	uint64_t moment; /* the same for all that saw it */
	uint32_t clock;  /* index */
	uint32_t weight; /* CLOCK_SURE: enough by itself */
	int64_t ns;
};

#define CLOCK_SURE 2

/** clock_sights() - of moments that several clocks saw, sorted by moment and
 * clock, one of each; free() them. FP_ERR_NOMEM. */
enum fp_status clock_sights(const struct events *events,
                            struct clock_sight **ret, size_t *ret_n,
                            struct fp_err *err);

/** clock_place() - islands, offsets and slacks from @n sights. FP_ERR_NOMEM. */
enum fp_status clock_place(struct clocks *clocks,
                           const struct clock_sight *sights, size_t n,
                           struct fp_err *err);

/** clock_median() - of @n numbers, of two the lower; sorts them. */
int64_t clock_median(int64_t *x, size_t n);

#endif
