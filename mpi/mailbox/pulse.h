/* SPDX-License-Identifier: Apache-2.0 */
/* Heartbeats and silence: one timer for all connections of a process. */
#ifndef FP_MPI_MAILBOX_PULSE_H
#define FP_MPI_MAILBOX_PULSE_H

#include <stdint.h>
#include <sys/time.h>

#include "mpi/mailbox/conn.h"
#include "mpi/mailbox/mailbox.h"

/** struct mailbox_pulse - fields for the owner to read. */
struct mailbox_pulse {
	double heartbeat_s, dead_s;
	int64_t beat_ns;  /* the timer came last */
	int64_t floor_ns; /* everybody counts as heard then at least */
	int64_t gap_ns;   /* before floor_ns, without the timer */
};

/** mailbox_pulse_init() - start counting now. */
void mailbox_pulse_init(struct mailbox_pulse *p,
                        const struct mailbox_opts *opts);

/** mailbox_pulse_period() - how often the owner's timer is to come. */
struct timeval mailbox_pulse_period(const struct mailbox_pulse *p);

/**
 * mailbox_pulse_beat() - the timer came; before any mailbox_pulse_tend(). If
 * it came very late, this process was stopped or starved itself: then nobody
 * is called silent for what happened meanwhile.
 *
 * Return: now, ns.
 */
int64_t mailbox_pulse_beat(struct mailbox_pulse *p);

/**
 * mailbox_pulse_tend() - heartbeat on @c if nothing was sent for heartbeat_s,
 * and break it if nothing was heard for dead_s.
 */
void mailbox_pulse_tend(const struct mailbox_pulse *p, struct mailbox_conn *c);

/** mailbox_pulse_stall_s() - how long this process stood still, see
 * mailbox_stall_s(). */
double mailbox_pulse_stall_s(const struct mailbox_pulse *p);

/** mailbox_pulse_silence_s() - since @c was heard. */
double mailbox_pulse_silence_s(const struct mailbox_pulse *p,
                               const struct mailbox_conn *c);

#endif
