/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines for tests of the options. */
#ifndef FP_TESTS_UNIT_OPTS_LINE_H
#define FP_TESTS_UNIT_OPTS_LINE_H

#include "mpi/opts/opts.h"

#define OPTS_LINE_WORDS 48

/** struct opts_line - a command line, cut; options point into it. */
struct opts_line {
	char text[8192];
	char *argv[OPTS_LINE_WORDS + 1];
	int argc;
};

/** opts_line_cut() - cut @args at spaces; '~' becomes a space in a word. */
void opts_line_cut(struct opts_line *line, const char *args);

/** opts_line_parse() - opts_parse() of @args. */
enum fp_status opts_line_parse(struct opts_line *line, const char *args,
                               struct opts *ret, struct fp_err *err);

/** opts_line_taken() - the same; fails the test if it is refused. */
struct opts opts_line_taken(struct opts_line *line, const char *args);

#endif
