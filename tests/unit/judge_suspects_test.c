// SPDX-License-Identifier: Apache-2.0
// Who is measured again, and which clean pairs beside them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "probes/judge/judge.h"
#include "tests/unit/build_run.h"

#define GOOD 100e6

static void judge_all(const struct build_run *b, struct matrices *ms)
{
	struct judge_opts opts;

	judge_defaults(&opts);
	assert_int_equal(judge_matrices(&b->job, &b->results, &opts, ms, NULL),
	                 FP_OK);
}

static void add(struct build_run *b, int32_t src, int32_t dst, double value)
{
	build_test(b, &(struct build_test){
			      .src = src, .dst = dst, .value = value });
}

/* All pairs of a job at GOOD, but for one, at @part of it. */
static void add_all(struct build_run *b, double part)
{
	int32_t n = (int32_t)b->job.n_ranks, s, d;

	for (s = 0; s < n; s++)
		for (d = 0; d < n; d++)
			if (s != d)
				add(b, s, d,
				    s == 0 && d == 1 ? part * GOOD : GOOD);
}

static void suspects_come_with_clean_pairs(void **state)
{
	struct judge_opts opts;
	struct plan_pair *pairs;
	struct matrices ms;
	struct build_run b;
	size_t n, i, clean = 0;

	(void)state;
	build_job(&b, "1 1 1 1", BUILD_ONE_DEV);
	add_all(&b, 0.5);
	judge_all(&b, &ms);
	judge_defaults(&opts);
	assert_int_equal(judge_suspects(&ms.m[0], &opts, &pairs, &n, NULL),
	                 FP_OK);
	assert_int_equal(n, 2);
	assert_int_equal(pairs[0].round, 0);
	assert_int_equal(pairs[0].src, 0);
	assert_int_equal(pairs[0].dst, 1);
	for (i = 0; i < n; i++)
		clean += pairs[i].round == 1;
	assert_int_equal(clean, 1);
	/* near: of the same sender */
	assert_int_equal(pairs[1].src, 0);
	free(pairs);
	matrices_done(&ms);
	build_done(&b);
}

static void nobody_is_asked_without_a_suspect(void **state)
{
	struct judge_opts opts;
	struct plan_pair *pairs;
	struct matrices ms;
	struct build_run b;
	size_t n;

	(void)state;
	build_job(&b, "1 1 1 1", BUILD_ONE_DEV);
	add_all(&b, 1);
	judge_all(&b, &ms);
	judge_defaults(&opts);
	assert_int_equal(judge_suspects(&ms.m[0], &opts, &pairs, &n, NULL),
	                 FP_OK);
	assert_int_equal(n, 0);
	free(pairs);
	matrices_done(&ms);
	build_done(&b);
}

static void failures_are_asked_until_retests(void **state)
{
	const struct build_test hang = { .src = 0,
		                         .dst = 1,
		                         .src_state = OUTCOME_HANG,
		                         .dst_state = OUTCOME_HANG };
	struct judge_opts opts;
	struct plan_pair *pairs;
	struct matrices ms;
	struct build_run b;
	uint32_t k;
	size_t n;

	(void)state;
	build_job(&b, "1 1", BUILD_ONE_DEV);
	judge_defaults(&opts);
	for (k = 1; k <= opts.retests; k++) {
		build_test(&b, &hang);
		judge_all(&b, &ms);
		assert_int_equal(
			judge_suspects(&ms.m[0], &opts, &pairs, &n, NULL),
			FP_OK);
		assert_int_equal(n, k < opts.retests);
		free(pairs);
		matrices_done(&ms);
	}
	build_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suspects_come_with_clean_pairs),
		cmocka_unit_test(nobody_is_asked_without_a_suspect),
		cmocka_unit_test(failures_are_asked_until_retests),
	};

	return cmocka_run_group_tests_name("judge_suspects", tests, NULL, NULL);
}
