// SPDX-License-Identifier: Apache-2.0
// A tree of values out of JSON.
#include <jansson.h>
#include <string.h>

#include "probes/explain/value.h"

#define DEPTH_MAX 32

static struct value *convert(struct values *v, const json_t *json,
                             unsigned depth);

static struct value *new_text(struct values *v, const char *text, size_t len)
{
	struct value *value = values_new(v, VALUE_TEXT);

	if (value) {
		value->text = text;
		value->len = (uint32_t)len;
	}
	return value;
}

static struct value *new_int(struct values *v, unsigned type, int64_t i)
{
	struct value *value = values_new(v, type);

	if (value)
		value->i = i;
	return value;
}

static struct value *new_real(struct values *v, double r)
{
	struct value *value = values_new(v, VALUE_REAL);

	if (value)
		value->r = r;
	return value;
}

static struct value *convert_list(struct values *v, const json_t *json,
                                  unsigned depth)
{
	struct value *list = values_new(v, VALUE_LIST);
	size_t i, n = json_array_size(json);

	for (i = 0; list && i < n; i++) {
		struct value *item =
			convert(v, json_array_get(json, i), depth + 1);

		if (!item || !value_append(v, list, item))
			return NULL;
	}
	return list;
}

static struct value *convert_dict(struct values *v, json_t *json,
                                  unsigned depth)
{
	struct value *dict = values_new(v, VALUE_DICT);
	const char *key;
	json_t *item;

	json_object_foreach(json, key, item)
	{
		struct value *k = dict ? new_text(v, key, strlen(key)) : NULL;
		struct value *x = k ? convert(v, item, depth + 1) : NULL;

		if (!x || !value_append(v, dict, k) ||
		    !value_append(v, dict, x))
			return NULL;
	}
	return dict;
}

static struct value *convert(struct values *v, const json_t *json,
                             unsigned depth)
{
	if (depth > DEPTH_MAX)
		return NULL;
	switch (json_typeof(json)) {
	case JSON_OBJECT:
		return convert_dict(v, (json_t *)json, depth);
	case JSON_ARRAY:
		return convert_list(v, json, depth);
	case JSON_STRING:
		return new_text(v, json_string_value(json),
		                json_string_length(json));
	case JSON_INTEGER:
		return new_int(v, VALUE_INT, json_integer_value(json));
	case JSON_REAL:
		return new_real(v, json_real_value(json));
	case JSON_TRUE:
	case JSON_FALSE:
		return new_int(v, VALUE_BOOL, json_is_true(json));
	case JSON_NULL:
	default:
		return values_new(v, VALUE_NONE);
	}
}

static void release(void *json)
{
	json_decref(json);
}

enum fp_status value_from_json(struct values *v, const char *data, size_t len,
                               const struct value **ret, struct fp_err *err)
{
	json_error_t at;
	json_t *json = json_loadb(data, len, 0, &at);

	if (!json)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "JSON, line %d column %d: %s", at.line,
		                  at.column, at.text);
	v->owner = json;
	v->release = release;
	*ret = convert(v, json, 0);
	if (!*ret)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "JSON that is nested more than %d deep or "
		                  "too large",
		                  DEPTH_MAX);
	return FP_OK;
}
