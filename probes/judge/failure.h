/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of a pair that hung or failed, and by whose fault. */
#ifndef FP_PROBES_JUDGE_FAILURE_H
#define FP_PROBES_JUDGE_FAILURE_H

#include "probes/judge/class.h"

/** judge_tests_passed() - did any of @n tests of a pair end well? */
bool judge_tests_passed(const struct judge_test *tests, size_t n);

/**
 * judge_test_failed() - is @t a failure? One that ran out of time while data
 * moved on is none if the pair @passed in another test: it was slow then.
 */
bool judge_test_failed(const struct judge_test *t, bool passed);

/** struct failure - the failures of a cell, by whose fault they are. */
struct failure {
	uint32_t state; /* enum outcome_state, the worst; NONE: no failure */
	uint32_t stage, trial;
	uint32_t passed; /* good tests after the last one */
	int32_t culprit; /* -1: no end's own */
};

/** judge_failure_of() - those of @cell of @g that are an end's @own, or those
 * that are not. */
struct failure judge_failure_of(const struct judge_group *g, size_t cell,
                                bool own);

/** judge_failure_state() - what a cell with such a failure is. */
enum cell_state judge_failure_state(const struct failure *f);

#endif
