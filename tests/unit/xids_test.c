// SPDX-License-Identifier: Apache-2.0
// Unit tests of Xids that NVML reports while it is measured.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/xids.h"
#include "tests/unit/build_run.h"

#define GPUS 5
#define BUS "0000:31:00.0"
#define NOTHING FINDING_CODE_COUNT

static const struct finding *find(const struct findings *list, unsigned code)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->f[i].code == code &&
		    strcmp(list->f[i].locus.device, BUS) == 0)
			return &list->f[i];
	return NULL;
}

/* Xids of the last rank's GPU: which finding each is, and whether its rank's
 * worker had died. */
static const struct xid_row {
	const char *name;
	int64_t number;
	bool died;
	int64_t other; /* of the first rank's GPU; 0: none */
	unsigned code;
	uint32_t severity;
} xid_rows[] = {
	{ "lost", 79, false, 0, FINDING_GPU_LOST, SEVERITY_FAULT },
	{ "lost, and its worker died", 79, true, 0, FINDING_GPU_LOST,
	  SEVERITY_FAULT },
	{ "memory", 94, false, 0, FINDING_XID_HARDWARE, SEVERITY_FAULT },
	{ "NVLink", 74, false, 0, FINDING_XID_LINK, SEVERITY_FAULT },
	{ "a program's", 31, false, 0, FINDING_XID_APPLICATION, SEVERITY_WARN },
	{ "echo of a killed worker", 45, true, 0, NOTHING, 0 },
	{ "recovery action, to whatever", 154, false, 0, NOTHING, 0 },
	{ "remapped, alone", 145, false, 0, FINDING_XID_LINK, SEVERITY_WARN },
	{ "remapped, by another's fault", 145, false, 149, FINDING_XID_LINK,
	  SEVERITY_INFO },
	{ "not in the list", 999, false, 0, FINDING_XID_DRIVER,
	  SEVERITY_FAULT },
};

static void xid_add(struct build_run *b, int32_t rank, int64_t number)
{
	struct watch w = { .rank = rank,
		           .first = 2,
		           .last = 3,
		           .t0_s = 1,
		           .t1_s = 2,
		           .device = "0000:1b:00.0" };
	struct fp_err err = { .status = FP_OK };

	if (rank == GPUS - 1)
		memcpy(w.device, BUS, sizeof(BUS));
	watch_add_xid(&w, number);
	watch_add_xid(&w, number);
	assert_int_equal(w.n, 1);
	assert_null(watch_check(&w, GPUS));
	assert_true(watch_has_news(&w));
	assert_int_equal(results_add_watch(&b->results, &w, &err), FP_OK);
}

static void xid_row_run(const struct xid_row *row)
{
	struct run_event died = { .kind = EVENT_WORKER_DIED, .rank = GPUS - 1 };
	struct build_run b = { 0 };
	struct findings list = { 0 };
	struct fp_err err = { .status = FP_OK };
	const struct finding *f;

	build_job(&b, "5", BUILD_ONE_DEV);
	xid_add(&b, GPUS - 1, row->number);
	if (row->other)
		xid_add(&b, 0, row->other);
	if (row->died)
		assert_int_equal(results_add_event(&b.results, &died, &err),
		                 FP_OK);
	findings_add(&list, FINDING_GPU_HANG)->locus.rank = GPUS - 1;
	assert_int_equal(judge_xids(&b.job, &b.results, &list, &err), FP_OK);
	f = find(&list, row->code);
	assert_int_equal(!f, row->code == NOTHING);
	assert_int_equal(list.f[0].n_evidence, row->code != NOTHING);
	if (f) {
		assert_int_equal(f->severity, row->severity);
		assert_string_equal(f->locus.device, BUS);
		assert_string_equal(f->evidence[0], list.f[0].evidence[0]);
		assert_non_null(strstr(f->evidence[0],
		                       ", 2 times while trials 2 to 3"));
	}
	findings_done(&list);
	build_done(&b);
}

static void test_xids(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(xid_rows) / sizeof(xid_rows[0]); i++) {
		print_message("%s\n", xid_rows[i].name);
		xid_row_run(&xid_rows[i]);
	}
}

/* A full record still takes one; what is none is left out. */
static void test_xid_room(void **state)
{
	struct gpu_sample a, b;
	struct watch w = { .n = 0 };
	char key[WATCH_KEY_MAX];

	(void)state;
	memset(&a, 0, sizeof(a));
	memset(&b, 1, sizeof(b));
	watch_fill(&a, &b, &w);
	watch_add_xid(&w, 0);
	watch_add_xid(&w, GPU_XID_MAX + 1);
	assert_int_not_equal(w.values[WATCH_VALUES - 1].id, GPU_XIDS);
	watch_add_xid(&w, 79);
	assert_int_equal(w.n, WATCH_VALUES);
	assert_null(watch_check(&w, 1));
	assert_string_equal(watch_key(&w.values[WATCH_VALUES - 1], key),
	                    "xids/79");
	w.values[WATCH_VALUES - 1].link = GPU_XID_MAX + 1;
	assert_non_null(watch_check(&w, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xids),
		cmocka_unit_test(test_xid_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
