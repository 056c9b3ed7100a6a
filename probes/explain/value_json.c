// SPDX-License-Identifier: Apache-2.0
// A tree of values out of JSON.
#include <jansson.h>
#include <string.h>

#include "probes/explain/value.h"

#define DEPTH_MAX 32

static bool convert(struct values *v, const json_t *json, unsigned depth,
                    struct value *ret);

static struct value as_text(const char *text, size_t len)
{
	return (struct value){ .type = VALUE_TEXT,
		               .len = (uint32_t)len,
		               .text = text };
}

static bool convert_list(struct values *v, const json_t *json, unsigned depth,
                         struct value *ret)
{
	size_t n = json_array_size(json);

	if (!values_list(v, VALUE_LIST, ret))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct value item;

		if (!convert(v, json_array_get(json, i), depth + 1, &item) ||
		    !values_append(v, ret, &item, 1))
			return false;
	}
	return true;
}

static bool convert_dict(struct values *v, json_t *json, unsigned depth,
                         struct value *ret)
{
	const char *key;
	json_t *item;

	if (!values_list(v, VALUE_DICT, ret))
		return false;
	json_object_foreach(json, key, item)
	{
		struct value pair[2] = { as_text(key, strlen(key)) };

		if (!convert(v, item, depth + 1, &pair[1]) ||
		    !values_append(v, ret, pair, 2))
			return false;
	}
	return true;
}

static bool convert(struct values *v, const json_t *json, unsigned depth,
                    struct value *ret)
{
	*ret = (struct value){ .type = VALUE_NONE };
	if (depth > DEPTH_MAX)
		return false;
	switch (json_typeof(json)) {
	case JSON_OBJECT:
		return convert_dict(v, (json_t *)json, depth, ret);
	case JSON_ARRAY:
		return convert_list(v, json, depth, ret);
	case JSON_STRING:
		*ret = as_text(json_string_value(json),
		               json_string_length(json));
		break;
	case JSON_INTEGER:
		ret->type = VALUE_INT;
		ret->i = json_integer_value(json);
		break;
	case JSON_REAL:
		ret->type = VALUE_REAL;
		ret->r = json_real_value(json);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		ret->type = VALUE_BOOL;
		ret->i = json_is_true(json);
		break;
	case JSON_NULL:
	default:
		break;
	}
	return true;
}

static void release(void *json)
{
	json_decref(json);
}

enum fp_status value_from_json(struct values *v, const char *data, size_t len,
                               struct value *ret, struct fp_err *err)
{
	json_error_t at;
	json_t *json = json_loadb(data, len, 0, &at);

	if (!json)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "JSON, line %d column %d: %s", at.line,
		                  at.column, at.text);
	v->owner = json;
	v->release = release;
	if (!convert(v, json, 0, ret))
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "JSON that is nested more than %d deep or "
		                  "too large",
		                  DEPTH_MAX);
	return FP_OK;
}
