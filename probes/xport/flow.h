/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moving without waiting: what a host transport gives so that one loop can
 * wait for both halves of a step, whatever transports they use.
 */
#ifndef FP_PROBES_XPORT_FLOW_H
#define FP_PROBES_XPORT_FLOW_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/xport/xport.h"

#define XPORT_FLOW_FDS 64 /* of one half: a descriptor per stream */

/** struct xport_port - what the eps of transports with flow begin with. */
struct xport_port {
	struct xport_ep ep;
	const struct board *board;
	uint32_t trial;
	bool broken;        /* a step failed: bytes in flight are lost */
	int64_t crowded_ns; /* when the core was last seen to be shared */
	char name[72];      /* of the peer, for messages */
};

/** struct xport_flow - one half of a step under way. */
struct xport_flow {
	struct xport_ep *ep; /* NULL: nothing to move */
	size_t off;          /* sending: where in the send region */
	uint8_t *buf;        /* receiving: where to */
	size_t len, done;
	bool placed; /* see struct xport_step */
	size_t at;   /* sending: where in the peer's receive region */
	bool dry;    /* nothing more can be moved before something happens */
};

/**
 * struct xport_flow_ops - a transport's halves. send() and recv() move what
 * can be moved now, set @done and @dry, and never wait. They fail with
 * FP_ERR_PEER, FP_ERR_TIMEOUT (the system gave up), FP_ERR_PROTO, FP_ERR_SYS.
 */
struct xport_flow_ops {
	bool polled; /* progress shows in memory, poll(2) sees only the end */
	enum fp_status (*send)(struct xport_flow *flow, struct fp_err *err);
	enum fp_status (*recv)(struct xport_flow *flow, struct fp_err *err);
	/** What to poll(2) for @events on; at most XPORT_FLOW_FDS. */
	unsigned (*fds)(const struct xport_flow *flow, short events,
	                struct pollfd *fds);
	/** A descriptor hung up: whatever is not there yet will never come. */
	void (*hangup)(struct xport_ep *ep);
};

/**
 * xport_flow_step() - struct xport_ops.step for transports with flow, whose
 * eps begin with struct xport_port. The two ends may be of different ones.
 *
 * It waits in three stages: spins on memory for some microseconds; yields the
 * core for up to a millisecond; sleeps in poll(2). Sockets skip the first
 * stage, and go to sleep at once unless the message is small. Where others want
 * the core, whoever yields it comes last, but whoever wakes up comes early: so
 * the second stage is skipped for a while after it took long.
 */
enum fp_status xport_flow_step(const struct xport_step *step,
                               struct fp_err *err);

/** xport_pause() - tell the core that this is a spin loop. */
#if defined(__x86_64__) || defined(__i386__)
static inline void xport_pause(void)
{
	__builtin_ia32_pause();
}
#elif defined(__aarch64__)
static inline void xport_pause(void)
{
	__asm__ volatile("isb" ::: "memory");
}
#else
static inline void xport_pause(void)
{
}
#endif

#endif
