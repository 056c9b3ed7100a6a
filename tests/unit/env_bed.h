/* SPDX-License-Identifier: Apache-2.0 */
/* The environment as a launcher would leave it, for tests of the start-up. */
#ifndef FP_TESTS_UNIT_ENV_BED_H
#define FP_TESTS_UNIT_ENV_BED_H

/**
 * env_bed_set() - of all variables that a start-up looks at, have those in
 * @vars ("NAME=value NAME=value", 1 KiB at most) and no others.
 */
void env_bed_set(const char *vars);

#endif
