// SPDX-License-Identifier: Apache-2.0
// The table of options: what must hold of it, and that the help shows it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/opts/argp.h"
#include "mpi/opts/table.h"

static void test_table(void **state)
{
	/* letters of nccl-tests: those that are here mean the same */
	static const char nccl_tests[] = "mNaprzFyDISK";
	static const char *const same[][2] = {
		{ "t", "nthreads" },  { "g", "ngpus" },
		{ "d", "datatype" },  { "o", "redop" },
		{ "G", "cudagraph" }, { "R", "local_register" },
	};
	size_t n, i, k;
	const struct opt_row *rows = opt_rows(&n);
	struct opts opts = { 0 };

	(void)state;
	for (i = 0; i < n; i++) {
		const struct opt_row *row = &rows[i];

		assert_non_null(row->doc);
		assert_true(row->commands && row->type < OPT_TYPE_COUNT);
		assert_true(!i || rows[i - 1].group <= row->group);
		assert_false(row->letter && strchr(nccl_tests, row->letter));
		for (k = 0; k < sizeof(same) / sizeof(same[0]); k++)
			assert_true(row->letter != same[k][0][0] ||
			            !strcmp(row->name, same[k][1]));
		assert_true(!row->arg == (row->type <= OPT_SET));
		if (row->dflt)
			assert_int_equal(opt_read(row, row->dflt, &opts, NULL),
			                 FP_OK);
		for (k = 0; k < i; k++) {
			assert_false(row->letter &&
			             row->letter == rows[k].letter);
			assert_false(row->commands & rows[k].commands &&
			             strcmp(row->name, rows[k].name) == 0);
		}
	}
	assert_true(n + OPT_GROUP_COUNT < OPTS_ARGP_MAX);
}

static char *help_of(uint32_t command)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	opts_help(command, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static bool is_shown(const char *name, uint32_t command)
{
	size_t n, i;
	const struct opt_row *rows = opt_rows(&n);

	for (i = 0; i < n; i++)
		if (opt_row_taken(&rows[i], command) &&
		    strcmp(rows[i].name, name) == 0)
			return true;
	return false;
}

static void test_help_shows_the_table(void **state)
{
	size_t n, i;
	const struct opt_row *rows = opt_rows(&n);
	uint32_t command;

	(void)state;
	for (command = 0; command < CMD_COUNT; command++) {
		char *help = help_of(command), *save = NULL, *row;
		char word[64];

		for (i = 0; i < n; i++) {
			(void)snprintf(word, sizeof(word), "--%s%s%s",
			               rows[i].name, rows[i].arg ? "=" : "",
			               rows[i].arg ? rows[i].arg : "");
			if (is_shown(rows[i].name, command) !=
			    !!strstr(help, word))
				fail_msg("%s in the help of %s", word,
				         opts_command_name(command));
		}
		row = strtok_r(help, "\n", &save);
		for (; row; row = strtok_r(NULL, "\n", &save))
			assert_in_range(strlen(row), strspn(row, " ") + 1, 79);
		free(help);
	}
}

/* In one line, with single blanks. */
static char *unwrapped(char *text)
{
	char *to = text;
	const char *from;

	for (from = text; *from; from++) {
		char c = *from == '\n' ? ' ' : *from;

		if (c != ' ' || to == text || to[-1] != ' ')
			*to++ = c;
	}
	*to = '\0';
	return text;
}

static void test_help_tells_values(void **state)
{
	static const char *const parts[] = {
		"Usage: fabricprobe sweep [OPTION...]",
		"(auto, shm",
		"(1 to 64; default 1)",
		"(1 to 1T; default 32M)",
		"-b, --minbytes=SIZE",
		"Exit status: 0 healthy",
	};
	static const char *const of_modes[] = {
		"(1s to 720h; default 1m quick, 10m standard, none deep)",
		"(1 to 1T; default 1M)",
	};
	char *help = help_of(CMD_SWEEP);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strstr(help, parts[i]))
			fail_msg("'%s' is not in: %s", parts[i], help);
	free(help);
	help = unwrapped(help_of(CMD_RUN));
	for (i = 0; i < sizeof(of_modes) / sizeof(of_modes[0]); i++)
		if (!strstr(help, of_modes[i]))
			fail_msg("'%s' is not in: %s", of_modes[i], help);
	free(help);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_help_shows_the_table),
		cmocka_unit_test(test_help_tells_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
