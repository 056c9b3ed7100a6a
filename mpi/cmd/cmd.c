// SPDX-License-Identifier: Apache-2.0
// What the subcommands share.
#include "mpi/cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/boot/boot.h"
#include "mpi/boot/voice.h"
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

int cmd_refuse(const struct fp_err *err, const char *hint)
{
	const enum boot_whole whole =
		err->status == FP_ERR_USAGE ? BOOT_WHOLE_JOB : BOOT_WHOLE_HOST;

	if (!boot_voice_is_mine(whole, getenv)) {
		boot_voice_defer(getenv);
		return CMD_EXIT_USAGE;
	}
	fp_log(FP_LOG_ERROR, "%s", err->text);
	if (hint)
		fp_log(FP_LOG_ERROR, "%s", hint);
	return CMD_EXIT_USAGE;
}

void cmd_verdict(int fd, int exit_status)
{
	static const char *const words[] = {
		[CMD_EXIT_HEALTHY] = "healthy",
		[CMD_EXIT_FAULT] = "fault",
		[CMD_EXIT_USAGE] = "error",
		[CMD_EXIT_INCOMPLETE] = "incomplete",
	};
	size_t at = (size_t)exit_status;

	(void)dprintf(fd, "fabricprobe: verdict=%s exit=%d\n",
	              at < sizeof(words) / sizeof(words[0]) ? words[at] : "?",
	              exit_status);
}

int cmd_verdict_fd(const struct opts *opts)
{
	return strcmp(opts->json_path, "-") == 0 ? STDERR_FILENO
	                                         : STDOUT_FILENO;
}

int cmd_printed(FILE *out, int exit_status)
{
	struct fp_err err = { 0 };

	errno = 0;
	if ((fflush(out) == 0 && !ferror(out)) || errno == EPIPE)
		return exit_status;
	/* What an earlier flush failed of is gone; that it did is not. */
	(void)fp_err_sys(&err, errno ? errno : EIO,
	                 "cannot write to standard output");
	return cmd_fail(&err);
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
