// SPDX-License-Identifier: Apache-2.0
// Tests of a pair that hung or failed, and by whose fault.
#include "probes/judge/failure.h"

bool judge_tests_passed(const struct judge_test *tests, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (tests[i].state == OUTCOME_OK)
			return true;
	return false;
}

bool judge_test_failed(const struct judge_test *t, bool passed)
{
	return t->state > OUTCOME_NOTRUN && !(t->late && passed);
}

struct failure judge_failure_of(const struct judge_group *g, size_t cell,
                                bool own)
{
	const struct judge_test *tests = g->tests + g->first[cell], *t;
	struct failure f = { .stage = STAGE_DONE, .culprit = -1 };
	size_t i, n = g->first[cell + 1] - g->first[cell];
	bool passed = judge_tests_passed(tests, n);

	for (i = 0; i < n; i++) {
		t = &tests[i];
		if (t->state == OUTCOME_OK)
			f.passed++;
		if (!judge_test_failed(t, passed) || (t->culprit >= 0) != own)
			continue;
		f.passed = 0;
		if (t->stage < f.stage)
			f.stage = t->stage;
		if (t->state <= f.state)
			continue;
		f.state = t->state;
		f.trial = t->trial->id;
		f.culprit = t->culprit;
	}
	return f;
}

enum cell_state judge_failure_state(const struct failure *f)
{
	static const enum cell_state states[OUTCOME_STATE_COUNT] = {
		[OUTCOME_ERROR] = CELL_ERROR,
		[OUTCOME_HANG] = CELL_HANG,
		[OUTCOME_LOST] = CELL_LOST,
	};

	return states[f->state];
}
