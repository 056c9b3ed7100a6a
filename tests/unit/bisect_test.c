// SPDX-License-Identifier: Apache-2.0
// Bisecting: from predicates over sets to the smallest failing ones, within
// few rounds, of disjoint groups only.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/locate/bisect.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MAX 512

/* struct world - which sets fail. */
struct world {
	int32_t bad[4];      /* units that fail with anybody; 0 ends, from 1 */
	int32_t pair[2];     /* fail together; from 1 */
	int32_t link;        /* fails with anybody, passes alone; from 1 */
	int32_t from;        /* that many units fail; 0: never */
	bool everything;     /* whatever it is */
	uint32_t freak;      /* this round fails, whoever is in it */
	uint32_t stop_after; /* rounds; 0: never */
	uint32_t rounds;
	size_t widest;
};

static bool has(const struct bisect_group *g, int32_t unit)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		if (g->units[i] == unit)
			return true;
	return false;
}

static bool fails(const struct world *w, const struct bisect_group *g)
{
	size_t i;

	for (i = 0; i < COUNT(w->bad) && w->bad[i]; i++)
		if (has(g, w->bad[i] - 1))
			return true;
	if (w->link && g->n > 1 && has(g, w->link - 1))
		return true;
	if (w->pair[0] && has(g, w->pair[0] - 1) && has(g, w->pair[1] - 1))
		return true;
	return w->everything || (w->freak && w->rounds == w->freak) ||
	       (w->from && (int32_t)g->n >= w->from);
}

static bool try_groups(void *arg, struct bisect_group *groups, size_t n)
{
	bool seen[MAX] = { false };
	struct world *w = arg;
	size_t i, k;

	if (w->stop_after && w->rounds == w->stop_after)
		return false;
	w->rounds++;
	if (n > w->widest)
		w->widest = n;
	for (i = 0; i < n; i++) {
		for (k = 0; k < groups[i].n; k++) {
			assert_false(seen[groups[i].units[k]]);
			seen[groups[i].units[k]] = true;
		}
		groups[i].fails = fails(w, &groups[i]);
	}
	return true;
}

static const struct {
	const char *name;
	struct world w;
	struct bisect_opts opts;
	const char *expected; /* kinds and units in words */
	uint32_t most;        /* rounds */
} cases[] = {
	{ "healthy", { .from = 0 }, { 8, 0, 1, 24 }, "", 1 },
	{ "one of two", { .bad = { 2 } }, { 2, 0, 1, 24 }, "culprit 1; ", 3 },
	{ "one of 512",
	  { .bad = { 301 } },
	  { 512, 0, 1, 24 },
	  "culprit 300; ",
	  3 },
	{ "one of 8, pairs at least",
	  { .bad = { 6 } },
	  { 8, 0, 2, 24 },
	  "culprit 5; ",
	  5 },
	{ "one of 9, pairs at least",
	  { .bad = { 9 } },
	  { 9, 0, 2, 24 },
	  "culprit 8; ",
	  7 },
	{ "two of 16",
	  { .bad = { 3, 12 } },
	  { 16, 0, 1, 24 },
	  "culprit 2; culprit 11; ",
	  4 },
	{ "three of 16, pairs at least",
	  { .bad = { 1, 2, 16 } },
	  { 16, 0, 2, 24 },
	  "culprit 0; culprit 1; culprit 15; ",
	  8 },
	{ "two together",
	  { .pair = { 4, 13 } },
	  { 16, 0, 1, 24 },
	  "together 3 12; ",
	  16 },
	{ "two neighbours together",
	  { .pair = { 5, 6 } },
	  { 16, 0, 2, 24 },
	  "together 4 5; ",
	  6 },
	{ "one whose link is bad",
	  { .link = 4 },
	  { 16, 0, 1, 24 },
	  "culprit 3; ",
	  6 },
	{ "one of three whose link is bad",
	  { .link = 1 },
	  { 3, 0, 1, 24 },
	  "culprit 0; ",
	  9 },
	{ "of two, whose link it is cannot be told",
	  { .link = 2 },
	  { 2, 0, 1, 24 },
	  "together 0 1; ",
	  2 },
	{ "a culprit and two together",
	  { .bad = { 9 }, .pair = { 2, 15 } },
	  { 16, 0, 1, 40 },
	  "culprit 8; together 1 14; ",
	  24 },
	{ "five or more",
	  { .from = 5 },
	  { 8, 0, 1, 24 },
	  "scale 3 4 5 6 7; ",
	  24 },
	{ "only all",
	  { .from = 6 },
	  { 6, 0, 1, 24 },
	  "scale 0 1 2 3 4 5; ",
	  16 },
	{ "everything",
	  { .everything = true },
	  { 8, 0, 1, 24 },
	  "everything 0 1 2 3 4 5 6 7; ",
	  2 },
	{ "everything, of four by two",
	  { .everything = true },
	  { 4, 0, 2, 24 },
	  "everything 0 1 2 3; ",
	  8 },
	{ "suspects were right",
	  { .bad = { 2 } },
	  { 64, 3, 1, 24 },
	  "culprit 1; ",
	  6 },
	{ "suspects were wrong",
	  { .bad = { 50 } },
	  { 64, 3, 1, 24 },
	  "culprit 49; ",
	  6 },
	{ "two that cannot be told apart",
	  { .bad = { 1 } },
	  { 2, 0, 2, 24 },
	  "together 0 1; ",
	  1 },
	{ "a freak at first", { .freak = 1 }, { 8, 0, 1, 24 }, "", 6 },
	{ "a freak at the end",
	  { .bad = { 6 }, .freak = 4 },
	  { 8, 0, 1, 24 },
	  "culprit 5; ",
	  12 },
	{ "no time at all",
	  { .bad = { 3 }, .stop_after = 1 },
	  { 8, 0, 1, 24 },
	  "unresolved 0 1 2 3 4 5 6 7; ",
	  1 },
	{ "too many rounds",
	  { .pair = { 4, 13 } },
	  { 16, 0, 1, 7 },
	  "unresolved",
	  7 },
};

static void tell(const struct bisect_result *r, char *buf, size_t size)
{
	static const char *const kinds[] = {
		[BISECT_CULPRIT] = "culprit",
		[BISECT_INTERACTION] = "together",
		[BISECT_SCALE] = "scale",
		[BISECT_EVERYTHING] = "everything",
		[BISECT_UNRESOLVED] = "unresolved",
	};
	size_t i, k, at = 0;

	buf[0] = '\0';
	for (i = 0; i < r->n_found; i++) {
		at += (size_t)snprintf(buf + at, size - at, "%s",
		                       kinds[r->found[i].kind]);
		for (k = 0; k < r->found[i].n; k++)
			at += (size_t)snprintf(
				buf + at, size - at, " %d",
				(int)r->units[r->found[i].first + k]);
		at += (size_t)snprintf(buf + at, size - at, "; ");
	}
}

static void sets_are_shrunk_to_their_culprits(void **state)
{
	struct bisect_result r;
	char got[256];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		struct world w = cases[i].w;
		const struct bisect_try how = { &w, try_groups };

		assert_int_equal(bisect_run(&cases[i].opts, &how, &r, NULL),
		                 FP_OK);
		tell(&r, got, sizeof(got));
		if (strncmp(got, cases[i].expected,
		            strlen(cases[i].expected)) != 0 ||
		    (!*cases[i].expected && *got))
			fail_msg("%s: %s", cases[i].name, got);
		/* The whole and each set that is named are tried once more. */
		if (w.rounds > cases[i].most + 1 + r.n_found)
			fail_msg("%s: %u rounds", cases[i].name, w.rounds);
		assert_int_equal(r.rounds, w.rounds);
		assert_true(r.failed || !*cases[i].expected);
		bisect_result_done(&r);
	}
	bisect_result_done(NULL);
}

/* The set that is left when time is up does fail. */
static void what_is_unresolved_fails(void **state)
{
	struct bisect_opts opts = { 64, 0, 1, 60 };
	uint32_t stop;

	(void)state;
	for (stop = 1; stop < 40; stop++) {
		struct world w = { .pair = { 7, 60 }, .stop_after = stop };
		const struct bisect_try how = { &w, try_groups };
		struct bisect_result r;
		struct bisect_group g;

		assert_int_equal(bisect_run(&opts, &how, &r, NULL), FP_OK);
		assert_int_equal(r.n_found, 1);
		g = (struct bisect_group){ .units = r.units,
			                   .n = r.found[0].n };
		assert_true(fails(&w, &g));
		assert_true(r.found[0].kind == BISECT_UNRESOLVED ||
		            r.found[0].n == 2);
		bisect_result_done(&r);
	}
}

static void nonsense_is_refused(void **state)
{
	static const struct bisect_opts bad[] = {
		{ 0, 0, 1, 9 }, { 1, 0, 2, 9 }, { 4, 5, 1, 9 },
		{ 4, 0, 3, 9 }, { 4, 0, 0, 9 }, { 4, -1, 1, 9 },
	};
	struct world w = { 0 };
	const struct bisect_try how = { &w, try_groups };
	struct bisect_result r;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		assert_int_equal(bisect_run(&bad[i], &how, &r, NULL),
		                 FP_ERR_INPUT);
		bisect_result_done(&r);
	}
	assert_int_equal(w.rounds, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_are_shrunk_to_their_culprits),
		cmocka_unit_test(what_is_unresolved_fails),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
