/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of a run to JSON objects and back, by tables of their members.
 * Members that are zero may be left out, enumerations are written by name, and
 * numbers come back as they were, bit by bit.
 */
#ifndef FP_PROBES_JOURNAL_RECORD_H
#define FP_PROBES_JOURNAL_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

enum record_kind {
	RECORD_UINT, /* 1, 2, 4 or 8 bytes */
	RECORD_INT,  /* 4 or 8 bytes */
	RECORD_REAL,
	RECORD_BOOL,
	RECORD_TEXT,
	RECORD_NAME, /* RECORD_UINT, by name */
};

/** struct record_row - a member of a struct. */
struct record_row {
	const char *name;
	uint32_t kind; /* enum record_kind */
	uint32_t at, size;
	const char *(*name_of)(unsigned value); /* RECORD_NAME */
	unsigned n_names;
};

/** struct record - a struct's members, in their order. */
struct record {
	const struct record_row *rows;
	size_t n;
	bool whole; /* zeros are written, too */
};

#define RECORD_ROW(type, member, kind_)                    \
	{                                                  \
		.name = #member, .kind = kind_,            \
		.at = offsetof(struct type, member),       \
		.size = sizeof(((struct type *)0)->member) \
	}
#define RECORD_NAME_ROW(type, member, fn, count)                           \
	{                                                                  \
		.name = #member, .kind = RECORD_NAME,                      \
		.at = offsetof(struct type, member),                       \
		.size = sizeof(((struct type *)0)->member), .name_of = fn, \
		.n_names = count                                           \
	}
#define RECORD(table)                                                  \
	{                                                              \
		.rows = (table), .n = sizeof(table) / sizeof(*(table)) \
	}
#define RECORD_WHOLE(table)                                             \
	{                                                               \
		.rows = (table), .n = sizeof(table) / sizeof(*(table)), \
		.whole = true                                           \
	}

/**
 * record_to_json() - an object of @data's members; of those that are not
 * zero unless the table is whole. A number that is not finite is left out.
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *record_to_json(const struct record *record, const void *data);

/**
 * record_from_json() - fill @data from @json. What is not there stays as it
 * is in @data, what has no row is ignored.
 *
 * Return: FP_OK; FP_ERR_INPUT naming the member that cannot be taken.
 */
enum fp_status record_from_json(const struct record *record, const json_t *json,
                                void *data, struct fp_err *err);

#endif
