// SPDX-License-Identifier: Apache-2.0
// Ranks with several RDMA ports: plans, and faults of one of them.
#include "probes/session/rails.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/swaps.h"
#include "tests/unit/session_bed.h"
#include "topo/model/rails.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* struct plan_case - which of the pairs of a write stage meet on each rail. */
struct plan_case {
	const char *shape, *ports;
	uint32_t kind, mode;
	uint32_t rails;
	size_t pairs; /* directed, of each rail */
};

/* In one round nobody is in two pairs, and every rank of a rail has partners
 * both ways. */
static void check_plan(const struct plan_pairs *plan, size_t n_ranks,
                       size_t least)
{
	size_t *tx = calloc(n_ranks, sizeof(*tx));
	size_t *rx = calloc(n_ranks, sizeof(*rx));

	assert_non_null(tx);
	assert_non_null(rx);
	for (size_t i = 0; i < plan->n; i++) {
		tx[plan->pairs[i].src]++;
		rx[plan->pairs[i].dst]++;
		for (size_t k = 0; k < i; k++) {
			if (plan->pairs[k].round != plan->pairs[i].round)
				continue;
			assert_int_not_equal(plan->pairs[k].src,
			                     plan->pairs[i].src);
			assert_int_not_equal(plan->pairs[k].dst,
			                     plan->pairs[i].dst);
		}
	}
	for (size_t i = 0; i < n_ranks; i++)
		if (tx[i] < least || rx[i] < least)
			fail_msg("rank %zu: %zu, %zu", i, tx[i], rx[i]);
	free(tx);
	free(rx);
}

static void test_plan(void **state)
{
	static const struct plan_case rows[] = {
		{ "1 1 1 1", NULL, SESSION_RUN, MODE_STANDARD, 1, 12 },
		{ "1 1 1 1", "a/1", SESSION_RUN, MODE_STANDARD, 1, 12 },
		{ "1 1 1 1", "a/1,b/1", SESSION_RUN, MODE_STANDARD, 2, 12 },
		{ "1 1 1 1", "a/1,b/1,c/1", SESSION_PAIRS, MODE_STANDARD, 3,
		  12 },
		/* two partners each way are enough where there is no time */
		{ "1 1 1 1 1 1 1 1", "a/1,b/1,c/1,d/1", SESSION_RUN, MODE_QUICK,
		  4, 16 },
		{ "1 1", "a/1,b/1", SESSION_RUN, MODE_QUICK, 2, 2 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct bed_case c = { .shape = rows[i].shape,
			                    .ports = rows[i].ports,
			                    .kind = rows[i].kind,
			                    .mode = rows[i].mode,
			                    .xport = XPORT_VERBS };
		struct session_stages stages;
		struct plan_pairs plan;
		struct bed bed;
		uint32_t rails = 0;

		session_bed_open(&bed, &c);
		assert_int_equal(session_stages_make(&bed.session.opts,
		                                     &bed.build.job, &stages,
		                                     NULL),
		                 FP_OK);
		for (size_t k = 0; k < stages.n; k++) {
			const struct session_stage *st = &stages.s[k];

			if (st->shape != SHAPE_BETWEEN || st->op != OP_WRITE)
				continue;
			assert_int_equal(st->src_ep, rows[i].rails > 1
			                                     ? (int32_t)rails
			                                     : -1);
			rails++;
			assert_int_equal(session_stage_plan(st,
			                                    &bed.session.opts,
			                                    &bed.build.job,
			                                    NULL, &plan, NULL),
			                 FP_OK);
			if (plan.n != rows[i].pairs)
				fail_msg("row %zu: %zu pairs", i, plan.n);
			check_plan(&plan, bed.build.job.n_ranks,
			           rows[i].rails > 1 && plan.n > 2 ? 2 : 1);
			plan_pairs_done(&plan);
		}
		assert_int_equal(rails, rows[i].rails);
		session_stages_done(&stages);
		session_bed_close(&bed);
	}
}

/* The rounds of the write stage over @job's first rail; @ret: for
 * plan_pairs_done(). */
static void plan_of(const struct bed *bed, struct plan_pairs *ret)
{
	struct session_stages stages;
	size_t k = 0;

	assert_int_equal(session_stages_make(&bed->session.opts,
	                                     &bed->build.job, &stages, NULL),
	                 FP_OK);
	while (stages.s[k].shape != SHAPE_BETWEEN)
		k++;
	assert_int_equal(session_stage_plan(&stages.s[k], &bed->session.opts,
	                                    &bed->build.job, NULL, ret, NULL),
	                 FP_OK);
	session_stages_done(&stages);
}

/* Ranks of a host: with ports of their own all meet at once, and one that
 * shares another's port stays out of it; if all share one, they take turns. */
static void test_ranks_of_a_host(void **state)
{
	static const struct {
		const char *ports[3];
		size_t n, n_rounds;
	} rows[] = {
		{ { "a/1", "b/1", "c/1" }, 6, 2 },
		{ { "a/1", "b/1", "a/1" }, 4, 2 },
		{ { "a/1", "a/1", "a/1" }, 2, 2 },
	};
	const struct bed_case c = { .shape = "3 3",
		                    .kind = SESSION_RUN,
		                    .xport = XPORT_VERBS };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct plan_pairs plan;
		struct bed bed;

		session_bed_open(&bed, &c);
		for (int32_t k = 0; k < 6; k++)
			topo_job_set_ports(&bed.build.job, k,
			                   rows[i].ports[k % 3]);
		plan_of(&bed, &plan);
		if (plan.n != rows[i].n || plan.n_rounds != rows[i].n_rounds)
			fail_msg("row %zu: %zu pairs, %u rounds", i, plan.n,
			         plan.n_rounds);
		plan_pairs_done(&plan);
		session_bed_close(&bed);
	}
}

/* One port of one host: it is named, and no other; without it, nobody is. */
static void test_one_port(void **state)
{
	static const struct {
		struct fake_rule rule;
		unsigned code; /* FINDING_CODE_COUNT: nothing */
		const char *device;
	} rows[] = {
		{ { FAKE_SLOW, FAKE_ANY, 2, .by_host = true, .factor = 4,
		    .port = 2 },
		  FINDING_PORT_RX_SLOW,
		  "b/1" },
		{ { FAKE_SLOW, FAKE_ANY, 2, .by_host = true, .factor = 4,
		    .port = 1 },
		  FINDING_PORT_RX_SLOW,
		  "a/1" },
		{ { FAKE_SLOW, 1, FAKE_ANY, .by_host = true, .factor = 4,
		    .port = 3 },
		  FINDING_PORT_TX_SLOW,
		  "c/1" },
		{ { FAKE_HOLE, FAKE_ANY, 3, .by_host = true, .port = 2 },
		  FINDING_HCA_DEAD,
		  "b/1" },
		{ { FAKE_SLOW, FAKE_ANY, 2, .by_host = true, .factor = 1,
		    .port = 2 },
		  FINDING_CODE_COUNT,
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct bed_case c = { .shape = "1 1 1 1 1",
			                    .ports = "a/1,b/1,c/1",
			                    .kind = SESSION_PAIRS,
			                    .xport = XPORT_VERBS,
			                    .noise = .005,
			                    .rules = { rows[i].rule },
			                    .n_rules = 1 };
		const struct finding *f;
		struct bed bed;

		bed_run(&bed, &c, NULL);
		f = bed.session.findings.n ? bed.session.findings.f : NULL;
		assert_int_equal(bed.session.findings.n,
		                 rows[i].code < FINDING_CODE_COUNT);
		if (f && (f->code != rows[i].code ||
		          strcmp(f->locus.device, rows[i].device) != 0))
			fail_msg("row %zu: %s %s", i, finding_info(f->code)->id,
			         f->locus.device);
		session_bed_close(&bed);
	}
}

/* Two ports of one host at once, of which one is dead, are two findings. */
static void test_two_ports(void **state)
{
	const struct bed_case c = { .shape = "1 1 1 1 1",
		                    .ports = "a/1,b/1",
		                    .kind = SESSION_PAIRS,
		                    .xport = XPORT_VERBS,
		                    .noise = .005,
		                    .rules = { { FAKE_HOLE, FAKE_ANY, 3,
		                                 .by_host = true, .port = 1 },
		                               { FAKE_SLOW, FAKE_ANY, 3,
		                                 .by_host = true, .factor = 4,
		                                 .port = 2 } },
		                    .n_rules = 2 };
	struct bed bed;

	(void)state;
	bed_run(&bed, &c, NULL);
	assert_int_equal(bed.session.findings.n, 2);
	assert_string_equal(bed_find(&bed, FINDING_HCA_DEAD)->locus.device,
	                    "a/1");
	assert_string_equal(bed_find(&bed, FINDING_PORT_RX_SLOW)->locus.device,
	                    "b/1");
	session_bed_close(&bed);
}

static void test_swap_table(void **state)
{
	static const struct {
		enum swap_look src, dst;
		enum swap_verdict want;
	} rows[] = {
		{ SWAP_GOOD, SWAP_BAD, SWAP_SRC },
		{ SWAP_BAD, SWAP_GOOD, SWAP_DST },
		{ SWAP_GOOD, SWAP_GOOD, SWAP_BETWEEN },
		{ SWAP_BAD, SWAP_BAD, SWAP_HOSTS },
		{ SWAP_UNTRIED, SWAP_GOOD, SWAP_OPEN },
		{ SWAP_UNTRIED, SWAP_BAD, SWAP_OPEN },
		{ SWAP_GOOD, SWAP_UNTRIED, SWAP_OPEN },
		{ SWAP_UNTRIED, SWAP_UNTRIED, SWAP_OPEN },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (swap_judge(rows[i].src, rows[i].dst) != rows[i].want)
			fail_msg("row %zu", i);
}

/* Two hosts: by one rail alone nobody knows whose end it is. */
static void test_swap(void **state)
{
	static const struct {
		struct fake_rule rule;
		unsigned code;
		const char *host, *device;
	} rows[] = {
		{ { FAKE_SLOW, FAKE_ANY, 1, .by_host = true, .factor = 4,
		    .port = 2 },
		  FINDING_PORT_RX_SLOW,
		  "h1",
		  "b/1" },
		{ { FAKE_SLOW, 1, FAKE_ANY, .by_host = true, .factor = 4,
		    .port = 1 },
		  FINDING_PORT_TX_SLOW,
		  "h1",
		  "a/1" },
		{ { FAKE_HOLE, FAKE_ANY, 0, .by_host = true, .port = 2 },
		  FINDING_HCA_DEAD,
		  "h0",
		  "b/1" },
		/* whatever the port: it stays a pair, of the rail it was */
		{ { FAKE_SLOW, 0, 1, .by_host = true, .factor = 4 },
		  FINDING_PAIR_SLOW,
		  "h0",
		  "a/1 -> a/1" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct bed_case c = { .shape = "1 1",
			                    .ports = "a/1,b/1",
			                    .kind = SESSION_PAIRS,
			                    .xport = XPORT_VERBS,
			                    .noise = .005,
			                    .rules = { rows[i].rule },
			                    .n_rules = 1 };
		const struct finding *f;
		struct bed bed;

		bed_run(&bed, &c, NULL);
		f = bed_find(&bed, rows[i].code);
		if (!f || strcmp(f->locus.host, rows[i].host) != 0 ||
		    strcmp(f->locus.device, rows[i].device) != 0) {
			for (size_t k = 0; k < bed.session.findings.n; k++) {
				f = &bed.session.findings.f[k];
				print_message("%s %s %s: %s\n",
				              finding_info(f->code)->id,
				              f->locus.host, f->locus.device,
				              f->detail);
			}
			fail_msg("row %zu", i);
		}
		assert_false(bed_has_skip(&bed, "retests of"));
		session_bed_close(&bed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plan),
		cmocka_unit_test(test_ranks_of_a_host),
		cmocka_unit_test(test_one_port),
		cmocka_unit_test(test_two_ports),
		cmocka_unit_test(test_swap_table),
		cmocka_unit_test(test_swap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
