/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only measuring loop: warms up, streams batches, decides at the receiver
 * when the rate is known, verifies data outside the timed region.
 */
#ifndef FP_PROBES_MEASURE_MEASURE_H
#define FP_PROBES_MEASURE_MEASURE_H

#include "probes/trial/board.h"
#include "probes/trial/trial.h"
#include "probes/xport/xport.h"

/**
 * struct measure - one member's part in one trial. Which eps are set:
 *
 *   OP_WRITE one way, OP_LATENCY  ep
 *   OP_WRITE both ways            next (it sends on), prev (it receives on)
 *   OP_ALLTOALL                   mesh
 *   other collectives             next, prev
 */
struct measure {
	const struct trial *trial;
	const int32_t *members; /* ranks */
	uint32_t n_members, me;
	struct xport_ep *ep;          /* pairs: to the other end */
	struct xport_ep *next, *prev; /* rings */
	struct xport_ep **mesh;       /* all-to-all: [n_members], own is NULL */
	struct xport_team *team;      /* instead of all these; or NULL */
	struct board *board;
	int64_t deadline_ns;
	int64_t go_ns;
	double *samples; /* room for room_samples, lent */
	size_t n_samples, room_samples;
	double *rates; /* intervals, room for room_rates, lent */
	size_t room_rates;
};

/** struct measure_needs - what a trial takes of a member, bytes. */
struct measure_needs {
	size_t data_bytes;   /* send region of an ep that carries data */
	size_t answer_bytes; /* of an ep towards whom this one receives from */
	size_t place_bytes;  /* receive region of an ep that data comes by */
	uint64_t memory_bytes; /* everything, send regions too */
};

/**
 * measure_needs() - before connecting: how large the regions must be.
 *
 * Return: FP_OK; FP_ERR_LIMIT when a size overflows; FP_ERR_NOTSUP for an
 * operation that is not measured here.
 */
enum fp_status measure_needs(const struct trial *trial, uint32_t n_members,
                             uint32_t me, struct measure_needs *ret,
                             struct fp_err *err);

/**
 * measure_run() - carry out the trial over connected endpoints and fill @o
 * (state, stage, figures, err). Never past the deadline by more than one
 * poll; stops at the board's abort word.
 *
 * Return: FP_OK when @o says OK or CORRUPT figures (wrong_bytes > 0), else
 * the status that made @o an ERROR or HANG.
 */
enum fp_status measure_run(struct measure *m, struct outcome *o,
                           struct fp_err *err);

/**
 * measure_fail() - fill @o's state, stage, err and what was moved for a trial
 * that ended with @status; measure_run() does it for its own failures.
 */
void measure_fail(const struct measure *m, enum fp_status status,
                  const struct fp_err *why, struct outcome *o);

#endif
