/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The insides of libnccl's double. Members of a communicator share a memfd
 * that the unique id names: who is there, on what clock, and where the buffers
 * of the operation in hand are. Data moves from one member's device memory to
 * another's directly.
 */
#ifndef FP_TESTS_DOUBLES_NCCL_IMPL_H
#define FP_TESTS_DOUBLES_NCCL_IMPL_H

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/doubles/cuda_share.h"
#include "tests/doubles/path.h"

#define NC_RANKS_MAX 256
#define NC_CHANNELS 2
#define NC_MAPS_MAX 1024

/** struct nc_seat - a member as the others see it. */
struct nc_seat {
	_Atomic uint32_t taken, gone;
	int32_t pid, version;
	struct fpd_end place;
	struct fpd_switches sw;
	double t_s; /* when it came to the operation in hand */
	struct fpd_share send, recv;
};

/** struct nc_mail - what one member has for another. */
struct nc_mail {
	_Atomic uint32_t posted, taken; /* counts */
	struct fpd_share share;
	uint64_t bytes;
	double t_s, end_s;
};

struct nc_shared {
	_Atomic uint32_t n, seated;
	_Atomic uint32_t arrived, turn; /* of the barrier */
	struct nc_seat seats[NC_RANKS_MAX];
	struct nc_mail mails[NC_RANKS_MAX * NC_RANKS_MAX]; /* src * n + dst */
};

struct nc_map {
	uint64_t serial;
	struct fpd_share share;
	uint8_t *p;
};

struct ncclComm {
	int n, rank, dev;
	struct fpd_end place;
	struct fpd_switches sw;
	struct nc_shared *sh;
	int id_fd; /* of the id's memory, in the process that made it; or -1 */
	struct ncclUniqueId_words {
		int32_t pid, fd;
		uint64_t magic, serial;
	} id;
	pthread_t thread; /* of the init */
	bool threaded, blocking, used;
	_Atomic int async;
	_Atomic bool abort;
	_Atomic uint32_t pending; /* bundles that a stream has yet to do */
	struct nc_map maps[NC_MAPS_MAX];
	bool told[NC_RANKS_MAX]; /* paths that the log has */
	uint64_t looked_ns;      /* when peers were last seen alive */
};

enum nc_kind {
	NC_SEND,
	NC_RECV,
	NC_ALLREDUCE,
	NC_ALLGATHER,
	NC_REDUCESCATTER,
	NC_BROADCAST,
	NC_REDUCE,
};

/** struct nc_op - a call between ncclGroupStart() and ncclGroupEnd(). */
struct nc_op {
	enum nc_kind kind;
	struct ncclComm *comm;
	cudaStream_t stream;
	const void *send;
	void *recv;
	size_t count;
	ncclDataType_t type;
	ncclRedOp_t redop;
	int peer; /* or root */
};

/** nc_size() - bytes of an element; 0: no such type. */
size_t nc_size(ncclDataType_t type);

/** nc_reduce() - @into = @into op @from, @n elements. */
void nc_reduce(void *into, const void *from, size_t n, ncclDataType_t type,
               ncclRedOp_t op);

/** nc_finish() - what remains after all were reduced: the division of an
 * average by @ranks. */
void nc_finish(void *into, size_t n, ncclDataType_t type, ncclRedOp_t op,
               int ranks);

/** nc_call() - the head of a call: the code that a fault has for it. */
ncclResult_t nc_call(const char *name);

/** nc_fail() - keep text for ncclGetLastError(), log it; returns @code. */
ncclResult_t nc_fail(ncclResult_t code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
const char *nc_last_error(void);

/** nc_info() - a line "NCCL INFO ..." where NCCL_DEBUG asks for it. */
void nc_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** nc_tell_path() - the log's lines on the path to or from member @peer. */
void nc_tell_path(struct ncclComm *c, int peer, bool sends);

/** nc_wait() - wait a little until *@word is no longer @old.
 * Return: false when the communicator is aborted or a peer is seen gone. */
bool nc_wait(struct ncclComm *c, const _Atomic uint32_t *word, uint32_t old);
void nc_wake(const _Atomic uint32_t *word);

/** nc_stuck() - never comes back until the communicator is aborted. */
void nc_stuck(struct ncclComm *c);

/** nc_init() - take the seat and wait for the others. */
ncclResult_t nc_init(struct ncclComm *c);

/** nc_map() - a peer's buffer here; NULL: it is gone. */
uint8_t *nc_map(struct ncclComm *c, const struct fpd_share *share);
void nc_maps_drop(struct ncclComm *c);

/** nc_collective() - do it; false: aborted. */
bool nc_collective(const struct nc_op *op);

/** nc_messages() - sends and receives of a group, together. */
bool nc_messages(const struct nc_op *ops, size_t n);

/** nc_path() - from one member to another. */
struct fpd_path nc_path(const struct ncclComm *c, int src, int dst);

/** nc_faults() - what is wrong with these operations of this member, done.
 * Return: false: they will never end. */
bool nc_faults(struct ncclComm *c, const struct nc_op *ops, size_t n);

/** nc_corrupt() - spoil what came from @src (-1: a collective). */
void nc_corrupt(const struct ncclComm *c, int src, void *p, size_t bytes);

/** nc_enqueue() - an operation of the calling thread's group. */
ncclResult_t nc_enqueue(const struct nc_op *op);

#endif
