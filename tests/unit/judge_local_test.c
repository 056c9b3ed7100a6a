// SPDX-License-Identifier: Apache-2.0
// Unit tests of GPUs by themselves: a slow one, or one behind a slow link.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/local.h"
#include "tests/unit/build_run.h"

#define RANKS 4
#define FIGURES 5
#define NOTHING FINDING_CODE_COUNT

static const unsigned counters[FIGURES] = {
	COUNTER_LOCAL_H2D,    COUNTER_LOCAL_D2H,   COUNTER_LOCAL_COPY,
	COUNTER_LOCAL_MEMORY, COUNTER_LOCAL_FLOPS,
};
static const int64_t usual[FIGURES] = { 55000000000, 54000000000, 1200000000000,
	                                2400000000000, 60000000000000 };

/* What rank 2 does of the usual, in two tests; what it is accused of. */
static const struct row {
	double share[2][FIGURES];
	unsigned code;
} rows[] = {
	{ { { 1, 1, 1, 1, 1 }, { 1, 1, 1, 1, 1 } }, NOTHING },
	{ { { 1, 1, 1, 1, .8 }, { 1, 1, 1, 1, .8 } }, FINDING_GPU_SLOW },
	{ { { 1, 1, .7, .7, 1 }, { 1, 1, .7, .7, 1 } }, FINDING_GPU_SLOW },
	{ { { .5, 1, 1, 1, 1 }, { .5, 1, 1, 1, 1 } }, FINDING_GPU_PCIE_SLOW },
	{ { { 1, .5, 1, 1, 1 }, { 1, .5, 1, 1, 1 } }, FINDING_GPU_PCIE_SLOW },
	/* once is by chance, and a little is what they differ by */
	{ { { .5, .5, .5, .5, .5 }, { 1, 1, 1, 1, 1 } }, NOTHING },
	{ { { .9, .9, .9, .9, .9 }, { .9, .9, .9, .9, .9 } }, NOTHING },
};

static void alone_add(struct build_run *b, int32_t rank, const double *share)
{
	struct trial t = { .xport = XPORT_CUDA,
		           .op = OP_WRITE,
		           .mem = MEM_CUDA,
		           .bytes = 1 << 20,
		           .src = rank,
		           .dst = rank,
		           .deadline_s = 1 };
	struct batch batch = { .trials = &t, .n_trials = 1 };
	struct outcome o = { .rank = rank, .state = OUTCOME_OK };
	struct fp_err err = { 0 };

	assert_int_equal(results_add_batch(&b->results, &batch, &err), FP_OK);
	o.trial = t.id;
	for (size_t i = 0; i < FIGURES; i++)
		outcome_put(&o, counters[i],
		            (int64_t)((double)usual[i] * share[i]));
	assert_int_equal(results_add_outcome(&b->results, &o, NULL, 0, &err),
	                 FP_OK);
}

static void row_build(const struct row *row, int32_t ranks, struct build_run *b)
{
	const double good[FIGURES] = { 1, 1, 1, 1, 1 };

	for (int32_t r = 0; r < ranks; r++)
		alone_add(b, r, r == ranks - 1 ? row->share[0] : good);
	alone_add(b, ranks - 1, row->share[1]);
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct build_run b = { 0 };
		struct findings list = { 0 };
		bool low[RANKS] = { false };
		struct fp_err err = { 0 };

		build_job(&b, "4", BUILD_ONE_DEV);
		row_build(&rows[i], RANKS, &b);
		assert_int_equal(judge_local(&b.job, &b.results, &list, &err),
		                 FP_OK);
		assert_int_equal(judge_local_low(&b.job, &b.results, low, &err),
		                 FP_OK);
		assert_int_equal(list.n, rows[i].code != NOTHING);
		assert_int_equal(low[RANKS - 1], rows[i].code != NOTHING);
		assert_false(low[0] || low[1] || low[2]);
		if (list.n) {
			assert_int_equal(list.f[0].code, rows[i].code);
			assert_int_equal(list.f[0].locus.kind, LOCUS_RANK);
			assert_int_equal(list.f[0].locus.rank, RANKS - 1);
		}
		findings_done(&list);
		build_done(&b);
	}
}

/* Of two nobody knows which is right. */
static void test_two_tell_nothing(void **state)
{
	struct build_run b = { 0 };
	struct findings list = { 0 };
	struct fp_err err = { 0 };

	(void)state;
	build_job(&b, "2", BUILD_ONE_DEV);
	row_build(&rows[1], 2, &b);
	assert_int_equal(judge_local(&b.job, &b.results, &list, &err), FP_OK);
	assert_int_equal(list.n, 0);
	findings_done(&list);
	build_done(&b);
}

/* Ranks 0 to 2 have half of what the others' GPUs do, and none of it is slow;
 * of the others the last one is. */
static void test_models_are_apart(void **state)
{
	const double half[FIGURES] = { .5, .5, .5, .5, .5 };
	const double good[FIGURES] = { 1, 1, 1, 1, 1 };
	const double low[FIGURES] = { 1, 1, 1, 1, .7 };
	struct build_run b = { 0 };
	struct findings list = { 0 };
	struct fp_err err = { 0 };

	(void)state;
	build_job(&b, "3 4", BUILD_ONE_DEV);
	build_gpus(&b.job.hosts[0], 3, "NVIDIA A100-SXM4-80GB");
	build_gpus(&b.job.hosts[1], 4, "NVIDIA H100 80GB HBM3");
	for (int32_t r = 0; r < 7; r++)
		alone_add(&b, r, r < 3 ? half : r < 6 ? good : low);
	assert_int_equal(judge_local(&b.job, &b.results, &list, &err), FP_OK);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.f[0].code, FINDING_GPU_SLOW);
	assert_int_equal(list.f[0].locus.rank, 6);
	findings_done(&list);
	build_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_two_tell_nothing),
		cmocka_unit_test(test_models_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
