/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked and what came of it: trials, batches, outcomes, events. These
 * records cross processes, hosts and disk: fixed width, no pointers, no holes.
 */
#ifndef FP_PROBES_TRIAL_TRIAL_H
#define FP_PROBES_TRIAL_TRIAL_H

#include <stddef.h>
#include <stdint.h>

/** enum trial_xport - how bytes move; rows of registry.c. */
enum trial_xport {
	XPORT_AUTO, /* collectives: each edge takes shm inside a host, else tcp */
	XPORT_SHM,
	XPORT_TCP,
	XPORT_VERBS,
	XPORT_CUDA,
	XPORT_NCCL,
	XPORT_COUNT
};

/** enum trial_op - what is done. */
enum trial_op {
	OP_WRITE,    /* stream of messages src -> dst, rate at the receiver */
	OP_LATENCY,  /* ping-pong; sample = round trip / 2 */
	OP_DATAGRAM, /* numbered datagrams src -> dst, small and of full MTU */
	OP_ALLREDUCE,
	OP_ALLGATHER,
	OP_REDUCESCATTER,
	OP_BROADCAST,
	OP_ALLTOALL,
	OP_SENDRECV, /* each to the next, as nccl-tests' sendrecv */
	OP_COUNT
};

/** enum trial_type - elements of a collective, as nccl-tests' -d has them. */
enum trial_type {
	TYPE_FLOAT,
	TYPE_HALF,
	TYPE_BFLOAT16,
	TYPE_DOUBLE,
	TYPE_INT8,
	TYPE_UINT8,
	TYPE_INT32,
	TYPE_UINT32,
	TYPE_INT64,
	TYPE_COUNT
};

/** enum trial_redop - what a reduction makes of them. Averages and products
 * are not there: their results are not exact, and so cannot be verified. */
enum trial_redop { REDOP_SUM, REDOP_MAX, REDOP_MIN, REDOP_COUNT };

enum trial_mem { MEM_HOST, MEM_CUDA, MEM_COUNT };

enum trial_dir {
	DIR_UNI, /* one way at a time */
	DIR_BI,  /* both ways at once; each end reports what it received */
	DIR_COUNT
};

/** enum trial_stage - which stage of a run asked for it (design: S0..S7). */
enum trial_stage {
	TRIAL_S0_LOCAL,
	TRIAL_S1_HOST,
	TRIAL_S2_LOOPBACK,
	TRIAL_S3_RAIL,
	TRIAL_S4_CROSS,
	TRIAL_S5_LATENCY,
	TRIAL_S6_COLL,
	TRIAL_S7_RETEST,
	TRIAL_STAGE_COUNT
};

/* What trial_check() takes. */
#define TRIAL_BYTES_MAX (1ULL << 40)
#define TRIAL_ITERS_MAX 10000000u
#define TRIAL_TIME_MAX_S 86400.0

enum trial_flags {
	TRIAL_KEEP_SAMPLES = 1u << 0, /* send every sample home */
	TRIAL_IN_PLACE = 1u << 1,     /* collectives: in == out */
	TRIAL_REGISTERED = 1u << 2,   /* NCCL: buffers made known to it */
	TRIAL_LOAD = 1u << 3,         /* a GPU alone: kernels for time_s; of
	                                 others: its GPUs work beside it, from
	                                 its PREPARE on until a trial that has
	                                 it not */
};

/** struct trial - one measurement that is asked for. */
struct trial {
	uint32_t id;    /* unique in a run, from 1 */
	uint32_t round; /* trials of equal round run at the same time */
	uint16_t xport; /* enum trial_xport */
	uint16_t op;    /* enum trial_op */
	uint8_t mem;    /* enum trial_mem */
	uint8_t dir;    /* enum trial_dir */
	uint8_t stage;  /* enum trial_stage */
	uint8_t flags;  /* enum trial_flags */
	uint64_t bytes; /* message, or nccl-tests' size of a collective */
	uint32_t iters; /* 0: until the rate is known or time_s is spent */
	uint32_t warmup;
	int32_t src, dst; /* ranks of a pair; a broadcast's root is src. Equal:
	                     a copy between memory of the host and GPU, from
	                     mem (cuda), or a loopback of an HCA (verbs) */
	uint32_t member_first, member_count; /* slice of the batch's members;
	                                        0, 0 for a pair */
	int32_t src_ep, dst_ep; /* verbs: which RDMA port of the rank, by rail;
	                           -1: the first */
	uint32_t variant;       /* enum variant; 0: the job's own environment */
	uint8_t type;  /* enum trial_type, of a collective's elements */
	uint8_t redop; /* enum trial_redop */
	uint16_t pad;
	double time_s;     /* measuring time that is enough */
	double deadline_s; /* from GO: then it is a HANG */
	uint64_t seed;     /* of the data pattern */
};
_Static_assert(sizeof(struct trial) == 88, "struct trial crosses the wire");

/** struct batch - trials that an executor runs round by round, in order. */
struct batch {
	struct trial *trials; /* sorted by round */
	size_t n_trials;
	int32_t *members;
	size_t n_members;
};

/** enum outcome_state - worst last, so that max() is the worse one. */
enum outcome_state {
	OUTCOME_NONE, /* no outcome yet */
	OUTCOME_OK,
	OUTCOME_NOTRUN, /* not scheduled, or could not start; err says why */
	OUTCOME_ERROR,
	OUTCOME_HANG,
	OUTCOME_LOST, /* the rank's agent is gone */
	OUTCOME_STATE_COUNT
};

/** enum outcome_stage - how far a worker got. */
enum outcome_stage {
	STAGE_SPAWN,
	STAGE_READY,
	STAGE_INIT,    /* listening, endpoint made */
	STAGE_CONNECT, /* meeting the peer */
	STAGE_WARM,
	STAGE_XFER,
	STAGE_VERIFY,
	STAGE_DONE,
	OUTCOME_STAGE_COUNT
};

enum outcome_flags {
	OUTCOME_RECEIVER = 1u << 0,    /* its rate counts */
	OUTCOME_KILLED = 1u << 1,      /* the worker had to be killed */
	OUTCOME_WEDGED = 1u << 2,      /* and could not be */
	OUTCOME_WORKER_DIED = 1u << 3, /* it ended by itself */
	OUTCOME_SETTLED = 1u << 4,     /* rate known to 1 % before time_s */
	OUTCOME_SILENT = 1u << 5,      /* its agent did not answer either */
	OUTCOME_RETIRED = 1u << 6,     /* its worker takes no other trial */
};

/** enum outcome_counter - ids of struct outcome_value. */
enum outcome_counter {
	COUNTER_NONE,
	COUNTER_RETRANS,    /* segments or packets sent again in the trial */
	COUNTER_SEGS_OUT,   /* segments or packets sent in the trial */
	COUNTER_SND_MSS,    /* bytes */
	COUNTER_PMTU,       /* bytes, as the kernel believes */
	COUNTER_RTT_NS,     /* TCP's smoothed round trip; verbs and cuda: the
	                       best of small messages before the others */
	COUNTER_SMALL_SENT, /* OP_DATAGRAM: 64-byte datagrams */
	COUNTER_SMALL_RCVD,
	COUNTER_FULL_SENT, /* OP_DATAGRAM: full-MTU datagrams, DF set */
	COUNTER_FULL_RCVD,
	COUNTER_FULL_BYTES, /* their IP size */
	COUNTER_STRANGERS,  /* foreign connections dropped in the trial */
	COUNTER_PATH_BYTES, /* OP_DATAGRAM: IP size of the largest that came */
	COUNTER_STALL_NS,   /* longest gap between two receive completions */
	COUNTER_IDLE_NS,    /* of a HANG: since the last byte was moved */
	COUNTER_INJECTED,   /* --inject rules that acted in it: a bit for each,
	                       the last one for all that are left */
	COUNTER_WC_STATUS,  /* verbs: enum ibv_wc_status of the first failure */
	COUNTER_SETUP_ERRNO, /* verbs: errno of what could not be set up */
	COUNTER_PORT_EVENT,  /* verbs: worst enum ibv_event_type, + 1 */
	COUNTER_HOLES,       /* verbs: times that the port missed packets */
	/* What NCCL's channels of this rank go through, as its log says. */
	COUNTER_CHANNELS_P2P,
	COUNTER_CHANNELS_SHM,
	COUNTER_CHANNELS_IB,
	COUNTER_CHANNELS_GDR, /* of these, with GPUDirect RDMA */
	COUNTER_CHANNELS_SOCKET,
	COUNTER_PEER_ACCESS, /* cudaDeviceCanAccessPeer() between a pair */
	/* Of a GPU by itself: bytes, or floating point operations, a second. */
	COUNTER_LOCAL_H2D, /* from pinned memory of the host */
	COUNTER_LOCAL_D2H,
	COUNTER_LOCAL_COPY,   /* within its own memory */
	COUNTER_LOCAL_MEMORY, /* written by a kernel */
	COUNTER_LOCAL_FLOPS,
	COUNTER_DEVICE_ERROR,  /* failed by the rank's own GPU or library, once
	                          it had met its peers: CUDA's code; -1: the
	                          library's */
	COUNTER_PORT_TX_BYTES, /* verbs: what the port moved in the trial, */
	COUNTER_PORT_RX_BYTES, /* whoever it was */
	OUTCOME_COUNTER_COUNT
};

struct outcome_value {
	int64_t value;
	uint32_t id; /* enum outcome_counter */
	uint32_t pad;
};

#define INJECT_BITS 63 /* rules that have a bit of COUNTER_INJECTED */

#define OUTCOME_VALUES 8
#define OUTCOME_ERR_MAX 128

/** struct outcome - what one rank saw of one trial. */
struct outcome {
	uint32_t trial;
	int32_t rank;
	uint8_t state; /* enum outcome_state */
	uint8_t stage; /* enum outcome_stage: the furthest reached */
	uint8_t flags; /* enum outcome_flags */
	uint8_t pad;
	uint32_t n; /* samples behind the figures */
	/* OP_LATENCY: half round trips. Collectives: time of one operation.
	 * OP_WRITE: time of one message at the receiver. Seconds. */
	double min_s, p5_s, p50_s, p99_s, max_s;
	double algbw_Bps; /* median over intervals; 0 if none */
	double busbw_Bps; /* algbw times the op's factor */
	double low_Bps;   /* 5th percentile of the intervals */
	uint64_t wrong_bytes;
	uint64_t
		moved_bytes; /* received (or sent, for a sender), warm-up too */
	double start_s;      /* of XFER, CLOCK_MONOTONIC of that host, s */
	double elapsed_s;    /* from GO to the end */
	struct outcome_value values[OUTCOME_VALUES];
	char cc[16]; /* TCP congestion control, "" if none */
	char err[OUTCOME_ERR_MAX];
};
_Static_assert(sizeof(struct outcome) == 384,
               "struct outcome crosses the wire");

/** enum event_kind - what happened outside of trials. */
enum event_kind {
	EVENT_NONE,
	EVENT_AGENT_LOST,      /* rank's agent: gone or silent */
	EVENT_AGENT_MISSING,   /* never said hello */
	EVENT_WORKER_FAILED,   /* could not start, or another version */
	EVENT_WORKER_DIED,     /* ended by itself */
	EVENT_WORKER_KILLED,   /* had to be killed after a hang */
	EVENT_WORKER_WEDGED,   /* could not be killed */
	EVENT_WORKER_GARBAGE,  /* spoke nonsense to its agent */
	EVENT_STRANGER,        /* unknown connections to a port; value: count */
	EVENT_CONTROL_SHARED,  /* control traffic shares the data interface */
	EVENT_CONTROL_SUSPECT, /* most agents silent at once */
	EVENT_JOURNAL,         /* --out could not be written */
	EVENT_CUT,             /* stage cut to fit --time-limit */
	EVENT_INTERRUPTED,     /* told to stop by a signal */
	EVENT_INJECT_IDLE,     /* an --inject rule never acted */
	EVENT_WATCH_LOST,      /* nobody watches the rank's GPU any more */
	EVENT_MODELLED,        /* GPUs are doubles of their libraries */
	EVENT_LOCATE,     /* the machine of probes/locate begins; value: the
	                     last trial before */
	EVENT_LOCATE_CUT, /* it had to stop; value: what it had asked for */
	EVENT_LOCATED,    /* its end; value: the last trial of all */
	EVENT_KIND_COUNT
};

/** struct run_event - one such thing. */
struct run_event {
	double t_s; /* since the run's start */
	int64_t value;
	uint32_t kind; /* enum event_kind */
	int32_t rank;  /* -1: none in particular */
	char text[168];
};
_Static_assert(sizeof(struct run_event) == 192,
               "struct run_event crosses the wire");

/** Names for logs, JSON and text; "?" for a number that is none. */
const char *trial_xport_name(unsigned xport);
const char *trial_op_name(unsigned op); /* nccl-tests' spelling: all_reduce */
const char *trial_mem_name(unsigned mem);
const char *trial_type_name(unsigned type);   /* as nccl-tests: half */
const char *trial_redop_name(unsigned redop); /* "sum" */

/** trial_type_bytes() - size of an element; 0: no such type. */
uint32_t trial_type_bytes(unsigned type);

const char *trial_stage_name(unsigned stage);   /* "S1 inside hosts" */
const char *outcome_state_name(unsigned state); /* "OK", "HANG" */
const char *outcome_stage_name(unsigned stage); /* "CONNECT" */
const char *outcome_counter_name(unsigned id);  /* "retransmits" */
const char *event_kind_name(unsigned kind);     /* "agent-lost" */

/**
 * trial_is_pair() - is it between two ranks, not a collective?
 */
static inline int trial_is_pair(const struct trial *t)
{
	return t->op <= OP_DATAGRAM;
}

/** trial_is_alone() - of a GPU by itself? Such is a pair with one end. */
static inline int trial_is_alone(const struct trial *t)
{
	return t->xport == XPORT_CUDA && t->op == OP_WRITE && t->src == t->dst;
}

/** trial_ep() - the port by which @rank takes part in the pair @t. */
static inline int32_t trial_ep(const struct trial *t, int32_t rank)
{
	return rank == t->src ? t->src_ep : t->dst_ep;
}

/** trial_xport_is_gpu() - does it move GPU memory, driven by its rank? */
static inline int trial_xport_is_gpu(unsigned xport)
{
	return xport == XPORT_CUDA || xport == XPORT_NCCL;
}

/**
 * trial_busbw_factor() - busbw = algbw * factor, for @n ranks, as nccl-tests
 * doc/PERFORMANCE.md: 2(n-1)/n all-reduce; (n-1)/n all-gather,
 * reduce-scatter, all-to-all; 1 else.
 */
double trial_busbw_factor(unsigned op, uint32_t n);

/** outcome_get() - value of counter @id; @none if the outcome has it not. */
int64_t outcome_get(const struct outcome *o, unsigned id, int64_t none);

/** outcome_put() - set counter @id; dropped silently when no slot is free.
 * Slots are taken in order; those with COUNTER_NONE are free. */
void outcome_put(struct outcome *o, unsigned id, int64_t value);

/**
 * trial_check() - is @t fit to run in a job of @n_ranks? Guards every place
 * where a trial comes from outside (wire, file). Limits: TRIAL_*_MAX; no
 * deadline shorter than time_s; src and dst of a pair are two ranks, but for
 * writes of cuda and verbs; a
 * collective has two members or more inside the table, its unused src and dst
 * are -1 or ranks.
 * @n_members: size of the batch's member table.
 *
 * Return: NULL if fit, else a constant text that says what is not.
 */
const char *trial_check(const struct trial *t, size_t n_ranks,
                        size_t n_members);

/**
 * outcome_check() - the same for an outcome: NULL or what is wrong. Times and
 * rates are finite, not negative, and below 1e7 s and 1e15 B/s; no state NONE;
 * texts end inside their fields.
 */
const char *outcome_check(const struct outcome *o, size_t n_ranks);

/** run_event_check() - the same for an event; its rank may be -1. */
const char *run_event_check(const struct run_event *e, size_t n_ranks);

#endif
