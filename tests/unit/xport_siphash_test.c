// SPDX-License-Identifier: Apache-2.0
// SipHash-2-4 against values of its authors' reference implementation.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/xport/siphash.h"

/* Key 00 01 .. 0f, message 00 01 .. (len - 1); 15 is the paper's example. */
static const struct {
	size_t len;
	uint64_t hash;
} rows[] = {
	{ 0, 0x726fdb47dd0e0e31u },  { 1, 0x74f839c593dc67fdu },
	{ 7, 0xab0200f58b01d137u },  { 8, 0x93f5f5799a932462u },
	{ 15, 0xa129ca6149be45e5u }, { 16, 0x3f2acc7f57c29bdbu },
};

static void test_rows(void **state)
{
	uint8_t key[SIPHASH_KEY_BYTES], data[16];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(data); i++)
		key[i] = data[i] = (uint8_t)i;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_true(siphash(key, data, rows[i].len) == rows[i].hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows) };

	return cmocka_run_group_tests_name("xport_siphash", tests, NULL, NULL);
}
