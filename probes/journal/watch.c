// SPDX-License-Identifier: Apache-2.0
// A record of a watched GPU, as a journal's line has it.
#include <stdlib.h>
#include <string.h>

#include "probes/journal/tables.h"

static const struct field watch_rows[] = {
	FIELD_INT32_OF(watch, rank), FIELD_UINT_OF(watch, first),
	FIELD_UINT_OF(watch, last),  FIELD_REAL_OF(watch, t0_s),
	FIELD_REAL_OF(watch, t1_s),  FIELD_TEXT_OF(watch, device),
};
static const struct fields watch_fields = FIELDS_SPARSE(watch_rows);

json_t *journal_watch_to_json(const struct watch *w)
{
	json_t *json = fields_to_json(&watch_fields, w);
	json_t *values = json_object();
	char key[WATCH_KEY_MAX];
	int rc = 0;

	for (uint32_t i = 0; values && !rc && i < w->n; i++)
		rc = json_object_set_new(values, watch_key(&w->values[i], key),
		                         json_integer(w->values[i].value));
	if (json && values && !rc &&
	    json_object_set(json, "values", values) == 0) {
		json_decref(values);
		return json;
	}
	json_decref(values);
	json_decref(json);
	return NULL;
}

/* GPU_VALUE_NONE: a name that this version does not know. */
static unsigned id_of(const char *key, size_t len)
{
	for (unsigned id = GPU_VALUE_NONE + 1; id < GPU_VALUE_COUNT; id++)
		if (strlen(gpu_value_name(id)) == len &&
		    strncmp(gpu_value_name(id), key, len) == 0)
			return id;
	return GPU_VALUE_NONE;
}

static int32_t link_of(const char *text)
{
	char *end;
	long link = strtol(text, &end, 10);

	/* Which of them there are is for watch_check(). */
	return end == text || *end || link < 0 || link > GPU_XID_MAX
	               ? -2
	               : (int32_t)link;
}

enum fp_status journal_watch_from_json(const json_t *json, struct watch *ret,
                                       struct fp_err *err)
{
	json_t *values = json_object_get(json, "values"), *value;
	struct watch w = { .n = 0 };
	enum fp_status status = fields_from_json(&watch_fields, json, &w, err);
	const char *key;

	if (status)
		return status;
	json_object_foreach(values, key, value)
	{
		size_t len = strcspn(key, "/");
		struct watch_value v = {
			.id = id_of(key, len),
			.link = key[len] ? link_of(key + len + 1) : -1,
			.value = json_integer_value(value),
		};

		if (v.id != GPU_VALUE_NONE && json_is_integer(value) &&
		    w.n < WATCH_VALUES)
			w.values[w.n++] = v;
	}
	*ret = w;
	return FP_OK;
}
