// SPDX-License-Identifier: Apache-2.0
// Unit tests of the search for many words, against the plain way to do it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/explain/feed.h"

#define N_WORDS 5

static const char *const words[N_WORDS] = { "abcabc", "bcabca", "NCCL WARN ",
	                                    "abcabcabd", "ccccccc" };

static size_t first_of(const char *text, size_t len, size_t from)
{
	for (size_t at = from; at < len; at++)
		for (size_t i = 0; i < N_WORDS; i++) {
			size_t n = strlen(words[i]);

			if (n <= len - at && !memcmp(text + at, words[i], n))
				return at;
		}
	return len;
}

static void build(struct needles *set)
{
	struct fp_err err = { 0 };

	*set = (struct needles){ 0 };
	for (uint32_t i = 0; i < N_WORDS; i++)
		assert_int_equal(needles_add(set, words[i], i, &err), FP_OK);
	assert_int_equal(needles_compile(set, &err), FP_OK);
}

/* Texts of few letters, so that words begin and break everywhere. */
static void finds_what_the_plain_way_finds(void **state)
{
	static struct needles set;
	char text[64];
	uint64_t seed = 1;

	(void)state;
	build(&set);
	for (int round = 0; round < 20000; round++) {
		size_t len, from = 0;
		uint32_t owner;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		len = seed >> 33 & 63;
		for (size_t i = 0; i < len; i++) {
			seed = seed * 6364136223846793005u + 99;
			text[i] = "abc"[(seed >> 40) % 3];
		}
		do {
			size_t want = first_of(text, len, from);
			size_t got =
				needles_next(&set, text, len, from, &owner);

			assert_int_equal(got, want);
			from = got + 1;
		} while (from <= len);
	}
	needles_done(&set);
}

static void names_all_owners_of_a_line(void **state)
{
	static struct needles set;
	const char *text = "xabcabcabd NCCL WARN ccccccc";

	(void)state;
	build(&set);
	assert_int_equal(needles_owners(&set, text, strlen(text)), 0x1f);
	assert_int_equal(needles_owners(&set, text, 6), 0);
	assert_int_equal(needles_owners(&set, "abcab", 5), 0);
	needles_done(&set);
}

static void refuses_short_words(void **state)
{
	static struct needles set;
	struct fp_err err = { 0 };

	(void)state;
	assert_int_equal(needles_add(&set, "short", 0, &err), FP_ERR_LIMIT);
}

/* A word that is too short would stop every file from being read. */
static void takes_the_words_of_all_readers(void **state)
{
	static struct needles set;
	struct fp_err err = { 0 };

	(void)state;
	if (feed_needles(&set, &err) != FP_OK)
		fail_msg("%s", err.text);
	assert_true(set.n > 100);
	needles_done(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_the_plain_way_finds),
		cmocka_unit_test(names_all_owners_of_a_line),
		cmocka_unit_test(refuses_short_words),
		cmocka_unit_test(takes_the_words_of_all_readers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
