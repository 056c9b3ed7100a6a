// SPDX-License-Identifier: Apache-2.0
// Sets of CPU and NUMA node numbers: lists, masks, comparisons.
#include "topo/model/model_set.h"

#include <stdlib.h>
#include <string.h>

#define SET_WORDS (TOPO_SET_MAX / 64)
#define MASK_WORDS (TOPO_SET_MAX / 32)

bool topo_set_add(struct topo_set *set, int64_t n)
{
	if (n < 0 || n >= TOPO_SET_MAX)
		return false;
	set->bits[n / 64] |= UINT64_C(1) << (n % 64);
	return true;
}

bool topo_set_has(const struct topo_set *set, int64_t n)
{
	return n >= 0 && n < TOPO_SET_MAX && set->bits[n / 64] >> (n % 64) & 1;
}

size_t topo_set_count(const struct topo_set *set)
{
	size_t count = 0;

	for (size_t i = 0; i < SET_WORDS; i++)
		count += (size_t)__builtin_popcountll(set->bits[i]);
	return count;
}

int32_t topo_set_first(const struct topo_set *set)
{
	for (size_t i = 0; i < SET_WORDS; i++) {
		if (set->bits[i])
			return (int32_t)(i * 64) +
			       __builtin_ctzll(set->bits[i]);
	}
	return -1;
}

bool topo_set_equal(const struct topo_set *a, const struct topo_set *b)
{
	return memcmp(a->bits, b->bits, sizeof(a->bits)) == 0;
}

bool topo_set_meet(const struct topo_set *a, const struct topo_set *b)
{
	for (size_t i = 0; i < SET_WORDS; i++) {
		if (a->bits[i] & b->bits[i])
			return true;
	}
	return false;
}

/* Digits at *@at as a number below TOPO_SET_MAX; -1 if there are none. */
static int32_t take_number(const char **at, const char *end)
{
	const char *s = *at;
	int32_t n = 0;

	while (s < end && *s >= '0' && *s <= '9') {
		n = n * 10 + (*s++ - '0');
		if (n >= TOPO_SET_MAX)
			return -1;
	}
	if (s == *at)
		return -1;
	*at = s;
	return n;
}

static bool take_range(const char **at, const char *end, int32_t after,
                       struct topo_set *set)
{
	int32_t lo = take_number(at, end), hi = lo;

	if (lo < 0 || lo <= after)
		return false;
	if (*at < end && **at == '-') {
		(*at)++;
		hi = take_number(at, end);
	}
	if (hi < lo)
		return false;
	for (int32_t n = lo; n <= hi; n++)
		topo_set_add(set, n);
	return true;
}

static int32_t set_last(const struct topo_set *set)
{
	for (size_t i = SET_WORDS; i-- > 0;) {
		if (set->bits[i])
			return (int32_t)(i * 64) + 63 -
			       __builtin_clzll(set->bits[i]);
	}
	return -1;
}

bool topo_set_read(const char *text, size_t len, struct topo_set *ret)
{
	const char *at = text, *end = text + len;
	struct topo_set set = { 0 };
	int32_t last = -1;

	for (;;) {
		if (!take_range(&at, end, last, &set))
			return false;
		last = set_last(&set);
		if (at == end)
			break;
		if (*at++ != ',')
			return false;
	}
	*ret = set;
	return true;
}

bool topo_set_read_mask(const char *text, struct topo_set *ret)
{
	uint32_t words[MASK_WORDS];
	struct topo_set set = { 0 };
	size_t n = 0;

	for (;;) {
		unsigned long word;
		char *end;

		if (n == MASK_WORDS || *text == '-' || *text == '+' ||
		    *text == ' ')
			return false;
		word = strtoul(text, &end, 16);
		if (end == text || word > UINT32_MAX)
			return false;
		words[n++] = (uint32_t)word;
		if (!*end)
			break;
		if (*end != ',')
			return false;
		text = end + 1;
	}
	for (size_t i = 0; i < n; i++)
		set.bits[i / 2] |= (uint64_t)words[n - 1 - i] << (i % 2 * 32);
	*ret = set;
	return true;
}

void topo_set_write(const struct topo_set *set, struct fp_text *text)
{
	const char *comma = "";

	for (int32_t n = 0, lo; n < TOPO_SET_MAX; n++) {
		if (!topo_set_has(set, n))
			continue;
		lo = n;
		while (topo_set_has(set, n + 1))
			n++;
		fp_text_printf(text, lo < n ? "%s%d-%d" : "%s%d", comma, lo, n);
		comma = ",";
	}
}

void topo_set_write_mask(const struct topo_set *set, struct fp_text *text)
{
	int32_t word = set_last(set) / 32;

	for (; word >= 0; word--)
		fp_text_printf(
			text, "%08x%s",
			(uint32_t)(set->bits[word / 2] >> (word % 2 * 32)),
			word ? "," : "");
}
