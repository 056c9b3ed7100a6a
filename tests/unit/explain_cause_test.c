// SPDX-License-Identifier: Apache-2.0
// Unit tests of the catalogue of causes: nothing that is seen is left without
// one, and each row is whole.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/explain/cause.h"
#include "probes/finding/finding.h"

static bool has_sign(const struct cause_sign *signs, size_t n, uint32_t kind)
{
	for (size_t i = 0; i < n; i++)
		if (signs[i].kind == kind)
			return true;
	return false;
}

static bool is_named(uint32_t kind)
{
	size_t n;
	const struct cause_table *const *tables = cause_tables(&n);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < tables[i]->n; k++)
			if (has_sign(tables[i]->rows[k].any, CAUSE_ANY, kind) ||
			    has_sign(tables[i]->rows[k].all, CAUSE_ALL, kind))
				return true;
	return false;
}

static void names_all_that_can_begin_it(void **state)
{
	(void)state;
	for (uint32_t kind = 1; kind < KIND_COUNT; kind++) {
		const struct kind_info *info = kind_info(kind);

		if (!info->id || !info->words)
			fail_msg("kind %u has no row", kind);
		if (info->role == ROLE_ORIGIN && !is_named(kind))
			fail_msg("%s is of no cause", info->id);
	}
}

static void kinds_have_names_of_their_own(void **state)
{
	(void)state;
	for (uint32_t a = 0; a < KIND_COUNT; a++)
		for (uint32_t b = 0; b < a; b++)
			if (!strcmp(kind_info(a)->id, kind_info(b)->id))
				fail_msg("two kinds are '%s'",
				         kind_info(a)->id);
}

static void check_row(const struct cause *cause)
{
	assert_memory_equal(cause->code, "FP-EXPLAIN-", 11);
	assert_ptr_equal(cause_find(cause->code), cause);
	assert_true(cause->title && cause->title[0]);
	assert_true(cause->next && cause->next[0]);
	assert_non_null(cause->disprove);
	assert_true(cause->layer < LAYER_COUNT);
	assert_true(cause->tier <= CAUSE_NOTE);
	assert_true(cause->confidence > 0 && cause->confidence < 1);
	assert_true(cause->any[0].kind || cause->all[0].kind);
	if (cause->tier < CAUSE_STALL)
		assert_true(cause->disprove[0]);
}

static void rows_are_whole(void **state)
{
	size_t n, rows = 0;
	const struct cause_table *const *tables = cause_tables(&n);

	(void)state;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < tables[i]->n; k++, rows++)
			check_row(&tables[i]->rows[k]);
	assert_true(rows > 30);
	assert_null(cause_find("FP-EXPLAIN-NOTHING"));
}

static void only_what_is_known_is_a_fault(void **state)
{
	(void)state;
	assert_int_equal(cause_tier_severity(CAUSE_HARD), SEVERITY_FAULT);
	assert_int_equal(cause_tier_severity(CAUSE_WEAK), SEVERITY_FAULT);
	assert_int_equal(cause_tier_severity(CAUSE_SLOW), SEVERITY_FAULT);
	assert_int_equal(cause_tier_severity(CAUSE_STALL), SEVERITY_WARN);
	assert_int_equal(cause_tier_severity(CAUSE_OPEN), SEVERITY_WARN);
	assert_int_equal(cause_tier_severity(CAUSE_NOTE), SEVERITY_INFO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_all_that_can_begin_it),
		cmocka_unit_test(kinds_have_names_of_their_own),
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(only_what_is_known_is_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
