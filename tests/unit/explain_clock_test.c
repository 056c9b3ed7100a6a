// SPDX-License-Identifier: Apache-2.0
// Unit tests of clocks: whose they are, how far they are off, and what order
// of events that allows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "probes/explain/clock.h"
#include "tests/unit/explain_bed.h"

#define S CLOCK_NS_PER_S
#define NEAR_NS (S / 2)

/* 2026-03-13 23:30:00 */
#define START INT64_C(1773444600)

/* One job's logs: a text for each of some hosts. */
struct logs {
	char text[4][4096];
	size_t used[4];
};

/* The form of a stamp, with its blank; as strftime() takes it. */
static const char iso_z[] = "%Y-%m-%dT%H:%M:%SZ stdout F ";
static const char iso[] = "%Y-%m-%d %H:%M:%S ";

static void say(struct logs *l, int host, const char *form, int64_t at_s,
                const char *words)
{
	char stamp[64];
	time_t s = (time_t)at_s;
	struct tm when;
	int n;

	assert_non_null(gmtime_r(&s, &when));
	assert_true(strcmp(form, iso_z) == 0
	                    ? strftime(stamp, sizeof(stamp), iso_z, &when)
	                    : strftime(stamp, sizeof(stamp), iso, &when));
	n = snprintf(l->text[host] + l->used[host],
	             sizeof(l->text[host]) - l->used[host], "%s%s\n", stamp,
	             words);
	assert_true(n > 0 && (size_t)n < sizeof(l->text[host]) - l->used[host]);
	l->used[host] += (size_t)n;
}

/* A communicator with this id is complete on @host. */
static void complete(struct logs *l, int host, const char *form, int64_t at_s,
                     unsigned id)
{
	char words[160];

	(void)snprintf(words, sizeof(words),
	               "n%d:7:8 [0] NCCL INFO ncclCommInitRank comm 0x1 rank "
	               "%d nranks 8 commId 0x%x - Init COMPLETE",
	               host, host, id);
	say(l, host, form, at_s, words);
}

static void warn(struct logs *l, int host, const char *form, int64_t at_s)
{
	char words[80];

	(void)snprintf(words, sizeof(words),
	               "n%d:7:8 [0] x.cc:1 NCCL WARN odd thing", host);
	say(l, host, form, at_s, words);
}

static void read_logs(const struct logs *l, struct gather *g,
                      struct clocks *clocks)
{
	struct fp_err err = { 0 };
	char name[16];

	for (int i = 0; i < 4; i++) {
		if (!l->used[i])
			continue;
		(void)snprintf(name, sizeof(name), "n%d.log", i);
		explain_bed_read(g, name, l->text[i]);
	}
	if (clocks_find(&g->events, clocks, &err) != FP_OK)
		fail_msg("%s", err.text);
}

static const struct event *warning_of(const struct gather *g, const char *host)
{
	return explain_bed_expect(g,
	                          &(struct seen){ KIND_WARN_OTHER, -2, -2, host,
	                                          NULL, NULL, -2, -2 });
}

static const struct clock_row *
clock_of(const struct gather *g, const struct clocks *clocks, const char *host)
{
	const struct event *e = warning_of(g, host);

	assert_int_not_equal(e->clock, 0);
	return &clocks->c[e->clock - 1];
}

static void expect_ahead(const struct clock_row *row, int64_t want_s)
{
	if (llabs(row->ahead_ns - want_s * S) > NEAR_NS)
		fail_msg("%lld ns ahead, wanted %lld s",
		         (long long)row->ahead_ns, (long long)want_s);
}

/* Seconds that the clock of host 2 is ahead of the other two's. */
static const int64_t skews[] = { 0, 40, -40, 3600, -7200, 5 * 3600 + 1800 };

static void finds_how_far_a_clock_is_off(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(skews) / sizeof(skews[0]); i++) {
		struct gather g = { 0 };
		struct clocks clocks;
		struct logs *l = calloc(1, sizeof(*l));

		assert_non_null(l);
		for (int host = 0; host < 3; host++) {
			int64_t ahead = host == 2 ? skews[i] : 0;

			for (unsigned k = 0; k < 5; k++)
				complete(l, host, iso_z, START + 10 * k + ahead,
				         k);
			warn(l, host, iso_z, START + 60 + host * 5 + ahead);
		}
		read_logs(l, &g, &clocks);
		assert_int_equal(clocks.n, 3);
		expect_ahead(clock_of(&g, &clocks, "n0"), 0);
		expect_ahead(clock_of(&g, &clocks, "n1"), 0);
		expect_ahead(clock_of(&g, &clocks, "n2"), skews[i]);
		assert_int_equal(clock_of(&g, &clocks, "n2")->n_shared, 5);
		assert_int_equal(clocks_order(&clocks, warning_of(&g, "n1"),
		                              warning_of(&g, "n2")),
		                 CLOCK_BEFORE);
		assert_int_equal(clocks_order(&clocks, warning_of(&g, "n2"),
		                              warning_of(&g, "n0")),
		                 CLOCK_BEHIND);
		clocks_done(&clocks);
		gather_done(&g);
		free(l);
	}
}

static void one_wrong_moment_moves_nothing(void **state)
{
	static struct logs l;
	struct gather g = { 0 };
	struct clocks clocks;

	(void)state;
	for (unsigned k = 0; k < 5; k++) {
		complete(&l, 0, iso_z, START + 200 * k, k);
		complete(&l, 1, iso_z, START + 200 * k + (k == 2 ? 130 : 40),
		         k);
	}
	warn(&l, 0, iso_z, START + 990);
	warn(&l, 1, iso_z, START + 990);
	read_logs(&l, &g, &clocks);
	expect_ahead(clock_of(&g, &clocks, "n1"), 40);
	clocks_done(&clocks);
	gather_done(&g);
}

/* n0 and n1 share a moment, n1 and n2 another. */
static void compares_by_way_of_a_third(void **state)
{
	static struct logs l;
	struct gather g = { 0 };
	struct clocks clocks;

	(void)state;
	complete(&l, 0, iso_z, START, 1);
	complete(&l, 1, iso_z, START, 1);
	complete(&l, 1, iso_z, START + 50, 2);
	complete(&l, 2, iso_z, START + 50 - 90, 2);
	warn(&l, 0, iso_z, START + 60);
	warn(&l, 1, iso_z, START + 60);
	warn(&l, 2, iso_z, START + 10 - 90);
	read_logs(&l, &g, &clocks);
	expect_ahead(clock_of(&g, &clocks, "n2"), -90);
	assert_int_equal(clocks_order(&clocks, warning_of(&g, "n2"),
	                              warning_of(&g, "n0")),
	                 CLOCK_BEFORE);
	clocks_done(&clocks);
	gather_done(&g);
}

static void without_a_common_moment_nothing_is_ordered(void **state)
{
	static struct logs l;
	struct gather g = { 0 };
	struct clocks clocks;

	(void)state;
	complete(&l, 0, iso_z, START, 1);
	complete(&l, 1, iso_z, START, 2);
	warn(&l, 0, iso_z, START + 1);
	warn(&l, 1, iso_z, START + 100);
	read_logs(&l, &g, &clocks);
	assert_false(clocks_can_compare(&clocks, warning_of(&g, "n0"),
	                                warning_of(&g, "n1")));
	assert_int_equal(clocks_order(&clocks, warning_of(&g, "n0"),
	                              warning_of(&g, "n1")),
	                 CLOCK_UNKNOWN);
	clocks_done(&clocks);
	gather_done(&g);
}

static void what_is_too_close_is_not_ordered(void **state)
{
	static struct logs l;
	struct gather g = { 0 };
	struct clocks clocks;

	(void)state;
	complete(&l, 0, iso_z, START, 1);
	complete(&l, 1, iso_z, START, 1);
	warn(&l, 0, iso_z, START + 60);
	warn(&l, 1, iso_z, START + 60 + 2 * CLOCK_SLACK_S);
	read_logs(&l, &g, &clocks);
	assert_true(clocks_can_compare(&clocks, warning_of(&g, "n0"),
	                               warning_of(&g, "n1")));
	assert_int_equal(clocks_order(&clocks, warning_of(&g, "n0"),
	                              warning_of(&g, "n1")),
	                 CLOCK_UNKNOWN);
	clocks_done(&clocks);
	gather_done(&g);
}

/* Local time and time with a zone of one host are two clocks. */
static void a_zone_that_is_not_told_is_found(void **state)
{
	static struct logs l;
	struct gather g = { 0 };
	struct clocks clocks;

	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		complete(&l, 0, iso_z, START + 10 * k, k);
		complete(&l, 1, iso, START + 10 * k + 7200, k);
	}
	warn(&l, 0, iso_z, START + 70);
	warn(&l, 1, iso, START + 60 + 7200);
	read_logs(&l, &g, &clocks);
	assert_true(clock_of(&g, &clocks, "n1")->local);
	assert_false(clock_of(&g, &clocks, "n0")->local);
	expect_ahead(clock_of(&g, &clocks, "n1"), 7200);
	assert_int_equal(clocks_order(&clocks, warning_of(&g, "n1"),
	                              warning_of(&g, "n0")),
	                 CLOCK_BEFORE);
	clocks_done(&clocks);
	gather_done(&g);
}

/* The night in which n1 is set back by an hour. */
static void a_clock_that_is_set_back_is_two(void **state)
{
	static struct logs l;
	struct gather g = { 0 };
	struct clocks clocks;

	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		complete(&l, 0, iso, START + 10 * k, k);
		complete(&l, 1, iso, START + 10 * k + 3600, k);
	}
	for (unsigned k = 3; k < 6; k++) {
		complete(&l, 0, iso, START + 10 * k, k);
		complete(&l, 1, iso, START + 10 * k, k);
	}
	warn(&l, 0, iso, START + 80);
	warn(&l, 1, iso, START + 70);
	read_logs(&l, &g, &clocks);
	assert_int_equal(clocks.n, 3);
	assert_int_equal(clock_of(&g, &clocks, "n1")->era, 1);
	expect_ahead(clock_of(&g, &clocks, "n1"), 0);
	assert_int_equal(clocks_order(&clocks, warning_of(&g, "n1"),
	                              warning_of(&g, "n0")),
	                 CLOCK_BEFORE);
	clocks_done(&clocks);
	gather_done(&g);
}

#define WATCHDOG                                                            \
	"Watchdog caught collective operation timeout: WorkNCCL(SeqNum=%d," \
	" OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran" \
	" for 600000 milliseconds before timing out."

static void bite(struct logs *l, int host, int rank, int64_t at_s, int seq)
{
	char words[320], head[64];

	(void)snprintf(head, sizeof(head), "n%d: [rank%d]:[Rank %d] ", host,
	               rank, rank);
	(void)snprintf(words, sizeof(words), "%s" WATCHDOG, head, seq);
	say(l, host, iso_z, at_s, words);
}

/* A rank that came late to it has a watchdog that bites late. */
static void one_watchdog_proves_no_clock(void **state)
{
	static struct logs l;
	struct gather g = { 0 };
	struct clocks clocks;

	(void)state;
	bite(&l, 0, 0, START, 7);
	bite(&l, 1, 1, START + 250, 7);
	warn(&l, 0, iso_z, START + 600);
	warn(&l, 1, iso_z, START + 601);
	read_logs(&l, &g, &clocks);
	assert_false(clocks_can_compare(&clocks, warning_of(&g, "n0"),
	                                warning_of(&g, "n1")));
	clocks_done(&clocks);
	gather_done(&g);
}

static void watchdogs_of_several_ranks_do(void **state)
{
	static struct logs l;
	struct gather g = { 0 };
	struct clocks clocks;

	(void)state;
	for (int rank = 0; rank < 4; rank++) {
		bite(&l, 0, rank, START, 7);
		bite(&l, 1, 4 + rank, START - 45, 7);
	}
	warn(&l, 0, iso_z, START + 60);
	warn(&l, 1, iso_z, START + 60 - 45);
	read_logs(&l, &g, &clocks);
	assert_true(clocks_can_compare(&clocks, warning_of(&g, "n0"),
	                               warning_of(&g, "n1")));
	assert_int_equal(clock_of(&g, &clocks, "n0")->ahead_ns -
	                         clock_of(&g, &clocks, "n1")->ahead_ns,
	                 45 * S);
	clocks_done(&clocks);
	gather_done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_how_far_a_clock_is_off),
		cmocka_unit_test(one_wrong_moment_moves_nothing),
		cmocka_unit_test(compares_by_way_of_a_third),
		cmocka_unit_test(without_a_common_moment_nothing_is_ordered),
		cmocka_unit_test(what_is_too_close_is_not_ordered),
		cmocka_unit_test(a_zone_that_is_not_told_is_found),
		cmocka_unit_test(a_clock_that_is_set_back_is_two),
		cmocka_unit_test(one_watchdog_proves_no_clock),
		cmocka_unit_test(watchdogs_of_several_ranks_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
