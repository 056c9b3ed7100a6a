// SPDX-License-Identifier: Apache-2.0
// Records of a run to JSON objects and back.
#include "probes/journal/record.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "topo/base/fmt.h"

#define RECORD_TEXT_MAX 512

/* Unsigned members of any width. */
static uint64_t uint_get(const struct record_row *row, const char *at)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (row->size) {
	case 1:
		memcpy(&u8, at, 1);
		return u8;
	case 2:
		memcpy(&u16, at, 2);
		return u16;
	case 4:
		memcpy(&u32, at, 4);
		return u32;
	default:
		memcpy(&u64, at, 8);
		return u64;
	}
}

static bool uint_put(const struct record_row *row, char *at, uint64_t value)
{
	uint8_t u8 = (uint8_t)value;
	uint16_t u16 = (uint16_t)value;
	uint32_t u32 = (uint32_t)value;

	switch (row->size) {
	case 1:
		memcpy(at, &u8, 1);
		return u8 == value;
	case 2:
		memcpy(at, &u16, 2);
		return u16 == value;
	case 4:
		memcpy(at, &u32, 4);
		return u32 == value;
	default:
		memcpy(at, &value, 8);
		return true;
	}
}

static json_t *uint_to_json(const struct record_row *row, const char *at)
{
	/* JSON's integers are signed here: the upper half wraps. */
	return json_integer((json_int_t)uint_get(row, at));
}

static bool uint_from_json(const struct record_row *row, const json_t *json,
                           char *at)
{
	json_int_t value = json_integer_value(json);

	if (!json_is_integer(json) || (value < 0 && row->size < 8))
		return false;
	return uint_put(row, at, (uint64_t)value);
}

static json_t *int_to_json(const struct record_row *row, const char *at)
{
	int32_t i32;
	int64_t i64;

	if (row->size == sizeof(i32)) {
		memcpy(&i32, at, sizeof(i32));
		return json_integer(i32);
	}
	memcpy(&i64, at, sizeof(i64));
	return json_integer(i64);
}

static bool int_from_json(const struct record_row *row, const json_t *json,
                          char *at)
{
	int64_t i64 = json_integer_value(json);
	int32_t i32 = (int32_t)i64;

	if (!json_is_integer(json))
		return false;
	if (row->size == sizeof(i64)) {
		memcpy(at, &i64, sizeof(i64));
		return true;
	}
	memcpy(at, &i32, sizeof(i32));
	return i32 == i64;
}

static json_t *real_to_json(const struct record_row *row, const char *at)
{
	double value;

	(void)row;
	memcpy(&value, at, sizeof(value));
	return json_real(value);
}

static bool real_from_json(const struct record_row *row, const json_t *json,
                           char *at)
{
	double value = json_number_value(json);

	(void)row;
	if (!json_is_number(json) || !isfinite(value))
		return false;
	memcpy(at, &value, sizeof(value));
	return true;
}

static json_t *bool_to_json(const struct record_row *row, const char *at)
{
	bool value;

	(void)row;
	memcpy(&value, at, sizeof(value));
	return json_boolean(value);
}

static bool bool_from_json(const struct record_row *row, const json_t *json,
                           char *at)
{
	bool value = json_is_true(json);

	(void)row;
	if (!json_is_boolean(json))
		return false;
	memcpy(at, &value, sizeof(value));
	return true;
}

static json_t *text_to_json(const struct record_row *row, const char *at)
{
	char raw[RECORD_TEXT_MAX + 1] = { 0 }, text[RECORD_TEXT_MAX];
	json_t *json;

	memcpy(raw, at, row->size);
	fp_copy(text, row->size, raw);
	json = json_string(text);
	/* A name in some old encoding must not cost the whole record. */
	return json ? json : json_string("?");
}

static bool text_from_json(const struct record_row *row, const json_t *json,
                           char *at)
{
	if (!json_is_string(json) || json_string_length(json) >= row->size)
		return false;
	fp_copy(at, row->size, json_string_value(json));
	return true;
}

static json_t *name_to_json(const struct record_row *row, const char *at)
{
	return json_string(row->name_of((unsigned)uint_get(row, at)));
}

static bool name_from_json(const struct record_row *row, const json_t *json,
                           char *at)
{
	unsigned i;

	if (!json_is_string(json))
		return false;
	for (i = 0; i < row->n_names; i++)
		if (strcmp(row->name_of(i), json_string_value(json)) == 0)
			return uint_put(row, at, i);
	return false;
}

static const struct record_way {
	json_t *(*to)(const struct record_row *row, const char *at);
	bool (*from)(const struct record_row *row, const json_t *json,
	             char *at);
} record_ways[] = {
	[RECORD_UINT] = { uint_to_json, uint_from_json },
	[RECORD_INT] = { int_to_json, int_from_json },
	[RECORD_REAL] = { real_to_json, real_from_json },
	[RECORD_BOOL] = { bool_to_json, bool_from_json },
	[RECORD_TEXT] = { text_to_json, text_from_json },
	[RECORD_NAME] = { name_to_json, name_from_json },
};

static bool is_left_out(const struct record_row *row, bool whole,
                        const char *at)
{
	double real;
	uint32_t i;

	if (row->kind == RECORD_REAL) {
		memcpy(&real, at, sizeof(real));
		if (!isfinite(real))
			return true;
	}
	if (whole)
		return false;
	if (row->kind == RECORD_TEXT)
		return !*at;
	for (i = 0; i < row->size; i++)
		if (at[i])
			return false;
	return true;
}

json_t *record_to_json(const struct record *record, const void *data)
{
	json_t *json = json_object();
	const struct record_row *row;
	const char *at;
	size_t i;

	for (i = 0; json && i < record->n; i++) {
		row = &record->rows[i];
		at = (const char *)data + row->at;
		if (is_left_out(row, record->whole, at) ||
		    json_object_set_new(json, row->name,
		                        record_ways[row->kind].to(row, at)) ==
		            0)
			continue;
		json_decref(json);
		json = NULL;
	}
	return json;
}

enum fp_status record_from_json(const struct record *record, const json_t *json,
                                void *data, struct fp_err *err)
{
	const struct record_row *row;
	const json_t *value;
	size_t i;

	if (!json_is_object(json))
		return fp_err_set(err, FP_ERR_INPUT, "not an object");
	for (i = 0; i < record->n; i++) {
		row = &record->rows[i];
		value = json_object_get(json, row->name);
		if (value && !record_ways[row->kind].from(
				     row, value, (char *)data + row->at))
			return fp_err_set(err, FP_ERR_INPUT,
			                  "'%s' cannot be read", row->name);
	}
	return FP_OK;
}
