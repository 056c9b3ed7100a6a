// SPDX-License-Identifier: Apache-2.0
// Unit tests of the records' names and counters.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/trial/trial.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))
static void test_everything_has_its_own_name(void **state)
{
	static const struct {
		const char *(*name)(unsigned id);
		unsigned n;
	} rows[] = {
		{ trial_xport_name, XPORT_COUNT },
		{ trial_op_name, OP_COUNT },
		{ trial_mem_name, MEM_COUNT },
		{ trial_stage_name, TRIAL_STAGE_COUNT },
		{ outcome_state_name, OUTCOME_STATE_COUNT },
		{ outcome_stage_name, OUTCOME_STAGE_COUNT },
		{ outcome_counter_name, OUTCOME_COUNTER_COUNT },
		{ event_kind_name, EVENT_KIND_COUNT },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		for (unsigned id = 0; id < rows[i].n; id++) {
			const char *name = rows[i].name(id);

			assert_string_not_equal(name, "?");
			for (unsigned other = 0; other < id; other++)
				assert_string_not_equal(name,
				                        rows[i].name(other));
		}
		assert_string_equal(rows[i].name(rows[i].n), "?");
		assert_string_equal(rows[i].name(UINT32_MAX), "?");
	}
}

static void test_names_that_others_read(void **state)
{
	(void)state;
	assert_string_equal(trial_op_name(OP_ALLREDUCE), "all_reduce");
	assert_string_equal(trial_stage_name(TRIAL_S1_HOST), "S1 inside hosts");
	assert_string_equal(outcome_state_name(OUTCOME_HANG), "HANG");
	assert_string_equal(outcome_stage_name(STAGE_CONNECT), "CONNECT");
	assert_string_equal(outcome_counter_name(COUNTER_RETRANS),
	                    "retransmits");
	assert_string_equal(event_kind_name(EVENT_AGENT_LOST), "agent-lost");
}

static void test_busbw_as_nccl_tests_counts_it(void **state)
{
	static const struct {
		unsigned op;
		uint32_t n;
		double factor;
	} rows[] = {
		{ OP_ALLREDUCE, 2, 1 },      { OP_ALLREDUCE, 8, 1.75 },
		{ OP_ALLGATHER, 4, 0.75 },   { OP_REDUCESCATTER, 4, 0.75 },
		{ OP_ALLTOALL, 16, 0.9375 }, { OP_BROADCAST, 8, 1 },
		{ OP_SENDRECV, 8, 1 },       { OP_WRITE, 2, 1 },
		{ OP_ALLREDUCE, 1, 0 },      { OP_ALLREDUCE, 0, 0 },
		{ OP_COUNT, 4, 1 },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++)
		assert_true(fabs(trial_busbw_factor(rows[i].op, rows[i].n) -
		                 rows[i].factor) < 1e-12);
}

static void test_counters_are_put_and_got(void **state)
{
	struct outcome o = { 0 };

	(void)state;
	assert_int_equal(outcome_get(&o, COUNTER_RETRANS, -1), -1);
	outcome_put(&o, COUNTER_RETRANS, 0);
	outcome_put(&o, COUNTER_PMTU, 1500);
	outcome_put(&o, COUNTER_RETRANS, 5);
	assert_int_equal(outcome_get(&o, COUNTER_RETRANS, -1), 5);
	assert_int_equal(outcome_get(&o, COUNTER_PMTU, -1), 1500);
	assert_int_equal(o.values[0].id, COUNTER_RETRANS);
	assert_int_equal(o.values[1].id, COUNTER_PMTU);
	outcome_put(&o, COUNTER_NONE, 9);
	assert_int_equal(o.values[2].id, COUNTER_NONE);
	assert_int_equal(o.values[2].value, 0);
	assert_int_equal(outcome_get(&o, COUNTER_NONE, -7), -7);
}

static void test_counters_beyond_the_slots_are_dropped(void **state)
{
	struct outcome o = { 0 };

	(void)state;
	for (unsigned id = 1; id < OUTCOME_COUNTER_COUNT; id++)
		outcome_put(&o, id, 10 * (int64_t)id);
	for (unsigned id = 1; id < OUTCOME_COUNTER_COUNT; id++)
		assert_int_equal(outcome_get(&o, id, -1),
		                 id <= OUTCOME_VALUES ? 10 * (int64_t)id : -1);
	outcome_put(&o, 3, 33);
	assert_int_equal(outcome_get(&o, 3, -1), 33);
	o.values[0].id = COUNTER_NONE;
	outcome_put(&o, 3, 34);
	assert_int_equal(outcome_get(&o, 3, -1), 34);
	assert_int_equal(o.values[0].id, COUNTER_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything_has_its_own_name),
		cmocka_unit_test(test_names_that_others_read),
		cmocka_unit_test(test_busbw_as_nccl_tests_counts_it),
		cmocka_unit_test(test_counters_are_put_and_got),
		cmocka_unit_test(test_counters_beyond_the_slots_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
