// SPDX-License-Identifier: Apache-2.0
// Structs by table to JSON and back: every kind, its limits, and what is left
// out.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/json/json_field.h"
#include "topo/model/model_set.h"

struct thing {
	uint8_t u8, colour;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	int32_t i32, rank;
	int64_t i64;
	double real;
	bool flag;
	char text[8];
	struct topo_set set;
};

static const char *colour_name(unsigned value)
{
	static const char *const names[] = { "red", "green" };

	return value < 2 ? names[value] : "?";
}

static const struct field rows[] = {
	FIELD_UINT_OF(thing, u8),
	FIELD_UINT_OF(thing, u16),
	FIELD_UINT_OF(thing, u32),
	FIELD_UINT_OF(thing, u64),
	FIELD_INT32_OF(thing, i32),
	FIELD_INT64_OF(thing, i64),
	FIELD_INT_IN(thing, rank, -1, 7),
	FIELD_REAL_OF(thing, real),
	FIELD_BOOL_OF(thing, flag),
	FIELD_TEXT_OF(thing, text),
	FIELD_NAME_OF(thing, colour, colour_name, 2),
	FIELD_SET_OF(thing, set),
};
static const struct fields whole = FIELDS(rows);
static const struct fields sparse = FIELDS_SPARSE(rows);

static char *text_of(const struct fields *fields, const struct thing *t)
{
	json_t *json = fields_to_json(fields, t);
	char *text;

	assert_non_null(json);
	text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
	assert_non_null(text);
	json_decref(json);
	return text;
}

static enum fp_status read_text(const char *text, struct thing *t,
                                struct fp_err *err)
{
	json_t *json = json_loads(text, 0, NULL);
	enum fp_status status;

	assert_non_null(json);
	status = fields_from_json(&whole, json, t, err);
	json_decref(json);
	return status;
}

static void test_there_and_back(void **state)
{
	static const char want[] =
		"{\"u8\":255,\"u16\":65535,\"u32\":4294967295,\"u64\":-1,"
		"\"i32\":-2147483648,\"i64\":-9223372036854775808,"
		"\"rank\":-1,\"real\":0.10000000000000001,\"flag\":true,"
		"\"text\":\"a?b\",\"colour\":\"green\",\"set\":\"1-3\"}";
	struct thing t = { .u8 = UINT8_MAX,
		           .u16 = UINT16_MAX,
		           .u32 = UINT32_MAX,
		           .u64 = UINT64_MAX,
		           .i32 = INT32_MIN,
		           .i64 = INT64_MIN,
		           .rank = -1,
		           .real = 0.1,
		           .flag = true,
		           .text = "a\x01"
		                   "b",
		           .colour = 1 };
	struct thing back = { 0 };
	struct fp_err err = { 0 };
	char *text, *again;

	(void)state;
	assert_true(topo_set_read("1-3", 3, &t.set));
	text = text_of(&whole, &t);
	assert_string_equal(text, want);
	assert_int_equal(read_text(text, &back, &err), FP_OK);
	again = text_of(&whole, &back);
	assert_string_equal(again, want);
	assert_true(back.u64 == UINT64_MAX && back.real == 0.1);
	free(text);
	free(again);
}

static void test_left_out(void **state)
{
	const struct thing empty = { 0 };
	const struct thing odd = { .real = NAN, .u16 = 1 };
	char *text = text_of(&sparse, &empty);

	(void)state;
	assert_string_equal(text, "{}");
	free(text);
	text = text_of(&sparse, &odd);
	assert_string_equal(text, "{\"u16\":1}");
	free(text);
	text = text_of(&whole, &odd);
	assert_null(strstr(text, "real"));
	assert_non_null(strstr(text, "\"u8\":0"));
	free(text);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *says;
		enum fp_status status;
	} cases[] = {
		{ "[]", "not an object", FP_ERR_INPUT },
		{ "{\"u8\":256}", "'u8' is not within 0 to 255", FP_ERR_LIMIT },
		{ "{\"u16\":-1}", "'u16' is not within 0 to 65535",
		  FP_ERR_LIMIT },
		{ "{\"u32\":4294967296}", "'u32' is not within", FP_ERR_LIMIT },
		{ "{\"u64\":1.5}", "'u64' is no whole number", FP_ERR_INPUT },
		{ "{\"i32\":2147483648}", "'i32' is not within", FP_ERR_LIMIT },
		{ "{\"rank\":8}", "'rank' is not within -1 to 7",
		  FP_ERR_LIMIT },
		{ "{\"real\":\"1\"}", "'real' is no number", FP_ERR_INPUT },
		{ "{\"flag\":1}", "'flag' is neither true nor false",
		  FP_ERR_INPUT },
		{ "{\"text\":\"eight888\"}", "'text' is longer than 7 bytes",
		  FP_ERR_LIMIT },
		{ "{\"colour\":\"blue\"}", "'colour' is 'blue', which is none",
		  FP_ERR_INPUT },
		{ "{\"colour\":0}", "'colour' is 'no text'", FP_ERR_INPUT },
		{ "{\"set\":\"x\"}", "'set' is no list", FP_ERR_INPUT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct thing t = { 0 };
		struct fp_err err = { 0 };

		assert_int_equal(read_text(cases[i].text, &t, &err),
		                 cases[i].status);
		if (!strstr(err.text, cases[i].says))
			fail_msg("%s: %s", cases[i].text, err.text);
	}
}

/* What is not there stays, what nobody knows is ignored. */
static void test_partial(void **state)
{
	struct thing t = { .u8 = 3, .i32 = 4 };

	(void)state;
	assert_int_equal(read_text("{\"i32\":5,\"new\":[1]}", &t, NULL), FP_OK);
	assert_int_equal(t.u8, 3);
	assert_int_equal(t.i32, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_partial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
