/* SPDX-License-Identifier: Apache-2.0 */
/* Readings that tests share. */
#ifndef FP_TESTS_UNIT_READING_BED_H
#define FP_TESTS_UNIT_READING_BED_H

#include "topo/reading/reading.h"

#define READING_BED_ROWS 7
#define READING_BED_S 1700000000

/** reading_bed_samples - one of each kind; the last two have one key. */
extern const struct reading reading_bed_samples[READING_BED_ROWS];

/** reading_bed_set() - a set of the samples, for readings_unref(). */
struct readings *reading_bed_set(void);

/** reading_bed_other() - a second host's, 7 s later: the same rows with two
 * other values (1 and 3), and one row more. */
struct readings *reading_bed_other(void);

/** reading_bed_check_row() - the test fails if they differ in anything. */
void reading_bed_check_row(const struct reading *got,
                           const struct reading *want);

/** reading_bed_check_same() - as above, of all rows. */
void reading_bed_check_same(const struct readings *a, const struct readings *b);

#endif
