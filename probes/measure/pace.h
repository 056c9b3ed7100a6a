/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a receiver paces a stream: how large the next batch is, when what comes
 * is timed, when it is enough. Pure arithmetic on times that it is told.
 *
 * The sender runs one batch ahead of the receiver's answer and so is never
 * idle: batches 0 and 1 are measure_pace_first(), and the answer to batch k
 * is about batch k + 2.
 */
#ifndef FP_PROBES_MEASURE_PACE_H
#define FP_PROBES_MEASURE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/trial/trial.h"

/** struct measure_batch - messages sent without waiting for an answer. */
struct measure_batch {
	uint32_t iters; /* messages */
	uint32_t piece; /* bytes moved by a step, a power of two */
	bool timed;     /* what the sender is told: timing has begun */
	bool last;      /* not a batch: the end of the stream */
};

/** enum measure_known - how well the receiver knows the rate, once the batch
 * ahead is in too. */
enum measure_known {
	MEASURE_SOME,  /* enough when the trial's time is up */
	MEASURE_KNOWN, /* enough now */
	MEASURE_FEW,   /* next to nothing: a stolen core may have eaten the
	                  time, so it is given up to four times */
};

/** struct measure_pace - measure_pace_init() makes one. Read only outside. */
struct measure_pace {
	uint64_t bytes, iters, warmup; /* as in the trial */
	int64_t target_ns;             /* length that a batch should have */
	int64_t time_ns;               /* of timing: then it is enough */
	int64_t longest_ns; /* the same while next to nothing is known */
	int64_t warm_ns;    /* at least so long is warmed up */
	struct measure_batch ahead; /* asked for, not received */
	int64_t begun_ns, done_ns;  /* start; end of the latest batch */
	double message_ns;          /* latest estimate; 0: none */
	uint64_t warmed;            /* messages */
	bool timed;                 /* from the batch ahead on */
	int64_t timed_ns;           /* since when; 0: not yet */
	uint64_t asked;             /* timed messages, the batch ahead too */
};

/** measure_time_ns() - @trial's measuring time, cut so that its deadline
 * leaves room for a warm-up and for batches that turn out slower. */
int64_t measure_time_ns(const struct trial *trial);

/** measure_pace_first() - the batches that need no answer. */
struct measure_batch measure_pace_first(void);

/** measure_pace_init() - before batch 0 of @trial, at @now_ns. */
void measure_pace_init(struct measure_pace *p, const struct trial *trial,
                       int64_t now_ns);

/**
 * measure_pace_next() - @done was received whole by @now_ns.
 *
 * Return: the batch after the one ahead, which becomes the one ahead. After
 * one that is last it must not be called any more.
 */
struct measure_batch measure_pace_next(struct measure_pace *p,
                                       const struct measure_batch *done,
                                       int64_t now_ns,
                                       enum measure_known known);

#endif
