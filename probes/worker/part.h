/* SPDX-License-Identifier: Apache-2.0 */
/* The worker's insides: what its files share. */
#ifndef FP_PROBES_WORKER_PART_H
#define FP_PROBES_WORKER_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "probes/measure/measure.h"
#include "probes/trial/board.h"
#include "probes/trial/wire.h"
#include "probes/xport/fault.h"
#include "probes/xport/xport.h"

/** struct worker_trial - the trial in hand, from PREPARE to its outcome. */
struct worker_trial {
	bool held; /* all below is valid */
	struct trial trial;
	int32_t *members; /* ranks */
	uint32_t n, me;
	struct measure_needs needs;
	struct wire_endpoint mine;
	struct wire_endpoint *peers; /* [n]; trial 0: not given */
	struct xport_ep **mesh;      /* [n], all-to-all only */
	struct measure measure;      /* with the eps */
};

/** struct worker_rail - an RDMA port of this rank, opened by itself. */
struct worker_rail {
	struct xport_env env;
	struct xport *x; /* NULL: cannot run */
	char why[160];   /* then: why */
	bool failed;     /* it should, but fails */
};

/** struct worker - one for the process's life. */
struct worker {
	int fd;      /* to the agent */
	pid_t agent; /* 0: not known */
	struct board *board;
	struct wire_reader reader;
	bool set_up;
	struct wire_setup setup;
	struct xport_env env;
	struct xport *xports[XPORT_COUNT]; /* NULL: cannot run here */
	char why_not[XPORT_COUNT][160];    /* then: why */
	bool failed[XPORT_COUNT];          /* it should run here, but fails */
	int codes[XPORT_COUNT];            /* by this code of its device */
	struct worker_rail *rails; /* [n_rails] of verbs, where there are
	                              several: xports has one of them */
	uint32_t n_rails;
	struct fault_set faults;
	struct worker_trial hand;
	double *samples, *rates; /* WORKER_ROOM each */
};

#define WORKER_ROOM WIRE_SAMPLES_MAX

/** struct worker_part - a part of a payload. */
struct worker_part {
	const void *data;
	size_t len;
};

/**
 * worker_read() - wait for the agent's next frame.
 * @ret: valid until the next call.
 *
 * Return: FP_OK; FP_ERR_PEER: the agent closed or is gone; FP_ERR_PROTO;
 * FP_ERR_NOMEM; FP_ERR_SYS.
 */
enum fp_status worker_read(struct worker *w, struct wire_frame *ret,
                           struct fp_err *err);

/**
 * worker_send() - a frame of the two parts to the agent.
 *
 * Return: FP_OK; FP_ERR_PEER: the agent is gone; FP_ERR_TIMEOUT: it takes
 * nothing any more; FP_ERR_SYS.
 */
enum fp_status worker_send(struct worker *w, enum wire_type type,
                           struct worker_part a, struct worker_part b,
                           struct fp_err *err);

/** worker_write() - bytes as they are; what worker_send() returns. */
enum fp_status worker_write(struct worker *w, const void *data, size_t len,
                            struct fp_err *err);

/** worker_is_orphan() - is the agent no longer the parent? */
bool worker_is_orphan(const struct worker *w);

/*
 * Handlers of frames. They return FP_OK when the worker can go on, whatever
 * came of a trial; else what worker_send() does, or FP_ERR_PROTO when the
 * frame makes no sense.
 */
enum fp_status worker_on_setup(struct worker *w, const struct wire_frame *f,
                               struct fp_err *err);
enum fp_status worker_on_prepare(struct worker *w, const struct wire_frame *f,
                                 struct fp_err *err);
enum fp_status worker_on_go(struct worker *w, const struct wire_frame *f,
                            struct fp_err *err);
enum fp_status worker_on_cancel(struct worker *w, const struct wire_frame *f,
                                struct fp_err *err);

/** worker_forget() - no trial in hand: shut doors, close eps, board idle. */
void worker_forget(struct worker *w);

/**
 * worker_rails_open() - @ready->ports are those of verbs, and if there are
 * several, each is opened, or why it cannot be is kept; verbs runs here if one
 * of them opened, else @ready->ports is "".
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status worker_rails_open(struct worker *w, struct wire_ready *ready,
                                 struct fp_err *err);

/** worker_rail_take() - the trial in hand is to go by the port that it names:
 * from now on that is verbs here. */
void worker_rail_take(struct worker *w);
void worker_rails_close(struct worker *w); /* but for the one in xports */

/** worker_listen() - open the doors that the trial in hand needs. */
enum fp_status worker_listen(struct worker *w, struct fp_err *err);
void worker_unlisten(struct worker *w);

/**
 * worker_connect() - meet every peer of the trial in hand; fills the eps of
 * its measure. Cannot deadlock: see worker_edges.c.
 *
 * Return: FP_OK, or why not; eps that are there are closed by worker_close().
 */
enum fp_status worker_connect(struct worker *w, struct fp_err *err);

/** worker_team_xport() - the transport of the trial in hand if its members
 * run as a team; else NULL, and the others below must not be called. */
struct xport *worker_team_xport(const struct worker *w);

/** worker_team_offer() - as worker_listen(). */
enum fp_status worker_team_offer(struct worker *w, struct fp_err *err);
void worker_team_withdraw(struct worker *w); /* takes any trial */

/** worker_team_run() - meet, measure, part; what measure_run() returns. */
enum fp_status worker_team_run(struct worker *w, struct outcome *o,
                               struct fp_err *err);

/** worker_note_error() - the trial in hand failed by a library: note in @o by
 * which code, where its transport drives a device. */
void worker_note_error(const struct worker *w, struct outcome *o);

/** worker_busy() - the load that trials ask for, beside them: on or off.
 * Return: see busy() of struct xport_ops; FP_OK without a device. */
enum fp_status worker_busy(struct worker *w, bool on, struct fp_err *err);

/** worker_alone_run() - a trial of this rank's device by itself. */
enum fp_status worker_alone_run(struct worker *w, struct outcome *o,
                                struct fp_err *err);

/** worker_counters() - what the transports know of the eps, into @o;
 * worker_witness() - of the trial alone, where there is no ep. */
void worker_counters(struct worker *w, struct outcome *o);
void worker_witness(struct worker *w, struct outcome *o);
void worker_close(struct worker *w);

/**
 * worker_edge_ops() - the transport between this member and @peer of the
 * trial in hand: what the trial says, or with auto shared memory inside a
 * host, else tcp. NULL when there is none.
 */
const struct xport_ops *worker_edge_ops(const struct worker *w, uint32_t peer);

/** worker_memory_check() - FP_ERR_LIMIT when @bytes are more of this host's
 * memory than a trial may take. */
enum fp_status worker_memory_check(uint64_t bytes, struct fp_err *err);

/** worker_misbehave() - carry out a fault of this process that is injected
 * into the trial in hand. May not return. */
void worker_misbehave(struct worker *w);

#endif
