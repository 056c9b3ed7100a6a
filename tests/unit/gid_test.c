// SPDX-License-Identifier: Apache-2.0
// Which GID a RoCE port uses.
#include "topo/model/gid.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A usual table: each address as RoCE v1 and v2. */
static const struct {
	int32_t index;
	uint32_t type;
	const char *addr;
} usual[] = {
	{ 0, GID_ROCE_V1, "fe80::1" },
	{ 1, GID_ROCE_V2, "fe80::1" },
	{ 2, GID_ROCE_V1, "::ffff:10.1.0.2" },
	{ 3, GID_ROCE_V2, "::ffff:10.1.0.2" },
	{ 4, GID_ROCE_V2, "fd01::2" },
	{ 5, GID_ROCE_V2, "::ffff:192.168.7.2" },
	{ 9, GID_ROCE_V2, "::" },
};

static size_t table(size_t n, struct gid_row *rows)
{
	for (size_t i = 0; i < n; i++) {
		rows[i] = (struct gid_row){ .index = usual[i].index,
			                    .type = usual[i].type };
		assert_int_equal(
			inet_pton(AF_INET6, usual[i].addr, rows[i].gid), 1);
	}
	return n;
}

static void test_choice(void **state)
{
	static const struct {
		size_t n; /* rows of the table */
		int32_t index;
		uint32_t family, type;
		const char *net;
		int32_t want; /* -1: none, and the table is told */
	} rows[] = {
		{ 7, -1, GID_ANY, GID_IB, NULL, 3 },
		{ 7, -1, GID_ANY, GID_ROCE_V1, NULL, 2 },
		{ 7, -1, GID_IPV6, GID_IB, NULL, 4 },
		{ 4, -1, GID_IPV6, GID_IB, NULL, 1 },
		{ 2, -1, GID_ANY, GID_IB, NULL, 1 },
		{ 2, -1, GID_IPV4, GID_IB, NULL, -1 },
		{ 7, -1, GID_ANY, GID_IB, "192.168.0.0/16", 5 },
		{ 7, -1, GID_ANY, GID_IB, "10.1.0.2", 3 },
		{ 7, -1, GID_ANY, GID_IB, "10.1.0.0/31", -1 },
		{ 7, -1, GID_ANY, GID_IB, "10.1.0.0/30", 3 },
		{ 7, -1, GID_ANY, GID_IB, "fd00::/8", 4 },
		{ 7, -1, GID_ANY, GID_IB, "11.0.0.0/8", -1 },
		{ 7, 0, GID_IPV4, GID_IB, "11.0.0.0/8", 0 },
		{ 7, 5, GID_ANY, GID_IB, NULL, 5 },
		{ 7, 6, GID_ANY, GID_IB, NULL, -1 },
		{ 7, 9, GID_ANY, GID_IB, NULL, -1 },
		{ 0, -1, GID_ANY, GID_IB, NULL, -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct gid_row gids[COUNT(usual)];
		struct gid_wish wish = { .index = rows[i].index,
			                 .family = rows[i].family,
			                 .type = rows[i].type };
		struct fp_err err = { 0 };
		size_t n = table(rows[i].n, gids), at = 0;
		int32_t got = -1;

		if (rows[i].net)
			assert_int_equal(gid_wish_net(rows[i].net, &wish, &err),
			                 FP_OK);
		if (gid_choose(gids, n, &wish, &at, &err) == FP_OK)
			got = gids[at].index;
		else
			assert_non_null(strstr(err.text,
			                       n ? "RoCE v2 fe80::1" : "none"));
		if (got != rows[i].want)
			fail_msg("row %zu: %d", i, (int)got);
	}
}

static void test_nets_that_make_no_sense(void **state)
{
	static const char *const texts[] = {
		"",
		"/8",
		"10.1.0.0/33",
		"10.1.0.0/",
		"10.1.0.0/8x",
		"10.1/8",
		"fd00::/129",
		"host",
		"10.1.0.0/-1",
		"0000000000000000000000000000000000000000000000000000:/8",
	};
	struct gid_wish wish = { .index = -1 };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		if (gid_wish_net(texts[i], &wish, NULL) != FP_ERR_USAGE)
			fail_msg("'%s' was taken", texts[i]);
	assert_int_equal(wish.net_bits, 0);
}

static void test_words(void **state)
{
	struct gid_row rows[COUNT(usual)];
	char buf[GID_TEXT_MAX];

	(void)state;
	table(COUNT(usual), rows);
	assert_string_equal(gid_text(rows[3].gid, buf), "10.1.0.2");
	assert_string_equal(gid_text(rows[4].gid, buf), "fd01::2");
	assert_string_equal(gid_type_name(GID_ROCE_V2), "RoCE v2");
	assert_string_equal(gid_type_name(GID_TYPE_COUNT), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_nets_that_make_no_sense),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
