// SPDX-License-Identifier: Apache-2.0
// Pairs inside a crowded host, judged by the pace of single messages.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/judge.h"
#include "tests/unit/model_run.h"

#define RANKS 4
#define TESTS 7
#define USUAL_PACE 8e9
#define USUAL_RATE 0.9e9

/* struct pair_case - what 1 -> 2 does in its tests, beside clean pairs. */
struct pair_case {
	const char *name;
	double paces[TESTS];
	double rate;
	const char *says; /* in the evidence; NULL: nobody is accused */
};

static void test_pair(struct build_run *b, const struct pair_case *c,
                      int32_t src, int32_t dst)
{
	bool suspect = src == 1 && dst == 2;
	int i;

	for (i = 0; i < TESTS; i++) {
		struct build_test t = {
			.src = src,
			.dst = dst,
			.stage = i ? TRIAL_S7_RETEST : TRIAL_S1_HOST,
			.value = suspect ? c->rate : USUAL_RATE,
			.pace = suspect ? c->paces[i] : USUAL_PACE,
		};

		(void)build_test(b, &t);
	}
}

static void judge_case(const struct pair_case *c)
{
	struct findings found;
	struct matrices ms;
	struct build_run b;
	int32_t i, j;

	build_job(&b, "4", BUILD_LOOPBACK);
	for (i = 0; i < RANKS; i++)
		for (j = 0; j < RANKS; j++)
			if (i != j)
				test_pair(&b, c, i, j);
	model_judge(&b, &ms, &found);
	if (found.n != (c->says != NULL))
		fail_msg("%s: %zu findings", c->name, found.n);
	if (c->says) {
		assert_int_equal(found.f[0].code, FINDING_PAIR_SLOW);
		assert_non_null(strstr(found.f[0].evidence[0], c->says));
	}
	findings_done(&found);
	matrices_done(&ms);
	build_done(&b);
}

static void test_paces(void **state)
{
	static const struct pair_case cases[] = {
		{ "as usual",
		  { 8e9, 8e9, 8e9, 8e9, 8e9, 8e9, 8e9 },
		  USUAL_RATE,
		  NULL },
		{ "slow in every test",
		  { 1e9, 1e9, 2e9, 1e9, 1e9, 1e9, 1e9 },
		  USUAL_RATE / 2,
		  "messages at 1.00 GB/s at best but for one" },
		{ "slow in every test, though the rate tells nothing",
		  { 1e9, 1e9, 2e9, 1e9, 1e9, 1e9, 1e9 },
		  USUAL_RATE * 1.1,
		  "messages at 1.00 GB/s at best but for one" },
		{ "well once, by chance: it is slower all the same",
		  { 1e9, 1e9, 7.4e9, 1e9, 1e9, 1e9, 1e9 },
		  USUAL_RATE / 2,
		  "at 1.00 GB/s at best but for one of 7 tests, usual there "
		  "8.00 GB/s" },
		{ "well once, and no slower than others",
		  { 1e9, 1e9, 7.4e9, 1e9, 1e9, 1e9, 1e9 },
		  USUAL_RATE * 1.1,
		  NULL },
		{ "well twice",
		  { 1e9, 1e9, 7.4e9, 1e9, 7e9, 1e9, 1e9 },
		  USUAL_RATE / 2,
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		judge_case(&cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
