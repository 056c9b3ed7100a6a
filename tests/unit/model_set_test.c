// SPDX-License-Identifier: Apache-2.0
// Unit tests of sets of CPU and NUMA node numbers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/model/model_set.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))

static void lists_are_read(void **state)
{
	static const struct {
		const char *text;
		size_t count; /* 0: refused */
		int32_t first;
	} rows[] = {
		{ "0-55,112-167", 112, 0 },
		{ "4,6,8,10,12", 5, 4 },
		{ "7", 1, 7 },
		{ "0-1023", 1024, 0 },
		{ "", 0, -1 },
		{ "0-1024", 0, -1 },
		{ "168-2231", 0, -1 },
		{ "5-3", 0, -1 },
		{ "5,3", 0, -1 },
		{ "5,5", 0, -1 },
		{ "1,", 0, -1 },
		{ ",1", 0, -1 },
		{ "1--2", 0, -1 },
		{ "1-2-3", 0, -1 },
		{ "0 ", 0, -1 },
		{ "N/A", 0, -1 },
		{ "99999999999999999999", 0, -1 },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct topo_set set = { 0 };
		bool ok =
			topo_set_read(rows[i].text, strlen(rows[i].text), &set);

		assert_int_equal(ok, rows[i].count > 0);
		assert_int_equal(topo_set_count(&set), rows[i].count);
		assert_int_equal(topo_set_first(&set), rows[i].first);
	}
}

static void lists_are_written_as_they_are_read(void **state)
{
	static const char *const texts[] = {
		"0",    "0-1023",   "0-55,112-167",      "63-64",
		"1023", "4,6,8,10", "0-1,3,5-7,127-129",
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(texts); i++) {
		struct fp_text text = { 0 };
		struct topo_set set;

		assert_true(topo_set_read(texts[i], strlen(texts[i]), &set));
		topo_set_write(&set, &text);
		assert_string_equal(fp_text_str(&text), texts[i]);
		fp_text_free(&text);
	}
}

static void masks(void **state)
{
	static const struct {
		const char *mask, *list; /* NULL: refused */
		const char *again;
	} rows[] = {
		{ "000000ff,ffff0000,00ffffff", "0-23,48-71",
		  "000000ff,ffff0000,00ffffff" },
		{ "0000,0fffff00,000fffff", "0-19,40-59", "0fffff00,000fffff" },
		{ "0x0000ffff,0xffffffff", "0-47", "0000ffff,ffffffff" },
		{ "0", "", "" },
		{ "", NULL, NULL },
		{ "fffffffff", NULL, NULL },
		{ "1,", NULL, NULL },
		{ "-1", NULL, NULL },
		{ "1 2", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct fp_text list = { 0 }, mask = { 0 };
		struct topo_set set = { 0 };

		assert_int_equal(topo_set_read_mask(rows[i].mask, &set),
		                 rows[i].list != NULL);
		if (!rows[i].list)
			continue;
		topo_set_write(&set, &list);
		assert_string_equal(fp_text_str(&list), rows[i].list);
		if (*rows[i].again) {
			topo_set_write_mask(&set, &mask);
			assert_string_equal(fp_text_str(&mask), rows[i].again);
		}
		fp_text_free(&list);
		fp_text_free(&mask);
	}
}

static void comparisons(void **state)
{
	struct topo_set a = { 0 }, b = { 0 };

	(void)state;
	assert_true(topo_set_equal(&a, &b));
	assert_false(topo_set_meet(&a, &b));
	assert_true(topo_set_add(&a, 700));
	assert_false(topo_set_add(&a, TOPO_SET_MAX));
	assert_false(topo_set_add(&a, -1));
	assert_true(topo_set_has(&a, 700));
	assert_false(topo_set_has(&a, -1));
	assert_false(topo_set_equal(&a, &b));
	topo_set_add(&b, 700);
	topo_set_add(&b, 0);
	assert_true(topo_set_meet(&a, &b));
	assert_false(topo_set_equal(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read),
		cmocka_unit_test(lists_are_written_as_they_are_read),
		cmocka_unit_test(masks),
		cmocka_unit_test(comparisons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
