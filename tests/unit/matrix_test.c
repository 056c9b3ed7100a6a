// SPDX-License-Identifier: Apache-2.0
// Names of states and looking up a pair.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/matrix.h"

static void every_state_has_a_name(void **state)
{
	unsigned s, t;

	(void)state;
	for (s = 0; s < CELL_STATE_COUNT; s++) {
		assert_string_not_equal(cell_state_name(s), "?");
		for (t = 0; t < s; t++)
			assert_string_not_equal(cell_state_name(s),
			                        cell_state_name(t));
	}
	assert_string_equal(cell_state_name(CELL_HANG), "HANG");
	assert_string_equal(cell_state_name(CELL_STATE_COUNT), "?");
}

static void a_hang_outranks_slowness(void **state)
{
	(void)state;
	assert_true(CELL_HANG > CELL_SLOW);
	assert_true(CELL_ERROR > CELL_SLOW);
	assert_true(CELL_LOST > CELL_HANG);
	assert_true(CELL_CORRUPT > CELL_SLOW);
	assert_true(CELL_SUSPECT > CELL_OK);
}

static void finds_what_is_there(void **state)
{
	struct matrix_cell cells[] = {
		{ .src = 0, .dst = 1 }, { .src = 0, .dst = 7 },
		{ .src = 2, .dst = 0 }, { .src = 2, .dst = 1 },
		{ .src = 9, .dst = 3 },
	};
	const struct matrix m = { .cells = cells, .n_cells = 5 };
	const struct matrix none = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < 5; i++)
		assert_ptr_equal(matrix_find(&m, cells[i].src, cells[i].dst),
		                 &cells[i]);
	assert_null(matrix_find(&m, 1, 0));
	assert_null(matrix_find(&m, 2, 2));
	assert_null(matrix_find(&m, -1, 1));
	assert_null(matrix_find(&none, 0, 1));
}

static void takes_nothing(void **state)
{
	struct matrices ms = { 0 };

	(void)state;
	matrices_done(NULL);
	matrices_done(&ms);
	assert_null(ms.m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_state_has_a_name),
		cmocka_unit_test(a_hang_outranks_slowness),
		cmocka_unit_test(finds_what_is_there),
		cmocka_unit_test(takes_nothing),
	};

	return cmocka_run_group_tests_name("matrix", tests, NULL, NULL);
}
