// SPDX-License-Identifier: Apache-2.0
// Ports that others use while they are measured.
#include "probes/judge/foreign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/judge.h"
#include "tests/unit/session_bed.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MiB ((uint64_t)1 << 20)

/* What a gigabyte is on the wire at most: headers, and little else. */
static void test_own(void **state)
{
	const uint64_t gb = 1000000000;
	struct foreign_use large = foreign_own(gb, 0, MiB, 4096);
	struct foreign_use small = foreign_own(gb, 0, MiB, 1024);

	(void)state;
	assert_in_range(large.tx, gb + gb / 4096 * 82, gb + gb / 30);
	assert_in_range(small.tx, gb + gb / 1024 * 82, gb + gb / 9);
	/* acknowledgements, one a packet at most */
	assert_in_range(large.rx, gb / 4096 * 40, gb / 30);
	/* an MTU that nobody told is small; a message of nothing is no zero */
	assert_true(foreign_own(gb, 0, MiB, 0).tx > small.tx);
	assert_true(foreign_own(0, 0, 0, 4096).tx > 0);
}

static void test_is(void **state)
{
	static const struct {
		struct foreign_use own, seen;
		bool want;
	} rows[] = {
		{ { 1000 * MiB, 10 * MiB }, { 1000 * MiB, 10 * MiB }, false },
		/* 1 % and what ports always hear */
		{ { 1000 * MiB, 10 * MiB }, { 1010 * MiB, 10 * MiB }, false },
		{ { 1000 * MiB, 10 * MiB }, { 1011 * MiB, 10 * MiB }, true },
		{ { 1000 * MiB, 10 * MiB }, { 1000 * MiB, 11 * MiB }, true },
		/* small trials: neighbours and routing are no foreign load */
		{ { 1024, 1024 }, { 200000, 200000 }, false },
		{ { 1024, 1024 }, { 300000, 1024 }, true },
		/* a counter that stands still says nothing */
		{ { 1000 * MiB, 10 * MiB }, { 0, 0 }, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (foreign_is(&rows[i].own, &rows[i].seen) != rows[i].want)
			fail_msg("row %zu", i);
}

/* struct end - what the ends of a verbs trial tell, MiB. */
struct end {
	uint64_t moved, tx, rx;
	bool untold;
};

static void tell(struct outcome *o, const struct end *e)
{
	o->moved_bytes = e->moved * MiB;
	outcome_put(o, COUNTER_PMTU, 4096);
	if (e->untold)
		return;
	outcome_put(o, COUNTER_PORT_TX_BYTES, (int64_t)(e->tx * MiB));
	outcome_put(o, COUNTER_PORT_RX_BYTES, (int64_t)(e->rx * MiB));
}

/* A trial, of the round before with @same. */
static uint32_t trial(struct build_run *b, const struct build_test *t,
                      const struct end ends[2], bool same)
{
	struct build_test v = *t;
	uint32_t id;

	v.xport = XPORT_VERBS;
	v.value = 1e9;
	b->round -= same;
	id = build_test(b, &v);
	tell(&b->results.outcomes[b->results.n_outcomes - 2], &ends[0]);
	tell(&b->results.outcomes[b->results.n_outcomes - 1], &ends[1]);
	return id;
}

static void ports(struct build_run *b, const char *const *names)
{
	for (size_t i = 0; i < b->job.n_ranks; i++)
		snprintf(b->job.ranks[i].port, sizeof(b->job.ranks[i].port),
		         "%s", names[i]);
}

static const struct build_test forth = { .src = 0, .dst = 2 };
static const char *const apart[] = { "a/1", "b/1", "a/1", "b/1" };
static const char *const shared[] = { "a/1", "a/1", "a/1", "a/1" };
static const struct end clean[2] = { { 100, 101, 1, false },
	                             { 100, 1, 101, false } };

static bool found(struct build_run *b, uint32_t id)
{
	struct foreign f;
	bool has;

	assert_int_equal(foreign_find(&b->job, &b->results, 0, &f, NULL),
	                 FP_OK);
	has = foreign_has(&f, id);
	foreign_done(&f);
	return has;
}

static void test_find(void **state)
{
	static const struct {
		struct end ends[2];
		struct build_test t;
		bool want;
	} rows[] = {
		{ { { 100, 101, 1, false }, { 100, 1, 101, false } },
		  { .src = 0, .dst = 2 },
		  false },
		{ { { 100, 150, 1, false }, { 100, 1, 101, false } },
		  { .src = 0, .dst = 2 },
		  true },
		{ { { 100, 101, 1, false }, { 100, 1, 150, false } },
		  { .src = 0, .dst = 2 },
		  true },
		{ { { 100, 101, 1, false }, { 100, 50, 101, false } },
		  { .src = 0, .dst = 2 },
		  true },
		/* both ways at once, each end tells what it received */
		{ { { 100, 101, 101, false }, { 100, 101, 101, false } },
		  { .src = 0, .dst = 2, .dir = DIR_BI, .back = 1e9 },
		  false },
		{ { { 100, 101, 201, false }, { 100, 101, 101, false } },
		  { .src = 0, .dst = 2, .dir = DIR_BI, .back = 1e9 },
		  true },
		/* what had to be sent again is not told: nor are others */
		{ { { 100, 0, 0, true }, { 100, 1, 150, false } },
		  { .src = 0, .dst = 2 },
		  false },
		/* what failed has its own story */
		{ { { 100, 101, 1, false }, { 100, 1, 150, false } },
		  { .src = 0, .dst = 2, .dst_state = OUTCOME_HANG },
		  false },
	};
	struct build_run b;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		build_job(&b, "2 2", BUILD_RAILS);
		ports(&b, apart);
		if (found(&b, trial(&b, &rows[i].t, rows[i].ends, false)) !=
		    rows[i].want)
			fail_msg("row %zu", i);
		build_done(&b);
	}
}

/* Ranks that share a port explain each other's bytes in one round. */
static void test_shared_port(void **state)
{
	static const struct end both[2] = { { 100, 202, 2, false },
		                            { 100, 2, 202, false } };
	static const struct build_test second = { .src = 1, .dst = 3 };
	struct build_run b;
	uint32_t id;

	(void)state;
	for (int k = 0; k < 3; k++) {
		build_job(&b, "2 2", BUILD_ONE_DEV);
		ports(&b, k == 1 ? apart : shared);
		id = trial(&b, &forth, both, false);
		(void)trial(&b, &second, both, k < 2);
		/* 0: one port, one round; 1: two ports; 2: two rounds */
		assert_int_equal(found(&b, id), k > 0);
		build_done(&b);
	}
}

/* The pair was measured again without: that counts, and it is said. */
static void test_said(void **state)
{
	static const struct end load[2] = { { 100, 101, 1, false },
		                            { 100, 1, 160, false } };
	struct findings list = { 0 };
	struct build_run b;

	(void)state;
	build_job(&b, "2 2", BUILD_RAILS);
	ports(&b, apart);
	(void)trial(&b, &forth, load, false);
	(void)trial(&b, &forth, clean, false);
	assert_int_equal(judge_foreign(&b.job, &b.results, &list, NULL), FP_OK);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.f[0].code, FINDING_PORT_FOREIGN);
	assert_int_equal(list.f[0].severity, SEVERITY_WARN);
	assert_string_equal(list.f[0].locus.host, "h1");
	assert_string_equal(list.f[0].locus.device, "a/1");
	assert_string_equal(list.f[0].evidence[1],
	                    "1 trials CONTAMINATED, 1 of them measured again "
	                    "without");
	findings_done(&list);
	build_done(&b);
}

/* Half the rate is lost to others while it lasts: nobody is accused. */
static void test_session(void **state)
{
	static const struct {
		double rounds;
		bool foreign, healthy;
	} rows[] = {
		{ 0, false, true },
		{ 1, true, true },   /* the second try is clean */
		{ 2, true, true },   /* the third */
		{ 1e6, true, false } /* never: not measured, and said so */
	};
	struct bed_case c = { .shape = "1 1 1 1 1 1",
		              .kind = SESSION_PAIRS,
		              .xport = XPORT_VERBS,
		              .noise = .005,
		              .n_rules = 1 };
	struct bed bed;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		c.rules[0] = (struct fake_rule){ .kind = FAKE_FOREIGN,
			                         .src = 2,
			                         .factor = rows[i].rounds };
		bed_run(&bed, &c, NULL);
		if ((bed_find(&bed, FINDING_PORT_FOREIGN) != NULL) !=
		            rows[i].foreign ||
		    findings_worst(&bed.session.findings) == SEVERITY_FAULT ||
		    (bed.session.verdict == VERDICT_HEALTHY) != rows[i].healthy)
			fail_msg("row %zu: verdict %u", i, bed.session.verdict);
		session_bed_close(&bed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own),  cmocka_unit_test(test_is),
		cmocka_unit_test(test_find), cmocka_unit_test(test_shared_port),
		cmocka_unit_test(test_said), cmocka_unit_test(test_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
