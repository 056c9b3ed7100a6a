// SPDX-License-Identifier: Apache-2.0
// Unit tests of watched GPUs: what is judged of what they count.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/watch.h"
#include "probes/judge/watched.h"
#include "tests/unit/build_run.h"

#define GPUS 5
#define BUS "0000:31:00.0"
#define NOTHING FINDING_CODE_COUNT

static const struct row {
	const char *name;
	struct watch_value value;
	unsigned before; /* found already at that rank; NOTHING: nothing is */
	unsigned code;
	uint32_t kind;
	bool all; /* every GPU shows it */
} rows[] = {
	{ "clean", { GPU_TEMPERATURE, -1, 60 }, NOTHING, NOTHING, 0, false },
	{ "replays",
	  { GPU_LINK_REPLAYS, 3, 120 },
	  NOTHING,
	  FINDING_NVLINK_ERRORS,
	  LOCUS_NVLINK,
	  false },
	{ "few replays",
	  { GPU_LINK_REPLAYS, 3, 2 },
	  NOTHING,
	  NOTHING,
	  0,
	  false },
	{ "replays of all",
	  { GPU_LINK_REPLAYS, 3, 120 },
	  NOTHING,
	  NOTHING,
	  0,
	  true },
	{ "a recovery",
	  { GPU_LINK_RECOVERIES, 3, 1 },
	  FINDING_GPU_PAIR_SLOW,
	  FINDING_NVLINK_ERRORS,
	  LOCUS_NVLINK,
	  false },
	{ "replays of PCIe",
	  { GPU_PCIE_REPLAYS, -1, 40 },
	  FINDING_GPU_PCIE_SLOW,
	  FINDING_PCIE_REPLAYS,
	  LOCUS_GPU,
	  false },
	{ "memory",
	  { GPU_ECC_UNCORRECTED, -1, 1 },
	  FINDING_DATA_CORRUPT,
	  FINDING_GPU_ECC,
	  LOCUS_GPU,
	  false },
	{ "corrected",
	  { GPU_ECC_CORRECTED, -1, 9 },
	  NOTHING,
	  NOTHING,
	  0,
	  false },
	{ "heat",
	  { GPU_CLOCK_EVENTS, -1, GPU_EVENT_HEAT_HW },
	  FINDING_GPU_SLOW,
	  FINDING_GPU_HOT,
	  LOCUS_GPU,
	  false },
	{ "heat by hardware",
	  { GPU_CLOCK_EVENTS, -1, GPU_EVENT_HEAT_HW | GPU_EVENT_SLOWDOWN },
	  FINDING_GPU_SLOW,
	  FINDING_GPU_HOT,
	  LOCUS_GPU,
	  false },
	{ "brake",
	  { GPU_CLOCK_EVENTS, -1, GPU_EVENT_BRAKE },
	  FINDING_GPU_SLOW,
	  FINDING_GPU_SLOWDOWN,
	  LOCUS_GPU,
	  false },
	{ "power cap",
	  { GPU_CLOCK_EVENTS, -1, GPU_EVENT_POWER_CAP },
	  NOTHING,
	  NOTHING,
	  0,
	  false },
};

static void watch_add(struct build_run *b, int32_t rank, uint32_t trial,
                      const struct watch_value *v)
{
	struct watch w = { .rank = rank,
		           .first = trial,
		           .last = trial,
		           .n = v ? 1 : 0,
		           .t0_s = trial,
		           .t1_s = trial + 1.0,
		           .device = BUS };
	struct fp_err err = { .status = FP_OK };

	if (v)
		w.values[0] = *v;
	assert_int_equal(results_add_watch(&b->results, &w, &err), FP_OK);
}

static const struct finding *find(const struct findings *list, unsigned code)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->f[i].code == code)
			return &list->f[i];
	return NULL;
}

static void row_check(const struct row *row, const struct findings *list)
{
	size_t known = row->before != NOTHING;
	const struct finding *f;

	assert_int_equal(list->n, known + (row->code != NOTHING));
	if (row->code == NOTHING)
		return;
	f = find(list, row->code);
	assert_non_null(f);
	assert_int_equal(f->locus.kind, row->kind);
	assert_string_equal(f->locus.device,
	                    row->kind == LOCUS_NVLINK ? BUS "/nvlink3" : BUS);
	assert_int_equal(f->n_evidence, 1);
	assert_non_null(strstr(f->evidence[0], "trials 2 to 3 ran"));
	if (!known)
		return;
	f = find(list, row->before);
	assert_int_equal(f->n_evidence, 1);
	assert_string_equal(f->evidence[0], find(list, row->code)->evidence[0]);
}

static void row_run(const struct row *row)
{
	struct build_run b = { 0 };
	struct findings list = { 0 };
	struct fp_err err = { .status = FP_OK };
	struct finding *f;

	build_job(&b, "5", BUILD_ONE_DEV);
	for (int32_t r = 0; r < GPUS; r++)
		watch_add(&b, r, 0, NULL);
	for (int32_t r = row->all ? 0 : GPUS - 1; r < GPUS; r++) {
		watch_add(&b, r, 2, &row->value);
		watch_add(&b, r, 3, &row->value);
	}
	if (row->before != NOTHING) {
		f = findings_add(&list, row->before);
		f->locus.rank = GPUS - 1;
	}
	assert_int_equal(judge_watch(&b.job, &b.results, &list, &err), FP_OK);
	row_check(row, &list);
	findings_done(&list);
	build_done(&b);
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		row_run(&rows[i]);
	}
}

/* A place that checks have found already has one finding, not two. */
static void test_known_place(void **state)
{
	const struct watch_value v = { GPU_LINK_RECOVERIES, 3, 1 };
	struct build_run b = { 0 };
	struct findings list = { 0 };
	struct fp_err err = { .status = FP_OK };
	struct finding *f;

	(void)state;
	build_job(&b, "5", BUILD_ONE_DEV);
	f = findings_add(&list, FINDING_NVLINK_ERRORS);
	f->locus.kind = LOCUS_NVLINK;
	strcpy(f->locus.host, b.job.hosts[0].name);
	strcpy(f->locus.device, BUS "/nvlink3");
	watch_add(&b, 1, 2, &v);
	assert_int_equal(judge_watch(&b.job, &b.results, &list, &err), FP_OK);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.f[0].n_evidence, 1);
	findings_done(&list);
	build_done(&b);
}

static void test_sums(void **state)
{
	const struct watch_value link = { GPU_LINK_CRC, 35, 4 };
	const struct watch_value heat = { GPU_TEMPERATURE, -1, 77 };
	struct build_run b = { 0 };
	struct watched_all all;
	struct fp_err err = { .status = FP_OK };

	(void)state;
	build_job(&b, "5", BUILD_ONE_DEV);
	watch_add(&b, 4, 1, &link);
	watch_add(&b, 2, 2, &heat);
	watch_add(&b, 4, 3, &link);
	assert_int_equal(watched_make(&b.results, &all, &err), FP_OK);
	assert_int_equal(all.n, 2);
	assert_int_equal(all.ranks[0].rank, 2);
	assert_int_equal(all.ranks[0].hottest, 77);
	assert_int_equal(watched_last(&all.ranks[0], GPU_TEMPERATURE, 0), 77);
	assert_int_equal(all.ranks[1].n, 2);
	assert_int_equal(
		all.ranks[1].link_rise[GPU_LINK_CRC - GPU_LINK_FIRST][35], 8);
	assert_int_equal(all.ranks[1].hottest, -1);
	watched_done(&all);
	build_done(&b);
}

/* A rate is of both ends, and belongs to the first look after it began. */
static void test_rates(void **state)
{
	static const struct {
		double start_s, Bps;
	} measured[] = { { 2.5, 9e9 }, { 1.5, 7e9 }, { 3.5, 0 }, { 4.5, 8e9 } };
	static const struct watched_span want[] = { { 0, 0 },
		                                    { 0, 1 },
		                                    { 1, 1 } };
	struct build_run b = { 0 };
	struct watched_all all;
	struct fp_err err = { .status = FP_OK };

	(void)state;
	build_job(&b, "2", BUILD_ONE_DEV);
	for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
		uint32_t id = build_test(
			&b, &(struct build_test){ .dst = 1,
		                                  .value = measured[i].Bps });

		for (size_t k = 0; k < b.results.n_outcomes; k++)
			if (b.results.outcomes[k].trial == id)
				b.results.outcomes[k].start_s =
					measured[i].start_s;
	}
	for (int32_t r = 0; r < 2; r++)
		for (uint32_t t = 0; t < 3; t++)
			watch_add(&b, r, t, NULL); /* at 1, 2 and 3 s */
	assert_int_equal(watched_make(&b.results, &all, &err), FP_OK);
	assert_int_equal(all.n, 2);
	for (size_t r = 0; r < all.n; r++) {
		assert_int_equal(all.ranks[r].n_rates, 3);
		assert_int_equal(all.ranks[r].rates[0].Bps, 7e9);
		assert_int_equal(all.ranks[r].rates[1].trial, 1);
		for (size_t i = 0; i < 3; i++) {
			struct watched_span s =
				watched_between(&all.ranks[r], i);

			assert_int_equal(s.n, want[i].n);
			if (s.n)
				assert_int_equal(s.first, want[i].first);
		}
	}
	watched_done(&all);
	build_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_known_place),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
