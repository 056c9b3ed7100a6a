/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line. One table (opts_table.c) gives the options, their help,
 * their defaults, the accepted values in error texts, and the report's echo.
 */
#ifndef FP_MPI_OPTS_OPTS_H
#define FP_MPI_OPTS_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "probes/session/session.h"
#include "probes/trial/wire.h"
#include "topo/base/status.h"

/** enum opts_command - the first word; none is CMD_RUN. */
enum opts_command {
	CMD_RUN,
	CMD_PAIRS,
	CMD_SWEEP,
	CMD_REPORT,
	CMD_LIST,
	CMD_TOPO,
	CMD_EXPLAIN,
	CMD_CHECK,
	CMD_SIMULATE,
	CMD_BISECT,
	CMD_COMPARE,
	CMD_COUNT
};

enum opts_boot {
	OPTS_BOOT_AUTO,
	OPTS_BOOT_MPI,
	OPTS_BOOT_ENV,
	OPTS_BOOT_COUNT
};
enum opts_color {
	OPTS_COLOR_AUTO,
	OPTS_COLOR_ALWAYS,
	OPTS_COLOR_NEVER,
	OPTS_COLOR_COUNT
};
enum opts_format {
	OPTS_FORMAT_TEXT,
	OPTS_FORMAT_JSON,
	OPTS_FORMAT_SWEEP,
	OPTS_FORMAT_COUNT
};

#define OPTS_INJECT_MAX 32
#define OPTS_LOCAL_MAX 1024

/** struct opts_texts - values of an option that may be given repeatedly. */
struct opts_texts {
	const char *text[OPTS_INJECT_MAX];
	size_t n;
};

/**
 * struct opts - what was asked for. Times in seconds, sizes in bytes; 0 is
 * "the mode's" where the mode has a value. Texts point into argv; "" if not
 * given. An option that the command does not take has its default.
 */
struct opts {
	uint32_t command; /* enum opts_command */
	bool help, version;
	const char *dir;      /* report, compare: the saved run */
	const char *baseline; /* a saved run that is held against; compare: the
	                         first one */
	const char *from;     /* topo: the saved text; "-": stdin */
	uint32_t view;        /* topo: enum path_view */
	bool probe;           /* explain: then run, suspects first */
	const char *ras;      /* explain: address of a job's RAS */
	uint32_t ras_times;
	double ras_every_s;
	size_t n_words;          /* explain: files, see opts_words() */
	struct opts_texts saved; /* check: files and folders */
	const char *only, *skip; /* check: names, with commas between */
	const char *evidence;    /* check: the bundle's folder */
	bool mask;               /* check: no names and addresses in it */

	/* what is measured */
	uint32_t mode;  /* enum session_mode */
	uint32_t xport; /* enum trial_xport */
	uint32_t op;    /* enum trial_op */
	uint64_t bytes;
	bool bidirectional;
	uint64_t min_bytes, max_bytes, step_bytes; /* sweep */
	uint32_t factor;                           /* sweep; 0: step_bytes */
	uint32_t iters, warmup, check;             /* sweep */
	uint32_t type, redop;        /* sweep; enum trial_type, trial_redop */
	uint32_t registered, graphs; /* sweep; 0: not */
	uint32_t gpus, threads;      /* sweep; of a rank: 1 */
	uint64_t seed;

	/* time */
	double time_limit_s, trial_time_s, trial_timeout_s, connect_timeout_s;
	double load_s; /* 0: none */
	double heartbeat_s, lost_after_s, start_timeout_s;

	/* data path */
	uint32_t streams;
	uint64_t sockbuf; /* 0: the kernel's; fits an int32_t */
	const char *tcp_cc, *netdev, *addr;
	const char *hca;            /* "": by the environment */
	uint32_t gid_index, sl, tc; /* 1 more; 0: by the environment */
	uint32_t qps;               /* 0: by the environment */
	uint32_t rdma_op;           /* enum wire_rdma_op */
	uint64_t rdma_mtu;          /* 0: what both ends have */

	/* start-up and control */
	uint32_t local, local_hosts; /* 0: not asked for */
	uint32_t boot;               /* enum opts_boot */
	bool keep_mpi_env;
	const char *control_if, *host_id, *worker, *nccl_lib, *sysroot;

	/* output */
	const char *out_dir, *json_path; /* json_path "-": stdout */
	const char *xml_path, *dot_path; /* topo; as json_path */
	uint32_t color;                  /* enum opts_color */
	uint32_t format;                 /* enum opts_format; report */
	bool no_progress, gbits, timing, verbose;

	/* drills and models */
	struct opts_texts inject;
	const char *cluster; /* simulate: its description */
	struct opts_texts faults;
	bool catalogue, csv;
	uint32_t trials;
	const char *suspects; /* bisect */
	double floor_Bps;     /* bisect: of busbw; 0: none */
	const char *fabric;   /* run: where hosts are plugged */
};

/**
 * opts_parse() - read a command line. @argv's order is left as it is.
 * @ret: on success; where ret->help or ret->version is set nothing else has
 *       been checked, and opts_help() or FP_VERSION is to be printed.
 *
 * Return: FP_OK; FP_ERR_USAGE naming the option and the accepted values;
 * FP_ERR_NOMEM.
 */
enum fp_status opts_parse(int argc, char *const argv[], struct opts *ret,
                          struct fp_err *err);

/**
 * opts_words() - the words of a command line that opts_parse() took: files
 * and folders.
 * @ret: room for @argc of them; they point into @argv.
 *
 * Return: how many.
 */
size_t opts_words(int argc, char *const argv[], const char *ret[]);

/** opts_defaults() - what an empty command line of @command would give. */
void opts_defaults(uint32_t command, struct opts *ret);

/** opts_help() - the help of @command's options. */
void opts_help(uint32_t command, FILE *out);

/** opts_command_name() - "run", "pairs", ...; "?" for none. */
const char *opts_command_name(unsigned command);

/** opts_boot_name() - "auto", "mpi" or "env", as boot_pick() wants it. */
const char *opts_boot_name(unsigned boot);

/** opts_view_name() - "smi" or "nccl"; "?" for none. */
const char *opts_view_name(unsigned view);

/** opts_format_name() - "text", "json" or "sweep", for report_find(). */
const char *opts_format_name(unsigned format);

/** opts_color_name() - "auto", "always" or "never"; "?" for none. */
const char *opts_color_name(unsigned color);

/**
 * opts_to_json() - the settings of opts->command's options as one compact
 * JSON object, in the order of the help.
 *
 * Return: text for free(3), or NULL without memory.
 */
char *opts_to_json(const struct opts *opts);

/**
 * opts_checks_off() - which checks --only and --skip leave out, as
 * session_opts.checks_off has it.
 *
 * Return: FP_OK; FP_ERR_USAGE naming what is no check.
 */
enum fp_status opts_checks_off(const struct opts *opts, uint32_t *ret,
                               struct fp_err *err);

/** opts_session() - the part that plans a run, over session_defaults(). */
void opts_session(const struct opts *opts, struct session_opts *ret);

/**
 * opts_setup() - the part that a worker needs, over a zeroed @ret; rank,
 * size, version, host_name and data_token are left for the caller.
 */
void opts_setup(const struct opts *opts, struct wire_setup *ret);

#endif
