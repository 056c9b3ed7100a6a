// SPDX-License-Identifier: Apache-2.0
// Unit tests of what control arms tell of NCCL.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/judge.h"
#include "probes/trial/variant.h"
#include "tests/unit/build_run.h"

#define GOOD_BPS 250e9
#define NOTHING FINDING_CODE_COUNT

/** struct arm - what came of the bad pair without something. */
struct arm {
	uint32_t variant;
	uint8_t state;
	double rate_Bps; /* 0: good */
	uint64_t wrong;
};

/** struct row - a bad pair, its plain copy, its arms; what they tell. */
struct row {
	uint8_t state; /* of the job's own */
	double rate_Bps;
	uint64_t wrong;
	uint8_t copy; /* OUTCOME_NONE: not tried */
	double copy_Bps;
	struct arm arms[3];
	unsigned code;
	const char *detail; /* part of it */
};

#define HANGS OUTCOME_HANG, 0, 0
#define FAILS OUTCOME_ERROR, 0, 0
#define WRONG OUTCOME_OK, 0, 4
#define SLOW OUTCOME_OK, 20e9, 0
#define FINE OUTCOME_OK, 0, 0
#define COPIES OUTCOME_OK, 0
#define NO_COPY OUTCOME_NONE, 0

static const struct row rows[] = {
	{ HANGS,
	  COPIES,
	  { { VARIANT_P2P_OFF, FINE } },
	  FINDING_NCCL_P2P,
	  "A plain copy is fine, NCCL is not: with NCCL_P2P_DISABLE=1" },
	{ FAILS,
	  NO_COPY,
	  { { VARIANT_GDR_OFF, FINE } },
	  FINDING_NCCL_GDR,
	  "With NCCL_NET_GDR_LEVEL=LOC the pair runs" },
	{ HANGS,
	  NO_COPY,
	  { { VARIANT_GDR_OFF, HANGS }, { VARIANT_SOCKET, FINE } },
	  FINDING_NCCL_IB,
	  "NCCL_NET=Socket" },
	{ HANGS,
	  NO_COPY,
	  { { VARIANT_HCA + 3, FINE } },
	  FINDING_NCCL_HCA,
	  "HCA 3" },
	{ HANGS,
	  NO_COPY,
	  { { VARIANT_BARE, FINE } },
	  FINDING_NCCL_ENV,
	  "no NCCL_* setting" },
	/* the control fails too */
	{ HANGS,
	  NO_COPY,
	  { { VARIANT_GDR_OFF, HANGS }, { VARIANT_SOCKET, HANGS } },
	  FINDING_NCCL_INCONCLUSIVE,
	  "INCONCLUSIVE" },
	{ HANGS,
	  COPIES,
	  { { VARIANT_P2P_OFF, HANGS }, { VARIANT_NET_ONLY, HANGS } },
	  FINDING_NCCL_ONLY,
	  "A plain copy is fine" },
	/* could not be run: nothing is told */
	{ HANGS,
	  NO_COPY,
	  { { VARIANT_GDR_OFF, OUTCOME_NOTRUN, 0, 0 } },
	  NOTHING,
	  "" },
	/* that it is fast does not make wrong data right, nor the reverse */
	{ WRONG,
	  COPIES,
	  { { VARIANT_P2P_OFF, WRONG } },
	  FINDING_NCCL_ONLY,
	  "whatever its settings" },
	{ WRONG,
	  COPIES,
	  { { VARIANT_P2P_OFF, OUTCOME_OK, 5e9, 0 } },
	  FINDING_NCCL_P2P,
	  "NCCL_P2P_DISABLE=1" },
	{ SLOW,
	  COPIES,
	  { { VARIANT_P2P_OFF, OUTCOME_OK, 60e9, 0 } },
	  FINDING_NCCL_P2P,
	  "faster" },
	{ SLOW,
	  COPIES,
	  { { VARIANT_P2P_OFF, OUTCOME_OK, 21e9, 0 } },
	  FINDING_NCCL_ONLY,
	  "" },
	{ SLOW,
	  COPIES,
	  { { VARIANT_P2P_OFF, OUTCOME_OK, 60e9, 4 } },
	  FINDING_NCCL_ONLY,
	  "" },
	/* nothing is wrong: arms say nothing */
	{ FINE, COPIES, { { VARIANT_P2P_OFF, HANGS } }, NOTHING, "" },
};

/* A pair and its retests, enough to be named. */
static void pair_add(struct build_run *b, const struct build_test *t,
                     uint32_t variant, unsigned times)
{
	struct build_test again = *t;

	for (unsigned i = 0; i < times; i++) {
		uint32_t id;

		again.stage = i ? TRIAL_S7_RETEST : TRIAL_S1_HOST;
		id = build_test(b, &again);
		b->results.trials[id - 1].variant = variant;
	}
}

static double or_good(double rate_Bps)
{
	return rate_Bps > 0 ? rate_Bps : GOOD_BPS;
}

/* The pair @src -> @dst as @row has it. */
static void bad_add(struct build_run *b, int32_t src, int32_t dst,
                    const struct row *row)
{
	struct build_test t = { .src = src,
		                .dst = dst,
		                .xport = XPORT_NCCL,
		                .src_state = row->state,
		                .dst_state = row->state,
		                .value = or_good(row->rate_Bps),
		                .wrong = row->wrong };

	pair_add(b, &t, 0, 8);
	for (size_t i = 0; i < 3 && row->arms[i].variant; i++) {
		t.src_state = t.dst_state = row->arms[i].state;
		t.value = or_good(row->arms[i].rate_Bps);
		t.wrong = row->arms[i].wrong;
		pair_add(b, &t, row->arms[i].variant, 1);
	}
	t = (struct build_test){ .src = src,
		                 .dst = dst,
		                 .xport = XPORT_CUDA,
		                 .src_state = row->copy,
		                 .dst_state = row->copy,
		                 .value = GOOD_BPS };
	if (row->copy != OUTCOME_NONE)
		pair_add(b, &t, 0, 1);
}

/* Eight GPUs; the pair 0 -> 1 is the row's, 2 -> 3 that of @other, if there is
 * one, and all others are good. */
static void row_build(const struct row *row, const struct row *other,
                      struct build_run *b)
{
	for (int32_t s = 0; s < 8; s++) {
		for (int32_t d = 0; d < 8; d++) {
			struct build_test t = { .src = s,
				                .dst = d,
				                .xport = XPORT_NCCL,
				                .value = GOOD_BPS };

			if (s == d || (s == 0 && d == 1) ||
			    (other && s == 2 && d == 3))
				continue;
			pair_add(b, &t, 0, 2);
			t.xport = XPORT_CUDA;
			pair_add(b, &t, 0, 1);
		}
	}
	bad_add(b, 0, 1, row);
	if (other)
		bad_add(b, 2, 3, other);
}

static const struct finding *told_by_arms(const struct findings *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->f[i].code >= FINDING_NCCL_P2P &&
		    list->f[i].code <= FINDING_NCCL_INCONCLUSIVE)
			return &list->f[i];
	return NULL;
}

static void row_judge(const struct row *row, const struct row *other,
                      struct build_run *b, struct findings *ret)
{
	struct judge_opts opts;
	struct matrices ms = { 0 };
	struct fp_err err = { 0 };

	judge_defaults(&opts);
	row_build(row, other, b);
	assert_int_equal(judge_matrices(&b->job, &b->results, &opts, &ms, &err),
	                 FP_OK);
	assert_int_equal(
		judge_findings(&b->job, &b->results, &ms, &opts, ret, &err),
		FP_OK);
	matrices_done(&ms);
}

static void test_what_arms_tell(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct build_run b = { 0 };
		struct findings list = { 0 };
		const struct finding *f;

		build_job(&b, "8", BUILD_ONE_DEV);
		row_judge(&rows[i], NULL, &b, &list);
		f = told_by_arms(&list);
		print_message("row %zu: %s\n", i, f ? f->detail : "-");
		assert_int_equal(f ? f->code : NOTHING, rows[i].code);
		if (f) {
			assert_non_null(strstr(f->detail, rows[i].detail));
			assert_int_equal(f->locus.kind, LOCUS_PAIR);
			assert_int_equal(f->locus.rank, 0);
			assert_int_equal(f->locus.peer_rank, 1);
		}
		findings_done(&list);
		build_done(&b);
	}
}

/* Trials in other environments are no tests of the job's own. */
static void test_arms_are_not_the_job(void **state)
{
	const struct row row = {
		FINE, COPIES, { { VARIANT_SOCKET, FAILS } }, NOTHING, ""
	};
	struct build_run b = { 0 };
	struct findings list = { 0 };

	(void)state;
	build_job(&b, "8", BUILD_ONE_DEV);
	row_judge(&row, NULL, &b, &list);
	assert_int_equal(list.n, 0);
	findings_done(&list);
	build_done(&b);
}

/* One finding, but not of one HCA. */
static void test_pairs_keep_their_arms(void **state)
{
	const struct row pairs[] = {
		{ HANGS,
		  NO_COPY,
		  { { VARIANT_HCA + 3, FINE } },
		  FINDING_NCCL_HCA,
		  "" },
		{ HANGS,
		  NO_COPY,
		  { { VARIANT_HCA + 5, FINE } },
		  FINDING_NCCL_HCA,
		  "" },
	};
	struct build_run b = { 0 };
	struct findings list = { 0 };
	const struct finding *f;
	size_t told = 0;

	(void)state;
	build_job(&b, "8", BUILD_ONE_DEV);
	row_judge(&pairs[0], &pairs[1], &b, &list);
	f = told_by_arms(&list);
	assert_non_null(f);
	for (uint32_t i = 0; f && i < f->n_evidence; i++)
		told += strstr(f->evidence[i], "runs with HCA 5") != NULL;
	assert_int_equal(told, 1);
	findings_done(&list);
	build_done(&b);
}

static void test_collectives(void **state)
{
	const uint8_t bad[] = { OUTCOME_ERROR, OUTCOME_OK, OUTCOME_OK,
		                OUTCOME_OK };
	struct build_run b = { 0 };
	struct findings list = { 0 };
	struct matrices ms = { 0 };
	struct judge_opts opts;
	struct fp_err err = { 0 };
	const struct finding *f;
	uint32_t id;

	(void)state;
	judge_defaults(&opts);
	build_job(&b, "4", BUILD_ONE_DEV);
	(void)build_coll(&b, OP_ALLREDUCE, bad, NULL);
	id = build_coll(&b, OP_ALLREDUCE, bad, NULL);
	b.results.trials[id - 1].variant = VARIANT_RING;
	id = build_coll(&b, OP_ALLREDUCE, NULL, NULL);
	b.results.trials[id - 1].variant = VARIANT_NVLS_OFF;
	assert_int_equal(
		judge_findings(&b.job, &b.results, &ms, &opts, &list, &err),
		FP_OK);
	f = told_by_arms(&list);
	assert_non_null(f);
	if (f) {
		assert_int_equal(f->code, FINDING_NCCL_FEATURE);
		assert_non_null(strstr(f->detail, "NCCL_NVLS_ENABLE=0"));
		assert_int_equal(f->locus.kind, LOCUS_JOB);
	}
	findings_done(&list);
	build_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_arms_tell),
		cmocka_unit_test(test_arms_are_not_the_job),
		cmocka_unit_test(test_pairs_keep_their_arms),
		cmocka_unit_test(test_collectives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
