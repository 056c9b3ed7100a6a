// SPDX-License-Identifier: Apache-2.0
// Unit tests of the data pattern: what passes for it and what does not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/measure/pattern.h"

#define GUARD 0xa5

static const size_t lengths[] = { 0,   1,   7,   8,    9,    63,   64,
	                          511, 512, 513, 1023, 4096, 4097, 65537 };

#define N_LENGTHS (sizeof(lengths) / sizeof(*lengths))

static uint8_t *make(size_t len, uint64_t seed)
{
	uint8_t *buf = malloc(len + 1);

	assert_non_null(buf);
	buf[len] = GUARD;
	pattern_fill(buf, len, seed);
	assert_int_equal(buf[len], GUARD);
	return buf;
}

static void test_right_passes(void **state)
{
	size_t first = 77;

	(void)state;
	for (size_t i = 0; i < N_LENGTHS; i++) {
		uint8_t *buf = make(lengths[i], i);

		assert_int_equal(pattern_check(buf, lengths[i], i, &first), 0);
		assert_int_equal(first, 77);
		free(buf);
	}
}

static void test_each_wrong_byte_is_counted_and_located(void **state)
{
	size_t first;

	(void)state;
	for (size_t i = 0; i < N_LENGTHS; i++) {
		size_t len = lengths[i];
		uint8_t *buf = make(len, 9);

		for (size_t at = 0; at < len; at += 1 + len / 97) {
			buf[at] ^= 0x10;
			assert_int_equal(pattern_check(buf, len, 9, &first), 1);
			assert_int_equal(first, at);
			buf[len - 1] ^= 0x01;
			assert_int_equal(pattern_check(buf, len, 9, &first),
			                 at == len - 1 ? 1 : 2);
			assert_int_equal(first, at);
			buf[len - 1] ^= 0x01;
			buf[at] ^= 0x10;
		}
		assert_int_equal(pattern_check(buf, len, 9, NULL), 0);
		free(buf);
	}
}

/* Nearly every byte must differ: a coincidence in one of them is 1 in 256. */
static void assert_foreign(const uint8_t *buf, size_t len, uint64_t seed)
{
	assert_true(pattern_check(buf, len, seed, NULL) > len - len / 50);
}

static void test_stale_does_not_pass(void **state)
{
	uint8_t *buf = make(65536, 1);

	(void)state;
	assert_foreign(buf, 65536, 2);
	assert_foreign(buf, 65536, 0);
	assert_foreign(buf, 65536, 1ULL << 63);
	free(buf);
}

static void test_shifted_does_not_pass(void **state)
{
	static const size_t shifts[] = { 1, 4, 8, 64, 512, 4096, 8192, 32768 };
	uint8_t *buf = make(2 * 65536, 5);

	(void)state;
	for (size_t i = 0; i < sizeof(shifts) / sizeof(*shifts); i++)
		assert_foreign(buf + shifts[i], 65536, 5);
	free(buf);
}

static void test_constants_do_not_pass(void **state)
{
	static const int values[] = { 0x00, 0xff, 0xa5 };
	uint8_t buf[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		memset(buf, values[i], sizeof(buf));
		assert_foreign(buf, sizeof(buf), 3);
	}
}

static void test_prefix_does_not_depend_on_length(void **state)
{
	uint8_t *small = make(100, 4), *large = make(1000, 4);

	(void)state;
	assert_memory_equal(small, large, 100);
	free(small);
	free(large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right_passes),
		cmocka_unit_test(test_each_wrong_byte_is_counted_and_located),
		cmocka_unit_test(test_stale_does_not_pass),
		cmocka_unit_test(test_shifted_does_not_pass),
		cmocka_unit_test(test_constants_do_not_pass),
		cmocka_unit_test(test_prefix_does_not_depend_on_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
