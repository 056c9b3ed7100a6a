// SPDX-License-Identifier: Apache-2.0
// Unit tests of trees out of pickles and JSON, hostile ones among them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/explain/value.h"

#define N_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))
#define BYTES(text) text, sizeof(text) - 1

/* A pickle, and the integer that it must give. */
static const struct {
	const char *bytes;
	size_t len;
	int64_t want;
} integers[] = {
	{ BYTES("\x80\x02K\x07."), 7 },
	{ BYTES("\x80\x02M\x00\x01."), 256 },
	{ BYTES("\x80\x02J\xff\xff\xff\xff."), -1 },
	{ BYTES("\x80\x02\x8a\x01\x80."), -128 },
	{ BYTES("\x80\x02\x8a\x00."), 0 },
	/* nanoseconds need all 64 bits */
	{ BYTES("\x80\x02\x8a\x08\x41\x00\x00\x00\x00\x00\x68\x18."),
	  0x1868000000000041 },
	{ BYTES("\x80\x02\x88."), 1 },
	/* a value that was remembered, and one that was dropped */
	{ BYTES("\x80\x02K\x05q\x00K\x09"
	        "0h\x00."),
	  5 },
	{ BYTES("\x80\x04\x95\x03\x00\x00\x00\x00\x00\x00\x00K\x2a\x94."), 42 },
};

static void reads_integers(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_ROWS(integers); i++) {
		struct values v = { 0 };
		struct value got;
		struct fp_err err = { 0 };

		if (value_from_pickle(&v, integers[i].bytes, integers[i].len,
		                      &got, &err) != FP_OK)
			fail_msg("row %zu: %s", i, err.text);
		assert_int_equal(value_int(&got, -99), integers[i].want);
		values_done(&v);
	}
}

static const struct {
	const char *bytes;
	size_t len;
	const char *why;
} refused[] = {
	/* os.system("id"), as protocols 0, 2 and 4 would call it */
	{ BYTES("cos\nsystem\n(S'id'\ntR."), "opcode 0x63 would run code" },
	{ BYTES("\x80\x02}R."), "opcode 0x52 would run code" },
	{ BYTES("\x80\x04\x8c\x02os\x8c\x06system\x93."),
	  "0x93 would run code" },
	{ BYTES("\x80\x02]\x81."), "opcode 0x81 would run code" },
	{ BYTES("\x80\x02]b."), "opcode 0x62 would run code" },
	{ BYTES("\x80\x02K"), "ends in the middle" },
	{ BYTES("\x80\x02"), "ends in the middle" },
	{ BYTES("\x80\x02X\xff\xff\xff\x7f"
	        "a."),
	  "longer than it" },
	{ BYTES("\x80\x02."), "it is empty" },
	{ BYTES("\x80\x02h\x05."), "nothing was remembered" },
	{ BYTES("\x80\x02r\xff\xff\xff\xff."), "nothing to remember" },
	{ BYTES("\x80\x02K\x01r\xff\xff\xff\xff."), "remembers too much" },
	{ BYTES("\x80\x02u."), "a list without a beginning" },
	{ BYTES("\x80\x02(K\x01u."), "an item without its list" },
	{ BYTES("\x80\x02K\x01K\x02s."), "an item without a list" },
	{ BYTES("\x80\x02]K\x01K\x02s."), "an item without its list" },
	{ BYTES("\x80\x02\x87."), "a tuple too large" },
	{ BYTES("\x80\x09K\x01."), "a newer protocol" },
	{ BYTES("\x80\x02\x8a\x09"
	        "123456789."),
	  "beyond 64 bits" },
	{ BYTES("\x80\x02Z."), "is not of a dump" },
};

static void refuses_what_is_no_dump(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_ROWS(refused); i++) {
		struct values v = { 0 };
		struct value got = { 0 };
		struct fp_err err = { 0 };
		enum fp_status status = value_from_pickle(
			&v, refused[i].bytes, refused[i].len, &got, &err);

		assert_true(status == FP_ERR_INPUT || status == FP_ERR_LIMIT);
		if (!strstr(err.text, refused[i].why))
			fail_msg("row %zu: %s", i, err.text);
		values_done(&v);
	}
}

static void nests_no_deeper_than_a_limit(void **state)
{
	char deep[2 + 300 + 1] = "\x80\x02";
	struct values v = { 0 };
	struct value got;
	struct fp_err err = { 0 };

	(void)state;
	memset(deep + 2, '(', 300);
	deep[302] = '.';
	assert_int_equal(value_from_pickle(&v, deep, sizeof(deep), &got, &err),
	                 FP_ERR_LIMIT);
	values_done(&v);
}

/* {"a": [1, "x", 2.5, None], "b": {"c": "17"}} */
static const char tree_pickle[] =
	"\x80\x02}q\x00(X\x01\x00\x00\x00"
	"aq\x01]q\x02(K\x01X\x01\x00\x00\x00x"
	"G\x40\x04\x00\x00\x00\x00\x00\x00NeX\x01\x00\x00\x00"
	"b}X\x01\x00\x00"
	"\x00"
	"cX\x02\x00\x00\x00"
	"17su.";
static const char tree_json[] =
	"{\"a\": [1, \"x\", 2.5, null], \"b\": {\"c\": \"17\"}}";

static void check_tree(const struct value *tree)
{
	size_t n;
	const struct value *a = value_items(value_get(tree, "a"), &n);

	assert_int_equal(n, 4);
	assert_int_equal(value_int(&a[0], 0), 1);
	assert_true(value_is(&a[1], "x"));
	assert_int_equal(a[2].type, VALUE_REAL);
	assert_true(a[2].r > 2.4 && a[2].r < 2.6);
	assert_int_equal(a[3].type, VALUE_NONE);
	assert_null(value_item(value_get(tree, "a"), 4));
	assert_int_equal(value_int(value_get(value_get(tree, "b"), "c"), 0),
	                 17);
	assert_null(value_get(tree, "c"));
	assert_null(value_get(a, "c"));
	assert_int_equal(value_int(value_get(tree, "b"), -5), -5);
}

/* The two @keys of each of the @n items of @list, in whatever order they are. */
static void expect_picks(const struct value *list, const struct value_key *keys,
                         const int64_t (*want)[2], size_t n)
{
	struct value_shape shape = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct value *got[2];

		value_pick(value_item(list, i), keys, 2, &shape, got);
		assert_int_equal(value_int(got[0], -1), want[i][0]);
		assert_int_equal(value_int(got[1], -1), want[i][1]);
	}
}

/* Dicts with the keys of the one before, with others, and with none. */
static void picks_keys_whatever_the_dict_before_had(void **state)
{
	static const char json[] = "[{\"a\": 1, \"x\": 2, \"b\": 3},"
				   "{\"a\": 4, \"x\": 5, \"b\": 6},"
				   "{\"b\": 7, \"a\": 8}, {}, {\"x\": 9}]";
	static const struct value_key keys[] = { VALUE_KEY("a"),
		                                 VALUE_KEY("b") };
	static const int64_t want[][2] = {
		{ 1, 3 }, { 4, 6 }, { 8, 7 }, { -1, -1 }, { -1, -1 },
	};
	struct values v = { 0 };
	struct fp_err err = { 0 };
	struct value tree;

	(void)state;
	assert_int_equal(
		value_from_json(&v, json, sizeof(json) - 1, &tree, &err),
		FP_OK);
	expect_picks(&tree, keys, want, N_ROWS(want));
	values_done(&v);
}

/* Of a pickle that remembers them, keys are the same texts in every dict. */
static void picks_keys_that_a_pickle_remembers(void **state)
{
	static const char pickle[] = "\x80\x02](}(X\x01\x00\x00\x00"
				     "aq\x00K\x01X\x01\x00\x00\x00"
				     "bq\x01K\x02u}(h\x00K\x03h\x01K\x04u}"
				     "(h\x01K\x05h\x00K\x06ue.";
	static const struct value_key keys[] = { VALUE_KEY("a"),
		                                 VALUE_KEY("b") };
	static const int64_t want[][2] = { { 1, 2 }, { 3, 4 }, { 6, 5 } };
	struct values v = { 0 };
	struct fp_err err = { 0 };
	struct value tree;

	(void)state;
	if (value_from_pickle(&v, pickle, sizeof(pickle) - 1, &tree, &err) !=
	    FP_OK)
		fail_msg("%s", err.text);
	expect_picks(&tree, keys, want, N_ROWS(want));
	values_done(&v);
}

/* One by one and in batches, and a list in itself. */
static void fills_a_list_in_pieces(void **state)
{
	static const char pickle[] = "\x80\x02]q\x00K\x00"
				     "a(K\x01K\x02K\x03"
				     "eK\x04"
				     "ah\x00"
				     "a(K\x06K\x07K\x08K\x09"
				     "e.";
	struct values v = { 0 };
	struct fp_err err = { 0 };
	struct value tree;

	(void)state;
	if (value_from_pickle(&v, pickle, sizeof(pickle) - 1, &tree, &err) !=
	    FP_OK)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(value_int(value_item(&tree, i), 5), i);
	assert_ptr_equal(value_item(&tree, 5)->list, tree.list);
	assert_null(value_item(&tree, 10));
	values_done(&v);
}

static void gives_the_same_tree_of_both(void **state)
{
	struct values v = { 0 };
	struct value tree;
	struct fp_err err = { 0 };

	(void)state;
	if (value_from_pickle(&v, tree_pickle, sizeof(tree_pickle) - 1, &tree,
	                      &err) != FP_OK)
		fail_msg("%s", err.text);
	check_tree(&tree);
	values_done(&v);
	assert_int_equal(value_from_json(&v, tree_json, sizeof(tree_json) - 1,
	                                 &tree, &err),
	                 FP_OK);
	check_tree(&tree);
	values_done(&v);
}

static void says_where_json_is_broken(void **state)
{
	struct values v = { 0 };
	struct value tree;
	struct fp_err err = { 0 };
	char deep[129];

	(void)state;
	assert_int_equal(value_from_json(&v, "{\"a\":\n [1,}", 11, &tree, &err),
	                 FP_ERR_INPUT);
	assert_non_null(strstr(err.text, "line 2"));
	values_done(&v);
	memset(deep, '[', 64);
	memset(deep + 64, ']', 64);
	err = (struct fp_err){ 0 };
	assert_int_equal(value_from_json(&v, deep, 128, &tree, &err),
	                 FP_ERR_LIMIT);
	values_done(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_integers),
		cmocka_unit_test(refuses_what_is_no_dump),
		cmocka_unit_test(nests_no_deeper_than_a_limit),
		cmocka_unit_test(gives_the_same_tree_of_both),
		cmocka_unit_test(picks_keys_whatever_the_dict_before_had),
		cmocka_unit_test(picks_keys_that_a_pickle_remembers),
		cmocka_unit_test(fills_a_list_in_pieces),
		cmocka_unit_test(says_where_json_is_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
