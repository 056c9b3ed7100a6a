// SPDX-License-Identifier: Apache-2.0
// The machine that locates: no round stands in its own way, suspects are asked
// again with fewer beside them, and what was not asked accuses nobody.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/locate/locate.h"
#include "probes/trial/trial.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct plan_case {
	struct {
		int32_t hosts, gpus, nics, hosts_per_leaf;
		double oversubscription;
		bool rails;
		unsigned inside;
	} cluster;
	unsigned mode;
} plan_cases[] = {
	{ { 1, 8, 8, 0, 1, true, FABRIC_INSIDE_NVSWITCH }, LOCATE_STANDARD },
	{ { 8, 8, 8, 2, 1, true, FABRIC_INSIDE_NVSWITCH }, LOCATE_STANDARD },
	{ { 9, 4, 2, 3, 1, true, FABRIC_INSIDE_PCIE }, LOCATE_DEEP },
	{ { 24, 8, 4, 8, 4, false, FABRIC_INSIDE_NVLINK }, LOCATE_STANDARD },
	{ { 40, 2, 1, 10, 2, true, FABRIC_INSIDE_PCIE }, LOCATE_QUICK },
	{ { 12, 0, 2, 4, 1, false, FABRIC_INSIDE_NVSWITCH }, LOCATE_STANDARD },
	{ { 5, 8, 0, 0, 1, true, FABRIC_INSIDE_NVSWITCH }, LOCATE_STANDARD },
};

static void build(const struct plan_case *c, struct fabric *f)
{
	struct fabric_spec spec;

	fabric_spec_defaults(&spec, c->cluster.hosts);
	spec.gpus = c->cluster.gpus;
	spec.nics = c->cluster.nics;
	spec.hosts_per_leaf = c->cluster.hosts_per_leaf;
	spec.oversubscription = c->cluster.oversubscription;
	spec.rail_optimised = c->cluster.rails;
	spec.inside = c->cluster.inside;
	assert_int_equal(fabric_init(f, &spec, NULL), FP_OK);
}

/* struct usage - who is busy in a round, counted without the packer's help. */
struct usage {
	int gpu[40][8][2], nic[40][8][2], to_cpu[40][8][2];
	int up[64], down[64];
};

static void count_end(const struct fabric *f, struct usage *u,
                      const struct fabric_transfer *t, int way)
{
	const struct fabric_end *e = way ? &t->dst : &t->src;
	int32_t ids[FABRIC_PATH_MAX], id;
	size_t n = fabric_cross(f, t, ids), i;
	int32_t at = -1;

	if (e->gpu >= 0)
		assert_int_equal(u->gpu[e->host][e->gpu][way]++, 0);
	if (e->nic >= 0)
		assert_int_equal(u->nic[e->host][e->nic][way]++, 0);
	if (e->nic >= 0)
		at = fabric_nic_switch(f, e->nic);
	else if (e->gpu >= 0)
		at = fabric_gpu_switch(f, e->gpu);
	if (at < 0)
		return;
	id = fabric_host_id(f, FABRIC_SOCKET, e->host,
	                    fabric_switch_socket(f, at));
	for (i = 0; i < n; i++)
		if (ids[i] == id && (e->gpu < 0 || e->nic < 0))
			assert_int_equal(u->to_cpu[e->host][at][way]++, 0);
}

static void count_leaves(const struct fabric *f, struct usage *u,
                         const struct fabric_transfer *t)
{
	int32_t a = fabric_leaf(f, t->src.host, t->src.nic);
	int32_t b = fabric_leaf(f, t->dst.host, t->dst.nic);

	if (a < 0 || a == b)
		return;
	assert_true(++u->up[a] <= fabric_uplinks(f));
	assert_true(++u->down[b] <= fabric_uplinks(f));
}

static void check_round(const struct locate *l, const struct locate_ask *a,
                        size_t n)
{
	struct usage *u = calloc(1, sizeof(*u));
	uint8_t cls = l->tests.t[a[0].test].cls;
	size_t i;

	assert_non_null(u);
	for (i = 0; i < n; i++) {
		const struct locate_test *t = &l->tests.t[a[i].test];

		if (i && a[i].test == a[i - 1].test)
			continue; /* a burst */
		assert_true(a[i].solo || t->cls == cls);
		count_end(l->f, u, &t->t, 0);
		count_end(l->f, u, &t->t, 1);
		count_leaves(l->f, u, &t->t);
	}
	free(u);
}

static size_t check_rounds(const struct locate *l)
{
	const struct locate_batch *b = &l->batch;
	size_t i, end, most = 0;

	for (i = 0; i < b->n; i = end) {
		for (end = i;
		     end < b->n && b->asks[end].round == b->asks[i].round;
		     end++)
			;
		assert_true(end == b->n ||
		            b->asks[end].round == b->asks[i].round + 1);
		check_round(l, b->asks + i, end - i);
		if (end - i > most)
			most = end - i;
	}
	return most;
}

/* A cluster in which asks that @slow says so are slow. */
static void feed_asks(struct locate *l,
                      bool (*slow)(const struct locate *l, size_t ask))
{
	struct locate_look *looks = calloc(l->batch.n + 1, sizeof(*looks));
	size_t i;

	assert_non_null(looks);
	for (i = 0; i < l->batch.n; i++) {
		double x = .004 * (double)(i % 5) - .008;

		if (slow(l, i))
			x += log(.5);
		looks[i] = (struct locate_look){
			.state = OUTCOME_OK,
			.stage = STAGE_DONE,
			.small_ok = true,
			.capability = x,
			.floor = x - .02,
			.latency = NAN,
		};
	}
	assert_int_equal(locate_eat(l, looks, NULL), FP_OK);
	free(looks);
}

static const struct fabric_transfer *transfer_of(const struct locate *l,
                                                 size_t ask)
{
	return &l->tests.t[l->batch.asks[ask].test].t;
}

static bool nobody(const struct locate *l, size_t ask)
{
	(void)l;
	(void)ask;
	return false;
}

static void start(struct locate *l, const struct fabric *f, unsigned mode)
{
	const struct locate_opts opts = {
		.extent = locate_extent_of(f, mode),
		.seed = 7,
		.partners = 2,
	};

	assert_int_equal(locate_init(l, f, &opts, NULL), FP_OK);
}

static void no_round_measures_itself(void **state)
{
	struct fabric f;
	struct locate l;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(plan_cases); i++) {
		build(&plan_cases[i], &f);
		start(&l, &f, plan_cases[i].mode);
		for (;;) {
			assert_int_equal(locate_next(&l, NULL), FP_OK);
			if (!l.batch.n)
				break;
			(void)check_rounds(&l);
			feed_asks(&l, nobody);
		}
		assert_int_equal(l.a.n, 0);
		assert_int_equal(l.n_retests, 0);
		locate_done(&l);
		fabric_done(&f);
	}
}

static void small_clusters_are_tested_wholly(void **state)
{
	struct locate_cover c;
	struct fabric f;
	struct locate l;

	(void)state;
	build(&plan_cases[1], &f);
	start(&l, &f, LOCATE_STANDARD);
	do {
		assert_int_equal(locate_next(&l, NULL), FP_OK);
		if (l.batch.n)
			feed_asks(&l, nobody);
	} while (!l.finished);
	c = locate_cover(&l);
	assert_true(c.pairs == c.pairs_total);
	assert_true(c.pairs_total == 8 * 56 + 56 * 8);
	assert_true(c.ports_tx == 64 && c.ports_rx == 64);
	assert_true(c.not_run == 0 && fabs(c.miss) < 1e-9);
	locate_done(&l);
	fabric_done(&f);
}

static void sampled_ones_say_what_they_can_miss(void **state)
{
	struct plan_case big = { { 40, 8, 8, 10, 1, true, 0 },
		                 LOCATE_STANDARD };
	struct locate_cover c;
	struct fabric f;
	struct locate l;

	(void)state;
	build(&big, &f);
	start(&l, &f, LOCATE_STANDARD);
	do {
		assert_int_equal(locate_next(&l, NULL), FP_OK);
		if (l.batch.n)
			feed_asks(&l, nobody);
	} while (!l.finished);
	c = locate_cover(&l);
	/* 3 partners of 39, of which two may be the same. */
	assert_true(c.miss > 1 - 3.1 / 39 && c.miss < 1 - 2.5 / 39);
	assert_true(c.ports_tx == 320);
	locate_done(&l);
	fabric_done(&f);
}

static bool sends_from_port_5(const struct locate *l, size_t ask)
{
	const struct fabric_transfer *t = transfer_of(l, ask);

	return t->src.host == 3 && t->src.nic == 5;
}

static void a_suspect_is_asked_again_among_fewer(void **state)
{
	size_t screen = 0, again;
	struct fabric f;
	struct locate l;

	(void)state;
	build(&plan_cases[1], &f);
	start(&l, &f, LOCATE_STANDARD);
	do {
		assert_int_equal(locate_next(&l, NULL), FP_OK);
		if (!l.batch.n)
			break;
		again = check_rounds(&l);
		if (l.phase == LOCATE_SCREEN && again > screen)
			screen = again;
		if (l.phase == LOCATE_RETEST)
			assert_true(2 * again <= screen);
		feed_asks(&l, sends_from_port_5);
	} while (!l.finished);
	assert_int_equal(l.a.n, 1);
	assert_int_equal(l.a.list[0].culprit.comp,
	                 fabric_host_id(&f, FABRIC_PORT_TX, 3, 5));
	assert_string_equal(l.names[0], "cable-tx");
	assert_true(l.a.list[0].culprit.confidence > .99);
	locate_done(&l);
	fabric_done(&f);
}

static void what_was_not_asked_again_accuses_nobody(void **state)
{
	struct fabric f;
	struct locate l;

	(void)state;
	build(&plan_cases[1], &f);
	start(&l, &f, LOCATE_STANDARD);
	for (;;) {
		assert_int_equal(locate_next(&l, NULL), FP_OK);
		if (l.phase != LOCATE_SCREEN)
			break;
		feed_asks(&l, sends_from_port_5);
	}
	assert_int_equal(locate_stop(&l, NULL), FP_OK);
	assert_int_equal(l.a.n, 0);
	assert_int_equal(l.batch.n, 0);
	assert_true(l.n_open > 8);
	assert_true(l.finished);
	assert_int_equal(l.a.state[fabric_host_id(&f, FABRIC_PORT_TX, 3, 5)],
	                 ATTRIBUTE_UNTESTED);
	locate_done(&l);
	fabric_done(&f);
}

static bool crosses(const struct locate *l, size_t ask)
{
	return locate_class_crosses(l->tests.t[l->batch.asks[ask].test].cls);
}

/* Links for half of the hosts, and one flow takes all that it can of what
 * leaves its leaf at the same time. */
static bool shares_unfairly(const struct locate *l, size_t ask)
{
	const struct locate_ask *asks = l->batch.asks;
	int32_t leaf = fabric_leaf(l->f, transfer_of(l, ask)->src.host, 0);
	size_t i;

	for (i = 0; crosses(l, ask) && i < ask; i++)
		if (asks[i].round == asks[ask].round && crosses(l, i) &&
		    fabric_leaf(l->f, transfer_of(l, i)->src.host, 0) == leaf)
			return true;
	return false;
}

static void few_hosts_say_that_they_are_oversubscribed(void **state)
{
	struct locate_opts opts = { .seed = 7, .partners = 2 };
	struct fabric_spec spec;
	struct fabric f;
	struct locate l;

	(void)state;
	fabric_spec_defaults(&spec, 6);
	spec.gpus = 0;
	spec.nics = 1;
	spec.hosts_per_leaf = 3;
	assert_int_equal(fabric_init(&f, &spec, NULL), FP_OK);
	opts.extent = locate_extent_of(&f, LOCATE_STANDARD);
	opts.extent.loopbacks = 0; /* hosts have none */
	assert_int_equal(locate_init(&l, &f, &opts, NULL), FP_OK);
	do {
		assert_int_equal(locate_next(&l, NULL), FP_OK);
		if (l.batch.n)
			feed_asks(&l, shares_unfairly);
	} while (!l.finished);
	assert_int_equal(l.a.n, 1);
	assert_int_equal(l.a.list[0].culprit.comp,
	                 fabric_id(&f, FABRIC_CLUSTER, 0));
	assert_int_equal(l.a.list[0].sign, SIGN_LOADED);
	locate_done(&l);
	fabric_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_round_measures_itself),
		cmocka_unit_test(small_clusters_are_tested_wholly),
		cmocka_unit_test(sampled_ones_say_what_they_can_miss),
		cmocka_unit_test(a_suspect_is_asked_again_among_fewer),
		cmocka_unit_test(what_was_not_asked_again_accuses_nobody),
		cmocka_unit_test(few_hosts_say_that_they_are_oversubscribed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
