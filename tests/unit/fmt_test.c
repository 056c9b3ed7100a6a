// SPDX-License-Identifier: Apache-2.0
// Unit tests of sizes, times, rates and text.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topo/base/fmt.h"

#define N_ROWS(table) (sizeof(table) / sizeof(*(table)))

static void test_bytes_as_people_write_them(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ 8, "8" },
		{ 1023, "1023" },
		{ 1024, "1K" },
		{ 1025, "1025" },
		{ 65536, "64K" },
		{ 1048576, "1M" },
		{ 1048576 + 1024, "1025K" },
		{ 2147483648, "2G" },
		{ 1ULL << 40, "1T" },
		{ 1ULL << 50, "1024T" },
		{ UINT64_MAX, "18446744073709551615" },
	};
	char buf[FP_FMT_MAX];

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		uint64_t back = 1;

		assert_string_equal(fp_fmt_bytes(rows[i].bytes, buf),
		                    rows[i].text);
		assert_int_equal(fp_parse_bytes(buf, &back, NULL), FP_OK);
		assert_true(back == rows[i].bytes);
	}
}

static void test_seconds_as_people_read_them(void **state)
{
	static const struct {
		double seconds;
		const char *text;
	} rows[] = {
		{ 0, "0 s" },
		{ -0.0, "0 s" },
		{ 3e-10, "0.3 ns" },
		{ 250e-9, "250 ns" },
		{ 999.4e-9, "999 ns" },
		{ 999.6e-9, "1 us" },
		{ 17.25e-6, "17.2 us" },
		{ 1.26e-3, "1.26 ms" },
		{ 0.9996, "1 s" },
		{ 4.1, "4.1 s" },
		{ 59.9, "59.9 s" },
		{ 59.96, "1 min 00 s" },
		{ 125, "2 min 05 s" },
		{ 3599.4, "59 min 59 s" },
		{ 3599.6, "1 h 00 min" },
		{ 11220, "3 h 07 min" },
		{ 1e8, "27777 h 47 min" },
		{ 1e300, "2.78e+296 h" },
		{ -1, "-" },
		{ (double)NAN, "-" },
		{ (double)INFINITY, "-" },
	};
	char buf[FP_FMT_MAX];

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++)
		assert_string_equal(fp_fmt_seconds(rows[i].seconds, buf),
		                    rows[i].text);
}

static void test_rates_have_their_unit(void **state)
{
	static const struct {
		double rate;
		int gbits;
		const char *text;
	} rows[] = {
		{ 119.6e6, 0, "119.6 MB/s" },
		{ 119.6e6, 1, "0.957 Gb/s" },
		{ 12.4e9, 0, "12.4 GB/s" },
		{ 12.4e9, 1, "99.2 Gb/s" },
		{ 1.25e9, 0, "1.25 GB/s" },
		{ 9.996e9, 0, "10.0 GB/s" },
		{ 999.96e6, 0, "1.00 GB/s" },
		{ 999.9e6, 0, "999.9 MB/s" },
		{ 3.2e12, 0, "3200.0 GB/s" },
		{ 11.9e6, 1, "95.2 Mb/s" },
		{ 300, 0, "300.0 B/s" },
		{ 4500, 0, "4.50 kB/s" },
		{ 0.5, 0, "0.500 B/s" },
		{ 0, 0, "0.000 B/s" },
		{ 0, 1, "0.000 b/s" },
		{ 1e300, 1, "8e+291 Gb/s" },
		{ -1, 0, "-" },
		{ (double)NAN, 0, "-" },
		{ (double)INFINITY, 1, "-" },
	};
	char buf[FP_FMT_MAX];

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++)
		assert_string_equal(
			fp_fmt_rate(rows[i].rate, rows[i].gbits, buf),
			rows[i].text);
}

static void test_sizes_are_read(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} rows[] = {
		{ "0", 0 },
		{ "8", 8 },
		{ "64k", 65536 },
		{ "64KB", 65536 },
		{ "64KiB", 65536 },
		{ "1m", 1 << 20 },
		{ "2G", 1ULL << 31 },
		{ "1tib", 1ULL << 40 },
		{ "16777215T", 16777215ULL << 40 },
		{ "18446744073709551615", UINT64_MAX },
	};
	uint64_t bytes;

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		bytes = ~rows[i].bytes;
		assert_int_equal(fp_parse_bytes(rows[i].text, &bytes, NULL),
		                 FP_OK);
		assert_true(bytes == rows[i].bytes);
	}
}

static void test_what_is_no_size_is_refused_by_name(void **state)
{
	static const char *const rows[] = {
		"",
		"K",
		"-1",
		"+1",
		" 1",
		"1 K",
		"1.5K",
		"0x10",
		"8B",
		"1KK",
		"1P",
		"1Ki",
		"1Kib8",
		"1e6",
		"64K ",
		"16777216T",
		"18446744073709551616",
		"99999999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct fp_err err = { 0 };
		uint64_t bytes = 77;

		assert_int_equal(fp_parse_bytes(rows[i], &bytes, &err),
		                 FP_ERR_USAGE);
		assert_int_equal(bytes, 77);
		assert_int_equal(err.status, FP_ERR_USAGE);
		assert_non_null(strstr(err.text, rows[i]));
	}
}

static void test_times_are_read(void **state)
{
	static const struct {
		const char *text;
		double seconds;
	} rows[] = {
		{ "60", 60 },     { "1.5", 1.5 },   { "60s", 60 },
		{ "500ms", 0.5 }, { "20us", 2e-5 }, { "2m", 120 },
		{ "2min", 120 },  { "1h", 3600 },   { ".5h", 1800 },
		{ "5.", 5 },      { "0", 0 },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		double seconds = -1;

		assert_int_equal(fp_parse_seconds(rows[i].text, &seconds, NULL),
		                 FP_OK);
		assert_true(fabs(seconds - rows[i].seconds) < 1e-12);
	}
}

static void test_rates_are_read(void **state)
{
	static const struct {
		const char *text;
		double rate;
	} rows[] = {
		{ "350GB/s", 350e9 },    { "350G", 350e9 },
		{ "90MB/s", 90e6 },      { "1.5Gb/s", 1.5e9 / 8 },
		{ "100Gbit/s", 12.5e9 }, { ".5M", 5e5 },
	};
	static const char *const bad[] = { "",    "350",   "G",    "-1G",
		                           "1 G", "1Gi",   "1g",   "nanG",
		                           "1T",  "1GB/m", "1e9G", "infG" };

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		double rate = -1;

		assert_int_equal(fp_parse_rate(rows[i].text, &rate, NULL),
		                 FP_OK);
		assert_true(fabs(rate - rows[i].rate) < 1e-3);
	}
	for (size_t i = 0; i < N_ROWS(bad); i++) {
		struct fp_err err = { 0 };
		double rate = 77;

		assert_int_equal(fp_parse_rate(bad[i], &rate, &err),
		                 FP_ERR_USAGE);
		assert_true(rate == 77);
		assert_non_null(strstr(err.text, bad[i]));
	}
}

static void test_what_is_no_time_is_refused_by_name(void **state)
{
	static const char *const rows[] = {
		"",    "s",    "-1",  "+1",  " 1", "1 s", "nan", "inf", "0x10",
		"1e3", "1.2.", "1,5", "2ss", "1d", ".",   ".ms", "1S",
	};
	char huge[400];

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		struct fp_err err = { 0 };
		double seconds = 77;

		assert_int_equal(fp_parse_seconds(rows[i], &seconds, &err),
		                 FP_ERR_USAGE);
		assert_true(seconds > 76 && seconds < 78);
		assert_non_null(strstr(err.text, rows[i]));
	}
	memset(huge, '9', sizeof(huge));
	huge[sizeof(huge) - 1] = '\0';
	assert_int_equal(fp_parse_seconds(huge, &(double){ 0 }, NULL),
	                 FP_ERR_USAGE);
	memcpy(huge + 306, "h", 2);
	assert_int_equal(fp_parse_seconds(huge, &(double){ 0 }, NULL),
	                 FP_ERR_USAGE);
}

static void test_text_grows(void **state)
{
	struct fp_text text = { 0 };
	char expected[8192] = "";
	size_t len = 0;

	(void)state;
	assert_string_equal(fp_text_str(&text), "");
	fp_text_append(&text, NULL, 0);
	fp_text_printf(&text, "%s", "");
	assert_string_equal(fp_text_str(&text), "");
	for (int i = 0; i < 700; i++) {
		len += (size_t)snprintf(expected + len, sizeof(expected) - len,
		                        "%d,\t", i);
		fp_text_printf(&text, "%d,", i);
		fp_text_append(&text, "\tnever", 1);
	}
	assert_int_equal(text.len, len);
	assert_string_equal(fp_text_str(&text), expected);
	assert_false(text.failed);
	fp_text_free(&text);
	assert_string_equal(fp_text_str(&text), "");
	fp_text_free(&text);
	fp_text_free(NULL);
}

static void test_text_keeps_zero_bytes(void **state)
{
	struct fp_text text = { 0 };

	(void)state;
	fp_text_append(&text, "a\0b", 3);
	assert_int_equal(text.len, 3);
	assert_memory_equal(text.data, "a\0b", 4);
	fp_text_free(&text);
}

static void test_text_that_cannot_grow_says_so(void **state)
{
	struct fp_text text = { 0 };

	(void)state;
	fp_text_printf(&text, "kept");
	fp_text_append(&text, "x", SIZE_MAX);
	assert_true(text.failed);
	fp_text_printf(&text, "dropped");
	assert_string_equal(fp_text_str(&text), "kept");
	fp_text_free(&text);
}

static void test_copies_are_fit_to_print(void **state)
{
	static const struct {
		const char *from;
		size_t size;
		const char *to;
	} rows[] = {
		{ "eth0", 64, "eth0" },
		{ "", 4, "" },
		{ "abcdef", 4, "abc" },
		{ "abc", 4, "abc" },
		{ "abc", 1, "" },
		{ "a\nb\x1b[2J\x7f", 64, "a?b?[2J?" },
		{ "gr\xc3\xbc\xc3\x9f", 64, "gr\xc3\xbc\xc3\x9f" },
		{ "\xf0\x9f\x98\x80", 64, "\xf0\x9f\x98\x80" },
		{ "\xef\xbf\xbd", 64, "\xef\xbf\xbd" },
		{ "ab\xc3\xbc", 4, "ab" },
		{ "\xc3", 8, "?" },
		{ "\xc3(", 8, "?(" },
		{ "\xc2\x9bK", 8, "??K" },
		{ "\xc0\xaf", 8, "??" },
		{ "\xe0\x80\xaf", 8, "???" },
		{ "\xed\xa0\x80", 8, "???" },
		{ "\xf0\x80\x80\xaf", 8, "????" },
		{ "\xf4\x90\x80\x80", 8, "????" },
		{ "\xf5\x80\x80\x80", 8, "????" },
		{ "\xe2\x82", 8, "??" },
		{ "\xff\xfe", 8, "??" },
	};

	(void)state;
	for (size_t i = 0; i < N_ROWS(rows); i++) {
		char dst[65];

		memset(dst, 'z', sizeof(dst));
		fp_copy(dst, rows[i].size, rows[i].from);
		assert_string_equal(dst, rows[i].to);
		for (size_t at = strlen(dst); at < rows[i].size; at++)
			assert_int_equal(dst[at], 0);
		assert_int_equal(dst[rows[i].size], 'z');
	}
	fp_copy(NULL, 0, "nothing is written");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_as_people_write_them),
		cmocka_unit_test(test_seconds_as_people_read_them),
		cmocka_unit_test(test_rates_have_their_unit),
		cmocka_unit_test(test_sizes_are_read),
		cmocka_unit_test(test_what_is_no_size_is_refused_by_name),
		cmocka_unit_test(test_times_are_read),
		cmocka_unit_test(test_rates_are_read),
		cmocka_unit_test(test_what_is_no_time_is_refused_by_name),
		cmocka_unit_test(test_text_grows),
		cmocka_unit_test(test_text_keeps_zero_bytes),
		cmocka_unit_test(test_text_that_cannot_grow_says_so),
		cmocka_unit_test(test_copies_are_fit_to_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
