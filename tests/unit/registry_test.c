// SPDX-License-Identifier: Apache-2.0
// Unit tests of the rows about transports.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/trial/registry.h"
#include "probes/trial/trial.h"

static void test_every_transport_has_one_row(void **state)
{
	size_t n, seen[XPORT_COUNT] = { 0 };
	const struct registry_xport *rows = registry_xports(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_true(rows[i].id > XPORT_AUTO &&
		            rows[i].id < XPORT_COUNT);
		seen[rows[i].id]++;
		assert_string_equal(rows[i].name, trial_xport_name(rows[i].id));
		assert_true(strlen(rows[i].help) > 0);
		assert_ptr_equal(registry_xport_find(rows[i].name), &rows[i]);
	}
	for (size_t id = XPORT_AUTO + 1; id < XPORT_COUNT; id++)
		assert_int_equal(seen[id], 1);
}

static void test_what_is_not_built_says_what_it_needs(void **state)
{
	size_t n;
	const struct registry_xport *rows = registry_xports(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].id == XPORT_SHM || rows[i].id == XPORT_TCP)
			assert_true(rows[i].built);
		if (rows[i].built)
			assert_string_equal(rows[i].needs, "");
		else
			assert_non_null(
				strstr(rows[i].needs, "not in this build: "));
	}
}

static void test_unknown_names_find_nothing(void **state)
{
	(void)state;
	assert_null(registry_xport_find(""));
	assert_null(registry_xport_find("auto"));
	assert_null(registry_xport_find("SHM"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_transport_has_one_row),
		cmocka_unit_test(test_what_is_not_built_says_what_it_needs),
		cmocka_unit_test(test_unknown_names_find_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
