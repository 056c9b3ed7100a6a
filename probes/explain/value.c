// SPDX-License-Identifier: Apache-2.0
// Values in blocks that are freed together.
#include "probes/explain/value.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536

struct values_block {
	struct values_block *next;
	struct value v[]; /* aligned for whatever lies here */
};

static void *take(struct values *v, size_t bytes)
{
	size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
	struct values_block *block;

	if (v->room - v->used < bytes) {
		if (room > VALUES_BYTES_MAX - v->bytes)
			return NULL;
		block = malloc(sizeof(*block) + room);
		if (!block)
			return NULL;
		block->next = v->blocks;
		v->blocks = block;
		v->used = 0;
		v->room = room;
		v->bytes += room;
	}
	v->used += bytes;
	return (char *)v->blocks->v + v->used - bytes;
}

bool values_list(struct values *v, unsigned type, struct value *ret)
{
	struct value_list *list = take(v, sizeof(*list));

	if (!list)
		return false;
	*list = (struct value_list){ 0 };
	*ret = (struct value){ .type = type, .list = list };
	return true;
}

/* Most are filled at once: no more room than that; those that grow double. */
static bool make_room(struct values *v, struct value_list *list, size_t n)
{
	size_t want = list->n + n, room = (size_t)list->room * 2;
	struct value *items;

	if (want <= list->room)
		return true;
	room = room > want ? room : want;
	if (room > VALUES_BYTES_MAX / sizeof(*items))
		return false;
	items = take(v, room * sizeof(*items));
	if (!items)
		return false;
	if (list->n)
		memcpy(items, list->items, list->n * sizeof(*items));
	list->items = items;
	list->room = (uint32_t)room;
	return true;
}

bool values_append(struct values *v, const struct value *list,
                   const struct value *items, size_t n)
{
	struct value_list *to = list->list;

	if (!make_room(v, to, n))
		return false;
	if (n)
		memcpy(to->items + to->n, items, n * sizeof(*items));
	to->n += (uint32_t)n;
	return true;
}

void values_done(struct values *v)
{
	if (!v)
		return;
	while (v->blocks) {
		struct values_block *next = v->blocks->next;

		free(v->blocks);
		v->blocks = next;
	}
	if (v->release)
		v->release(v->owner);
	*v = (struct values){ 0 };
}

bool value_is(const struct value *value, const char *text)
{
	size_t len = strlen(text);

	return value && value->type == VALUE_TEXT && value->len == len &&
	       !memcmp(value->text, text, len);
}

const struct value *value_items(const struct value *value, size_t *ret_n)
{
	*ret_n = 0;
	if (!value || (value->type != VALUE_LIST && value->type != VALUE_DICT))
		return NULL;
	*ret_n = value->list->n;
	return value->list->items;
}

const struct value *value_item(const struct value *value, size_t i)
{
	size_t n;
	const struct value *items = value_items(value, &n);

	return i < n ? &items[i] : NULL;
}

const struct value *value_get(const struct value *dict, const char *key)
{
	size_t n;
	const struct value *items = value_items(dict, &n);

	if (!items || dict->type != VALUE_DICT)
		return NULL;
	for (size_t i = 0; i + 1 < n; i += 2)
		if (value_is(&items[i], key))
			return &items[i + 1];
	return NULL;
}

/* Which of @keys it is, from 1; 0 for none. */
static size_t find_key(const struct value *value, const struct value_key *keys,
                       size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (value->type == VALUE_TEXT && value->len == keys[i].len &&
		    !memcmp(value->text, keys[i].name, keys[i].len))
			return i + 1;
	return 0;
}

void value_pick(const struct value *dict, const struct value_key *keys,
                size_t n, struct value_shape *shape, const struct value **ret)
{
	size_t n_items;
	const struct value *items = value_items(dict, &n_items);

	for (size_t i = 0; i < n; i++)
		ret[i] = NULL;
	for (size_t at = 0; at * 2 + 1 < n_items; at++) {
		const struct value *key = &items[at * 2];
		size_t found;

		if (at < VALUE_SHAPE_MAX && key->type == VALUE_TEXT &&
		    key->text == shape->text[at] && key->len == shape->len[at])
			found = shape->key[at];
		else
			found = find_key(key, keys, n);
		if (found)
			ret[found - 1] = key + 1;
		if (at >= VALUE_SHAPE_MAX || key->type != VALUE_TEXT)
			continue;
		shape->text[at] = key->text;
		shape->len[at] = key->len;
		shape->key[at] = (uint8_t)found;
	}
}

int64_t value_int(const struct value *value, int64_t missing)
{
	char digits[24];

	if (!value)
		return missing;
	if (value->type == VALUE_INT || value->type == VALUE_BOOL)
		return value->i;
	if (value->type == VALUE_TEXT && value->len &&
	    value->len < sizeof(digits)) {
		char *end;
		long long n;

		memcpy(digits, value->text, value->len);
		digits[value->len] = '\0';
		n = strtoll(digits, &end, 10);
		return *end ? missing : n;
	}
	return missing;
}
