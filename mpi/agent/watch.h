/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's second child: it asks NVML how the rank's GPU is, before, between
 * and after trials. Nobody waits for it: its answers go to the conductor as
 * they come, and one that does not answer is given up, and said so once.
 */
#ifndef FP_MPI_AGENT_WATCH_H
#define FP_MPI_AGENT_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/agent/child.h"
#include "probes/trial/watch.h"
#include "probes/trial/wire.h"

struct agent;
struct bufferevent;
struct event;

/** struct agent_watch - zero: none was started. */
struct agent_watch {
	struct child child;
	struct bufferevent *control;
	struct wire_reader reader;
	struct event *ev_timer; /* its deadline */
	struct event *ev_tick;  /* the next look while a load is on */
	char device[WATCH_DEVICE_MAX];
	char sent[WATCH_DEVICE_MAX]; /* "": nothing was reported yet */
	uint32_t first, last;        /* trials that ended since it was asked */
	bool started, asked, gone;
	bool keep;   /* the next answer is reported whatever it says */
	bool wanted; /* the conductor waits for one */
};

/** agent_watch_start() - the worker is ready: where it has a GPU, and nobody
 * watches it yet, start a watcher, and have it look once. */
void agent_watch_start(struct agent *a);

/** agent_watch_begin() - the trial in hand begins: from the first one with a
 * load on, its GPU is looked at each second; in jobs of more than 256 ranks
 * each size / 256 seconds. */
void agent_watch_begin(struct agent *a);

/** agent_watch_trial() - the trial in hand is over. */
void agent_watch_trial(struct agent *a);

/** agent_watch_now() - the conductor asks how it is. */
void agent_watch_now(struct agent *a);

/** agent_watch_end() - kill it; it is not waited for. */
void agent_watch_end(struct agent *a);

#endif
