/* SPDX-License-Identifier: Apache-2.0 */
/* A worker process: started without a trace of the launcher, killed for sure.
 */
#ifndef FP_MPI_AGENT_CHILD_H
#define FP_MPI_AGENT_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "probes/trial/board.h"
#include "topo/base/status.h"

/** struct child - a started worker. All fds are close-on-exec, ours. */
struct child {
	pid_t pid;           /* 0: none */
	int pidfd;           /* readable once it has ended */
	int control_fd;      /* socketpair, non-blocking */
	int output_fd;       /* its stdout and stderr, non-blocking */
	struct board *board; /* shared memory */
};

#define CHILD_SETTINGS 8
#define CHILD_WITHOUT 31

/** struct child_env - what a worker's environment has that the agent's has
 * not. */
struct child_env {
	char *set[CHILD_SETTINGS]; /* "NAME=value", over what is there */
	size_t n_set;
	bool bare; /* no NCCL_* variable, but for these */
	const char *without[CHILD_WITHOUT]; /* "NAME=...", left out */
	size_t n_without;
};

/**
 * child_init() - no process. So that child_close() is always safe.
 */
void child_init(struct child *c);

/**
 * child_spawn() - start the program at @path: own process group, stdin from
 * /dev/null, stdout and stderr to a pipe, control and board at the worker's
 * descriptors, every other one closed, signals reset, no OMPI_, PMIX_, PMI_
 * or FABRICPROBE_ variable, those of @env as well; NULL: none. The calling
 * thread must outlive the child.
 *
 * Return: FP_OK; FP_ERR_SYS or FP_ERR_NOMEM naming @path.
 */
enum fp_status child_spawn(struct child *c, const char *path,
                           const struct child_env *env, struct fp_err *err);

/** child_kill() - SIGKILL to its process group. */
void child_kill(const struct child *c);

/**
 * child_reap() - collect the child if it has ended; never blocks.
 * @ret_what: how it ended, in words: "exit status 1", "signal 9 (Killed)".
 *
 * Return: true if it has ended (then c->pid is 0).
 */
bool child_reap(struct child *c, char *ret_what, size_t size);

/** child_state() - its state letter of /proc/PID/stat; '?' if unknown. */
char child_state(const struct child *c);

/** child_close() - give descriptors and memory back; does not kill. */
void child_close(struct child *c);

/**
 * child_worker_path() - where worker program @name is: beside this program,
 * or ../libexec/fabricprobe of it. That there is none, starting it says.
 *
 * Return: FP_OK with @ret filled; FP_ERR_SYS, FP_ERR_LIMIT.
 */
enum fp_status child_worker_path(const char *name, char *ret, size_t size,
                                 struct fp_err *err);

#endif
