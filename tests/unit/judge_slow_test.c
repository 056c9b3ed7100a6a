// SPDX-License-Identifier: Apache-2.0
// What is slow, lossy or unsteady: named, at its place and direction.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/judge_bed.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct fault_case cases[] = {
	{ "receives 10 % slower",
	  "1 1 1 1",
	  { TO_HOST(2, MODEL_SLOW, 0.9) },
	  { NETDEV(FINDING_NIC_RX_SLOW, "h2", RX) } },
	{ "sends 25 % slower",
	  "1 1 1 1",
	  { FROM_HOST(1, MODEL_SLOW, 0.75) },
	  { NETDEV(FINDING_NIC_TX_SLOW, "h1", TX) } },
	{ "slow both ways",
	  "1 1 1 1",
	  { TO_HOST(3, MODEL_SLOW, 0.8), FROM_HOST(3, MODEL_SLOW, 0.8) },
	  { NETDEV(FINDING_NIC_SLOW, "h3", BOTH) } },
	{ "slow both ways among three",
	  "1 1 1",
	  { TO_HOST(0, MODEL_SLOW, 0.7), FROM_HOST(0, MODEL_SLOW, 0.7) },
	  { NETDEV(FINDING_NIC_SLOW, "h0", BOTH) } },
	{ "slow receiver of unequal hosts",
	  "3 1 2 4 1",
	  { TO_HOST(3, MODEL_SLOW, 0.8) },
	  { NETDEV(FINDING_NIC_RX_SLOW, "h3", RX) } },
	{ "slow sender among sixteen",
	  "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
	  { FROM_HOST(11, MODEL_SLOW, 0.85) },
	  { NETDEV(FINDING_NIC_TX_SLOW, "h11", TX) } },
	{ "one policed pair",
	  "1 1 1 1",
	  { HOSTS(1, 2, MODEL_SLOW, 0.1) },
	  { PAIR(FINDING_PAIR_SLOW, 1, 2, "h1", "h2", TX) } },
	{ "one pair slow both ways",
	  "1 1 1 1 1",
	  { HOSTS(1, 2, MODEL_SLOW, 0.5), HOSTS(2, 1, MODEL_SLOW, 0.5) },
	  { PAIR(FINDING_PAIR_SLOW, 1, 2, "h1", "h2", BOTH) } },
	{ "two hosts, one way slow",
	  "1 1",
	  { HOSTS(1, 0, MODEL_SLOW, 0.5) },
	  { PAIR(FINDING_PAIR_SLOW, 1, 0, "h1", "h0", TX) } },
	{ "two at once: a receiver and a pair",
	  "1 1 1 1",
	  { TO_HOST(0, MODEL_SLOW, 0.8), HOSTS(1, 2, MODEL_SLOW, 0.3) },
	  { NETDEV(FINDING_NIC_RX_SLOW, "h0", RX),
	    PAIR(FINDING_PAIR_SLOW, 1, 2, "h1", "h2", TX) } },
	{ "two at once: a receiver and a sender",
	  "1 1 1 1 1",
	  { TO_HOST(0, MODEL_SLOW, 0.8), FROM_HOST(1, MODEL_SLOW, 0.7) },
	  { NETDEV(FINDING_NIC_TX_SLOW, "h1", TX),
	    NETDEV(FINDING_NIC_RX_SLOW, "h0", RX) } },
	{ "one percent of loss on receive",
	  "1 1 1 1",
	  { TO_HOST(1, MODEL_LOSS, 0.01) },
	  { NETDEV(FINDING_NIC_LOSS, "h1", RX) } },
	{ "loss both ways",
	  "1 1 1 1",
	  { TO_HOST(1, MODEL_LOSS, 0.01), FROM_HOST(1, MODEL_LOSS, 0.01) },
	  { NETDEV(FINDING_NIC_LOSS, "h1", BOTH) } },
	{ "loss on one pair",
	  "1 1 1 1",
	  { HOSTS(3, 0, MODEL_LOSS, 0.02) },
	  { PAIR(FINDING_PAIR_LOSS, 3, 0, "h3", "h0", TX) } },
	{ "a slow port drops what does not fit",
	  "1 1 1 1",
	  { TO_HOST(1, MODEL_LOSS, 0.01), TO_HOST(1, MODEL_SLOW, 0.8) },
	  { NETDEV(FINDING_NIC_RX_SLOW, "h1", RX) } },
	{ "loss at random that a busy host's senders slow down for",
	  "1 1 1 1",
	  { TO_HOST(1, MODEL_LOSS, 0.01), TO_HOST(1, MODEL_SLOW, 0.55),
	    TO_HOST(1, MODEL_ROUND, 0.25e-3) },
	  { NETDEV(FINDING_NIC_LOSS, "h1", RX) } },
	{ "a policed port drops all that is over at once",
	  "1 1 1 1",
	  { TO_HOST(1, MODEL_LOSS, 0.04), TO_HOST(1, MODEL_SLOW, 0.3),
	    TO_HOST(1, MODEL_ROUND, 0.9e-3) },
	  { NETDEV(FINDING_NIC_RX_SLOW, "h1", RX) } },
	{ "a policed pair, likewise",
	  "1 1 1 1",
	  { HOSTS(3, 0, MODEL_LOSS, 0.035), HOSTS(3, 0, MODEL_SLOW, 0.3),
	    HOSTS(3, 0, MODEL_ROUND, 0.94e-3) },
	  { PAIR(FINDING_PAIR_SLOW, 3, 0, "h3", "h0", TX) } },
	{ "a pair slow by its loss",
	  "1 1 1 1",
	  { HOSTS(3, 0, MODEL_LOSS, 0.02), HOSTS(3, 0, MODEL_SLOW, 0.4),
	    HOSTS(3, 0, MODEL_ROUND, 0.3e-3) },
	  { PAIR(FINDING_PAIR_LOSS, 3, 0, "h3", "h0", TX) } },
	{ "loss makes round trips wait",
	  "1 1 1 1",
	  { TO_HOST(1, MODEL_LOSS, 0.02), TO_HOST(1, MODEL_JITTER, 0.2) },
	  { NETDEV(FINDING_NIC_LOSS, "h1", RX) } },
	{ "round trips of a host wait",
	  "1 1 1 1",
	  { TO_HOST(2, MODEL_JITTER, 5e-3) },
	  { NETDEV(FINDING_NIC_JITTER, "h2", BOTH) } },
	{ "round trips of a pair wait",
	  "1 1 1 1",
	  { HOSTS(2, 0, MODEL_JITTER, 5e-3) },
	  { PAIR(FINDING_PAIR_JITTER, 0, 2, "h0", "h2", BOTH) } },
	{ "what waits is slow on the whole",
	  "1 1 1 1",
	  { HOSTS(2, 0, MODEL_JITTER, 5e-3), HOSTS(2, 0, MODEL_SLOW, 0.4) },
	  { PAIR(FINDING_PAIR_JITTER, 2, 0, "h2", "h0", TX) } },
	{ "a pair's rate drops now and then",
	  "1 1 1 1",
	  { HOSTS(2, 0, MODEL_STALL, 0.3) },
	  { PAIR(FINDING_PAIR_JITTER, 2, 0, "h2", "h0", TX) } },
	{ "a host's rate drops now and then",
	  "1 1 1 1",
	  { FROM_HOST(2, MODEL_STALL, 0.3) },
	  { NETDEV(FINDING_NIC_JITTER, "h2", TX) } },
	{ "loss that two of five senders did not meet",
	  "1 1 1 1 1 1",
	  { HOSTS(0, 3, MODEL_LOSS, 0.01), HOSTS(2, 3, MODEL_LOSS, 0.02),
	    HOSTS(5, 3, MODEL_LOSS, 0.01) },
	  { NETDEV(FINDING_NIC_LOSS, "h3", RX) } },
	{ "stalls that cost some of the rate",
	  "1 1 1 1 1",
	  { HOSTS(2, 4, MODEL_STALL, 0.07), HOSTS(2, 4, MODEL_SLOW, 0.86) },
	  { PAIR(FINDING_PAIR_JITTER, 2, 4, "h2", "h4", TX) } },
	{ "a low rate that stalls as well",
	  "1 1 1 1 1",
	  { HOSTS(2, 4, MODEL_STALL, 0.5), HOSTS(2, 4, MODEL_SLOW, 0.02) },
	  { PAIR(FINDING_PAIR_SLOW, 2, 4, "h2", "h4", TX) } },
	{ "a longer way",
	  "1 1 1 1",
	  { HOSTS(3, 1, MODEL_LATE, 5e-4) },
	  { PAIR(FINDING_PAIR_LATENCY, 1, 3, "h1", "h3", BOTH) } },
	{ "slow pair inside a host",
	  "4",
	  { RANKS(1, 3, MODEL_SLOW, 0.25) },
	  { PAIR(FINDING_PAIR_SLOW, 1, 3, "h0", "h0", TX) } },
	{ "slow pair of two ranks",
	  "2",
	  { RANKS(1, 0, MODEL_SLOW, 0.25) },
	  { PAIR(FINDING_PAIR_SLOW, 1, 0, "h0", "h0", TX) } },
	{ "rank sends slowly",
	  "4",
	  { RANKS(2, ANY, MODEL_SLOW, 0.25) },
	  { RANK(FINDING_RANK_TX_SLOW, 2, "h0", TX) } },
	{ "rank receives slowly",
	  "5",
	  { RANKS(ANY, 2, MODEL_SLOW, 0.25) },
	  { RANK(FINDING_RANK_RX_SLOW, 2, "h0", RX) } },
	{ "rank is slow",
	  "4",
	  { RANKS(ANY, 2, MODEL_SLOW, 0.25), RANKS(2, ANY, MODEL_SLOW, 0.25) },
	  { RANK(FINDING_RANK_SLOW, 2, "h0", BOTH) } },
	{ "slow rank of a host is slow to others, too",
	  "3 3 3",
	  { RANKS(ANY, 4, MODEL_SLOW, 0.25), RANKS(4, ANY, MODEL_SLOW, 0.25) },
	  { RANK(FINDING_RANK_SLOW, 4, "h1", BOTH) } },
	{ "the inside of a host",
	  "3 3 3 3",
	  { INSIDE(3, ANY, MODEL_SLOW, 0.4), INSIDE(4, ANY, MODEL_SLOW, 0.4),
	    INSIDE(5, ANY, MODEL_SLOW, 0.4) },
	  { HOST(FINDING_HOST_SLOW, "h1") } },
	{ .name = NULL },
};

static void every_fault_is_named(void **state)
{
	(void)state;
	judge_bed_cases(cases);
}

static void one_rank_has_nothing_to_show(void **state)
{
	struct model m = judge_bed_model(NULL, 1);
	struct findings list;
	struct matrices ms;
	struct build_run b;

	(void)state;
	build_job(&b, "1", BUILD_ONE_DEV);
	model_run(&b, &m);
	model_judge(&b, &ms, &list);
	assert_int_equal(ms.n, 0);
	assert_int_equal(list.n, 0);
	findings_done(&list);
	matrices_done(&ms);
	build_done(&b);
}

/* Half of the pairs of four hosts are bad when one host is: the class's middle
 * must not move. */
static void a_bad_host_does_not_move_the_median(void **state)
{
	static const char *const shapes[] = { "1 1 1", "1 1 1 1", "1 1 1 1 1" };
	struct findings list;
	struct matrices ms;
	struct build_run b;
	struct model m;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(shapes); i++) {
		m = model_clean();
		model_add(&m, (struct model_fault)TO_HOST(0, MODEL_SLOW, 0.5));
		model_add(&m,
		          (struct model_fault)FROM_HOST(0, MODEL_SLOW, 0.5));
		build_job(&b, shapes[i], BUILD_ONE_DEV);
		model_run(&b, &m);
		model_judge(&b, &ms, &list);
		assert_true(ms.m[0].classes[0].median > 0.99 * m.net_Bps);
		assert_true(ms.m[0].classes[0].median < 1.01 * m.net_Bps);
		findings_done(&list);
		matrices_done(&ms);
		build_done(&b);
	}
}

/* Of two devices of a host one is slow: that one, not the host. */
static void one_of_two_rails(void **state)
{
	const struct finding *f;
	struct model m = model_clean();
	struct findings list;
	struct matrices ms;
	struct build_run b;

	(void)state;
	model_add(&m, (struct model_fault)RANKS(ANY, 3, MODEL_SLOW, 0.7));
	build_job(&b, "2 2 2 2 2 2", BUILD_RAILS);
	model_run(&b, &m);
	model_judge(&b, &ms, &list);
	assert_int_equal(list.n, 1);
	f = &list.f[0];
	assert_int_equal(f->code, FINDING_NIC_RX_SLOW);
	assert_int_equal(f->locus.kind, LOCUS_NETDEV);
	assert_string_equal(f->locus.host, "h1");
	assert_string_equal(f->locus.netdev, "eth1");
	findings_done(&list);
	matrices_done(&ms);
	build_done(&b);
}

/* Three pairs of fifteen that have nothing in common wait now and then: that
 * was the time. The cells still show it. */
static void what_is_everywhere_is_nobodys(void **state)
{
	struct model m = model_clean();
	struct findings list;
	struct matrices ms;
	struct build_run b;

	(void)state;
	m.latency = true;
	model_add(&m, (struct model_fault)HOSTS(0, 1, MODEL_JITTER, 5e-3));
	model_add(&m, (struct model_fault)HOSTS(2, 3, MODEL_JITTER, 5e-3));
	model_add(&m, (struct model_fault)HOSTS(4, 5, MODEL_JITTER, 5e-3));
	build_job(&b, "1 1 1 1 1 1", BUILD_ONE_DEV);
	model_run(&b, &m);
	model_judge(&b, &ms, &list);
	assert_int_equal(list.n, 0);
	assert_int_equal(matrix_find(&ms.m[1], 2, 3)->state, CELL_FLAKY);
	findings_done(&list);
	matrices_done(&ms);
	build_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fault_is_named),
		cmocka_unit_test(one_rank_has_nothing_to_show),
		cmocka_unit_test(a_bad_host_does_not_move_the_median),
		cmocka_unit_test(one_of_two_rails),
		cmocka_unit_test(what_is_everywhere_is_nobodys),
	};

	return cmocka_run_group_tests_name("judge_slow", tests, NULL, NULL);
}
