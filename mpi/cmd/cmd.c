// SPDX-License-Identifier: Apache-2.0
// What the subcommands share.
#include "mpi/cmd/cmd.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/boot/boot.h"
#include "mpi/cmd/output.h"
#include "topo/base/fmt.h"
#include "topo/base/log.h"

char *cmd_line(const struct cmd *cmd)
{
	struct fp_text text = { 0 };
	int i;

	for (i = 0; i < cmd->argc; i++)
		fp_text_printf(&text, "%s%s", i ? " " : "", cmd->argv[i]);
	if (!text.failed)
		return text.data;
	fp_text_free(&text);
	return NULL;
}

int cmd_fail(const struct fp_err *err)
{
	fp_log(FP_LOG_ERROR, "%s", err->text);
	return err->status == FP_ERR_INTR ? CMD_EXIT_INCOMPLETE
	                                  : CMD_EXIT_USAGE;
}

static bool want_colour(const struct opts *opts, int fd)
{
	const char *term = getenv("TERM");

	if (opts->color != OPTS_COLOR_AUTO)
		return opts->color == OPTS_COLOR_ALWAYS;
	/* Launchers put a terminal of their own between a rank and the file
	 * or pipe that a person chose. */
	if (boot_expected_size(getenv) > 0)
		return false;
	return isatty(fd) == 1 && !getenv("NO_COLOR") && term &&
	       strcmp(term, "dumb") != 0;
}

void cmd_presentation(const struct opts *opts, int fd, struct report *report)
{
	report->columns = output_columns(fd);
	report->colour = want_colour(opts, fd);
	report->gbits = opts->gbits;
	report->timing = opts->timing;
}
