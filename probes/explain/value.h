/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of values out of a dump, all in one piece of memory. */
#ifndef FP_PROBES_EXPLAIN_VALUE_H
#define FP_PROBES_EXPLAIN_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

enum value_type {
	VALUE_UNSET, /* of no tree */
	VALUE_NONE,
	VALUE_BOOL,
	VALUE_INT,
	VALUE_REAL,
	VALUE_TEXT,
	VALUE_LIST, /* tuples and sets too */
	VALUE_DICT  /* key, value, key, value, ... */
};

/**
 * struct value - of a tree; copies of a list or dict are the same list. A text
 * is not terminated; it belongs to the dump that it was read from, or to the
 * tree's owner.
 */
struct value {
	uint32_t type; /* enum value_type */
	uint32_t len;  /* of text */
	union {
		int64_t i;
		double r;
		const char *text;
		struct value_list *list;
	};
};

/** struct value_list - what is in a list or dict, one behind the other. */
struct value_list {
	struct value *items;
	uint32_t n, room;
};

#define VALUES_BYTES_MAX (1u << 30) /* of a tree */

/** struct values - where a tree lies. Zero-initialise; values_done(). */
struct values {
	struct values_block *blocks;
	size_t used, room; /* bytes of the newest block */
	size_t bytes;      /* of all blocks */
	void *owner;       /* of the texts; released with the tree */
	void (*release)(void *owner);
};

/** values_list() - an empty list or dict into *@ret. Return: false for no
 * memory, or the limit. */
bool values_list(struct values *v, unsigned type, struct value *ret);

/**
 * values_append() - copies of the @n @items behind the last of @list, which
 * is a list or dict of @v. Return: false for no memory, or the limit; then
 * nothing is added.
 */
bool values_append(struct values *v, const struct value *list,
                   const struct value *items, size_t n);

/** values_done() - free; takes NULL. */
void values_done(struct values *v);

/** value_get() - the value of @key in a dict; NULL: no dict, or not in it. */
const struct value *value_get(const struct value *dict, const char *key);

/** struct value_key - the name of a key that value_pick() looks for. */
struct value_key {
	const char *name;
	size_t len;
};

#define VALUE_KEY(text)                \
	{                              \
		text, sizeof(text) - 1 \
	}

#define VALUE_SHAPE_MAX 32

/**
 * struct value_shape - the keys that stood in the last dict, and which of those
 * looked for each is, from 1; 0 for none. Dicts of one pickle have the very same
 * texts as keys. Zero-initialise; for dicts of one tree and one set of keys.
 */
struct value_shape {
	const char *text[VALUE_SHAPE_MAX];
	uint32_t len[VALUE_SHAPE_MAX];
	uint8_t key[VALUE_SHAPE_MAX];
};

/**
 * value_pick() - the values of @n keys, fewer than 256, in one walk over @dict;
 * fast where its keys are those of the dict before.
 * @ret: @n of them, NULL for what is not there.
 */
void value_pick(const struct value *dict, const struct value_key *keys,
                size_t n, struct value_shape *shape, const struct value **ret);

/** value_is() - a text, and equal to @text? Takes NULL. */
bool value_is(const struct value *value, const char *text);

/** value_int() - an integer, or a text of digits; else @missing. */
int64_t value_int(const struct value *value, int64_t missing);

/** value_items() - what is in a list or dict, *@ret_n of them; none of
 * anything else. Takes NULL. */
const struct value *value_items(const struct value *value, size_t *ret_n);

/** value_item() - number @i of a list or dict; NULL: there is none. Takes
 * NULL. */
const struct value *value_item(const struct value *value, size_t i);

/** value_from_json() - a tree out of JSON. FP_ERR_INPUT with line and column;
 * FP_ERR_LIMIT if it is nested too deeply. */
enum fp_status value_from_json(struct values *v, const char *data, size_t len,
                               struct value *ret, struct fp_err *err);

/**
 * value_from_pickle() - a tree out of a Python pickle, by a machine that
 * knows values only: whatever could call something is refused.
 *
 * Return: FP_OK; FP_ERR_INPUT with the byte's offset and why; FP_ERR_LIMIT.
 */
enum fp_status value_from_pickle(struct values *v, const char *data, size_t len,
                                 struct value *ret, struct fp_err *err);

#endif
