/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames between conductor and agent (TCP) and agent and worker (socketpair):
 * a 16-byte head and a payload of a fixed record or of counted ones. An agent
 * passes most of them on as they are. All bytes here may be hostile.
 */
#ifndef FP_PROBES_TRIAL_WIRE_H
#define FP_PROBES_TRIAL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/trial/trial.h"
#include "probes/trial/watch.h"
#include "topo/base/status.h"

#define WIRE_MAGIC 0x46503157u /* "W1PF" read little-endian */
#define WIRE_VERSION 1
#define WIRE_PAYLOAD_MAX (4u << 20)
#define WIRE_TOKEN_BYTES 16
#define WIRE_BLOB_BYTES 120
#define WIRE_MEMBERS_MAX 16384 /* of one collective */
#define WIRE_TEAM_ALL_MAX 64 /* so many members of a team know all endpoints */

enum wire_type {
	WIRE_NONE,
	WIRE_HELLO,    /* agent -> conductor: struct wire_hello */
	WIRE_REFUSE,   /* conductor -> agent: text: why you are not taken */
	WIRE_SETUP,    /* conductor -> agent -> worker: struct wire_setup */
	WIRE_READY,    /* worker -> agent -> conductor: struct wire_ready */
	WIRE_FACTS,    /* worker -> agent -> conductor: topo_host_to_json() */
	WIRE_PREPARE,  /* down: struct wire_prepare, then int32_t members[] */
	WIRE_ENDPOINT, /* up: struct wire_endpoint */
	WIRE_GO,       /* down: struct wire_go, then wire_endpoint[] */
	WIRE_CANCEL, /* down: uint32_t trial: a peer cannot; forget or end it */
	WIRE_OUTCOME, /* up: struct outcome */
	WIRE_SAMPLES, /* up, before its outcome: struct wire_samples, double[] */
	WIRE_EVENT,   /* up: struct run_event; the conductor stamps t_s */
	WIRE_HEARTBEAT, /* both ways, no payload */
	WIRE_BYE,       /* down: uint32_t enum wire_bye */
	WIRE_WATCH, /* up: struct watch; down, without values: answer with one */
	WIRE_TYPE_COUNT
};

/** enum wire_bye - how an agent is to end. */
enum wire_bye { WIRE_BYE_FINALIZE, WIRE_BYE_EXIT };

struct wire_head {
	uint32_t magic;
	uint16_t version;
	uint16_t type;   /* enum wire_type */
	uint32_t length; /* of the payload */
	uint32_t rank;   /* sender's or addressee's; for logs only */
};
_Static_assert(sizeof(struct wire_head) == 16, "wire");

struct wire_hello {
	uint8_t token[WIRE_TOKEN_BYTES]; /* the run's control token */
	int32_t rank, size;
	int64_t pid;
	char version[32]; /* FP_VERSION of the agent */
	char host_name[64];
	char host_id[64];
	char boot_id[64];
	char kernel[64];
};
_Static_assert(sizeof(struct wire_hello) == 320, "wire");

#define WIRE_INJECT_MAX 2048
#define WIRE_RDMA_UNSET (-2) /* let the environment say, as NCCL is told */

/** enum wire_rdma_op - how data comes to its place; the receiver's part. */
enum wire_rdma_op {
	WIRE_RDMA_WRITE, /* none */
	WIRE_RDMA_READ,  /* it fetches */
	WIRE_RDMA_SEND,  /* it says first where to */
	WIRE_RDMA_OPS
};

/** struct wire_rdma - how RDMA is to be done. */
struct wire_rdma {
	char hca[128];     /* as NCCL_IB_HCA; "": WIRE_RDMA_UNSET */
	int32_t gid_index; /* -1: chosen */
	int32_t qps;       /* queue pairs of a connection, 1..8 */
	int32_t mtu_bytes; /* path MTU; 0: what both ends have */
	int32_t sl, tc;    /* service level, traffic class */
	uint32_t op;       /* enum wire_rdma_op */
};
_Static_assert(sizeof(struct wire_rdma) == 152, "wire");

/** struct wire_setup - what a worker needs for its whole life. */
struct wire_setup {
	uint8_t data_token[WIRE_TOKEN_BYTES]; /* on data connections */
	int32_t rank, size;
	int32_t streams;    /* tcp connections of a pair, 1..64 */
	int32_t sockbuf;    /* bytes; 0: the kernel's */
	double connect_s;   /* deadline of CONNECT */
	uint32_t reads;     /* enum topo_reads: of its host, for FACTS */
	int32_t local_rank; /* 0.. within its host; chooses the GPU */
	int32_t local_size; /* ranks of its host, which share its RDMA ports;
	                       0: not known */
	int32_t pad;
	char version[32];   /* of the agent: must equal the worker's */
	char netdev[64];    /* tcp data device; "" : by addr */
	char addr[48];      /* tcp data address; "" : the netdev's first */
	char tcp_cc[16];    /* "" : the kernel's */
	char host_name[64]; /* "" : the kernel's */
	char host_id[64];   /* "" : host name and boot id */
	char sysroot[256];  /* "" : "/" */
	char no_gpu[128];   /* why this is not the GPU worker; "" : it may be */
	char nccl_lib[512]; /* file that NCCL is to come from; "" : any */
	char inject[WIRE_INJECT_MAX]; /* --inject texts, one per line */
	struct wire_rdma rdma;
};
_Static_assert(sizeof(struct wire_setup) == 3440, "wire");

/** struct wire_ready - the worker is up, or says why it never will be. */
struct wire_ready {
	int32_t rank;
	uint32_t status; /* enum fp_status */
	int64_t pid;
	uint32_t xports;   /* bit per enum trial_xport that can run here */
	uint32_t modelled; /* its GPUs are doubles: nothing real is measured */
	char version[32];
	char ports[256]; /* RDMA ports that it measures, as topo_rank.ports;
	                    "": none */
	char text[256];  /* of a failure; or why transports are missing */
};
_Static_assert(sizeof(struct wire_ready) == 568, "wire");

/**
 * struct wire_prepare - a trial that this rank takes part in. The trial's own
 * member slice is of the sender's table and means nothing to the receiver.
 */
struct wire_prepare {
	struct trial trial;
	uint32_t n_members; /* a pair: 2 (src, dst) */
	uint32_t me;        /* index of this rank among them */
};

/** struct wire_blob - an endpoint as its transport describes it to peers. */
struct wire_blob {
	uint8_t bytes[WIRE_BLOB_BYTES];
};

/** struct wire_endpoint - where member @index of @trial can be reached. */
struct wire_endpoint {
	uint32_t trial;
	uint32_t index;
	struct wire_blob tcp; /* or verbs; zero where it is not used */
	struct wire_blob shm;
};
_Static_assert(sizeof(struct wire_endpoint) == 248, "wire");

/** struct wire_go - start; @n endpoints follow, those this member needs. */
struct wire_go {
	uint32_t trial;
	uint32_t n;
};

struct wire_samples {
	uint32_t trial;
	int32_t rank;
	uint32_t n;
	uint32_t pad;
};

#define WIRE_SAMPLES_MAX 65536

/** struct wire_frame - one whole frame; @payload points into the buffer. */
struct wire_frame {
	struct wire_head head;
	const uint8_t *payload;
};

/** wire_rdma_op_name() - "write", "read", "send"; "?" for none. */
const char *wire_rdma_op_name(unsigned op);

/** wire_type_name() - "hello", "outcome"; "?" for none, for logs. */
const char *wire_type_name(unsigned type);

/**
 * wire_head_make() - the head of a frame of @type with @length payload bytes.
 */
struct wire_head wire_head_make(enum wire_type type, uint32_t rank,
                                size_t length);

/**
 * wire_decode() - find the first frame in @data.
 * @ret_frame: filled when the result is FP_OK and *@ret_used > 0.
 * @ret_used:  bytes of the frame; 0: more bytes are needed.
 *
 * Return: FP_OK; FP_ERR_PROTO when the bytes are not ours (magic, version,
 * type) or the length does not fit the type's record, a count in it says
 * something else, or a text in it has no end; the text says which. A hostile
 * head is refused before its payload is there. What the fields mean is for
 * trial_check(), outcome_check(), wire_prepare_check() ... to judge.
 */
enum fp_status wire_decode(const uint8_t *data, size_t len,
                           struct wire_frame *ret_frame, size_t *ret_used,
                           struct fp_err *err);

/**
 * wire_prepare_check() - may @rank of a job of @n_ranks take part in what
 * @prepare asks? @members is its tail. Calls trial_check(), with the tail as
 * the trial's members.
 *
 * Return: NULL if it may, else a constant text that says what is wrong.
 */
const char *wire_prepare_check(const struct wire_prepare *prepare,
                               const int32_t *members, int32_t rank,
                               size_t n_ranks);

/**
 * struct wire_reader - collects bytes of a stream and hands out frames.
 * Zero-initialise; wire_reader_done() at the end.
 */
struct wire_reader {
	uint8_t *data;
	size_t len, room, used;
};

/**
 * wire_reader_room() - make room for at least @want bytes and return where
 * to put them; then wire_reader_add(). Frames handed out are void afterwards.
 *
 * Return: NULL without memory.
 */
uint8_t *wire_reader_room(struct wire_reader *r, size_t want);

/** wire_reader_add() - @n bytes were put there, no more than wanted. */
void wire_reader_add(struct wire_reader *r, size_t n);

/**
 * wire_reader_next() - the next whole frame.
 *
 * Return: FP_OK with *@ret_got true (frame valid until the next call on @r,
 * its payload aligned for any record) or false (needs more bytes);
 * FP_ERR_PROTO: the stream cannot be trusted any further.
 */
enum fp_status wire_reader_next(struct wire_reader *r,
                                struct wire_frame *ret_frame, bool *ret_got,
                                struct fp_err *err);

/** wire_reader_done() - free the bytes; takes NULL. */
void wire_reader_done(struct wire_reader *r);

#endif
