// SPDX-License-Identifier: Apache-2.0
// Schedules of pairs: each as often as it should be, under the rules.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* How often each directed pair of ranks is in @p. */
static void count_pairs(const struct plan_pairs *p, uint32_t met[64][64])
{
	size_t i;

	memset(met, 0, 64 * sizeof(met[0]));
	for (i = 0; i < p->n; i++)
		met[p->pairs[i].src][p->pairs[i].dst]++;
}

static const char *const shapes[] = {
	"1",     "2",       "5",         "1 1",       "1 1 1",
	"2 2",   "2 2 2",   "4 4 4 4",   "1 2 3",     "8 1 1",
	"3 5 2", "1 1 1 1", "1 1 1 1 1", "8 8 8 7 1", "2 3",
};

static void inside_hosts_all_pairs(void **state)
{
	uint32_t met[64][64];
	struct plan_pairs p;
	struct build_run b;
	size_t i, s, d;

	(void)state;
	for (i = 0; i < COUNT(shapes); i++) {
		build_job(&b, shapes[i], BUILD_ONE_DEV);
		assert_int_equal(
			plan_inside_hosts(&b.job, NULL, 0, 0, &p, NULL), FP_OK);
		check_rules(&b.job, &p);
		count_pairs(&p, met);
		for (s = 0; s < b.job.n_ranks; s++)
			for (d = 0; d < b.job.n_ranks; d++)
				assert_int_equal(
					met[s][d],
					s != d && b.job.ranks[s].host ==
							  b.job.ranks[d].host);
		plan_pairs_done(&p);
		build_done(&b);
	}
}

static void inside_hosts_keeps_the_limit(void **state)
{
	uint32_t per_host, in_round[2], round = 0;
	struct plan_pairs p;
	struct build_run b;
	size_t i;

	(void)state;
	build_job(&b, "8 5", BUILD_ONE_DEV);
	for (per_host = 1; per_host <= 5; per_host++) {
		assert_int_equal(
			plan_inside_hosts(&b.job, NULL, per_host, 0, &p, NULL),
			FP_OK);
		assert_int_equal(p.n, 8 * 7 + 5 * 4);
		check_rules(&b.job, &p);
		for (i = 0; i < p.n; i++) {
			if (i == 0 || p.pairs[i].round != round)
				in_round[0] = in_round[1] = 0;
			round = p.pairs[i].round;
			in_round[b.job.ranks[p.pairs[i].src].host]++;
			assert_true(in_round[0] <= per_host &&
			            in_round[1] <= per_host);
		}
		/* the larger host decides: 7 matchings of 4 pairs, each way */
		assert_int_equal(p.n_rounds,
		                 2 * 7 * ((4 + per_host - 1) / per_host));
		plan_pairs_done(&p);
	}
	build_done(&b);
}

static void between_hosts_all_ranks(void **state)
{
	static const enum build_devs devs[] = { BUILD_ONE_DEV, BUILD_RAILS };
	uint32_t met[64][64];
	struct plan_pairs p;
	struct build_run b;
	size_t i, k, s, d;

	(void)state;
	for (i = 0; i < 2 * COUNT(shapes); i++) {
		k = i % COUNT(shapes);
		build_job(&b, shapes[k], devs[i / COUNT(shapes)]);
		const struct plan_between how = { .job = &b.job,
			                          .all_ranks = true };

		assert_int_equal(plan_between_hosts(&how, &p, NULL), FP_OK);
		check_rules(&b.job, &p);
		count_pairs(&p, met);
		for (s = 0; s < b.job.n_ranks; s++)
			for (d = 0; d < b.job.n_ranks; d++)
				assert_int_equal(met[s][d],
				                 b.job.ranks[s].host !=
				                         b.job.ranks[d].host);
		plan_pairs_done(&p);
		build_done(&b);
	}
}

static void between_hosts_is_tight(void **state)
{
	static const struct {
		const char *shape;
		enum build_devs devs;
		bool all_ranks;
		uint32_t rounds;
	} cases[] = {
		/* 15 matchings, each way */
		{ "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", BUILD_ONE_DEV, false, 30 },
		{ "4 4 4 4", BUILD_ONE_DEV, false, 6 },
		{ "1 1 1", BUILD_ONE_DEV, false, 6 },
		/* a shared device takes the 16 pairs of two hosts in turn */
		{ "4 4 4 4", BUILD_ONE_DEV, true, 96 },
		/* with rails four of them at once */
		{ "4 4 4 4", BUILD_RAILS, true, 24 },
		{ "2 1", BUILD_ONE_DEV, true, 4 },
		{ "5", BUILD_ONE_DEV, true, 0 },
	};
	struct plan_pairs p;
	struct build_run b;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		build_job(&b, cases[i].shape, cases[i].devs);
		const struct plan_between how = { .job = &b.job,
			                          .all_ranks =
			                                  cases[i].all_ranks };

		assert_int_equal(plan_between_hosts(&how, &p, NULL), FP_OK);
		assert_int_equal(p.n_rounds, cases[i].rounds);
		plan_pairs_done(&p);
		build_done(&b);
	}
}

static void between_hosts_once_each_way(void **state)
{
	uint32_t met[64][64], hosts[64][64];
	struct plan_pairs p;
	struct build_run b;
	size_t i, s, d;

	(void)state;
	for (i = 0; i < COUNT(shapes); i++) {
		build_job(&b, shapes[i], BUILD_ONE_DEV);
		const struct plan_between how = { .job = &b.job };

		assert_int_equal(plan_between_hosts(&how, &p, NULL), FP_OK);
		check_rules(&b.job, &p);
		count_pairs(&p, met);
		memset(hosts, 0, sizeof(hosts));
		for (s = 0; s < b.job.n_ranks; s++)
			for (d = 0; d < b.job.n_ranks; d++)
				hosts[b.job.ranks[s].host]
				     [b.job.ranks[d].host] += met[s][d];
		for (s = 0; s < b.job.n_hosts; s++)
			for (d = 0; d < b.job.n_hosts; d++)
				assert_int_equal(hosts[s][d], s != d);
		plan_pairs_done(&p);
		build_done(&b);
	}
}

static void ranks_take_turns(void **state)
{
	uint32_t asked[64] = { 0 };
	struct plan_pairs p;
	struct build_run b;
	size_t i;

	(void)state;
	build_job(&b, "4 4 4 4 4 4 4 4", BUILD_ONE_DEV);
	const struct plan_between how = { .job = &b.job };

	assert_int_equal(plan_between_hosts(&how, &p, NULL), FP_OK);
	for (i = 0; i < p.n; i++)
		asked[p.pairs[i].src]++;
	for (i = 0; i < b.job.n_ranks; i++)
		assert_true(asked[i] >= 1 && asked[i] <= 2);
	plan_pairs_done(&p);
	build_done(&b);
}

static void some_matchings_by_seed(void **state)
{
	struct plan_pairs p[4];
	struct build_run b;
	uint32_t met[64][64];
	size_t i, k;

	(void)state;
	build_job(&b, "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
	          BUILD_ONE_DEV);
	for (i = 0; i < 4; i++) {
		const struct plan_between how = { .job = &b.job,
			                          .matchings = 3,
			                          .seed = i / 2 };

		assert_int_equal(plan_between_hosts(&how, &p[i], NULL), FP_OK);
		check_rules(&b.job, &p[i]);
		assert_int_equal(p[i].n_rounds, 6);
		assert_int_equal(p[i].n, 6 * 12);
		count_pairs(&p[i], met);
		for (k = 0; k < p[i].n; k++)
			assert_int_equal(
				met[p[i].pairs[k].src][p[i].pairs[k].dst], 1);
	}
	assert_memory_equal(p[0].pairs, p[1].pairs,
	                    p[0].n * sizeof(*p[0].pairs));
	assert_memory_not_equal(p[0].pairs, p[2].pairs,
	                        p[0].n * sizeof(*p[0].pairs));
	for (i = 0; i < 4; i++)
		plan_pairs_done(&p[i]);
	build_done(&b);
}

static void skipped_ranks_stay_out(void **state)
{
	bool skip[9] = { false, true, false, false, false,
		         true,  true, false, false };
	struct plan_pairs in, between;
	struct build_run b;
	size_t i;

	(void)state;
	build_job(&b, "3 2 2 2", BUILD_ONE_DEV);
	b.job.ranks[8].host = -1;
	const struct plan_between how = { .job = &b.job,
		                          .skip = skip,
		                          .all_ranks = true };

	assert_int_equal(plan_inside_hosts(&b.job, skip, 0, 0, &in, NULL),
	                 FP_OK);
	assert_int_equal(plan_between_hosts(&how, &between, NULL), FP_OK);
	/* left: 0 2 | 3 4 | 7 */
	assert_int_equal(in.n, 4);
	assert_int_equal(between.n, 2 * (2 * 2 + 2 * 1 + 2 * 1));
	for (i = 0; i < between.n; i++)
		assert_false(skip[between.pairs[i].src] ||
		             skip[between.pairs[i].dst] ||
		             between.pairs[i].src == 8 ||
		             between.pairs[i].dst == 8);
	plan_pairs_done(&in);
	plan_pairs_done(&between);
	build_done(&b);
}

static void too_much_is_refused(void **state)
{
	struct topo_job job;
	struct topo_host host = { .n_cpus = 1, .name = "h" };
	struct plan_pairs p;
	struct fp_err err = { 0 };

	(void)state;
	assert_int_equal(topo_job_init(&job, 8192, NULL), FP_OK);
	assert_int_equal(topo_job_place(&job, 0, &host, NULL), FP_OK);
	for (size_t i = 1; i < job.n_ranks; i++)
		job.ranks[i].host = 0;
	assert_int_equal(plan_inside_hosts(&job, NULL, 0, 0, &p, &err),
	                 FP_ERR_LIMIT);
	assert_non_null(strstr(err.text, "pairs"));
	topo_job_done(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inside_hosts_all_pairs),
		cmocka_unit_test(inside_hosts_keeps_the_limit),
		cmocka_unit_test(between_hosts_all_ranks),
		cmocka_unit_test(between_hosts_is_tight),
		cmocka_unit_test(between_hosts_once_each_way),
		cmocka_unit_test(ranks_take_turns),
		cmocka_unit_test(some_matchings_by_seed),
		cmocka_unit_test(skipped_ranks_stay_out),
		cmocka_unit_test(too_much_is_refused),
	};

	return cmocka_run_group_tests_name("plan_pairs", tests, NULL, NULL);
}
