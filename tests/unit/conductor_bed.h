/* SPDX-License-Identifier: Apache-2.0 */
/* A conductor and agents that a test plays in the conductor's own loop. */
#ifndef FP_TESTS_UNIT_CONDUCTOR_BED_H
#define FP_TESTS_UNIT_CONDUCTOR_BED_H

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/conductor/conductor.h"

#define RANKS 4
#define DEADLINE_S 0.3
#define GRACE_S 0.3
#define PREPARE_S 0.3
#define DEAD_S 2.5   /* of a silent agent */
#define PAUSE_S 1.25 /* of one that is silent for a while */

enum manner {
	M_GOOD,
	M_NO_WORKER,      /* READY says so */
	M_NO_ENDPOINT,    /* never answers PREPARE */
	M_CANNOT_PREPARE, /* answers PREPARE with an ERROR */
	M_NO_OUTCOME,     /* never answers GO */
	M_CLOSE_PREPARE,  /* gone at PREPARE */
	M_CLOSE_GO,       /* gone at GO */
	M_OTHER_TRIAL,    /* outcome of a trial that it has not */
	M_TWICE,          /* two outcomes */
	M_SILENT_PREPARE, /* no heartbeat, and no answer to PREPARE */
	M_SILENT_GO,      /* no heartbeat, and no answer to GO */
	M_PAUSE,          /* no heartbeat, and a late outcome */
	M_GIVE_UP,        /* gone at GO, and rank 0 had stood still for long */
};

/* One agent, played by this test in the conductor's own loop. */
struct conductor_player {
	struct mailbox_link *link;
	enum manner manner;
	int32_t rank;
	bool gone;
	unsigned canceled, byes;
	struct event *late; /* M_PAUSE: its outcome is due */
	uint32_t trial;
};

struct conductor_bed {
	struct event_base *base;
	struct conductor *conductor;
	struct conductor_player players[RANKS];
	struct outcome outcomes[64];
	size_t n_outcomes;
	unsigned lost_events, rounds;
	int32_t lost_rank; /* of the last such event */
};

/**
 * conductor_bed_open() - a gathered conductor with agents 0..@n_join-1 of
 * these manners. Asserts on failure.
 */
void conductor_bed_open(struct conductor_bed *b,
                        const enum manner manners[RANKS], int32_t n_join);
void conductor_bed_close(struct conductor_bed *b);

/** conductor_bed_run() - run @trials; outcomes are in @b. */
enum fp_status conductor_bed_run(struct conductor_bed *b, struct trial *trials,
                                 size_t n, int64_t stop_ns);

/** conductor_bed_pair() - a short trial of a pair. */
struct trial conductor_bed_pair(uint32_t id, uint32_t round, int32_t src,
                                int32_t dst);

/** conductor_bed_outcome() - the one outcome of @rank; asserts it is one. */
const struct outcome *conductor_bed_outcome(const struct conductor_bed *b,
                                            uint32_t trial, int32_t rank);

#endif
