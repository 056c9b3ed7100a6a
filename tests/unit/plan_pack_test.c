// SPDX-License-Identifier: Apache-2.0
// Given pairs in few rounds, under the rules.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/plan/plan.h"
#include "tests/unit/build_run.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* What every schedule keeps: sorted by round, no empty round, a rank in one
 * pair of a round, a device with one flow each way between hosts. */
static void check_rules(const struct topo_job *job, const struct plan_pairs *p)
{
	uint32_t ranks[64] = { 0 }, tx[64][9] = { 0 }, rx[64][9] = { 0 };
	const struct topo_rank *s, *d;
	uint32_t round = 0;
	size_t i;

	for (i = 0; i < p->n; i++) {
		assert_true(p->pairs[i].round == round ||
		            (i && p->pairs[i].round == round + 1));
		round = p->pairs[i].round;
		s = &job->ranks[p->pairs[i].src];
		d = &job->ranks[p->pairs[i].dst];
		assert_true(s != d);
		assert_true(ranks[s->rank] <= round && ranks[d->rank] <= round);
		ranks[s->rank] = ranks[d->rank] = round + 1;
		if (s->host == d->host)
			continue;
		assert_true(tx[s->host][s->netdev] <= round);
		assert_true(rx[d->host][d->netdev] <= round);
		tx[s->host][s->netdev] = round + 1;
		rx[d->host][d->netdev] = round + 1;
	}
	assert_int_equal(p->n_rounds, p->n ? round + 1 : 0);
}

static const struct {
	const char *shape;
	struct plan_pair pairs[8];
	size_t n;
	uint32_t per_round, rounds;
} listed_cases[] = {
	{ "1 1", { { 0, 0, 1 } }, 1, 0, 1 },
	{ "1 1", { { 9, 0, 1 }, { 0, 1, 0 } }, 2, 0, 2 },
	{ "1 1 1 1", { { 0, 0, 1 }, { 0, 2, 3 } }, 2, 0, 1 },
	{ "1 1 1 1", { { 0, 0, 1 }, { 0, 2, 3 } }, 2, 1, 2 },
	/* the same pair again waits for another round */
	{ "1 1", { { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 } }, 3, 0, 3 },
	/* two ranks of h0 share its device one way only */
	{ "2 1 1", { { 0, 0, 2 }, { 0, 1, 3 } }, 2, 0, 2 },
	{ "2 1 1", { { 0, 0, 2 }, { 0, 3, 1 } }, 2, 0, 1 },
	/* the busy end first: 0 meets three, the rest fits beside */
	{ "1 1 1 1",
	  { { 0, 2, 3 }, { 0, 1, 2 }, { 0, 0, 1 }, { 0, 0, 2 }, { 0, 0, 3 } },
	  5,
	  0,
	  3 },
	{ "1 1 1 1 1",
	  { { 0, 0, 1 }, { 0, 2, 3 }, { 0, 4, 0 }, { 0, 4, 1 }, { 0, 4, 2 } },
	  5,
	  0,
	  3 },
	/* a rank hears one at a time, on whatever path */
	{ "3", { { 0, 0, 1 }, { 0, 2, 1 } }, 2, 0, 2 },
	{ "3", { { 0, 1, 0 }, { 0, 1, 2 } }, 2, 0, 2 },
	/* inside a host of 8 cores two at once */
	{ "8",
	  { { 0, 0, 1 }, { 0, 2, 3 }, { 0, 4, 5 }, { 0, 6, 7 } },
	  4,
	  0,
	  2 },
	{ "1", { { 0, 0, 0 } }, 0, 0, 0 },
};

static void listed_pairs_are_packed(void **state)
{
	struct plan_pairs p;
	struct build_run b;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(listed_cases); i++) {
		build_job(&b, listed_cases[i].shape, BUILD_ONE_DEV);
		assert_int_equal(plan_listed(&b.job, listed_cases[i].pairs,
		                             listed_cases[i].n,
		                             listed_cases[i].per_round, &p,
		                             NULL),
		                 FP_OK);
		assert_int_equal(p.n, listed_cases[i].n);
		assert_int_equal(p.n_rounds, listed_cases[i].rounds);
		check_rules(&b.job, &p);
		plan_pairs_done(&p);
		build_done(&b);
	}
}

static void listed_pairs_must_exist(void **state)
{
	static const struct plan_pair bad[] = {
		{ 0, 0, 0 },
		{ 0, 0, 2 },
		{ 0, -1, 1 },
		{ 0, 1, INT32_MAX },
	};
	struct plan_pairs p;
	struct build_run b;
	size_t i;

	(void)state;
	build_job(&b, "1 1", BUILD_ONE_DEV);
	for (i = 0; i < COUNT(bad); i++)
		assert_int_equal(plan_listed(&b.job, &bad[i], 1, 0, &p, NULL),
		                 FP_ERR_INPUT);
	build_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listed_pairs_are_packed),
		cmocka_unit_test(listed_pairs_must_exist),
	};

	return cmocka_run_group_tests_name("plan_pack", tests, NULL, NULL);
}
