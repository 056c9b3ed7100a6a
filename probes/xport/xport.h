/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transport moves bytes between this worker and a peer. It does not print,
 * judge, choose peers, warm up or reduce, and it never waits past a deadline.
 *
 * Host transports give step(): the measuring loop streams, plays ping-pong and
 * runs rings on it. A transport with its own streams or collectives (CUDA,
 * NCCL) gives a team instead, and then listen() to flow are not there.
 */
#ifndef FP_PROBES_XPORT_XPORT_H
#define FP_PROBES_XPORT_XPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/trial/board.h"
#include "probes/trial/trial.h"
#include "probes/trial/wire.h"
#include "topo/base/status.h"
#include "topo/model/model.h"

enum xport_caps {
	XPORT_CAP_P2P = 1u << 0,
	XPORT_CAP_COLL = 1u << 1, /* own collectives */
	XPORT_CAP_HOST_MEM = 1u << 2,
	XPORT_CAP_CUDA_MEM = 1u << 3,
	XPORT_CAP_RAIL = 1u << 4,      /* has netdevs or ports to choose from */
	XPORT_CAP_SAME_HOST = 1u << 5, /* only inside a host */
	XPORT_CAP_DATAGRAM = 1u << 6,
};

/** struct xport_env - lent to a transport for its life. */
struct xport_env {
	const struct wire_setup *setup;
	struct board *board;
	char addr[48];     /* data address, resolved from setup */
	int32_t mtu_bytes; /* of that device; -1 unknown */
	char port
		[TOPO_PORT_MAX]; /* the RDMA port that it is to have; "": its first */
};

struct xport_flow_ops; /* probes/xport/flow.h */
struct xport_team_ops; /* probes/xport/team.h */
struct xport_join;

struct xport;    /* an opened transport: one per worker, and RDMA port */
struct xport_ep; /* one connection to one peer, both ways */

/**
 * enum xport_side - who calls whom, fixed by the caller of connect(): in a
 * pair the source is ACTIVE, in a ring each member is ACTIVE towards the next.
 */
enum xport_side { XPORT_ACTIVE, XPORT_PASSIVE };

/** struct xport_peer - the other end of an edge of a trial. */
struct xport_peer {
	const struct trial *trial;
	uint32_t me, peer; /* member indices; 0 and 1 in a pair */
	uint32_t lane;     /* tells two edges of the same members apart */
	enum xport_side side;
	size_t tx_bytes; /* room wanted in the ep's send region */
	size_t rx_bytes; /* and in its receive region, if it has one */
	const struct wire_blob *blob; /* the peer's endpoint */
	int64_t deadline_ns;
};

/**
 * struct xport_mark - the last moment in a step when all that had come so far
 * was taken and more was waited for. Data comes in chunks of its own: a rate
 * between marks is exact, one between ends of messages is off by a chunk.
 */
struct xport_mark {
	int64_t t_ns; /* 0: never waited */
	size_t bytes; /* of rx_len, taken by then */
};

/**
 * struct xport_step - one step: send a part of @to's send region, receive
 * into @rbuf, both to completion, at the same time where both are asked.
 * Either ep may be NULL (then that half is nothing); both may be the same.
 * A zero-length half completes at once. Both ends give the same lengths in the
 * same order. After a failed step its eps can only be closed.
 *
 * A placed half goes to one place of the receiver's receive region, which both
 * ends know: the sender's @tx_at is the offset of the receiver's @rbuf. Nothing
 * is copied then, and the sender's half completes before the bytes have left:
 * they do not change until a half that is not placed, of the same ep, is
 * complete, and neither end uses that place for something else before it has
 * heard from the other. Transports without receive regions do not care.
 */
struct xport_step {
	struct xport_ep *to;
	size_t tx_off, tx_len;
	size_t tx_at;
	struct xport_ep *from;
	void *rbuf;
	size_t rx_len;
	bool placed; /* both halves */
	int64_t deadline_ns;
	struct xport_mark *mark; /* filled if not NULL; zeroed by the caller */
};

struct xport_ops {
	const char *name;
	uint32_t id;   /* enum trial_xport */
	uint32_t caps; /* enum xport_caps */

	/** Can it run here? FP_OK, or FP_ERR_NOTSUP with the reason. */
	enum fp_status (*probe)(const struct xport_env *env,
	                        struct fp_err *err);

	enum fp_status (*open)(const struct xport_env *env,
	                       struct xport **ret_x, struct fp_err *err);

	/**
	 * Open the door for the peers of @trial, @edges of them at most, and
	 * describe it in @ret_blob. Bound to the chosen address. The door is
	 * shut by unlisten(), which takes a transport that does not listen.
	 */
	enum fp_status (*listen)(struct xport *x, const struct trial *trial,
	                         uint32_t edges, struct wire_blob *ret_blob,
	                         struct fp_err *err);
	void (*unlisten)(struct xport *x);

	/**
	 * Meet @peer, as its side says. Callers of the other edges of this
	 * trial are let in meanwhile, and kept for their own connect(), so
	 * members may all be ACTIVE first; not all PASSIVE first. Connections without the data token,
	 * or of another trial, are dropped and counted; they change nothing.
	 * Return: FP_OK; FP_ERR_TIMEOUT, FP_ERR_PEER, FP_ERR_SYS ...
	 */
	enum fp_status (*connect)(struct xport *x,
	                          const struct xport_peer *peer,
	                          struct xport_ep **ret_ep, struct fp_err *err);

	/** The send region of an ep: tx_bytes of it. Owned by the ep. */
	void *(*tx_region)(struct xport_ep *ep);

	/** The receive region: rx_bytes of it. NULL op, or NULL: there is none,
	 * receive anywhere. Owned by the ep. */
	void *(*rx_region)(struct xport_ep *ep);

	/**
	 * See struct xport_step. Polls; checks the board's abort word. A step
	 * that needs no waiting does not look at the clock: callers that time
	 * their steps do.
	 * Return: FP_OK; FP_ERR_TIMEOUT at the deadline; FP_ERR_INTR when
	 * aborted; FP_ERR_PEER when the peer closed.
	 */
	enum fp_status (*step)(const struct xport_step *step,
	                       struct fp_err *err);

	/**
	 * OP_DATAGRAM, both ends: NULL unless XPORT_CAP_DATAGRAM. Needs no ep:
	 * works from the blobs alone, for when connect() fails. Fills the
	 * SMALL_/FULL_ counters of @o. Ends by itself within the deadline.
	 */
	enum fp_status (*datagram)(struct xport *x,
	                           const struct xport_peer *peer,
	                           struct outcome *o, struct fp_err *err);

	/** Add what the transport knows of this connection to @o. May be NULL. */
	void (*counters)(struct xport_ep *ep, struct outcome *o);

	/** Add what the transport saw of the trial as a whole, connected or
	 * not: codes of failures, events, counters of its port. May be NULL. */
	void (*witness)(struct xport *x, struct outcome *o);

	void (*ep_close)(struct xport_ep *ep); /* takes NULL */
	void (*close)(struct xport *x);        /* takes NULL */

	/** The RDMA ports that this rank is to measure, as topo_rank.ports
	 * lists them; each can be xport_env.port. NULL op: none. Return: as
	 * probe(). */
	enum fp_status (*ports)(const struct xport_env *env,
	                        char ret[static TOPO_PORTS_MAX],
	                        struct fp_err *err);

	/** Moves without waiting, for xport_step_run(). NULL: step() only. */
	const struct xport_flow_ops *flow;

	/** Instead of all that needs an ep. NULL: there are eps. */
	const struct xport_team_ops *team;

	/** A trial of this rank's device by itself, after the team's offer().
	 * Fills COUNTER_LOCAL_* of @o. NULL: there is nothing to try.
	 * Return: as the team's run(). */
	enum fp_status (*local)(struct xport *x, const struct xport_join *how,
	                        struct outcome *o, struct fp_err *err);

	/** The code of the device's latest error; 0: it has none. @x NULL: it
	 * could not be opened. NULL op: there is no device. */
	int (*error)(const struct xport *x);

	/** From now on keep the rank's device busy beside what is measured,
	 * over whatever transport; or let it rest again. NULL: it has none.
	 * Return: FP_OK, also if it was so already; FP_ERR_LIMIT, FP_ERR_LIB;
	 * FP_ERR_TIMEOUT: it does not come to rest. */
	enum fp_status (*busy)(struct xport *x, bool on, struct fp_err *err);
};

/* Every ep and every opened transport begins with its operations, so that a
 * wrapper (xport/fault) and edges of several transports mix in one trial. */
struct xport {
	const struct xport_ops *ops;
};
struct xport_ep {
	const struct xport_ops *ops;
};

extern const struct xport_ops xport_shm_ops;
extern const struct xport_ops xport_tcp_ops;
extern const struct xport_ops xport_verbs_ops;
extern const struct xport_ops xport_cuda_ops; /* GPU worker only */
extern const struct xport_ops xport_nccl_ops;

/**
 * xport_step_run() - a step across whatever transports its two ends use.
 * Passes on to step() when both agree, or moves both halves at once when both
 * can move without waiting. Otherwise it runs the halves in turn, receive
 * first for odd members. A ring of that cannot lock up, odd or even, even if
 * no send ends before it is received: it would take a cycle of members that
 * all send or all receive, and members 0 and 1 never do the same.
 */
enum fp_status xport_step_run(const struct xport_step *step, uint32_t me,
                              struct fp_err *err);

#endif
