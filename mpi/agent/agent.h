/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent: a rank's process. It never touches a device or a peer's data;
 * it starts a worker, passes frames between it and the conductor, and ends it
 * when it does not answer. So the agent always answers.
 */
#ifndef FP_MPI_AGENT_AGENT_H
#define FP_MPI_AGENT_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/boot/boot.h"
#include "mpi/mailbox/mailbox.h"
#include "topo/base/status.h"
#include "topo/model/model.h"

struct event_base;
struct agent;

/** struct agent_opts - seconds. */
struct agent_opts {
	const char *worker_path; /* lent for the agent's life */
	const char *gpu_path;    /* of the GPU worker, tried first; NULL: not
	                            wanted. One that cannot be loaded is why
	                            the other has no GPU, not a failure. */
	const char *nccl_lib;    /* the NCCL that the GPU worker is to take;
	                            NULL: the loader's choice */
	struct mailbox_opts mailbox;
	double start_s; /* a worker must be ready so soon */
	double wedge_s; /* after SIGKILL; then it is WEDGED */
};

/** enum agent_end - how an agent's life ended. */
enum agent_end {
	AGENT_RUNNING,
	AGENT_BYE_FINALIZE, /* told to; every rank answers */
	AGENT_BYE_EXIT,     /* told to; some rank does not answer */
	AGENT_ORPHANED,     /* the conductor is gone */
};

/**
 * agent_open() - an agent for @rank of @size on @host, with a worker started
 * already (a worker that cannot start is reported, not an error here).
 * @host: identity only; not kept.
 *
 * Return: FP_OK, FP_ERR_NOMEM. Undo with agent_close().
 */
struct agent_who {
	int32_t rank, size;
	const struct topo_host *host;
	const uint8_t *token; /* BOOT_TOKEN_BYTES */
};
enum fp_status agent_open(struct event_base *base, const struct agent_who *who,
                          const struct agent_opts *opts, struct agent **ret,
                          struct fp_err *err);

/** agent_connect() - meet the conductor; see mailbox_link_dial(). */
enum fp_status agent_connect(struct agent *a, const struct boot_meet *meet,
                             int64_t deadline_ns, struct fp_err *err);

/** agent_adopt() - the same over a connected socket; takes @fd over. */
enum fp_status agent_adopt(struct agent *a, int fd, struct fp_err *err);

/** agent_run() - serve until the end; how it ended. */
enum agent_end agent_run(struct agent *a);

/**
 * agent_stop() - a signal told this process to stop: say so to the conductor
 * and end when it says so, or by itself after a second.
 */
void agent_stop(struct agent *a, int signum);

/** agent_why() - one line about an AGENT_ORPHANED end; "" else. */
const char *agent_why(const struct agent *a);

/** agent_close() - end the worker, give all back; takes NULL. */
void agent_close(struct agent *a);

#endif
