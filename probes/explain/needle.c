// SPDX-License-Identifier: Apache-2.0
// Many words at once: windows are skipped by what their last two bytes allow.
#include "probes/explain/needle.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS 65536u

static unsigned block_at(const char *p)
{
	return (unsigned char)p[0] | (unsigned)(unsigned char)p[1] << 8;
}

static uint32_t start_at(const char *p)
{
	uint32_t start;

	memcpy(&start, p, sizeof(start));
	return start;
}

/* Most candidates differ in their start already. */
static bool is_at(const struct needle *needle, const char *at, size_t room)
{
	return needle->start == start_at(at) && needle->len <= room &&
	       !memcmp(at, needle->text, needle->len);
}

enum fp_status needles_add(struct needles *set, const char *text,
                           uint32_t owner, struct fp_err *err)
{
	size_t len = strlen(text);

	if (set->n >= NEEDLES_MAX || len < NEEDLE_LEN_MIN)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  "a word to look for is too short or one too "
		                  "many: '%s'",
		                  text);
	set->all[set->n++] =
		(struct needle){ text, (uint32_t)len, owner, start_at(text) };
	if (!set->window || len < set->window)
		set->window = (uint32_t)len;
	return FP_OK;
}

static void enter(struct needles *set, uint32_t i)
{
	const char *text = set->all[i].text;
	uint32_t last = set->window - 2;

	for (uint32_t at = 0; at <= last; at++) {
		uint8_t *shift = &set->shift[block_at(text + at)];

		if (*shift > last - at)
			*shift = (uint8_t)(last - at);
	}
	set->next[i] = set->head[block_at(text + last)];
	set->head[block_at(text + last)] = (uint16_t)(i + 1);
}

enum fp_status needles_compile(struct needles *set, struct fp_err *err)
{
	set->shift = malloc(BLOCKS);
	set->head = calloc(BLOCKS, sizeof(*set->head));
	if (!set->shift || !set->head) {
		needles_done(set);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	}
	if (set->window > UINT8_MAX)
		set->window = UINT8_MAX;
	memset(set->shift, (int)set->window - 1, BLOCKS);
	for (uint32_t i = 0; i < set->n; i++)
		enter(set, i);
	return FP_OK;
}

static const struct needle *match(const struct needles *set, const char *at,
                                  size_t room)
{
	unsigned i = set->head[block_at(at + set->window - 2)];

	for (; i; i = set->next[i - 1]) {
		const struct needle *needle = &set->all[i - 1];

		if (is_at(needle, at, room))
			return needle;
	}
	return NULL;
}

size_t needles_next(const struct needles *set, const char *data, size_t len,
                    size_t from, uint32_t *ret_owner)
{
	size_t tail = set->window - 2, at = from;

	while (set->n && len - at >= set->window) {
		unsigned skip = set->shift[block_at(data + at + tail)];
		const struct needle *found;

		if (skip) {
			at += skip;
			if (at >= len)
				break;
			continue;
		}
		found = match(set, data + at, len - at);
		if (found) {
			*ret_owner = found->owner;
			return at;
		}
		at++;
	}
	return len;
}

uint64_t needles_owners(const struct needles *set, const char *data, size_t len)
{
	uint64_t owners = 0;
	uint32_t owner;
	size_t at = 0;

	while ((at = needles_next(set, data, len, at, &owner)) < len) {
		unsigned i = set->head[block_at(data + at + set->window - 2)];

		for (; i; i = set->next[i - 1]) {
			const struct needle *n = &set->all[i - 1];

			if (is_at(n, data + at, len - at))
				owners |= UINT64_C(1) << n->owner;
		}
		at++;
	}
	return owners;
}

void needles_done(struct needles *set)
{
	if (!set)
		return;
	free(set->shift);
	free(set->head);
	set->shift = NULL;
	set->head = NULL;
}
