// SPDX-License-Identifier: Apache-2.0
// A run held against an earlier one: what got slower is named at its place, and
// noise is not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/since.h"
#include "tests/unit/judge_bed.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define SEEDS 40

/* struct past - a run, judged. */
struct past {
	struct build_run b;
	struct matrices ms;
	struct findings own;
	struct judge_run run;
};

static void measure(struct past *p, const char *shape, const struct model *m)
{
	build_job(&p->b, shape, BUILD_ONE_DEV);
	model_run(&p->b, m);
	model_judge(&p->b, &p->ms, &p->own);
	p->run = (struct judge_run){ &p->b.job, &p->b.results, &p->ms };
}

static void forget(struct past *p)
{
	findings_done(&p->own);
	matrices_done(&p->ms);
	build_done(&p->b);
}

static void hold(const struct past *before, const struct past *now,
                 struct since *rows, struct findings *list)
{
	struct judge_opts opts;

	judge_defaults(&opts);
	*list = (struct findings){ 0 };
	assert_int_equal(
		judge_since(&before->run, &now->run, &opts, rows, list, NULL),
		FP_OK);
	findings_sort(list);
}

static const struct since_case_row {
	const char *name;
	double net; /* of all, times what it was */
	struct model_fault fault;
	unsigned code, kind, direction;
	const char *host, *peer;
} cases[] = {
	{ "as before", 1, { 0 }, 0, 0, 0, NULL, NULL },
	{ "faster", 1.5, { 0 }, 0, 0, 0, NULL, NULL },
	{ "a little slower", .97, { 0 }, 0, 0, 0, NULL, NULL },
	{ "all slower",
	  .8,
	  { 0 },
	  FINDING_SINCE_CLASS,
	  LOCUS_JOB,
	  DIRECTION_NONE,
	  "",
	  "" },
	{ "a receiver", 1, TO_HOST(2, MODEL_SLOW, .8), FINDING_SINCE_HOST,
	  LOCUS_HOST, DIRECTION_RX, "h2", "" },
	{ "a sender, others faster", 1.3, FROM_HOST(4, MODEL_SLOW, .6),
	  FINDING_SINCE_HOST, LOCUS_HOST, DIRECTION_TX, "h4", "" },
	{ "a pair", 1, HOSTS(1, 3, MODEL_SLOW, .7), FINDING_SINCE_PAIR,
	  LOCUS_PAIR, DIRECTION_TX, "h1", "h3" },
};

static void what_got_slower_is_named(void **state)
{
	struct past before, now;
	struct findings list;
	struct since rows;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		const struct since_case_row *c = &cases[i];
		struct model m = model_clean();

		measure(&before, "1 1 1 1 1 1", &m);
		m.seed = 99;
		m.net_Bps *= c->net;
		if (c->host && c->fault.value > 0)
			model_add(&m, c->fault);
		measure(&now, "1 1 1 1 1 1", &m);
		hold(&before, &now, &rows, &list);
		if (list.n != (c->host ? 1u : 0u))
			judge_bed_print(c->name, &list);
		if (list.n != (c->host ? 1u : 0u))
			fail_msg("%s: %zu findings, %g -> %g", c->name, list.n,
			         rows.rows[0].before, rows.rows[0].now);
		assert_true(rows.n >= 1 && rows.n_pairs >= 30);
		assert_int_equal(rows.n_alone, 0);
		if (c->host) {
			assert_int_equal(list.f[0].code, c->code);
			assert_int_equal(list.f[0].severity, SEVERITY_FAULT);
			assert_int_equal(list.f[0].locus.kind, c->kind);
			assert_int_equal(list.f[0].locus.direction,
			                 c->direction);
			assert_string_equal(list.f[0].locus.host, c->host);
			assert_string_equal(list.f[0].locus.peer_host, c->peer);
			assert_true(list.f[0].observed < list.f[0].expected);
		}
		since_done(&rows);
		findings_done(&list);
		forget(&before);
		forget(&now);
	}
}

/* Rates inside hosts vary by 15 %, and tests share cores. */
static void noise_is_no_fault(void **state)
{
	struct model m = model_clean();
	struct past before, now;
	struct findings list;
	struct since rows;
	uint64_t seed;

	(void)state;
	m.local_sigma = .15;
	m.latency = true;
	for (seed = 1; seed <= SEEDS; seed++) {
		m.seed = 2 * seed;
		measure(&before, "2 2 2 2", &m);
		m.seed = 2 * seed + 1;
		measure(&now, "2 2 2 2", &m);
		hold(&before, &now, &rows, &list);
		if (findings_worst(&list) == SEVERITY_FAULT)
			judge_bed_print("noise", &list);
		assert_int_not_equal(findings_worst(&list), SEVERITY_FAULT);
		since_done(&rows);
		findings_done(&list);
		forget(&before);
		forget(&now);
	}
}

/* Ranks count differently when hosts come in another order, or fewer come. */
static void hosts_are_matched_by_name(void **state)
{
	struct model m = model_clean();
	struct past before, now;
	struct findings list;
	struct since rows;
	size_t i;

	(void)state;
	measure(&before, "2 1 1 1", &m);
	model_add(&m, (struct model_fault)TO_HOST(2, MODEL_SLOW, .6));
	measure(&now, "1 2 1 1 1", &m);
	hold(&before, &now, &rows, &list);
	assert_true(rows.n_alone > 0); /* h4 was not there */
	assert_true(rows.n_pairs > 0);
	for (i = 0; i < list.n; i++)
		assert_string_equal(list.f[i].locus.host, "h2");
	assert_int_equal(list.n, 1);
	since_done(&rows);
	findings_done(&list);

	/* No host in common: nothing to say, and it is said. */
	for (i = 0; i < now.b.job.n_hosts; i++)
		now.b.job.hosts[i].name[0] = 'x';
	hold(&before, &now, &rows, &list);
	assert_int_equal(rows.n, 0);
	assert_int_equal(list.n, 0);
	since_done(&rows);
	forget(&before);
	forget(&now);
}

/* Ranks 4 and 5, of h2, answer each other in @now_s instead of 100 us. */
static void hold_late(double now_s, struct findings *list)
{
	const struct model_fault all = { MODEL_LATE, MODEL_ANY, MODEL_ANY,
		                         49e-6,      false,     true };
	const struct model_fault late = { MODEL_LATE,    4,     5,
		                          now_s - 51e-6, false, true };
	struct model m = model_clean();
	struct past before, now;

	m.latency = true;
	model_add(&m, all);
	measure(&before, "2 2 2 2 2 2", &m);
	m.n_faults = 0;
	model_add(&m, late);
	model_add(&m, all);
	measure(&now, "2 2 2 2 2 2", &m);
	hold(&before, &now, NULL, list);
	forget(&before);
	forget(&now);
}

/* Cores that are shared answer late now and then. */
static void inside_a_host_more_must_be_lost(void **state)
{
	struct findings list;

	(void)state;
	hold_late(250e-6, &list);
	assert_int_equal(list.n, 0);
	findings_done(&list);
	hold_late(800e-6, &list);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.f[0].code, FINDING_SINCE_HOST);
	assert_int_equal(list.f[0].severity, SEVERITY_WARN);
	assert_string_equal(list.f[0].locus.host, "h2");
	findings_done(&list);
}

/* Members of a collective take @time_s each. */
static struct trial *collect(struct past *p, double time_s)
{
	uint32_t id = build_coll(&p->b, OP_ALLREDUCE, NULL, NULL);
	size_t i;

	for (i = 0; i < p->b.results.n_outcomes; i++)
		if (p->b.results.outcomes[i].trial == id)
			p->b.results.outcomes[i].p50_s = time_s;
	p->run.results = &p->b.results;
	return &p->b.results.trials[id - 1];
}

static void collectives_are_compared(void **state)
{
	static const struct {
		double factor;
		size_t n;
	} slower[] = { { 1.1, 0 }, { 2.5, 1 }, { .5, 0 } };
	struct model m = model_clean();
	struct past before, now;
	struct findings list;
	struct since rows;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(slower); i++) {
		measure(&before, "1 1 1 1", &m);
		measure(&now, "1 1 1 1", &m);
		collect(&before, 1e-3);
		collect(&now, 1e-3 * slower[i].factor);
		hold(&before, &now, &rows, &list);
		assert_int_equal(list.n, slower[i].n);
		if (list.n)
			assert_int_equal(list.f[0].code, FINDING_SINCE_COLL);
		assert_int_equal(rows.rows[rows.n - 1].slower, list.n);
		since_done(&rows);
		findings_done(&list);
		forget(&before);
		forget(&now);
	}
}

/* What an arm without some feature reached is not what the job had. */
static void control_arms_are_not_compared(void **state)
{
	struct model m = model_clean();
	struct past before, now;
	struct findings list;
	struct trial *arm;
	struct since rows;

	(void)state;
	measure(&before, "1 1 1 1", &m);
	measure(&now, "1 1 1 1", &m);
	collect(&before, 1e-3)->xport = XPORT_NCCL;
	arm = collect(&before, 1e-4);
	arm->xport = XPORT_NCCL;
	arm->variant = 1;
	collect(&now, 1e-3)->xport = XPORT_NCCL;
	hold(&before, &now, &rows, &list);
	assert_int_equal(list.n, 0);
	assert_true(rows.rows[rows.n - 1].before == rows.rows[rows.n - 1].now);
	since_done(&rows);
	findings_done(&list);
	forget(&before);
	forget(&now);
}

/* A sweep has no pairs that tell where its ranks are. */
static void sweeps_are_compared(void **state)
{
	static const struct {
		const char *shape;
		size_t rows;
		int worst;
	} sweeps[] = {
		{ "1 1 1 1", 1, SEVERITY_FAULT }, /* 1.5 times as long */
		{ "4", 1, -1 },                   /* it shares cores */
		{ "1", 0, -1 },                   /* nothing passes */
	};
	const struct matrices none = { 0 };
	struct findings list;
	struct since rows;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(sweeps); i++) {
		struct past p[2];

		for (k = 0; k < 2; k++) {
			build_job(&p[k].b, sweeps[i].shape, BUILD_ONE_DEV);
			collect(&p[k], k ? 1.5e-3 : 1e-3)->bytes = 4 << 20;
			p[k].run.job = &p[k].b.job;
			p[k].run.matrices = &none;
		}
		hold(&p[0], &p[1], &rows, &list);
		assert_int_equal(rows.n, sweeps[i].rows);
		assert_int_equal(findings_worst(&list), sweeps[i].worst);
		since_done(&rows);
		findings_done(&list);
		build_done(&p[0].b);
		build_done(&p[1].b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_got_slower_is_named),
		cmocka_unit_test(noise_is_no_fault),
		cmocka_unit_test(hosts_are_matched_by_name),
		cmocka_unit_test(inside_a_host_more_must_be_lost),
		cmocka_unit_test(collectives_are_compared),
		cmocka_unit_test(control_arms_are_not_compared),
		cmocka_unit_test(sweeps_are_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
