// SPDX-License-Identifier: Apache-2.0
// Seeded data: a Weyl sequence of 64-bit words, folded.
#include "probes/measure/pattern.h"

#include <stdbool.h>
#include <string.h>

#define WORD sizeof(uint64_t)
#define BLOCK_WORDS 64

/* Odd, so that no shift by whole words maps the sequence onto itself. */
#define PATTERN_STRIDE 0x9e3779b97f4a7c15ULL

/* Near seeds must not make near sequences: the finalizer of splitmix64. */
static uint64_t pattern_base(uint64_t seed)
{
	seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9ULL;
	seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebULL;
	return seed ^ (seed >> 31);
}

static uint64_t pattern_word(uint64_t base, size_t index)
{
	uint64_t word = base + index * PATTERN_STRIDE;

	return word ^ (word >> 29);
}

void pattern_fill(void *buf, size_t len, uint64_t seed)
{
	uint64_t base = pattern_base(seed), word;
	size_t n = len / WORD;
	uint8_t *p = buf;

	for (size_t i = 0; i < n; i++) {
		word = pattern_word(base, i);
		memcpy(p + i * WORD, &word, WORD);
	}
	word = pattern_word(base, n);
	if (len % WORD)
		memcpy(p + n * WORD, &word, len % WORD);
}

/* Whole words only; nothing is located, so that it runs at memory speed. */
static bool words_differ(const uint8_t *p, size_t n, uint64_t base,
                         size_t index)
{
	uint64_t diff = 0, word;

	for (size_t i = 0; i < n; i++) {
		memcpy(&word, p + i * WORD, WORD);
		diff |= word ^ pattern_word(base, index + i);
	}
	return diff != 0;
}

static uint64_t bytes_differ(const uint8_t *p, size_t len, uint64_t word,
                             size_t *ret_first)
{
	uint8_t want[WORD];
	uint64_t wrong = 0;

	memcpy(want, &word, WORD);
	for (size_t i = len; i-- > 0;) {
		if (p[i] == want[i])
			continue;
		*ret_first = i;
		wrong++;
	}
	return wrong;
}

/* Counts in @len bytes that begin at word @index of the sequence. */
static uint64_t block_check(const uint8_t *p, size_t len, uint64_t base,
                            size_t index, size_t *ret_first)
{
	uint64_t wrong = 0, here;
	size_t first = 0;

	for (size_t off = 0; off < len; off += WORD) {
		size_t part = len - off < WORD ? len - off : WORD;

		here = bytes_differ(p + off, part,
		                    pattern_word(base, index + off / WORD),
		                    &first);
		if (here && !wrong)
			*ret_first = index * WORD + off + first;
		wrong += here;
	}
	return wrong;
}

uint64_t pattern_check(const void *buf, size_t len, uint64_t seed,
                       size_t *ret_first)
{
	uint64_t base = pattern_base(seed), wrong = 0, here;
	const size_t block = BLOCK_WORDS * WORD;
	const uint8_t *p = buf;
	size_t first = 0;

	for (size_t off = 0; off < len; off += block) {
		size_t part = len - off < block ? len - off : block;

		if (part == block &&
		    !words_differ(p + off, BLOCK_WORDS, base, off / WORD))
			continue;
		here = block_check(p + off, part, base, off / WORD, &first);
		if (here && !wrong && ret_first)
			*ret_first = first;
		wrong += here;
	}
	return wrong;
}
