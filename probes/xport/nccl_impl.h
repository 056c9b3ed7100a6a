/* SPDX-License-Identifier: Apache-2.0 */
/* The insides of the NCCL transport. NCCL's handles are its own. */
#ifndef FP_PROBES_XPORT_NCCL_IMPL_H
#define FP_PROBES_XPORT_NCCL_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/xport/cuda_gpu.h"
#include "probes/xport/team.h"
#include "probes/xport/xport.h"

struct ncclComm;

#define NCCL_ID_BYTES 128 /* of a ncclUniqueId */

/** struct nccl_log - NCCL's log of this process, and what it says. */
struct nccl_log {
	int fd; /* -1: it goes where the job sends it */
	int64_t read;
	uint32_t p2p, shm, ib, gdr, socket; /* channels of this rank */
	char warning[160];                  /* the latest; "" none */
};

/** struct nccl - the transport. */
struct nccl {
	struct xport x;
	const struct xport_env *env;
	struct cuda_gpu gpu;
	struct nccl_log log;
	struct ncclComm *comm; /* of the latest trial, if sound */
	uint32_t made_by;      /* trial that made it; 0: none */
	int32_t *members;      /* whom it connects */
	uint32_t n, me;
	uint8_t id[NCCL_ID_BYTES]; /* offered */
	bool broken;               /* something in it may never return */
};

/** enum nccl_room - elements of a buffer. */
enum nccl_room {
	NCCL_NONE,
	NCCL_ONE, /* count */
	NCCL_ALL, /* count of each member */
};

struct nccl_team;

/** struct nccl_op - an operation of NCCL's as a trial asks for it. */
struct nccl_op {
	enum nccl_room in, out;
	bool sums;  /* the output is the sum of all inputs */
	bool place; /* can be done in place */
	/** enqueue one; an ncclResult_t */
	int (*call)(const struct nccl_team *t);
};

/** struct nccl_team - a trial under way. */
struct nccl_team {
	struct xport_team t;
	struct nccl *nc;
	struct xport_join how;
	struct cuda_wait wait;
	const struct nccl_op *op;
	uint32_t n, me, root;
	uint32_t type; /* enum cuda_type */
	int nccl_type;
	size_t count; /* elements, nccl-tests' "count" */
	uint8_t *in, *out;
	void *registered; /* handle of the buffers; NULL: they are not */
};

/** nccl_op_find() - the row of @op (enum trial_op); NULL: not done here. */
const struct nccl_op *nccl_op_find(unsigned op);

/** nccl_op_type() - NCCL's number of @type (enum cuda_type). */
int nccl_op_type(unsigned type);

/** nccl_register() - make the buffers known to NCCL, if the trial says so.
 * Return: FP_OK; FP_ERR_NOTSUP: this NCCL cannot; FP_ERR_LIB.
 * nccl_deregister() - undo; takes a team without. */
enum fp_status nccl_register(struct nccl_team *t, struct fp_err *err);
void nccl_deregister(struct nccl_team *t);

/** nccl_room_count() - elements of @room for @n members. */
size_t nccl_room_count(enum nccl_room room, uint32_t n, size_t count);

/** nccl_data_fill() - inputs as the seed has them, outputs spoilt.
 * nccl_data_check() - bytes of the output that are wrong. */
enum fp_status nccl_data_fill(struct nccl_team *t, struct fp_err *err);
enum fp_status nccl_data_check(struct nccl_team *t, uint64_t *ret_wrong,
                               struct fp_err *err);

/**
 * nccl_comm_get() - a communicator of the members of @how: the one that all of
 * them kept, or a new one. NCCL never blocks in it.
 */
enum fp_status nccl_comm_get(struct nccl *nc, const struct xport_join *how,
                             const struct cuda_wait *wait, struct fp_err *err);

/** nccl_comm_kept() - the trial that made the communicator that connects just
 * these members; 0: there is none. */
uint32_t nccl_comm_kept(const struct nccl *nc, const struct xport_join *how);

/** nccl_comm_drop() - abort it, waiting for that @wait_s at most.
 * Return: did the abort return? */
bool nccl_comm_drop(struct nccl *nc, double wait_s);

/** nccl_comm_settle() - a call returned @rc: wait until what it began is
 * done. @what names it. */
enum fp_status nccl_comm_settle(struct nccl *nc, int rc, const char *what,
                                const struct cuda_wait *wait,
                                struct fp_err *err);

/** nccl_comm_look() - for cuda_wait: has @arg, a struct nccl, an asynchronous
 * error? */
enum fp_status nccl_comm_look(void *arg, struct fp_err *err);

/** nccl_comm_new_id() - a unique id; an ncclResult_t. */
int nccl_comm_new_id(uint8_t id[NCCL_ID_BYTES]);

/** nccl_comm_fail() - NCCL's words on @rc of @what. Return: FP_ERR_PEER where it
 * was a peer's, FP_ERR_SYS where it was the system's or the network's, else
 * FP_ERR_LIB. */
enum fp_status nccl_comm_fail(struct nccl *nc, int rc, const char *what,
                              struct fp_err *err);

/**
 * nccl_log_prepare() - have NCCL log where this process can read it, unless the
 * job has its own file. Changes the environment: before there are threads.
 */
void nccl_log_prepare(void);

/** nccl_log_open() - what nccl_log_prepare() made, to be read. */
void nccl_log_open(struct nccl_log *log);

/** nccl_log_read() - take in what was written since. */
void nccl_log_read(struct nccl_log *log);

/** nccl_log_line() - take in one line. */
void nccl_log_line(struct nccl_log *log, const char *line);

/** nccl_log_close() - takes one that is not open. */
void nccl_log_close(struct nccl_log *log);

#endif
