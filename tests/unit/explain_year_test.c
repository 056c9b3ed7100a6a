// SPDX-License-Identifier: Apache-2.0
// Unit tests of times that tell no year.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/explain/clock.h"
#include "probes/explain/logline.h"
#include "tests/unit/explain_bed.h"

#define S CLOCK_NS_PER_S

/* 2026-03-13 23:30:00 */
#define START INT64_C(1773444600)

static int64_t time_of(const struct gather *g, int rank)
{
	return explain_bed_expect(g, &(struct seen){ KIND_WATCHDOG, rank, -2,
	                                             NULL, NULL, NULL, -2, -2 })
	        ->time_ns;
}

static void fills_in_the_year(void **state)
{
	static const char glog[] =
		"[rank0]:[E313 23:30:00.250000000 ProcessGroupNCCL.cpp:607] "
		"[Rank 0] Watchdog caught collective operation timeout: "
		"WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
		"Timeout(ms)=600000) ran for 1 milliseconds before timing out."
		"\n";
	struct gather g = { 0 };
	struct clocks clocks;
	struct fp_err err = { 0 };

	(void)state;
	explain_bed_read(&g, "rank0.log", glog);
	assert_int_equal(clocks_find(&g.events, &clocks, &err), FP_OK);
	assert_int_equal(g.events.e[0].stamp, STAMP_NO_YEAR);
	clocks_done(&clocks);
	gather_done(&g);

	explain_bed_read(&g, "rank0.log", glog);
	explain_bed_read(&g, "n1.log",
	                 "[2026-03-13 23:31:00] n1:7:8 [0] x.cc:1 NCCL WARN "
	                 "odd thing\n");
	assert_int_equal(clocks_find(&g.events, &clocks, &err), FP_OK);
	assert_int_equal(time_of(&g, 0), START * S + S / 4);
	clocks_done(&clocks);
	gather_done(&g);
}

static void a_year_ends_between_two_lines(void **state)
{
	static const char line[] =
		"[rank%d]:[E%s ProcessGroupNCCL.cpp:607] [Rank %d] Watchdog "
		"caught collective operation timeout: WorkNCCL(SeqNum=7, "
		"OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) "
		"ran for 1 milliseconds before timing out.\n";
	struct gather g = { 0 };
	struct clocks clocks;
	struct fp_err err = { 0 };
	char text[1024];
	int n;

	(void)state;
	n = snprintf(text, sizeof(text), line, 0, "1231 23:59:59.000000", 0);
	(void)snprintf(text + n, sizeof(text) - (size_t)n, line, 1,
	               "0101 00:00:01.000000", 1);
	explain_bed_read(&g, "log", text);
	assert_int_equal(clocks_find(&g.events, &clocks, &err), FP_OK);
	assert_int_equal(time_of(&g, 1) - time_of(&g, 0), 2 * S);
	clocks_done(&clocks);
	gather_done(&g);
}

/* Beginnings of lines that tell a time of March 13th, 23:30:00.25, or none. */
static const struct {
	const char *text;
	bool glog, syslog;
} beginnings[] = {
	{ "[E313 23:30:00.25 ProcessGroupNCCL.cpp:607] x", true, false },
	{ "[W0313 23:30:00.250000000 x.cpp:1] x", true, false },
	{ "I0313 23:30:00.250000 140234 torch/x.py:12] x", true, false },
	{ "Mar 13 23:30:00 n1 x[1]: y", false, true },
	{ "[E13 23:30:00.25 x.cpp:1] x", false, false },
	{ "[E1313 23:30:00.25 x.cpp:1] x", false, false },
	{ "[X313 23:30:00.25 x.cpp:1] x", false, false },
	{ "E313: x", false, false },
	{ "", false, false },
	{ "[", false, false },
	{ "Mar 13 23:30 n1", false, false },
	{ "Mac 13 23:30:00 n1", false, false },
};

static void reads_times_without_a_year(void **state)
{
	const int64_t day = INT64_C(69377400); /* 1972-03-13 23:30:00 */

	(void)state;
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]);
	     i++) {
		struct stamp glog = { 0 }, syslog = { 0 };
		const char *text = beginnings[i].text;

		assert_int_equal(logline_glog(text, &glog), beginnings[i].glog);
		assert_int_equal(logline_syslog(text, &syslog) > 0,
		                 beginnings[i].syslog);
		if (beginnings[i].glog)
			assert_int_equal(glog.ns, day * S + S / 4);
		if (beginnings[i].syslog)
			assert_int_equal(syslog.ns, day * S);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_times_without_a_year),
		cmocka_unit_test(fills_in_the_year),
		cmocka_unit_test(a_year_ends_between_two_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
