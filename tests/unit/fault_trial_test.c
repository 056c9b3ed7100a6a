// SPDX-License-Identifier: Apache-2.0
// Unit tests of injected faults: what the measuring makes of them.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fault_link.h"
#include "topo/base/clock.h"

/* Both ends of a trial measured, the receiving one with faults. */
struct end {
	struct measure m;
	struct outcome o;
	struct fp_err err;
	struct board *board;
	double samples[1024], rates[1024];
};

static void *end_run(void *arg)
{
	struct end *e = arg;

	(void)measure_run(&e->m, &e->o, &e->err);
	return NULL;
}

static void measure_link(struct fault_link *l, struct end ends[static 2])
{
	static const int32_t members[] = { 1, 3 };
	struct board boards[2] = { { 0 } };
	pthread_t threads[2];

	for (uint32_t i = 0; i < 2; i++) {
		ends[i].m = (struct measure){
			.trial = &l->trial,
			.members = members,
			.n_members = 2,
			.me = i,
			.ep = i ? l->far : l->near,
			.board = &boards[i],
			.go_ns = fp_now_ns(),
			.deadline_ns = fp_after_ns(l->trial.deadline_s),
			.samples = ends[i].samples,
			.room_samples = 1024,
			.rates = ends[i].rates,
			.room_rates = 1024,
		};
		pthread_create(&threads[i], NULL, end_run, &ends[i]);
	}
	for (uint32_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static struct outcome outcome_under(const struct trial *t, const char *rules)
{
	struct end *ends = calloc(2, sizeof(*ends));
	struct outcome o;
	struct fault_link l;

	assert_non_null(ends);
	fault_link_open(&l, t, rules);
	measure_link(&l, ends);
	o = ends[1].o;
	fault_link_close(&l);
	free(ends);
	return o;
}

static void test_corruption_is_measured(void **state)
{
	static const uint64_t sizes[] = { 8, 1000, 300000 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct trial t = fault_link_trial(OP_WRITE, sizes[i]);
		struct outcome o = outcome_under(&t, "corrupt src=1 dst=3");

		assert_int_equal(o.state, OUTCOME_OK);
		assert_true(o.wrong_bytes > 0);
		assert_true(o.algbw_Bps > 0);
		t.op = OP_LATENCY;
		o = outcome_under(&t, "corrupt src=1 dst=3");
		assert_int_equal(o.state, OUTCOME_OK);
		assert_true(o.wrong_bytes > 0);
		o = outcome_under(&t, "corrupt src=3 dst=1");
		assert_int_equal(o.wrong_bytes, 0);
	}
}

static void test_a_hang_is_measured(void **state)
{
	struct trial t = fault_link_trial(OP_WRITE, 1000);
	struct outcome o;

	(void)state;
	t.deadline_s = 0.05;
	o = outcome_under(&t, "hang src=1 dst=3");
	assert_int_equal(o.state, OUTCOME_HANG);
	assert_int_equal(o.stage, STAGE_WARM);
	assert_int_equal(o.moved_bytes, 0);
}

static void test_a_drop_is_measured(void **state)
{
	struct trial t = fault_link_trial(OP_WRITE, 1000);
	struct outcome o = outcome_under(&t, "drop src=1 dst=3");

	(void)state;
	assert_int_equal(o.state, OUTCOME_ERROR);
	assert_string_equal(o.err, "dropped by an injected fault");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corruption_is_measured),
		cmocka_unit_test(test_a_hang_is_measured),
		cmocka_unit_test(test_a_drop_is_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
