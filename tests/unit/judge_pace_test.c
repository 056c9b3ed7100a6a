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
#define USUAL_RATE 0.9e9 /* cores are short */
#define ROOMY_RATE 7.9e9

/* struct pair_case - what 1 -> 2 does in its tests, beside clean pairs. */
struct pair_case {
	const char *name;
	double paces[TESTS];
	double rate;
	const char *says; /* in the evidence; NULL: nobody is accused */
};

/* struct scene - what is around it. */
struct scene {
	double rate; /* of clean pairs */
	int few;     /* tests of 1 -> 2, at the end, with hardly a message */
	int spells;  /* of so many tests the last is slow for everybody else */
};

static double pace_of(const struct pair_case *c, const struct scene *scene,
                      bool suspect, int i)
{
	if (suspect)
		return c->paces[i];
	return scene->spells && i % scene->spells == scene->spells - 1
	               ? USUAL_PACE / 4
	               : USUAL_PACE;
}

static void test_pair(struct build_run *b, const struct pair_case *c,
                      const struct scene *scene, const struct plan_pair *p)
{
	bool suspect = p->src == 1 && p->dst == 2;
	int i;

	for (i = 0; i < TESTS; i++) {
		struct build_test t = {
			.src = p->src,
			.dst = p->dst,
			.stage = i ? TRIAL_S7_RETEST : TRIAL_S1_HOST,
			.value = suspect ? c->rate : scene->rate,
			.pace = pace_of(c, scene, suspect, i),
			.messages =
				suspect && i >= TESTS - scene->few ? 3 : 100,
		};

		(void)build_test(b, &t);
	}
}

/* Return: enum cell_state of 1 -> 2. */
static uint32_t judge_case(const struct pair_case *c, const struct scene *scene)
{
	struct findings found;
	struct matrices ms;
	struct build_run b;
	struct plan_pair p = { 0 };
	uint32_t state;

	build_job(&b, "4", BUILD_LOOPBACK);
	for (p.src = 0; p.src < RANKS; p.src++)
		for (p.dst = 0; p.dst < RANKS; p.dst++)
			if (p.src != p.dst)
				test_pair(&b, c, scene, &p);
	model_judge(&b, &ms, &found);
	if (found.n != (c->says != NULL))
		fail_msg("%s: %zu findings", c->name, found.n);
	if (c->says) {
		assert_int_equal(found.f[0].code, FINDING_PAIR_SLOW);
		if (!strstr(found.f[0].evidence[0], c->says))
			fail_msg("%s: %s", c->name, found.f[0].evidence[0]);
	}
	state = matrix_find(&ms.m[0], 1, 2)->state;
	findings_done(&found);
	matrices_done(&ms);
	build_done(&b);
	return state;
}

static void test_paces(void **state)
{
	static const struct scene crowded = { USUAL_RATE, 0, 0 };
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
		{ "well once, and slower by no more than noise",
		  { 1e9, 1e9, 7.4e9, 1e9, 1e9, 1e9, 1e9 },
		  USUAL_RATE * 0.9,
		  NULL },
		{ "well twice",
		  { 1e9, 1e9, 7.4e9, 1e9, 7e9, 1e9, 1e9 },
		  USUAL_RATE / 2,
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		(void)judge_case(&cases[i], &crowded);
}

/* Where slow spells are common, slow tests say little: the same paces that
 * name a pair elsewhere leave it open, until no more tests come. */
static void test_spells(void **state)
{
	static const struct scene spells = { .rate = USUAL_RATE, .spells = 3 };
	static const struct pair_case all_slow = { "slow in every test",
		                                   { 1e9, 1e9, 2e9, 1e9, 1e9,
		                                     1e9, 1e9 },
		                                   USUAL_RATE / 2,
		                                   NULL };
	static const struct pair_case once_well = { "well once",
		                                    { 1e9, 1e9, 7.4e9, 1e9, 1e9,
		                                      1e9, 1e9 },
		                                    USUAL_RATE / 2,
		                                    NULL };

	(void)state;
	assert_int_equal(judge_case(&all_slow, &spells), CELL_SUSPECT);
	assert_int_equal(judge_case(&once_well, &spells), CELL_SUSPECT);
}

/* Where hardly a message passes there is no pace to speak of: the rate has to
 * tell, if cores are not so short that it tells nothing. */
static void test_few_messages(void **state)
{
	static const struct {
		struct scene scene;
		uint32_t state;
		struct pair_case c;
	} rows[] = {
		{ { ROOMY_RATE, TESTS - 1, 0 },
		  CELL_SLOW,
		  { "slow: the rate tells",
		    { 1e8, 1e8, 1e8, 1e8, 1e8, 1e8, 1e8 },
		    ROOMY_RATE / 20,
		    "395.0 MB/s, class median 7.90 GB/s" } },
		{ { ROOMY_RATE, TESTS - 1, 0 },
		  CELL_OK,
		  { "the rate is well",
		    { 1e8, 1e8, 1e8, 1e8, 1e8, 1e8, 1e8 },
		    ROOMY_RATE,
		    NULL } },
		{ { USUAL_RATE, TESTS - 1, 0 },
		  CELL_SUSPECT,
		  { "cores are short: nothing tells",
		    { 1e8, 1e8, 1e8, 1e8, 1e8, 1e8, 1e8 },
		    USUAL_RATE / 20,
		    NULL } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(judge_case(&rows[i].c, &rows[i].scene),
		                 rows[i].state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paces),
		cmocka_unit_test(test_spells),
		cmocka_unit_test(test_few_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
