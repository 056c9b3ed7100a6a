// SPDX-License-Identifier: Apache-2.0
// Readings to JSON and back.
#include "topo/json/json_readings.h"

#include <stdlib.h>
#include <string.h>

#include "topo/json/json_field.h"

/* Elements of a row behind what says which reading it is. */
enum { SOURCE, VALUE, TEXT, LATER };

static json_t *value_to_json(const struct reading *r)
{
	switch (r->kind) {
	case READING_INT:
		return json_integer(r->number);
	case READING_REAL:
		return json_real(r->real);
	case READING_TEXT:
		return json_string(r->text);
	default:
		return json_null();
	}
}

/* Append source, value and what else there is to the begun @row. */
static bool append_value(json_t *row, const struct reading *r, int64_t time_s)
{
	bool has_text = r->kind != READING_TEXT && r->text[0];
	int64_t later_s = r->time_s - time_s;
	const char *source = reading_source_name(r->source);

	if (json_array_append_new(row, json_string(source)) != 0 ||
	    json_array_append_new(row, value_to_json(r)) != 0)
		return false;
	if ((has_text || later_s) &&
	    json_array_append_new(row, json_string(has_text ? r->text : "")) !=
	            0)
		return false;
	return !later_s ||
	       json_array_append_new(row, json_integer(later_s)) == 0;
}

static json_t *row_to_json(const struct readings *set, size_t i)
{
	struct reading r = readings_at(set, i);
	json_t *row = json_array();

	if (json_array_append_new(row, json_string(r.device)) == 0 &&
	    json_array_append_new(row, json_string(r.name)) == 0 &&
	    append_value(row, &r, readings_time_s(set)))
		return row;
	json_decref(row);
	return NULL;
}

static json_t *rows_to_json(const struct readings *set, size_t first)
{
	json_t *rows = json_array();

	for (size_t i = first; i < readings_count(set); i++) {
		if (json_array_append_new(rows, row_to_json(set, i)) == 0)
			continue;
		json_decref(rows);
		return NULL;
	}
	return rows;
}

static json_t *change_to_json(const struct readings *set, size_t i)
{
	struct reading r = readings_at(set, i);
	json_t *row = json_array();

	if (json_array_append_new(row, json_integer((json_int_t)i)) == 0 &&
	    append_value(row, &r, readings_time_s(set)))
		return row;
	json_decref(row);
	return NULL;
}

static json_t *changes_to_json(const struct readings *set, size_t n)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < n; i++) {
		if (!readings_differs(set, i) ||
		    json_array_append_new(rows, change_to_json(set, i)) == 0)
			continue;
		json_decref(rows);
		return NULL;
	}
	return rows;
}

static json_t *set_to_json(const struct readings *set, size_t first)
{
	json_t *json = json_object();
	json_t *time_s = json_integer(readings_time_s(set));

	if (json_object_set_new(json, "time_s", time_s) == 0 &&
	    json_object_set_new(json, "rows", rows_to_json(set, first)) == 0)
		return json;
	json_decref(json);
	return NULL;
}

json_t *readings_to_json(const struct readings *set)
{
	return set_to_json(set, 0);
}

json_t *readings_like_to_json(const struct readings *set, size_t like)
{
	size_t n = readings_count(readings_base(set));
	json_t *json = set_to_json(set, n);
	json_t *place = json_integer((json_int_t)like);

	if (json_object_set_new(json, "like", place) == 0 &&
	    json_object_set_new(json, "differ", changes_to_json(set, n)) == 0)
		return json;
	json_decref(json);
	return NULL;
}

json_int_t readings_json_like(const json_t *json)
{
	const json_t *like = json_object_get(json, "like");

	return json_is_integer(like) ? json_integer_value(like) : -1;
}

static uint32_t source_named(const char *name)
{
	for (uint32_t i = 0; name && i < READ_SOURCE_COUNT; i++) {
		if (strcmp(reading_source_name(i), name) == 0)
			return i;
	}
	return READ_UNKNOWN;
}

static bool value_from_json(const json_t *value, struct reading *r)
{
	if (json_is_integer(value)) {
		r->kind = READING_INT;
		r->number = json_integer_value(value);
	} else if (json_is_real(value)) {
		r->kind = READING_REAL;
		r->real = json_real_value(value);
	} else if (json_is_string(value)) {
		r->kind = READING_TEXT;
		r->text = json_string_value(value);
	} else {
		r->kind = READING_SKIP;
		return json_is_null(value);
	}
	return true;
}

/* The elements of @row from @first on: source, value, text, later. */
static bool tail_from_json(const json_t *row, size_t first, int64_t time_s,
                           struct reading *r)
{
	const json_t *source = json_array_get(row, first + SOURCE);
	const json_t *text = json_array_get(row, first + TEXT);
	const json_t *later = json_array_get(row, first + LATER);
	int64_t at_s = time_s;

	if (!json_is_string(source) || (text && !json_is_string(text)) ||
	    (later && !json_is_integer(later)) ||
	    __builtin_add_overflow(time_s, json_integer_value(later), &at_s))
		return false;
	r->source = source_named(json_string_value(source));
	r->text = text ? json_string_value(text) : "";
	r->time_s = at_s;
	return value_from_json(json_array_get(row, first + VALUE), r);
}

static enum fp_status row_from_json(const json_t *row, struct readings *set,
                                    struct fp_err *err)
{
	struct reading r = {
		.device = json_string_value(json_array_get(row, 0)),
		.name = json_string_value(json_array_get(row, 1)),
	};

	if (!r.device || !r.name ||
	    !tail_from_json(row, 2, readings_time_s(set), &r))
		return fp_err_set(err, FP_ERR_INPUT, "not a reading");
	return readings_add(set, &r, err);
}

static enum fp_status rows_from_json(const json_t *json, struct readings *set,
                                     struct fp_err *err)
{
	json_t *rows = NULL;
	enum fp_status status =
		field_list(json, "rows", READINGS_MAX, &rows, err);

	for (size_t i = 0; i < json_array_size(rows) && status == FP_OK; i++) {
		status = row_from_json(json_array_get(rows, i), set, err);
		if (status != FP_OK)
			fp_err_prefix(err, "row %zu", i);
	}
	return status;
}

/* The rows of @base, with the next of @changes where it is of that row. */
static enum fp_status base_row(const struct readings *base, size_t i,
                               const json_t *change, struct readings *set,
                               struct fp_err *err)
{
	struct reading r = readings_at(base, i);
	int64_t time_s = readings_time_s(set);

	if (!change)
		r.time_s = time_s + (r.time_s - readings_time_s(base));
	else if (!tail_from_json(change, 1, time_s, &r))
		return fp_err_set(err, FP_ERR_INPUT,
		                  "what differs in row %zu is no reading", i);
	return readings_add(set, &r, err);
}

static enum fp_status like_from_json(const json_t *json,
                                     const struct readings *base,
                                     struct readings *set, struct fp_err *err)
{
	json_t *changes = NULL;
	enum fp_status status =
		field_list(json, "differ", READINGS_MAX, &changes, err);
	size_t next = 0;

	for (size_t i = 0; i < readings_count(base) && status == FP_OK; i++) {
		const json_t *change = json_array_get(changes, next);
		const json_t *row = json_array_get(change, 0);
		bool here = json_is_integer(row) &&
		            json_integer_value(row) == (json_int_t)i;

		next += here;
		status = base_row(base, i, here ? change : NULL, set, err);
	}
	if (status == FP_OK && next != json_array_size(changes))
		status = fp_err_set(err, FP_ERR_INPUT,
		                    "'differ' is not in the order of the rows");
	return status;
}

enum fp_status readings_from_json(const json_t *json, struct readings *base,
                                  struct readings **ret, struct fp_err *err)
{
	const json_t *time_s = json_object_get(json, "time_s");
	enum fp_status status = FP_OK;
	struct readings *set;

	if (!json_is_object(json) || (time_s && !json_is_integer(time_s)) ||
	    json_integer_value(time_s) < 0)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "not an object with a 'time_s'");
	set = readings_new(json_integer_value(time_s));
	if (!set)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for readings");
	if (base)
		status = like_from_json(json, base, set, err);
	if (status == FP_OK)
		status = rows_from_json(json, set, err);
	if (status != FP_OK) {
		readings_unref(set);
		return status;
	}
	readings_share(&set, base);
	*ret = set;
	return FP_OK;
}
