// SPDX-License-Identifier: Apache-2.0
// Unit tests of the sizes of collectives.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/measure/ring.h"

static void test_sizes_mean_what_nccl_tests_means(void **state)
{
	static const struct {
		uint32_t op;
		uint64_t bytes, size;
		size_t count;
	} rows[] = {
		{ OP_ALLREDUCE, 1024, 1024, 256 },
		{ OP_BROADCAST, 1024, 1024, 256 },
		{ OP_SENDRECV, 1024, 1024, 256 },
		{ OP_ALLGATHER, 1024, 1024, 64 },
		{ OP_REDUCESCATTER, 1024, 1024, 64 },
		{ OP_ALLTOALL, 1024, 1024, 64 },
		{ OP_ALLTOALL, 1031, 1024, 64 },
		{ OP_ALLREDUCE, 1031, 1028, 257 },
		{ OP_ALLGATHER, 15, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(ring_count(rows[i].op, 4, rows[i].bytes),
		                 rows[i].count);
		assert_int_equal(ring_size_bytes(rows[i].op, 4, rows[i].count),
		                 rows[i].size);
	}
}

static void test_room_overflow_is_refused(void **state)
{
	(void)state;
	assert_int_equal(ring_region_bytes(OP_ALLGATHER, 16, SIZE_MAX / 16), 0);
	assert_int_equal(ring_region_bytes(OP_ALLREDUCE, 2, SIZE_MAX / 2), 0);
	assert_int_equal(ring_scratch_bytes(OP_ALLTOALL, 4, SIZE_MAX / 8), 0);
	assert_int_equal(ring_region_bytes(OP_ALLGATHER, 4, 100), 1600);
}

static void test_a_pair_op_is_refused(void **state)
{
	struct ring r = { .op = OP_LATENCY, .n = 2 };
	struct fp_err err = { 0 };

	(void)state;
	assert_int_equal(ring_run(&r, &err), FP_ERR_NOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_mean_what_nccl_tests_means),
		cmocka_unit_test(test_room_overflow_is_refused),
		cmocka_unit_test(test_a_pair_op_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
