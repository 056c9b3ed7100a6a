/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a process that local_launch() starts. */
#ifndef FP_MPI_LOCAL_ENV_H
#define FP_MPI_LOCAL_ENV_H

#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

#define LOCAL_ENV_FD 3 /* where rank 0 finds the listening socket */

/** enum local_env_var - variables that are ours to give. */
enum local_env_var {
	LOCAL_ENV_LAUNCHER, /* pid of the launcher */
	LOCAL_ENV_MEET,
	LOCAL_ENV_TOKEN,
	LOCAL_ENV_SIZE,
	LOCAL_ENV_RANK,
	LOCAL_ENV_HOST,    /* only with host names */
	LOCAL_ENV_MEET_FD, /* only for rank 0 */
	LOCAL_ENV_COUNT
};

/** struct local_env - @envp is for execve(). */
struct local_env {
	char texts[LOCAL_ENV_COUNT][80];
	size_t n_foreign; /* of envp, before ours */
	char **envp;
};

/** local_env_name() - the name of a variable of ours. */
const char *local_env_name(enum local_env_var var);

/**
 * local_env_init() - @base without variables of ours, and those of ours that
 * are the same for every rank, among them a fresh token.
 * @port: of the meeting address.
 *
 * Return: FP_OK; FP_ERR_NOMEM, FP_ERR_SYS. Undo with local_env_done(). The
 * texts of @base are borrowed.
 */
enum fp_status local_env_init(struct local_env *e, char *const *base,
                              uint32_t port, struct fp_err *err);

/** local_env_rank() - make it the environment of @rank of @n, on one of @hosts
 * names, or on this host under its own (0). */
void local_env_rank(struct local_env *e, uint32_t n, uint32_t hosts,
                    uint32_t rank);

/**
 * local_host_of() - which of @hosts names rank @rank of @n gets: blocks of
 * equal size, differing by one at most.
 */
uint32_t local_host_of(uint32_t rank, uint32_t n, uint32_t hosts);

/** local_env_done() - give the memory back; takes a zeroed one. */
void local_env_done(struct local_env *e);

#endif
