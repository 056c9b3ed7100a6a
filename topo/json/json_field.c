// SPDX-License-Identifier: Apache-2.0
// Structs to JSON objects and back.
#include "topo/json/json_field.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/model/model_set.h"

static json_t *text_to_json(const struct field *field, const char *at)
{
	char raw[FIELD_TEXT_MAX + 1] = { 0 }, text[FIELD_TEXT_MAX];

	memcpy(raw, at, field->size);
	fp_copy(text, field->size, raw);
	return json_string(text);
}

static json_t *int_to_json(const struct field *field, const char *at)
{
	int32_t narrow;
	int64_t value;

	if (field->size == sizeof(narrow)) {
		memcpy(&narrow, at, sizeof(narrow));
		return json_integer(narrow);
	}
	memcpy(&value, at, sizeof(value));
	return json_integer(value);
}

/* Unsigned numbers of any width are at the low end of a little-endian word,
 * and at the high end of a big-endian one. */
static size_t uint_offset(const struct field *field)
{
	const uint16_t probe = 1;

	return *(const uint8_t *)&probe ? 0 : sizeof(uint64_t) - field->size;
}

static uint64_t uint_get(const struct field *field, const char *at)
{
	uint64_t value = 0;

	memcpy((char *)&value + uint_offset(field), at, field->size);
	return value;
}

static void uint_put(const struct field *field, uint64_t value, char *at)
{
	memcpy(at, (const char *)&value + uint_offset(field), field->size);
}

static json_t *uint_to_json(const struct field *field, const char *at)
{
	/* JSON's integers are signed here: the upper half wraps. */
	return json_integer((json_int_t)uint_get(field, at));
}

static json_t *real_to_json(const struct field *field, const char *at)
{
	double value;

	(void)field;
	memcpy(&value, at, sizeof(value));
	return json_real(value);
}

static json_t *name_to_json(const struct field *field, const char *at)
{
	return json_string(field->name_of((unsigned)uint_get(field, at)));
}

static json_t *bool_to_json(const struct field *field, const char *at)
{
	bool value;

	(void)field;
	memcpy(&value, at, sizeof(value));
	return json_boolean(value);
}

static json_t *set_to_json(const struct field *field, const char *at)
{
	struct fp_text text = { 0 };
	struct topo_set set;
	json_t *json;

	(void)field;
	memcpy(&set, at, sizeof(set));
	topo_set_write(&set, &text);
	json = text.failed ? NULL : json_string(fp_text_str(&text));
	fp_text_free(&text);
	return json;
}

static enum fp_status text_from_json(const struct field *field,
                                     const json_t *json, char *at,
                                     struct fp_err *err)
{
	if (!json_is_string(json))
		return fp_err_set(err, FP_ERR_INPUT, "'%s' is no text",
		                  field->name);
	if (json_string_length(json) >= field->size)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "'%s' is longer than %u bytes", field->name,
		                  field->size - 1);
	fp_copy(at, field->size, json_string_value(json));
	return FP_OK;
}

static enum fp_status out_of_range(const struct field *field, int64_t min,
                                   int64_t max, struct fp_err *err)
{
	return fp_err_set(err, FP_ERR_LIMIT, "'%s' is not within %lld to %lld",
	                  field->name, (long long)min, (long long)max);
}

static enum fp_status int_from_json(const struct field *field,
                                    const json_t *json, char *at,
                                    struct fp_err *err)
{
	int64_t value = json_integer_value(json);
	int32_t narrow = (int32_t)value;

	if (!json_is_integer(json))
		return fp_err_set(err, FP_ERR_INPUT, "'%s' is no whole number",
		                  field->name);
	if (value < field->min || value > field->max)
		return out_of_range(field, field->min, field->max, err);
	if (field->size == sizeof(narrow))
		memcpy(at, &narrow, sizeof(narrow));
	else
		memcpy(at, &value, sizeof(value));
	return FP_OK;
}

static enum fp_status uint_from_json(const struct field *field,
                                     const json_t *json, char *at,
                                     struct fp_err *err)
{
	json_int_t value = json_integer_value(json);
	bool wide = field->size == sizeof(uint64_t);
	json_int_t max =
		wide ? INT64_MAX : ((json_int_t)1 << 8 * field->size) - 1;

	if (!json_is_integer(json))
		return fp_err_set(err, FP_ERR_INPUT, "'%s' is no whole number",
		                  field->name);
	if (!wide && (value < 0 || value > max))
		return out_of_range(field, 0, max, err);
	uint_put(field, (uint64_t)value, at);
	return FP_OK;
}

static enum fp_status real_from_json(const struct field *field,
                                     const json_t *json, char *at,
                                     struct fp_err *err)
{
	double value = json_number_value(json);

	if (!json_is_number(json) || !isfinite(value))
		return fp_err_set(err, FP_ERR_INPUT, "'%s' is no number",
		                  field->name);
	memcpy(at, &value, sizeof(value));
	return FP_OK;
}

static enum fp_status name_from_json(const struct field *field,
                                     const json_t *json, char *at,
                                     struct fp_err *err)
{
	const char *name = json_string_value(json);

	for (unsigned i = 0; name && i < field->n_names; i++) {
		if (strcmp(field->name_of(i), name) != 0)
			continue;
		uint_put(field, i, at);
		return FP_OK;
	}
	return fp_err_set(err, FP_ERR_INPUT, "'%s' is '%.40s', which is none",
	                  field->name, name ? name : "no text");
}

static enum fp_status bool_from_json(const struct field *field,
                                     const json_t *json, char *at,
                                     struct fp_err *err)
{
	bool value = json_is_true(json);

	if (!json_is_boolean(json))
		return fp_err_set(err, FP_ERR_INPUT,
		                  "'%s' is neither true nor false",
		                  field->name);
	memcpy(at, &value, sizeof(value));
	return FP_OK;
}

static enum fp_status set_from_json(const struct field *field,
                                    const json_t *json, char *at,
                                    struct fp_err *err)
{
	const char *text = json_string_value(json);
	struct topo_set set = { 0 };

	if (!text || (*text && !topo_set_read(text, strlen(text), &set)))
		return fp_err_set(err, FP_ERR_INPUT,
		                  "'%s' is no list of numbers below %d",
		                  field->name, TOPO_SET_MAX);
	memcpy(at, &set, sizeof(set));
	return FP_OK;
}

/* Both ways of each kind. */
static const struct field_way {
	json_t *(*to)(const struct field *field, const char *at);
	enum fp_status (*from)(const struct field *field, const json_t *json,
	                       char *at, struct fp_err *err);
} field_ways[] = {
	[FIELD_TEXT] = { text_to_json, text_from_json },
	[FIELD_INT] = { int_to_json, int_from_json },
	[FIELD_UINT] = { uint_to_json, uint_from_json },
	[FIELD_REAL] = { real_to_json, real_from_json },
	[FIELD_BOOL] = { bool_to_json, bool_from_json },
	[FIELD_NAME] = { name_to_json, name_from_json },
	[FIELD_SET] = { set_to_json, set_from_json },
};

static bool is_zero(const struct field *field, const char *at)
{
	size_t size = field->kind == FIELD_TEXT ? 1 : field->size;

	for (size_t i = 0; i < size; i++)
		if (at[i])
			return false;
	return true;
}

static bool is_left_out(const struct field *field, bool sparse, const char *at)
{
	double real = 0;

	if (field->kind == FIELD_REAL)
		memcpy(&real, at, sizeof(real));
	return !isfinite(real) || (sparse && is_zero(field, at));
}

json_t *fields_to_json(const struct fields *fields, const void *record)
{
	json_t *json = json_object();

	for (size_t i = 0; i < fields->n; i++) {
		const struct field *field = &fields->rows[i];
		const char *at = (const char *)record + field->at;

		/* Takes the value over, and refuses a NULL of either. */
		if (is_left_out(field, fields->sparse, at) ||
		    json_object_set_new(
			    json, field->name,
			    field_ways[field->kind].to(field, at)) == 0)
			continue;
		json_decref(json);
		return NULL;
	}
	return json;
}

enum fp_status fields_from_json(const struct fields *fields, const json_t *json,
                                void *record, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	if (!json_is_object(json))
		return fp_err_set(err, FP_ERR_INPUT, "not an object");
	for (size_t i = 0; i < fields->n && status == FP_OK; i++) {
		const struct field *field = &fields->rows[i];
		const json_t *value = json_object_get(json, field->name);
		char *at = (char *)record + field->at;

		if (value)
			status = field_ways[field->kind].from(field, value, at,
			                                      err);
	}
	return status;
}

enum fp_status field_list(const json_t *json, const char *name, size_t max,
                          json_t **ret_list, struct fp_err *err)
{
	json_t *list = json_object_get(json, name);

	if (list && !json_is_array(list))
		return fp_err_set(err, FP_ERR_INPUT, "'%s' is no list", name);
	if (json_array_size(list) > max)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "'%s' has %zu rows, more than %zu", name,
		                  json_array_size(list), max);
	*ret_list = list;
	return FP_OK;
}
