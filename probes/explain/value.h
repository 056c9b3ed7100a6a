/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of values out of a dump, all in one piece of memory. */
#ifndef FP_PROBES_EXPLAIN_VALUE_H
#define FP_PROBES_EXPLAIN_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

enum value_type {
	VALUE_NONE,
	VALUE_BOOL,
	VALUE_INT,
	VALUE_REAL,
	VALUE_TEXT,
	VALUE_LIST, /* tuples and sets too */
	VALUE_DICT  /* key, value, key, value, ... */
};

/**
 * struct value - of a tree. A text is not terminated; it belongs to the
 * dump that it was read from, or to the tree's owner.
 */
struct value {
	uint32_t type; /* enum value_type */
	uint32_t len;  /* of text */
	union {
		int64_t i;
		double r;
		const char *text;
		struct value *first;
	};
	struct value *last; /* of list and dict */
	struct value *next; /* behind this in its list */
};

#define VALUES_BYTES_MAX (1u << 30) /* of a tree */

/** struct values - where a tree lies. Zero-initialise; values_done(). */
struct values {
	struct values_block *blocks;
	size_t used; /* of the newest block */
	size_t bytes;
	void *owner; /* of the texts; released with the tree */
	void (*release)(void *owner);
};

/** values_new() - a value of @type in @v; NULL: no memory, or the limit. */
struct value *values_new(struct values *v, unsigned type);

/** value_append() - a shallow copy of @item behind the last of @list. */
bool value_append(struct values *v, struct value *list,
                  const struct value *item);

/** values_done() - free; takes NULL. */
void values_done(struct values *v);

/** value_get() - the value of @key in a dict; NULL: no dict, or not in it. */
const struct value *value_get(const struct value *dict, const char *key);

/** struct value_key - a key, and where its value was found. */
struct value_key {
	const char *name;
	size_t len;
};

#define VALUE_KEY(text)                \
	{                              \
		text, sizeof(text) - 1 \
	}

/**
 * value_pick() - the values of @n keys in one walk over @dict; fast where its
 * keys come in the order of @keys.
 * @ret: @n of them, NULL for what is not there.
 */
void value_pick(const struct value *dict, const struct value_key *keys,
                size_t n, const struct value **ret);

/** value_is() - a text, and equal to @text? Takes NULL. */
bool value_is(const struct value *value, const char *text);

/** value_int() - an integer, or a text of digits; else @missing. */
int64_t value_int(const struct value *value, int64_t missing);

/** value_child() - first of a list or dict; NULL: none. Takes NULL. */
const struct value *value_child(const struct value *value);

/** value_from_json() - a tree out of JSON. FP_ERR_INPUT with line and column;
 * FP_ERR_LIMIT if it is nested too deeply. */
enum fp_status value_from_json(struct values *v, const char *data, size_t len,
                               const struct value **ret, struct fp_err *err);

/**
 * value_from_pickle() - a tree out of a Python pickle, by a machine that
 * knows values only: whatever could call something is refused.
 *
 * Return: FP_OK; FP_ERR_INPUT with the byte's offset and why; FP_ERR_LIMIT.
 */
enum fp_status value_from_pickle(struct values *v, const char *data, size_t len,
                                 const struct value **ret, struct fp_err *err);

#endif
