// SPDX-License-Identifier: Apache-2.0
// Which HCA ports a list wants, and which of a host are measured.
#include "topo/model/hca_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_lists(void **state)
{
	static const struct {
		const char *text, *name;
		int32_t port;
		bool takes;
	} rows[] = {
		{ NULL, "mlx5_0", 1, true },
		{ "", "mlx5_0", 2, true },
		{ "mlx5", "mlx5_0", 1, true },
		{ "mlx5", "mlx4_0", 1, false },
		{ "mlx5_1", "mlx5_10", 1, true },
		{ "=mlx5_1", "mlx5_10", 1, false },
		{ "=mlx5_1", "mlx5_1", 2, true },
		{ "mlx5_0:1,mlx5_1:2", "mlx5_1", 2, true },
		{ "mlx5_0:1,mlx5_1:2", "mlx5_1", 1, false },
		{ "^mlx5_3", "mlx5_3", 1, false },
		{ "^mlx5_3", "mlx5_30", 1, false },
		{ "^=mlx5_3", "mlx5_30", 1, true },
		{ "^mlx5_3", "mlx5_4", 1, true },
		{ "^=mlx5_3:1", "mlx5_3", 2, true },
		{ "a,b,c,", "c", 1, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct hca_list list;

		assert_int_equal(hca_list_parse(rows[i].text, &list, NULL),
		                 FP_OK);
		if (hca_list_takes(&list, rows[i].name, rows[i].port) !=
		    rows[i].takes)
			fail_msg("row %zu: %s", i, rows[i].text);
	}
}

static void test_lists_that_make_no_sense(void **state)
{
	static const struct {
		const char *text, *word;
		enum fp_status status;
	} rows[] = {
		{ ":1", "':1' names no HCA", FP_ERR_USAGE },
		{ "mlx5_0,,mlx5_1", "'' names no HCA", FP_ERR_USAGE },
		{ "mlx5_0:0", "'mlx5_0:0': behind the colon", FP_ERR_USAGE },
		{ "mlx5_0:256", "1 to 255", FP_ERR_USAGE },
		{ "mlx5_0:", "number of a port", FP_ERR_USAGE },
		{ "mlx5_0:1x", "number of a port", FP_ERR_USAGE },
	};
	char many[3 * HCA_LIST_MAX + 4] = "";
	struct hca_list list;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fp_err err = { 0 };

		assert_int_equal(hca_list_parse(rows[i].text, &list, &err),
		                 rows[i].status);
		if (!strstr(err.text, rows[i].word))
			fail_msg("row %zu: %s", i, err.text);
	}
	for (size_t i = 0; i <= HCA_LIST_MAX; i++)
		strcat(many, "a,");
	assert_int_equal(hca_list_parse(many, &list, NULL), FP_ERR_LIMIT);
	many[2 * HCA_LIST_MAX] = '\0';
	assert_int_equal(hca_list_parse(many, &list, NULL), FP_OK);
	assert_int_equal(list.n, HCA_LIST_MAX);
}

/* Each candidate is a letter: N near a GPU, A active, D down; its name is its
 * place. What is picked is written as names. */
static void test_pick(void **state)
{
	static const struct {
		const char *list, *from, *want;
	} rows[] = {
		{ "", "AAN", "2" },   /* a GPU's own: no others */
		{ "", "AAA", "012" }, /* no GPU: all that are up */
		{ "", "ADA", "02" },
		{ "", "DDD", "012" },  /* none is up: then look at all */
		{ "=1", "AND", "1" },  /* who is named is taken ... */
		{ "=2", "AND", "2" },  /* ... dead or not */
		{ "^=1", "NNA", "0" }, /* excluded: the rule for the rest */
		{ "=7", "AND", "" },
		{ "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct hca_candidate from[8];
		struct hca_list list;
		size_t picks[8], n = strlen(rows[i].from);
		char got[9] = "";

		for (size_t k = 0; k < n; k++)
			from[k] = (struct hca_candidate){
				.name = { (char)('0' + k) },
				.port = 1,
				.active = rows[i].from[k] != 'D',
				.near_gpu = rows[i].from[k] == 'N',
			};
		assert_int_equal(hca_list_parse(rows[i].list, &list, NULL),
		                 FP_OK);
		n = hca_pick(&list, from, n, picks);
		for (size_t k = 0; k < n; k++)
			got[k] = (char)('0' + picks[k]);
		assert_string_equal(got, rows[i].want);
	}
}

/* Each port once, by one rank; where there are too few, they are shared. */
static void test_share(void **state)
{
	static const struct {
		size_t n;
		int32_t local_rank, local_size;
		const char *want;
	} rows[] = {
		{ 4, 0, 1, "0123" }, { 4, 0, 2, "02" }, { 4, 1, 2, "13" },
		{ 4, 2, 4, "2" },    { 2, 3, 4, "1" },  { 5, 1, 4, "1" },
		{ 5, 0, 4, "04" },   { 4, 5, 0, "1" },  { 0, 0, 1, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char got[8] = "";
		int64_t at = 0;

		for (size_t k = 0; at >= 0 && k < 7; k++) {
			at = hca_share(rows[i].n, rows[i].local_rank,
			               rows[i].local_size, k);
			if (at >= 0)
				got[k] = (char)('0' + at);
		}
		if (strcmp(got, rows[i].want) != 0)
			fail_msg("row %zu: %s", i, got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_lists_that_make_no_sense),
		cmocka_unit_test(test_pick),
		cmocka_unit_test(test_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
