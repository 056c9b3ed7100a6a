/* SPDX-License-Identifier: Apache-2.0 */
/* What conductor.c (who is there) and conductor_round.c (a round) share. */
#ifndef FP_MPI_CONDUCTOR_IMPL_H
#define FP_MPI_CONDUCTOR_IMPL_H

#include "mpi/conductor/conductor.h"

struct event;

enum peer_state {
	PEER_ABSENT, /* no hello yet */
	PEER_HELLO,  /* agent is there, its worker not (yet) */
	PEER_READY,
	PEER_FAILED, /* agent is there, and will have no worker */
	PEER_LOST,
};

/* A rank as the conductor knows it. */
struct peer {
	enum peer_state state;
	int64_t pid;
	struct topo_host host; /* identity from hello, then facts */
	bool facts;
	char ports[TOPO_PORTS_MAX]; /* of RDMA, that its worker measures; "" */
	uint32_t xports;            /* bit per enum trial_xport that it has */
	char text[256];             /* why it failed or was lost */
	int32_t local_rank; /* place among those of its host; -1 not yet */
	int32_t local_size; /* how many these are */
	int32_t flight;     /* index of its trial in the round; -1 */
	uint32_t member;
	double *samples; /* came ahead of its outcome */
	size_t n_samples;
	bool looking; /* the last look at its GPU is not in yet */
};

/* Records of watched GPUs that wait for a sink. */
struct conductor_watches {
	struct watch *w;
	size_t n, room;
};

enum flight_state {
	FLIGHT_PREPARING, /* PREPARE is out */
	FLIGHT_SET,       /* every endpoint is in */
	FLIGHT_RUNNING,   /* GO is out */
	FLIGHT_DONE,
};

/* A trial of the round that is running. */
struct flight {
	const struct trial *trial;
	const int32_t *members;
	int32_t pair[2];
	uint32_t n, n_endpoints, n_outcomes;
	enum flight_state state;
	struct wire_endpoint *endpoints; /* [n] */
	bool *have;                      /* [n]: its outcome is in */
	int64_t deadline_ns;
};

struct round {
	struct flight *flights;
	size_t n;
	double work_s; /* longest elapsed_s */
};

struct conductor {
	struct event_base *base;
	struct mailbox *mailbox;
	struct conductor_opts opts;
	struct event *tick;
	int32_t size;
	struct peer *peers; /* [size] */
	int32_t n_absent;
	int32_t first_read; /* rank whose facts came first with readings; -1 */
	bool setup_ready;   /* SETUP may be given out */
	struct topo_job job;
	int64_t start_ns;
	int signum;
	const struct exec_sink *sink; /* while run() runs */
	struct run_event *pending;    /* events that wait for a sink */
	size_t n_pending, room_pending;
	uint32_t strangers, strangers_told;
	int32_t n_alive_start, n_lost; /* for "most at once" */
	bool control_told, modelled;
	struct conductor_watches watches;
	int32_t n_looking;
	struct round round;
};

/** conductor_event() - to the sink, or kept for it. */
void conductor_event(struct conductor *c, unsigned kind, int32_t rank,
                     int64_t value, const char *text);

/** conductor_pass() - the same of one that is there already; stamps its time. */
void conductor_pass(struct conductor *c, struct run_event *e);

/** conductor_lose() - @rank is lost for good; tells its round. */
void conductor_lose(struct conductor *c, int32_t rank, const char *why);

/**
 * conductor_pump() - let the loop run until something happened or
 * @until_ns; false once told to stop.
 */
bool conductor_pump(struct conductor *c, int64_t until_ns);

/** conductor_facts() - what a worker says of @rank's host. */
void conductor_facts(struct conductor *c, int32_t rank,
                     const struct wire_frame *f);

/** conductor_setup() - SETUP to @rank, whose agent has said hello, with its
 * number within its host. */
void conductor_setup(struct conductor *c, int32_t rank);

/** conductor_send() - a frame to @rank; a broken one is seen by lost(). */
void conductor_send(struct conductor *c, int32_t rank, enum wire_type type,
                    const void *payload, size_t len);

/** conductor_watch() - a record of @rank's GPU. */
void conductor_watch(struct conductor *c, int32_t rank, const uint8_t *payload);

/** conductor_watches_flush() - those that were kept, to the sink. */
void conductor_watches_flush(struct conductor *c);

/** conductor_look() - have every watched GPU looked at; what does not answer
 * in time is not waited for. */
void conductor_look(struct conductor *c);

/** conductor_seats() - number the ranks of each host. */
void conductor_seats(struct conductor *c);

/** conductor_seat() - the number of @rank in its host; one that came after the
 * others were numbered gets the next. */
int32_t conductor_seat(struct conductor *c, int32_t rank);

/** flight_leave() - its trial is over. */
void flight_leave(struct peer *p);

/** flight_init() - a flight of @t, on the ground; flight_free() undoes. */
enum fp_status flight_init(struct flight *f, const struct batch *batch,
                           const struct trial *t);
void flight_free(struct flight *f);

/** flight_prepare() - PREPARE to all members, or outcomes why not. */
void flight_prepare(struct conductor *c, struct flight *f);

/** flight_go() - GO with the endpoints each member needs. */
void flight_go(struct conductor *c, struct flight *f);

/**
 * flight_overdue() - past its deadline: who is stuck, and who is silent? The
 * deadline moves to where the silent ones are lost.
 */
void flight_overdue(struct conductor *c, struct flight *f);

/**
 * flight_outcome() - an outcome of @state for @member, made here; ignored if
 * it has one.
 */
void flight_outcome(struct conductor *c, struct flight *f, uint32_t member,
                    uint8_t state, const char *text);

/* What a round does with what comes in. */
void round_endpoint(struct conductor *c, int32_t rank,
                    const struct wire_endpoint *ep);
void round_samples(struct conductor *c, int32_t rank, const uint8_t *payload);
void round_outcome(struct conductor *c, int32_t rank, const struct outcome *o);
void round_lost(struct conductor *c, int32_t rank, const char *why);

#endif
