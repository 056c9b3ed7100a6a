// SPDX-License-Identifier: Apache-2.0
// What the codes of failed RDMA transfers mean, and where.
#include "probes/judge/rdma.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define EVENT(type) ((type) + 1)
#define NOTHING FINDING_CODE_COUNT

static const struct {
	struct rdma_end tx, rx;
	unsigned code;
	uint32_t place;
} verdicts[] = {
	{ { .wc_status = 12 }, { 0 }, NOTHING, RDMA_NOWHERE },
	{ { 0 }, { 0 }, NOTHING, RDMA_NOWHERE },
	/* an end's own trouble explains what the other saw */
	{ { .wc_status = 12 },
	  { .event = EVENT(10) },
	  FINDING_PORT_DOWN,
	  RDMA_RX },
	{ { .setup_errno = ENETDOWN }, { 0 }, FINDING_PORT_DOWN, RDMA_TX },
	{ { .event = EVENT(18) },
	  { .wc_status = 12 },
	  FINDING_RDMA_GID,
	  RDMA_TX },
	{ { .setup_errno = ENODATA }, { 0 }, FINDING_RDMA_GID, RDMA_TX },
	{ { 0 }, { .setup_errno = ENOMEM }, FINDING_MEMLOCK, RDMA_RX },
	{ { .event = EVENT(8), .setup_errno = ENETDOWN },
	  { 0 },
	  FINDING_HCA_DEAD,
	  RDMA_TX },
	/* a port that came back is no fault */
	{ { .wc_status = 12, .event = EVENT(9) },
	  { 0 },
	  NOTHING,
	  RDMA_NOWHERE },
	/* between them */
	{ { .setup_errno = EINVAL }, { 0 }, FINDING_RDMA_GID, RDMA_BETWEEN },
	{ { 0 },
	  { .setup_errno = ENETUNREACH },
	  FINDING_RDMA_ROUTE,
	  RDMA_BETWEEN },
	{ { .setup_errno = ETIMEDOUT }, { 0 }, NOTHING, RDMA_NOWHERE },
	{ { .wc_status = 10 },
	  { .wc_status = 5 },
	  FINDING_RDMA_REFUSED,
	  RDMA_BETWEEN },
	{ { 0 }, { .wc_status = 9 }, FINDING_RDMA_REFUSED, RDMA_BETWEEN },
	{ { .wc_status = 5 }, { .wc_status = 5 }, NOTHING, RDMA_NOWHERE },
	/* they met, then nothing large came */
	{ { .wc_status = 12, .stage = STAGE_WARM, .there = true },
	  { .stage = STAGE_WARM, .there = true },
	  FINDING_HCA_MTU,
	  RDMA_BETWEEN },
	{ { .wc_status = 12, .stage = STAGE_WARM, .there = true },
	  { .stage = STAGE_WARM, .there = true, .moved = 65536 },
	  NOTHING,
	  RDMA_NOWHERE },
	{ { .wc_status = 12, .stage = STAGE_CONNECT, .there = true },
	  { .stage = STAGE_CONNECT, .there = true },
	  NOTHING,
	  RDMA_NOWHERE },
};

static void test_verdicts(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(verdicts); i++) {
		struct rdma_verdict v =
			rdma_judge(&verdicts[i].tx, &verdicts[i].rx);

		if (v.place != verdicts[i].place ||
		    (v.place != RDMA_NOWHERE && v.code != verdicts[i].code))
			fail_msg("row %zu: code %u at %u", i, v.code, v.place);
	}
}

static void test_names(void **state)
{
	static const struct {
		unsigned code, direction, want;
	} rows[] = {
		{ FINDING_NIC_TX_SLOW, DIRECTION_TX, FINDING_PORT_TX_SLOW },
		{ FINDING_NIC_RX_SLOW, DIRECTION_RX, FINDING_PORT_RX_SLOW },
		{ FINDING_NIC_LOSS, DIRECTION_TX, FINDING_PORT_TX_LOSSY },
		{ FINDING_NIC_LOSS, DIRECTION_RX, FINDING_PORT_RX_LOSSY },
		{ FINDING_NIC_RX_DEAD, DIRECTION_RX, FINDING_HCA_DEAD },
		{ FINDING_PAIR_SLOW, DIRECTION_TX, FINDING_PAIR_SLOW },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(rdma_code(rows[i].code, rows[i].direction),
		                 rows[i].want);
}

/* Both ends of a failed test are looked up; a trial of tcp is not judged. */
static void test_cell(void **state)
{
	struct trial trials[] = {
		{ .id = 1, .xport = XPORT_VERBS, .src = 4, .dst = 2 },
		{ .id = 2, .xport = XPORT_TCP, .src = 4, .dst = 2 },
	};
	struct outcome outcomes[] = {
		{ .trial = 1, .rank = 4 },
		{ .trial = 1, .rank = 2 },
		{ .trial = 2, .rank = 2 },
	};
	const struct results r = { .trials = trials,
		                   .n_trials = 2,
		                   .outcomes = outcomes,
		                   .n_outcomes = 3 };
	struct rdma_verdict v;
	int32_t rank;

	(void)state;
	outcome_put(&outcomes[1], COUNTER_SETUP_ERRNO, ENETDOWN);
	outcome_put(&outcomes[2], COUNTER_SETUP_ERRNO, ENETDOWN);
	v = rdma_cell(&r, 1, &rank);
	assert_int_equal(v.place, RDMA_RX);
	assert_int_equal(v.code, FINDING_PORT_DOWN);
	assert_int_equal(rank, 2);
	v = rdma_cell(&r, 2, &rank);
	assert_int_equal(v.place, RDMA_NOWHERE);
	assert_int_equal(rank, -1);
	v = rdma_cell(&r, 3, &rank);
	assert_int_equal(v.place, RDMA_NOWHERE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
