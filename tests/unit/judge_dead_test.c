// SPDX-License-Identifier: Apache-2.0
// What does not arrive, or arrives changed: named, at its place and direction.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/judge_bed.h"

static const struct fault_case cases[] = {
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
	  { PAIR(FINDING_PAIR_HANG, 0, 2, "h0", "h2", TX) } },
	{ "streams to a host hang, datagrams pass",
	  "1 1 1 1",
	  { TO_HOST(1, MODEL_STUCK, 0), FROM_HOST(1, MODEL_STUCK, 0) },
	  { RANK(FINDING_RANK_HANG, 1, "h1", BOTH) } },
	{ "one pair is refused",
	  "1 1 1 1",
	  { HOSTS(0, 2, MODEL_REFUSED, 0) },
	  { PAIR(FINDING_PAIR_ERROR, 0, 2, "h0", "h2", TX) } },
	{ "wrong data from a rank",
	  "4",
	  { RANKS(1, ANY, MODEL_CORRUPT, 17) },
	  { RANK(FINDING_DATA_CORRUPT, 1, "h0", TX) } },
	{ "wrong data at a rank, whatever the speed",
	  "1 1 1 1",
	  { RANKS(ANY, 2, MODEL_CORRUPT, 5), RANKS(ANY, 2, MODEL_SLOW, 0.5) },
	  { NETDEV(FINDING_NIC_RX_SLOW, "h2", RX),
	    RANK(FINDING_DATA_CORRUPT, 2, "h2", RX) } },
	{ "damages what it sends, to one partner inside and one outside",
	  "2 2",
	  { RANKS(0, ANY, MODEL_CORRUPT, 17) },
	  { RANK(FINDING_DATA_CORRUPT, 0, "h0", TX) } },
	{ "damages what it receives, from one partner inside and one outside",
	  "2 2",
	  { RANKS(ANY, 2, MODEL_CORRUPT, 17) },
	  { RANK(FINDING_DATA_CORRUPT, 2, "h1", RX) } },
	{ "wrong data on a pair",
	  "4",
	  { RANKS(1, 3, MODEL_CORRUPT, 17) },
	  { PAIR(FINDING_DATA_CORRUPT, 1, 3, "h0", "h0", TX) } },
	{ "pair inside a host hangs",
	  "4",
	  { RANKS(1, 3, MODEL_STUCK, 0) },
	  { PAIR(FINDING_PAIR_HANG, 1, 3, "h0", "h0", TX) } },
	{ "rank hangs",
	  "4",
	  { RANKS(1, ANY, MODEL_STUCK, 0), RANKS(ANY, 1, MODEL_STUCK, 0) },
	  { RANK(FINDING_RANK_HANG, 1, "h0", BOTH) } },
	{ "rank hangs in what it sends",
	  "4",
	  { RANKS(1, ANY, MODEL_STUCK, 0) },
	  { RANK(FINDING_RANK_HANG, 1, "h0", TX) } },
	{ "rank refuses",
	  "4",
	  { RANKS(ANY, 1, MODEL_REFUSED, 0), RANKS(1, ANY, MODEL_REFUSED, 0) },
	  { RANK(FINDING_RANK_ERROR, 1, "h0", BOTH) } },
	{ "loss that keeps some round trips from ending",
	  "1 1 1 1 1",
	  { TO_HOST(3, MODEL_LOSS, 0.02), HOSTS(2, 3, MODEL_RARE, 0) },
	  { NETDEV(FINDING_NIC_LOSS, "h3", RX) } },
	{ .name = NULL },
};

static void every_fault_is_named(void **state)
{
	(void)state;
	judge_bed_cases(cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fault_is_named),
	};

	return cmocka_run_group_tests_name("judge_dead", tests, NULL, NULL);
}
