// SPDX-License-Identifier: Apache-2.0
// Unit tests of the error record and of log lines.
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "topo/base/log.h"
#include "topo/base/status.h"

#define TEN "xxxxxxxxxx"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static const char long_text[] = HUNDRED HUNDRED HUNDRED HUNDRED;

static void test_every_status_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < FP_STATUS_COUNT; i++) {
		const char *name = fp_status_name((enum fp_status)i);

		assert_non_null(name);
		assert_string_not_equal(name, "unknown");
		for (int j = 0; j < i; j++)
			assert_string_not_equal(
				name, fp_status_name((enum fp_status)j));
	}
	assert_string_equal(fp_status_name(FP_STATUS_COUNT), "unknown");
	assert_string_equal(fp_status_name((enum fp_status) - 1), "unknown");
}

static void test_the_first_cause_is_kept(void **state)
{
	struct fp_err err = { 0 };

	(void)state;
	assert_int_equal(fp_err_set(&err, FP_ERR_PEER, "rank %d left", 3),
	                 FP_ERR_PEER);
	assert_int_equal(fp_err_set(&err, FP_ERR_LIB, "later"), FP_ERR_LIB);
	assert_int_equal(fp_err_sys(&err, ENOENT, "later"), FP_ERR_SYS);
	assert_int_equal(err.status, FP_ERR_PEER);
	assert_string_equal(err.text, "rank 3 left");
}

static void test_no_record_passes_the_status_on(void **state)
{
	(void)state;
	assert_int_equal(fp_err_set(NULL, FP_ERR_LIMIT, "x"), FP_ERR_LIMIT);
	assert_int_equal(fp_err_sys(NULL, EIO, "x"), FP_ERR_SYS);
	fp_err_prefix(NULL, "x");
}

static void test_system_errors_say_why(void **state)
{
	struct fp_err err = { 0 }, other = { 0 }, cut = { 0 };

	(void)state;
	(void)fp_err_sys(&err, ENOENT, "open %s", "/no/file");
	assert_int_equal(err.status, FP_ERR_SYS);
	assert_string_equal(err.text,
	                    "open /no/file: No such file or directory");
	(void)fp_err_sys(&other, 99999, "call");
	assert_string_equal(other.text, "call: unknown error");
	(void)fp_err_sys(&cut, ENOENT, "%s", long_text);
	assert_non_null(strstr(cut.text, "xxx: No such file or directory"));
}

static void test_prefix_names_the_thing(void **state)
{
	struct fp_err err = { 0 }, empty = { 0 };

	(void)state;
	fp_err_prefix(&empty, "nothing");
	assert_int_equal(empty.status, FP_OK);
	assert_string_equal(empty.text, "");
	(void)fp_err_set(&err, FP_ERR_USAGE, "not a size");
	fp_err_prefix(&err, "--%s", "bytes");
	assert_int_equal(err.status, FP_ERR_USAGE);
	assert_string_equal(err.text, "--bytes: not a size");
	fp_err_prefix(&err, "%s", long_text);
	assert_non_null(strstr(err.text, "xxx: --bytes: not a size"));
	for (int i = 0; i < 10; i++)
		fp_err_prefix(&err, "%s", long_text);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

/* What one call writes to stderr. */
static void logged(char *line, size_t size, enum fp_log_level level,
                   const char *text)
{
	int saved = dup(STDERR_FILENO), ends[2];
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	fp_log(level, "%s", text);
	assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	close(saved);
	close(ends[1]);
	n = read(ends[0], line, size - 1);
	close(ends[0]);
	assert_true(n >= 0);
	line[n] = '\0';
}

static void test_log_writes_single_lines(void **state)
{
	char line[2048], huge[3000];

	(void)state;
	logged(line, sizeof(line), FP_LOG_ERROR, "broken");
	assert_string_equal(line, "fabricprobe: broken\n");
	logged(line, sizeof(line), FP_LOG_WARN, "a\nb\x1b[2J");
	assert_string_equal(line, "fabricprobe: warning: a?b?[2J\n");
	logged(line, sizeof(line), FP_LOG_INFO, "not at this level");
	assert_string_equal(line, "");
	fp_log_set_level(FP_LOG_DEBUG);
	logged(line, sizeof(line), FP_LOG_DEBUG, "now");
	assert_string_equal(line, "fabricprobe: debug: now\n");
	fp_log_set_level(FP_LOG_WARN);
	memset(huge, 'y', sizeof(huge));
	huge[sizeof(huge) - 1] = '\0';
	logged(line, sizeof(line), FP_LOG_ERROR, huge);
	assert_in_range(strlen(line), 1000, 1024);
	assert_string_equal(line + strlen(line) - 2, "y\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_status_has_a_name),
		cmocka_unit_test(test_the_first_cause_is_kept),
		cmocka_unit_test(test_no_record_passes_the_status_on),
		cmocka_unit_test(test_system_errors_say_why),
		cmocka_unit_test(test_prefix_names_the_thing),
		cmocka_unit_test(test_log_writes_single_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
