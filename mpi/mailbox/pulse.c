// SPDX-License-Identifier: Apache-2.0
// Keeps connections alive and notices dead ones.
#include "mpi/mailbox/pulse.h"

#include "topo/base/clock.h"

#define PULSE_TICKS 4 /* per heartbeat */
#define PULSE_LATE 4  /* of dead_s */

void mailbox_pulse_init(struct mailbox_pulse *p,
                        const struct mailbox_opts *opts)
{
	*p = (struct mailbox_pulse){ .heartbeat_s = opts->heartbeat_s,
		                     .dead_s = opts->dead_s,
		                     .beat_ns = fp_now_ns() };
}

struct timeval mailbox_pulse_period(const struct mailbox_pulse *p)
{
	double period_s = p->heartbeat_s / PULSE_TICKS;
	time_t whole_s = (time_t)period_s;

	return (struct timeval){
		.tv_sec = whole_s,
		.tv_usec = (suseconds_t)((period_s - (double)whole_s) * 1e6),
	};
}

int64_t mailbox_pulse_beat(struct mailbox_pulse *p)
{
	int64_t now_ns = fp_now_ns();

	if ((double)(now_ns - p->beat_ns) > p->dead_s * 1e9 / PULSE_LATE) {
		p->floor_ns = now_ns;
		p->gap_ns = now_ns - p->beat_ns;
	}
	p->beat_ns = now_ns;
	return now_ns;
}

double mailbox_pulse_stall_s(const struct mailbox_pulse *p)
{
	int64_t now_ns = fp_now_ns(), stall_ns = now_ns - p->beat_ns;

	if (p->gap_ns > stall_ns &&
	    (double)(now_ns - p->floor_ns) < p->heartbeat_s * 1e9)
		stall_ns = p->gap_ns;
	return (double)stall_ns / 1e9;
}

double mailbox_pulse_silence_s(const struct mailbox_pulse *p,
                               const struct mailbox_conn *c)
{
	int64_t heard_ns = c->heard_ns;

	if (heard_ns < p->floor_ns)
		heard_ns = p->floor_ns;
	return (double)(fp_now_ns() - heard_ns) / 1e9;
}

void mailbox_pulse_tend(const struct mailbox_pulse *p, struct mailbox_conn *c)
{
	double sent_s = (double)(p->beat_ns - c->sent_ns) / 1e9;

	if (mailbox_pulse_silence_s(p, c) > p->dead_s)
		mailbox_conn_break(c, "silent for %.3g s", p->dead_s);
	else if (sent_s >= p->heartbeat_s && !mailbox_conn_waiting(c))
		(void)mailbox_conn_send(c, WIRE_HEARTBEAT, 0, NULL, 0, NULL);
}
