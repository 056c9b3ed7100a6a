// SPDX-License-Identifier: Apache-2.0
// Unit tests of GPUs under load: who slows down while it lasts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/load.h"
#include "tests/unit/build_run.h"

#define RANKS 4
#define SECONDS 12
#define USUAL 6e13

/* What the last ranks do from a second on, as a share of the usual. */
static const struct row {
	const char *name;
	size_t from, to;
	double share;
	int32_t n_ranks; /* so many of them */
	size_t accused;
	const char *words;
} rows[] = {
	{ "clean", 0, 0, 1, 0, 0, NULL },
	{ "falls and stays", 6, SECONDS, .66, 1, 1,
	  "60 TFLOP/s at first, 39.6 from second 6 on" },
	{ "falls late", 9, SECONDS, .8, 1, 1,
	  "60 TFLOP/s at first, 48 from second 9 on" },
	{ "dips and comes back", 5, 7, .5, 1, 0, NULL },
	{ "breathes", 6, SECONDS, .95, 1, 0, NULL },
	{ "slow from the beginning", 0, SECONDS, .7, 1, 1,
	  "42 TFLOP/s, median of all 60" },
	{ "all fall: such are these GPUs", 6, SECONDS, .8, RANKS, 0, NULL },
};

static void load_add(struct build_run *b, int32_t rank, const struct row *row)
{
	struct trial t = { .xport = XPORT_CUDA,
		           .op = OP_WRITE,
		           .mem = MEM_CUDA,
		           .bytes = 1 << 20,
		           .flags = TRIAL_LOAD | TRIAL_KEEP_SAMPLES,
		           .src = rank,
		           .dst = rank,
		           .deadline_s = 1 };
	struct batch batch = { .trials = &t, .n_trials = 1 };
	struct outcome o = { .rank = rank, .state = OUTCOME_OK };
	struct fp_err err = { .status = FP_OK };
	double rates[SECONDS];

	assert_int_equal(results_add_batch(&b->results, &batch, &err), FP_OK);
	o.trial = t.id;
	for (size_t i = 0; i < SECONDS; i++)
		rates[i] = rank >= RANKS - row->n_ranks && i >= row->from &&
		                           i < row->to
		                   ? USUAL * row->share
		                   : USUAL;
	assert_int_equal(
		results_add_outcome(&b->results, &o, rates, SECONDS, &err),
		FP_OK);
}

static void row_run(const struct row *row, bool known)
{
	struct build_run b = { 0 };
	struct findings list = { 0 };
	struct fp_err err = { .status = FP_OK };

	build_job(&b, "4", BUILD_ONE_DEV);
	for (int32_t r = 0; r < RANKS; r++)
		load_add(&b, r, row);
	if (known)
		findings_add(&list, FINDING_GPU_SLOW)->locus.rank = RANKS - 1;
	assert_int_equal(judge_load(&b.job, &b.results, &list, &err), FP_OK);
	assert_int_equal(list.n, known ? 1 : row->accused);
	if (row->accused) {
		assert_int_equal(list.f[0].code, FINDING_GPU_SLOW);
		assert_int_equal(list.f[0].locus.rank, RANKS - 1);
		assert_int_equal(list.f[0].n_evidence, 1);
		assert_non_null(strstr(list.f[0].evidence[0], row->words));
	}
	findings_done(&list);
	build_done(&b);
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		row_run(&rows[i], false);
		row_run(&rows[i], true);
	}
}

/* So few seconds have no beginning and no end. */
static void test_short(void **state)
{
	const double rates[] = { USUAL, USUAL, USUAL / 2 };
	struct load l = { .rates = rates, .n = 3, .first = 2, .last = 1 };

	(void)state;
	assert_false(load_fell(&l));
	l.n = 4;
	assert_true(load_fell(&l));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
