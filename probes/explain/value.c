// SPDX-License-Identifier: Apache-2.0
// Values in blocks that are freed together.
#include "probes/explain/value.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_VALUES 2048

struct values_block {
	struct values_block *next;
	struct value v[BLOCK_VALUES];
};

struct value *values_new(struct values *v, unsigned type)
{
	struct value *value;

	if (!v->blocks || v->used == BLOCK_VALUES) {
		struct values_block *block;

		if (v->bytes + sizeof(*block) > VALUES_BYTES_MAX)
			return NULL;
		block = malloc(sizeof(*block));
		if (!block)
			return NULL;
		block->next = v->blocks;
		v->blocks = block;
		v->used = 0;
		v->bytes += sizeof(*block);
	}
	value = &v->blocks->v[v->used++];
	*value = (struct value){ .type = type };
	return value;
}

bool value_append(struct values *v, struct value *list,
                  const struct value *item)
{
	struct value *copy = values_new(v, VALUE_NONE);

	if (!copy)
		return false;
	*copy = *item;
	copy->next = NULL;
	if (list->last)
		list->last->next = copy;
	else
		list->first = copy;
	list->last = copy;
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

const struct value *value_child(const struct value *value)
{
	if (!value || (value->type != VALUE_LIST && value->type != VALUE_DICT))
		return NULL;
	return value->first;
}

const struct value *value_get(const struct value *dict, const char *key)
{
	const struct value *k;

	if (!dict || dict->type != VALUE_DICT)
		return NULL;
	for (k = dict->first; k && k->next; k = k->next->next)
		if (value_is(k, key))
			return k->next;
	return NULL;
}

static bool is_key(const struct value *value, const struct value_key *key)
{
	return value->type == VALUE_TEXT && value->len == key->len &&
	       !memcmp(value->text, key->name, key->len);
}

void value_pick(const struct value *dict, const struct value_key *keys,
                size_t n, const struct value **ret)
{
	const struct value *k = value_child(dict);
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		ret[i] = NULL;
	for (; k && k->next; k = k->next->next)
		for (size_t i = 0; i < n; i++) {
			size_t try = at + i < n ? at + i : at + i - n;

			if (!is_key(k, &keys[try]))
				continue;
			ret[try] = k->next;
			at = try + 1 < n ? try + 1 : 0;
			break;
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
