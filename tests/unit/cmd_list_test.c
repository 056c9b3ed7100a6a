// SPDX-License-Identifier: Apache-2.0
// fabricprobe list: every transport, operation and format, and what is missing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mpi/cmd/cmd.h"
#include "probes/explain/reader.h"
#include "probes/trial/registry.h"
#include "topo/discover/discover.h"

/* A terminal of 80 columns; what a build lacks is as long as it is. */
static void assert_fits(char *text)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (strlen(line) > 79 && !strstr(line, "not in this build"))
			fail_msg("wider than a terminal: %s", line);
}

static void test_lists_all(void **state)
{
	size_t len, n, i;
	const struct registry_xport *rows = registry_xports(&n);
	const struct explain_reader *const *readers;
	char *text = NULL;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_non_null(out);
	cmd_list(out);
	assert_int_equal(cmd_printed(out, 3), 3);
	assert_int_equal(fclose(out), 0);
	for (i = 0; i < n; i++) {
		assert_non_null(strstr(text, rows[i].help));
		assert_true(rows[i].built || strstr(text, rows[i].needs));
	}
	for (i = 0; i < OP_COUNT; i++)
		assert_non_null(strstr(text, trial_op_name((unsigned)i)));
	for (i = 0; i < OPTS_FORMAT_COUNT; i++)
		assert_non_null(strstr(text, opts_format_name((unsigned)i)));
	for (i = 0; topo_reader_name(i); i++)
		assert_non_null(strstr(text, topo_reader_help(i)));
	assert_true(i > 10);
	readers = explain_readers(&n);
	for (i = 0; i < n; i++)
		assert_non_null(strstr(text, readers[i]->help));
	assert_non_null(strstr(text, "hwloc XML"));
	assert_null(strstr(text, "(null)"));
	assert_fits(text);
	free(text);
}

static void test_says_when_it_cannot_write(void **state)
{
	FILE *full = fopen("/dev/full", "r+");
	struct stat st;

	(void)state;
	if (!full)
		skip();
	assert_int_equal(fstat(fileno(full), &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	cmd_list(full);
	assert_int_equal(cmd_printed(full, CMD_EXIT_HEALTHY), CMD_EXIT_USAGE);
	(void)fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_all),
		cmocka_unit_test(test_says_when_it_cannot_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
