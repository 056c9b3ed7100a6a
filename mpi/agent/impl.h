/* SPDX-License-Identifier: Apache-2.0 */
/* What agent.c (towards the conductor) and agent_worker.c share. */
#ifndef FP_MPI_AGENT_IMPL_H
#define FP_MPI_AGENT_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/agent/agent.h"
#include "mpi/agent/child.h"
#include "mpi/agent/watch.h"
#include "mpi/mailbox/mailbox.h"
#include "probes/trial/trial.h"
#include "probes/trial/wire.h"

struct bufferevent;
struct event;

enum worker_phase {
	WORKER_STARTING, /* spawned; not ready yet */
	WORKER_READY,
	WORKER_KILLING, /* SIGKILL sent; not reaped yet */
	WORKER_GONE,    /* and none will be started any more */
};

enum trial_phase {
	HAND_EMPTY,
	HAND_HELD,     /* PREPARE came, the worker is not ready for it */
	HAND_PREPARED, /* PREPARE passed on */
	HAND_RUNNING,  /* GO passed on */
};

#define AGENT_CROSS_MAX 4 /* frames of one trial that can cross its end */

/* How far the ladder of hang handling was climbed for the trial in hand. */
enum ladder { LADDER_NONE, LADDER_ABORTED };

struct agent {
	struct event_base *base;
	struct agent_opts opts;
	int32_t rank, size;
	struct wire_hello hello;
	struct mailbox_link *link;
	enum agent_end end;
	char why[256];

	/* the worker */
	struct child child;
	enum worker_phase phase;
	unsigned failures; /* deaths in a row before READY */
	bool no_gpu;       /* the GPU worker cannot be loaded */
	uint32_t variant;  /* enum variant, of its environment */
	bool have_setup, setup_sent, facts_seen;
	struct wire_setup setup;
	struct bufferevent *control;
	struct wire_reader reader;
	struct event *ev_pidfd, *ev_output, *ev_timer;
	size_t output_bytes;
	char last_line[256]; /* of its stderr; for a loader's message */
	char gone[256];      /* why no worker will be started any more */

	struct agent_watch watch; /* of its GPU */

	/* the trial in hand */
	enum trial_phase hand;
	enum ladder ladder;
	struct trial trial;
	bool called_off;    /* a peer is gone: the worker was told to end it */
	unsigned may_cross; /* frames that may still come of ended trials */
	uint8_t *held;      /* PREPARE's payload while HAND_HELD */
	size_t held_len;
	int64_t go_ns;
};

/** agent_send() - a frame to the conductor; a lost link is seen elsewhere. */
void agent_send(struct agent *a, enum wire_type type, const void *payload,
                size_t len);

/** agent_say() - an event of enum event_kind to the conductor. */
void agent_say(struct agent *a, unsigned kind, int64_t value, const char *fmt,
               ...) __attribute__((format(printf, 4, 5)));

/** agent_worker_start() - spawn, or report that it cannot be. */
void agent_worker_start(struct agent *a);

/** agent_worker_path() - which worker is started next. */
const char *agent_worker_path(const struct agent *a);

/**
 * agent_worker_without_gpu() - a worker could not start: was it the GPU's, and
 * is it so for good? @how: its end, in words. Then SETUP will say why.
 */
bool agent_worker_without_gpu(struct agent *a, const char *how);

/** agent_worker_spawn() - start it, or where the GPU's is not installed the
 * other, in the environment of the agent's variant. Return: as child_spawn().
 */
enum fp_status agent_worker_spawn(struct agent *a, struct fp_err *err);

/** agent_worker_frame() - pass a frame of the conductor's to the worker. */
void agent_worker_frame(struct agent *a, enum wire_type type,
                        const void *payload, size_t len);

/** agent_worker_setup() - give SETUP to a worker that waits for it. */
void agent_worker_setup(struct agent *a);

/** agent_worker_arm() - the one timer; its meaning follows the phases. */
void agent_worker_arm(struct agent *a, double seconds);
void agent_worker_disarm(struct agent *a);

/** agent_worker_kill() - SIGKILL; what follows is seen by the pidfd. */
void agent_worker_kill(struct agent *a);

/** agent_worker_give_up() - no worker, and none to come: say so. */
void agent_worker_give_up(struct agent *a, const char *text);

/**
 * agent_worker_garbage() - it spoke what no worker of ours speaks: nothing
 * more of it is believed, and it is killed.
 */
void agent_worker_garbage(struct agent *a, const char *what);

/** agent_relay_read() - libevent's read callback of the socketpair. */
void agent_relay_read(struct bufferevent *bev, void *arg);

/** agent_worker_end() - kill, wait shortly, free; no respawn. */
void agent_worker_end(struct agent *a);

/** agent_hand_drop() - no trial in hand any more. */
void agent_hand_drop(struct agent *a);

/** agent_hand_outcome() - the outcome of the trial in hand, which is over. */
void agent_hand_outcome(struct agent *a, const struct outcome *o);

/** agent_hand_prepare() - PREPARE to a ready worker. */
void agent_hand_prepare(struct agent *a, const uint8_t *payload, size_t len);

/**
 * agent_hand_fail() - report the outcome of the trial in hand, made from the
 * stage board because the worker did not, and drop it. Nothing in hand: no-op.
 * @state, @flags: enum outcome_state, enum outcome_flags.
 */
void agent_hand_fail(struct agent *a, uint8_t state, uint8_t flags,
                     const char *text);

#endif
