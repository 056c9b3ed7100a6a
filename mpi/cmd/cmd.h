/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands. Each prints, and returns the process's exit status. */
#ifndef FP_MPI_CMD_CMD_H
#define FP_MPI_CMD_CMD_H

#include <stdbool.h>
#include <stdio.h>

#include "mpi/opts/opts.h"
#include "probes/report/report.h"

/** enum cmd_exit - exit status, the same for every command. */
enum cmd_exit {
	CMD_EXIT_HEALTHY = 0,
	CMD_EXIT_FAULT = 1,
	CMD_EXIT_USAGE = 2, /* could not run */
	CMD_EXIT_INCOMPLETE = 3,
};

/** struct cmd - what was asked for, and by which words. */
struct cmd {
	const struct opts *opts;
	int argc;
	char **argv;
};

/** cmd_run() - run, pairs and sweep: this rank's part in a job. */
int cmd_run(const struct cmd *cmd);

/** cmd_show_fn - what rank 0 does once all hosts were read: prints, and returns
 * the exit status. */
typedef int cmd_show_fn(const struct cmd *cmd, const struct topo_job *job);

/** cmd_run_job() - as cmd_run(), but nothing is measured: rank 0 shows the
 * job by @show. NULL is cmd_run(). */
int cmd_run_job(const struct cmd *cmd, cmd_show_fn *show);

/** cmd_run_case() - as cmd_run(), about something that rank 0 reads first. */
struct lead_case;
int cmd_run_case(const struct cmd *cmd, const struct lead_case *about);

/** cmd_report() - render a saved run again. */
int cmd_report(const struct cmd *cmd);

/** cmd_compare() - what got slower between two saved runs. */
int cmd_compare(const struct cmd *cmd);

/** cmd_list() - transports, operations, formats, and what each needs. */
void cmd_list(FILE *out);

/** cmd_topo() - draw the hosts of a job, or a host from saved text. */
int cmd_topo(const struct cmd *cmd);

/** cmd_explain() - say what logs and dumps tell. */
int cmd_explain(const struct cmd *cmd);

/** cmd_check() - judge hosts by what they are: live, or as they were saved. */
int cmd_check(const struct cmd *cmd);

/** cmd_simulate() - a run on a model of a cluster, or the table of how well
 * faults are named. */
int cmd_simulate(const struct cmd *cmd);

/** cmd_line() - the command line as one text for free(3); NULL: no memory. */
char *cmd_line(const struct cmd *cmd);

/** cmd_fail() - print @err; CMD_EXIT_INCOMPLETE if interrupted, else
 * CMD_EXIT_USAGE. */
int cmd_fail(const struct fp_err *err);

/**
 * cmd_refuse() - print what all ranks of a job find before they know each
 * other, and @hint if it is not NULL: as one of them. An FP_ERR_USAGE is the
 * whole job's and said by its first rank, all else its host's. The others keep
 * silent, and return somewhat later.
 *
 * Return: CMD_EXIT_USAGE.
 */
int cmd_refuse(const struct fp_err *err, const char *hint);

/**
 * cmd_verdict() - the line that ends every report, where no report does, on
 * the descriptor @fd.
 */
void cmd_verdict(int fd, int exit_status);

/** cmd_verdict_fd() - where that line goes: stdout, unless JSON does. */
int cmd_verdict_fd(const struct opts *opts);

/**
 * cmd_printed() - were the words that a command put on @out taken?
 *
 * Return: @exit_status, or CMD_EXIT_USAGE where they were not, which is said.
 * A reader that closed its end had enough: no error.
 */
int cmd_printed(FILE *out, int exit_status);

/**
 * cmd_presentation() - fill the presentation members of @report for a
 * terminal or file on @fd.
 */
void cmd_presentation(const struct opts *opts, int fd, struct report *report);

#endif
