// SPDX-License-Identifier: Apache-2.0
// Environments of ranks: what of one is another than its host's.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "topo/base/fmt.h"
#include "topo/reading/reading_rank.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* "NAME=VALUE,..." as readings of the host. */
static struct readings *environment(const char *text)
{
	struct readings *set = readings_new(1700000000);
	char name[64], value[64];
	int used = 0;

	assert_non_null(set);
	for (; sscanf(text, "%63[^=]=%63[^,]%n", name, value, &used) == 2;
	     text += text[used] ? used + 1 : used) {
		struct reading r = { .device = "",
			             .name = name,
			             .kind = READING_TEXT,
			             .source = READ_ENV,
			             .text = value };

		assert_int_equal(readings_add(set, &r, NULL), FP_OK);
	}
	return set;
}

static void check(const char *host, const char *own, const char *want)
{
	struct readings *first = host ? environment(host) : NULL;
	struct readings *mine = environment(own), *rows;
	struct fp_text got = { 0 };

	assert_int_equal(readings_of_rank(first, mine, 5, &rows, NULL), FP_OK);
	for (size_t i = 0; i < readings_count(rows); i++) {
		struct reading r = readings_at(rows, i);

		fp_text_printf(&got, "%s%s %s=%s", i ? ", " : "",
		               r.device[0] ? r.device : "-", r.name, r.text);
	}
	assert_string_equal(fp_text_str(&got), want);
	fp_text_free(&got);
	readings_unref(rows);
	readings_unref(mine);
	readings_unref(first);
}

static void what_differs(void **state)
{
	static const struct {
		const char *host, *own, *want;
	} rows[] = {
		{ "env.A=1,env.B=2", "env.A=1,env.B=2", "" },
		{ "env.A=1,env.B=2", "env.A=1,env.B=3", "rank5 env.B=3" },
		{ "env.A=1", "env.A=1,env.B=3", "rank5 env.B=3" },
		{ "env.A=1,env.B=2", "env.A=1", "rank5 env.B=not set" },
		/* the host was not read: nothing to compare with */
		{ NULL, "env.A=1", "" },
		/* what is no environment stays the host's */
		{ "env.A=1", "env.A=1,gpu.uuid=x", "- gpu.uuid=x" },
		{ "env.A=1,kernel.release=6", "env.A=1", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		check(rows[i].host, rows[i].own, rows[i].want);
}

static void devices_of_ranks(void **state)
{
	(void)state;
	assert_int_equal(reading_rank("rank0"), 0);
	assert_int_equal(reading_rank("rank65535"), 65535);
	assert_int_equal(reading_rank("rank"), -1);
	assert_int_equal(reading_rank("rank5x"), -1);
	assert_int_equal(reading_rank("rank-1"), -1);
	assert_int_equal(reading_rank("rank99999999999"), -1);
	assert_int_equal(reading_rank("eth0"), -1);
	assert_int_equal(reading_rank(""), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_differs),
		cmocka_unit_test(devices_of_ranks),
	};

	return cmocka_run_group_tests_name("reading_rank", tests, NULL, NULL);
}
