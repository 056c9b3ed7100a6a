// SPDX-License-Identifier: Apache-2.0
// Faults of a modelled cluster: each is named, at its place and direction, and
// nothing else is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge.h"
#include "tests/unit/model_run.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ANY MODEL_ANY

/* struct want - one finding; ranks -1 and NULLs are "none". */
struct want {
	unsigned code, kind, direction;
	const char *host, *peer_host;
	int32_t rank, peer;
};

/* Faults between hosts 0, 1, ..., and on ranks. */
#define TO_HOST(h, what, v)                  \
	{                                    \
		what, ANY, h, v, true, false \
	}
#define FROM_HOST(h, what, v)                \
	{                                    \
		what, h, ANY, v, true, false \
	}
#define HOSTS(a, b, what, v)               \
	{                                  \
		what, a, b, v, true, false \
	}
#define RANKS(a, b, what, v)                \
	{                                   \
		what, a, b, v, false, false \
	}
#define INSIDE(a, b, what, v)              \
	{                                  \
		what, a, b, v, false, true \
	}

#define NETDEV(c, h, d)                                         \
	{                                                       \
		c, LOCUS_NETDEV, DIRECTION_##d, h, NULL, -1, -1 \
	}
#define RANK(c, r, h, d)                                     \
	{                                                    \
		c, LOCUS_RANK, DIRECTION_##d, h, NULL, r, -1 \
	}
#define HOST(c, h)                                             \
	{                                                      \
		c, LOCUS_HOST, DIRECTION_NONE, h, NULL, -1, -1 \
	}
#define PAIR(c, a, b, h, i, d)                           \
	{                                                \
		c, LOCUS_PAIR, DIRECTION_##d, h, i, a, b \
	}

struct fault_case {
	const char *name, *shape;
	struct model_fault faults[5];
	struct want wants[3];
};

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
	{ "two at once: slow and dead",
	  "1 1 1 1 1",
	  { TO_HOST(0, MODEL_SLOW, 0.8), TO_HOST(3, MODEL_HOLE, 0) },
	  { NETDEV(FINDING_NIC_RX_SLOW, "h0", RX),
	    NETDEV(FINDING_NIC_RX_DEAD, "h3", RX) } },
	{ "black hole one way",
	  "1 1 1 1",
	  { HOSTS(2, 1, MODEL_HOLE, 0) },
	  { PAIR(FINDING_PAIR_BLACKHOLE, 2, 1, "h2", "h1", TX) } },
	{ "black hole between two hosts",
	  "1 1",
	  { HOSTS(0, 1, MODEL_HOLE, 0) },
	  { PAIR(FINDING_PAIR_BLACKHOLE, 0, 1, "h0", "h1", TX) } },
	{ "nothing reaches a host",
	  "1 1 1",
	  { TO_HOST(2, MODEL_HOLE, 0) },
	  { NETDEV(FINDING_NIC_RX_DEAD, "h2", RX) } },
	{ "nothing leaves a host",
	  "1 1 1 1",
	  { FROM_HOST(2, MODEL_HOLE, 0) },
	  { NETDEV(FINDING_NIC_TX_DEAD, "h2", TX) } },
	{ "port down",
	  "2 2 2",
	  { TO_HOST(2, MODEL_HOLE, 0), FROM_HOST(2, MODEL_HOLE, 0) },
	  { NETDEV(FINDING_NIC_DEAD, "h2", BOTH) } },
	{ "small switch port before a host",
	  "1 1 1 1",
	  { TO_HOST(2, MODEL_MTU, 0) },
	  { NETDEV(FINDING_NIC_MTU, "h2", RX) } },
	{ "small port in both directions",
	  "1 1 1 1",
	  { TO_HOST(2, MODEL_MTU, 0), FROM_HOST(2, MODEL_MTU, 0) },
	  { NETDEV(FINDING_NIC_MTU, "h2", BOTH) } },
	{ "full size vanishes on one pair",
	  "1 1 1 1",
	  { HOSTS(0, 2, MODEL_MTU, 0) },
	  { PAIR(FINDING_PAIR_MTU, 0, 2, "h0", "h2", TX) } },
	{ "streams hang, datagrams pass",
	  "1 1 1 1",
	  { HOSTS(0, 2, MODEL_STUCK, 0) },
	  { PAIR(FINDING_PAIR_HANG, 0, 2, "h0", "h2", BOTH) } },
	{ "streams to a host hang, datagrams pass",
	  "1 1 1 1",
	  { TO_HOST(1, MODEL_STUCK, 0), FROM_HOST(1, MODEL_STUCK, 0) },
	  { RANK(FINDING_RANK_HANG, 1, "h1", BOTH) } },
	{ "one pair is refused",
	  "1 1 1 1",
	  { HOSTS(0, 2, MODEL_REFUSED, 0) },
	  { PAIR(FINDING_PAIR_ERROR, 0, 2, "h0", "h2", TX) } },
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
	{ "a longer way",
	  "1 1 1 1",
	  { HOSTS(3, 1, MODEL_LATE, 5e-4) },
	  { PAIR(FINDING_PAIR_LATENCY, 1, 3, "h1", "h3", BOTH) } },
	{ "wrong data from a rank",
	  "4",
	  { RANKS(1, ANY, MODEL_CORRUPT, 17) },
	  { RANK(FINDING_DATA_CORRUPT, 1, "h0", TX) } },
	{ "wrong data at a rank, whatever the speed",
	  "1 1 1 1",
	  { RANKS(ANY, 2, MODEL_CORRUPT, 5), RANKS(ANY, 2, MODEL_SLOW, 0.5) },
	  { NETDEV(FINDING_NIC_RX_SLOW, "h2", RX),
	    RANK(FINDING_DATA_CORRUPT, 2, "h2", RX) } },
	{ "wrong data on a pair",
	  "4",
	  { RANKS(1, 3, MODEL_CORRUPT, 17) },
	  { PAIR(FINDING_DATA_CORRUPT, 1, 3, "h0", "h0", TX) } },
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
	{ "pair inside a host hangs",
	  "4",
	  { RANKS(1, 3, MODEL_STUCK, 0) },
	  { PAIR(FINDING_PAIR_HANG, 1, 3, "h0", "h0", BOTH) } },
	{ "rank hangs",
	  "4",
	  { RANKS(1, ANY, MODEL_STUCK, 0), RANKS(ANY, 1, MODEL_STUCK, 0) },
	  { RANK(FINDING_RANK_HANG, 1, "h0", BOTH) } },
	{ "rank refuses",
	  "4",
	  { RANKS(ANY, 1, MODEL_REFUSED, 0), RANKS(1, ANY, MODEL_REFUSED, 0) },
	  { RANK(FINDING_RANK_ERROR, 1, "h0", BOTH) } },
};

static struct model model_of(const struct fault_case *c, uint64_t seed)
{
	struct model m = model_clean();
	size_t i;

	m.latency = true;
	m.seed = seed;
	for (i = 0; c && i < COUNT(c->faults); i++)
		if (c->faults[i].src || c->faults[i].dst)
			model_add(&m, c->faults[i]);
	return m;
}

static bool is_wanted(const struct finding *f, const struct want *w)
{
	return f->code == w->code && f->locus.kind == w->kind &&
	       f->locus.direction == w->direction && f->locus.rank == w->rank &&
	       f->locus.peer_rank == w->peer &&
	       strcmp(f->locus.host, w->host) == 0 &&
	       strcmp(f->locus.peer_host, w->peer_host ? w->peer_host : "") ==
	               0;
}

static void print_findings(const char *name, const struct findings *list)
{
	char place[256];
	size_t i;

	for (i = 0; i < list->n; i++) {
		locus_text(&list->f[i].locus, place, sizeof(place));
		print_error("%s: %s at %s\n", name,
		            finding_info(list->f[i].code)->id, place);
	}
}

static void check_wants(const struct fault_case *c, const struct findings *list)
{
	size_t i, k, n = 0;

	while (n < COUNT(c->wants) && c->wants[n].host)
		n++;
	if (list->n != n)
		print_findings(c->name, list);
	assert_int_equal(list->n, n);
	for (i = 0; i < n; i++) {
		for (k = 0; k < list->n; k++)
			if (is_wanted(&list->f[k], &c->wants[i]))
				break;
		if (k == list->n)
			print_findings(c->name, list);
		assert_true(k < list->n);
		assert_int_equal(list->f[k].severity, SEVERITY_FAULT);
		assert_true(list->f[k].n_evidence > 0);
		assert_true(list->f[k].confidence > 0 &&
		            list->f[k].confidence <= 1);
	}
}

/* Is the cell of src -> dst at the place of @l? */
static bool touches(const struct topo_job *job, const struct locus *l,
                    int32_t src, int32_t dst)
{
	switch (l->kind) {
	case LOCUS_PAIR:
		return (l->rank == src && l->peer_rank == dst) ||
		       (l->rank == dst && l->peer_rank == src);
	case LOCUS_RANK:
		return l->rank == src || l->rank == dst;
	default:
		return strcmp(l->host, topo_job_host_name(job, src)) == 0 ||
		       strcmp(l->host, topo_job_host_name(job, dst)) == 0;
	}
}

/* What is not accused must look well. */
static void check_others(const struct build_run *b, const struct matrices *ms,
                         const struct findings *list)
{
	const struct matrix_cell *cell;
	size_t m, i, k;

	for (m = 0; m < ms->n; m++)
		for (i = 0; i < ms->m[m].n_cells; i++) {
			cell = &ms->m[m].cells[i];
			for (k = 0; k < list->n; k++)
				if (touches(&b->job, &list->f[k].locus,
				            cell->src, cell->dst))
					break;
			if (k == list->n)
				assert_int_equal(cell->state, CELL_OK);
		}
}

static void judge_case_with(const struct fault_case *c, uint64_t seed)
{
	struct model m = model_of(c, seed);
	struct findings list;
	struct matrices ms;
	struct build_run b;

	build_job(&b, c->shape, BUILD_ONE_DEV);
	model_run(&b, &m);
	model_judge(&b, &ms, &list);
	check_wants(c, &list);
	check_others(&b, &ms, &list);
	findings_done(&list);
	matrices_done(&ms);
	build_done(&b);
}

static void every_fault_is_named(void **state)
{
	uint64_t seed;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++)
		for (seed = 1; seed <= 5; seed++)
			judge_case_with(&cases[i], seed);
}

static void clean_twins_stay_clean(void **state)
{
	struct model m = model_of(NULL, 7);
	struct findings list;
	struct matrices ms;
	struct build_run b;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		build_job(&b, cases[i].shape, BUILD_ONE_DEV);
		model_run(&b, &m);
		model_judge(&b, &ms, &list);
		print_findings(cases[i].shape, &list);
		assert_int_equal(list.n, 0);
		check_others(&b, &ms, &list);
		findings_done(&list);
		matrices_done(&ms);
		build_done(&b);
	}
}

static void one_rank_has_nothing_to_show(void **state)
{
	struct model m = model_of(NULL, 1);
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

static void assert_same(const struct findings *a, const struct findings *b)
{
	size_t i;

	assert_int_equal(a->n, b->n);
	for (i = 0; i < a->n; i++) {
		assert_int_equal(a->f[i].code, b->f[i].code);
		assert_int_equal(a->f[i].severity, b->f[i].severity);
		assert_memory_equal(&a->f[i].locus, &b->f[i].locus,
		                    sizeof(a->f[i].locus));
		assert_memory_equal(&a->f[i].confidence, &b->f[i].confidence,
		                    sizeof(a->f[i].confidence));
		assert_int_equal(a->f[i].n_evidence, b->f[i].n_evidence);
		assert_memory_equal(a->f[i].evidence, b->f[i].evidence,
		                    sizeof(a->f[i].evidence));
		assert_string_equal(a->f[i].detail, b->f[i].detail);
	}
}

static void order_of_outcomes_is_nothing(void **state)
{
	struct findings list, again;
	struct matrices ms;
	struct build_run b;
	struct model m;
	uint64_t seed;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		m = model_of(&cases[i], 3);
		build_job(&b, cases[i].shape, BUILD_ONE_DEV);
		model_run(&b, &m);
		model_judge(&b, &ms, &list);
		for (seed = 1; seed <= 3; seed++) {
			matrices_done(&ms);
			build_shuffle(&b, seed);
			model_judge(&b, &ms, &again);
			assert_same(&list, &again);
			findings_done(&again);
		}
		findings_done(&list);
		matrices_done(&ms);
		build_done(&b);
	}
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fault_is_named),
		cmocka_unit_test(clean_twins_stay_clean),
		cmocka_unit_test(one_rank_has_nothing_to_show),
		cmocka_unit_test(order_of_outcomes_is_nothing),
		cmocka_unit_test(a_bad_host_does_not_move_the_median),
	};

	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
