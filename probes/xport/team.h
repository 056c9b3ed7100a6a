/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transport whose members run a trial's operations together on streams of
 * their own: copies between GPUs, a collective library. It enqueues, polls and
 * reads its device's clock; what is run, how often, and what comes of it is
 * for the measuring loop (probes/measure/team.c). No call waits past the
 * trial's deadline or its abort word.
 */
#ifndef FP_PROBES_XPORT_TEAM_H
#define FP_PROBES_XPORT_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/trial/board.h"
#include "probes/trial/trial.h"
#include "probes/trial/wire.h"
#include "topo/base/status.h"

struct xport;

/** struct xport_join - who is in a team, and until when. Lent until leave(). */
struct xport_join {
	double *samples; /* for a load: one a second; lent */
	size_t room_samples, *n_samples;
	const struct trial *trial;
	const int32_t *members; /* ranks */
	uint32_t n, me;
	const struct wire_endpoint *peers; /* [n]; trial 0: not given */
	struct board *board;
	int64_t connect_ns;  /* deadline of meeting */
	int64_t deadline_ns; /* of the trial */
};

struct xport_team_ops;

/** struct xport_team - begins each transport's own. */
struct xport_team {
	const struct xport_team_ops *ops;
	uint64_t op_bytes; /* nccl-tests' "size" of one operation */
	bool receives;     /* this member's rate counts */
};

struct xport_team_ops {
	/**
	 * Before GO: make what the others need to meet this member. The trial
	 * and the members of @how are set, peers and deadlines are not.
	 * Undone by withdraw(), which takes a transport that offered nothing.
	 * Return: FP_OK; FP_ERR_NOTSUP, FP_ERR_LIMIT: not here; ...
	 */
	enum fp_status (*offer)(struct xport *x, const struct xport_join *how,
	                        struct wire_endpoint *ret, struct fp_err *err);
	void (*withdraw)(struct xport *x);

	/**
	 * Meet the others and make ready: buffers, a communicator. All members
	 * join at the same time.
	 * Return: FP_OK; FP_ERR_TIMEOUT, FP_ERR_INTR: somebody did not come;
	 * FP_ERR_NOTSUP; FP_ERR_LIB, with the library's words.
	 */
	enum fp_status (*join)(struct xport *x, const struct xport_join *how,
	                       struct xport_team **ret, struct fp_err *err);

	/** Inputs as the trial's seed has them, outputs spoilt. */
	enum fp_status (*fill)(struct xport_team *t, struct fp_err *err);

	/** @n operations, one behind the other. *@ret_s: how long they took by
	 * the device's clock. */
	enum fp_status (*run)(struct xport_team *t, uint32_t n, double *ret_s,
	                      struct fp_err *err);

	/** *@value becomes the largest that a member has. All ask at the same
	 * time. */
	enum fp_status (*most)(struct xport_team *t, uint64_t *value,
	                       struct fp_err *err);

	/** Bytes of the output that are not what they should be, after fill()
	 * and one operation. */
	enum fp_status (*check)(struct xport_team *t, uint64_t *ret_wrong,
	                        struct fp_err *err);

	/** Add what is known of the ways that data took. May be NULL. */
	void (*counters)(struct xport_team *t, struct outcome *o);

	/** @sound: the last call succeeded. Takes NULL. When it was not, the
	 * process is not fit for another trial. */
	void (*leave)(struct xport_team *t, bool sound);
};

#endif
