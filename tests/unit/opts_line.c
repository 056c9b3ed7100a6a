// SPDX-License-Identifier: Apache-2.0
// Command lines for tests of the options.
#include "tests/unit/opts_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

void opts_line_cut(struct opts_line *line, const char *args)
{
	char *save = NULL, *word, *c;

	memset(line, 0, sizeof(*line));
	line->argv[line->argc++] = (char *)"fabricprobe";
	assert_true(strlen(args) < sizeof(line->text));
	strcpy(line->text, args);
	word = strtok_r(line->text, " ", &save);
	for (; word; word = strtok_r(NULL, " ", &save)) {
		for (c = word; *c; c++)
			*c = *c == '~' ? ' ' : *c;
		assert_true(line->argc < OPTS_LINE_WORDS);
		line->argv[line->argc++] = word;
	}
}

enum fp_status opts_line_parse(struct opts_line *line, const char *args,
                               struct opts *ret, struct fp_err *err)
{
	opts_line_cut(line, args);
	return opts_parse(line->argc, line->argv, ret, err);
}

struct opts opts_line_taken(struct opts_line *line, const char *args)
{
	struct fp_err err = { 0 };
	struct opts opts = { 0 };

	if (opts_line_parse(line, args, &opts, &err) != FP_OK)
		fail_msg("'%s' was refused: %s", args, err.text);
	return opts;
}
