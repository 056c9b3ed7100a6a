/* SPDX-License-Identifier: Apache-2.0 */
/* Structs to JSON objects and back, by tables of their members. */
#ifndef FP_TOPO_JSON_JSON_FIELD_H
#define FP_TOPO_JSON_JSON_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

enum field_kind {
	FIELD_TEXT,
	FIELD_INT,  /* 4 or 8 bytes */
	FIELD_UINT, /* 1, 2, 4 or 8 bytes */
	FIELD_REAL,
	FIELD_BOOL,
	FIELD_NAME, /* FIELD_UINT, as the name of its value */
	FIELD_SET   /* struct topo_set, as the text of a list */
};

#define FIELD_TEXT_MAX 256 /* largest char[] that a table may name */

/** struct field - a member of a struct, and of its object by the same name. */
struct field {
	const char *name;
	uint32_t kind; /* enum field_kind */
	uint32_t at, size;
	int64_t min, max;                       /* of a FIELD_INT */
	const char *(*name_of)(unsigned value); /* of a FIELD_NAME */
	unsigned n_names;
};

/** struct fields - all that go into an object, in their order. */
struct fields {
	const struct field *rows;
	size_t n;
	bool sparse; /* what is zero is left out */
};

#define FIELD_AT_(type, member)                               \
	.name = #member, .at = offsetof(struct type, member), \
	.size = sizeof(((struct type *)0)->member)
#define FIELD_TEXT_OF(type, member)                         \
	{                                                   \
		FIELD_AT_(type, member), .kind = FIELD_TEXT \
	}
#define FIELD_INT_IN(type, member, lo, hi)                             \
	{                                                              \
		FIELD_AT_(type, member), .kind = FIELD_INT, .min = lo, \
					 .max = hi                     \
	}
#define FIELD_INT32_OF(type, member) \
	FIELD_INT_IN(type, member, INT32_MIN, INT32_MAX)
#define FIELD_INT64_OF(type, member) \
	FIELD_INT_IN(type, member, INT64_MIN, INT64_MAX)
#define FIELD_UINT_OF(type, member)                         \
	{                                                   \
		FIELD_AT_(type, member), .kind = FIELD_UINT \
	}
#define FIELD_REAL_OF(type, member)                         \
	{                                                   \
		FIELD_AT_(type, member), .kind = FIELD_REAL \
	}
#define FIELD_NAME_OF(type, member, fn, count)                                \
	{                                                                     \
		FIELD_AT_(type, member), .kind = FIELD_NAME, .name_of = (fn), \
					 .n_names = (count)                   \
	}
#define FIELD_BOOL_OF(type, member)                         \
	{                                                   \
		FIELD_AT_(type, member), .kind = FIELD_BOOL \
	}
#define FIELD_SET_OF(type, member)                         \
	{                                                  \
		FIELD_AT_(type, member), .kind = FIELD_SET \
	}
#define FIELDS(table)                                                  \
	{                                                              \
		.rows = (table), .n = sizeof(table) / sizeof(*(table)) \
	}
#define FIELDS_SPARSE(table)                                            \
	{                                                               \
		.rows = (table), .n = sizeof(table) / sizeof(*(table)), \
		.sparse = true                                          \
	}

/**
 * fields_to_json() - an object of @record's fields; texts are made fit for
 * JSON (see fp_copy()), numbers that are not finite are left out, and so is
 * what is zero where the table is sparse. Numbers come back bit by bit where
 * the text has 17 digits.
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *fields_to_json(const struct fields *fields, const void *record);

/**
 * fields_from_json() - fill @record from the object @json. A field that is
 * not there stays as it is in @record; what has no row is ignored.
 *
 * Return: FP_OK; FP_ERR_INPUT for a value of another type, FP_ERR_LIMIT for
 * one that does not fit; the text names the field.
 */
enum fp_status fields_from_json(const struct fields *fields, const json_t *json,
                                void *record, struct fp_err *err);

/**
 * field_list() - the array @name of the object @json.
 *
 * Return: FP_OK with the borrowed array, or NULL if there is none;
 * FP_ERR_INPUT if it is no array, FP_ERR_LIMIT if longer than @max.
 */
enum fp_status field_list(const json_t *json, const char *name, size_t max,
                          json_t **ret_list, struct fp_err *err);

#endif
