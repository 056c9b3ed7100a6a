// SPDX-License-Identifier: Apache-2.0
// fabricprobe: find the slow or hanging link of a GPU cluster.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/cmd/cmd.h"
#include "mpi/local/local.h"
#include "mpi/opts/opts.h"
#include "topo/base/log.h"
#include "topo/base/version.h"

static int list(const struct cmd *cmd)
{
	(void)cmd;
	cmd_list(stdout);
	return cmd_printed(stdout, CMD_EXIT_HEALTHY);
}

static int dispatch(const struct cmd *cmd)
{
	static int (*const commands[CMD_COUNT])(const struct cmd *) = {
		[CMD_RUN] = cmd_run,         [CMD_PAIRS] = cmd_run,
		[CMD_SWEEP] = cmd_run,       [CMD_REPORT] = cmd_report,
		[CMD_LIST] = list,           [CMD_TOPO] = cmd_topo,
		[CMD_BISECT] = cmd_run,      [CMD_EXPLAIN] = cmd_explain,
		[CMD_CHECK] = cmd_check,     [CMD_SIMULATE] = cmd_simulate,
		[CMD_COMPARE] = cmd_compare,
	};

	return commands[cmd->opts->command](cmd);
}

int main(int argc, char **argv)
{
	struct fp_err err = { 0 };
	struct opts opts;
	struct cmd cmd = { .opts = &opts, .argc = argc, .argv = argv };

	local_child_guard();
	signal(SIGPIPE, SIG_IGN);
	if (opts_parse(argc, argv, &opts, &err))
		return cmd_refuse(&err, "try 'fabricprobe --help'");
	if (opts.help) {
		opts_help(opts.command, stdout);
		return cmd_printed(stdout, CMD_EXIT_HEALTHY);
	}
	if (opts.version) {
		printf("fabricprobe %s\n", FP_VERSION);
		return cmd_printed(stdout, CMD_EXIT_HEALTHY);
	}
	if (opts.verbose)
		fp_log_set_level(FP_LOG_DEBUG);
	return dispatch(&cmd);
}
