/* SPDX-License-Identifier: Apache-2.0 */
/* How a rank learns who it is and where rank 0's mailbox is. */
#ifndef FP_MPI_BOOT_BOOT_H
#define FP_MPI_BOOT_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

#define BOOT_ADDRS_MAX 16
#define BOOT_ADDR_MAX 48
#define BOOT_TOKEN_BYTES 16

/** struct boot_meet - where rank 0 listens. Crosses ranks: fixed width. */
struct boot_meet {
	uint8_t token[BOOT_TOKEN_BYTES];
	uint32_t port;
	uint32_t n_addrs;
	char addrs[BOOT_ADDRS_MAX][BOOT_ADDR_MAX]; /* numeric, best first */
};
_Static_assert(sizeof(struct boot_meet) == 792, "boot_meet crosses ranks");

/** struct boot_opts - from the command line and the environment. */
struct boot_opts {
	double init_s;     /* deadline of MPI_Init, 60 */
	double exchange_s; /* of the exchange, 30 */
	double finish_s;   /* of MPI_Finalize, 20 */
	bool keep_mpi_env;
};

struct boot; /* opened */

struct boot_ops {
	const char *name;
	/**
	 * Learn rank and size. Past its deadline the process ends by itself
	 * with exit status 2 and a line that says where it stuck.
	 * Return: FP_OK; FP_ERR_USAGE with the remedy when the launcher's
	 * environment and what came of it contradict each other.
	 */
	enum fp_status (*open)(const struct boot_opts *opts, struct boot **ret,
	                       struct fp_err *err);
	int32_t (*rank)(const struct boot *b);
	int32_t (*size)(const struct boot *b);
	/**
	 * Rank 0: a socket that already listens and that it must use, or -1.
	 * And may it choose its own port and token, or must @meet's be used?
	 */
	int (*listen_fd)(const struct boot *b, struct boot_meet *meet,
	                 bool *ret_fixed);
	/** Rank 0 gives @meet, the others receive it; under the deadline. */
	enum fp_status (*exchange)(struct boot *b, struct boot_meet *meet,
	                           struct fp_err *err);
	/**
	 * The end; @b is gone. @all_answered: may every rank be waited for?
	 * Then MPI_Finalize, and should it not return, the process ends by
	 * itself with @exit_status; else nothing: the caller _exit()s.
	 */
	void (*finish)(struct boot *b, bool all_answered, int exit_status);
};

extern const struct boot_ops boot_mpi_ops;
extern const struct boot_ops boot_env_ops;
extern const struct boot_ops boot_solo_ops; /* one rank, no launcher */

/**
 * boot_pick() - which of them this environment asks for. Reads @getenv_fn
 * (getenv, or a test's): FABRICPROBE_MEET -> env; a launcher that gives MPI
 * (OMPI_COMM_WORLD_SIZE, PMIX_RANK, PMI_SIZE) -> mpi; a Slurm step of more
 * than one task without either -> FP_ERR_USAGE with the remedy; else solo.
 * @want: "auto", or a name.
 */
enum fp_status boot_pick(const char *want, char *(*getenv_fn)(const char *),
                         const struct boot_ops **ret, struct fp_err *err);

/**
 * boot_expected_size() - how many ranks the launcher's environment says
 * (OMPI_COMM_WORLD_SIZE, SLURM_STEP_NUM_TASKS, PMI_SIZE); 0: it does not say.
 */
int32_t boot_expected_size(char *(*getenv_fn)(const char *));

#endif
