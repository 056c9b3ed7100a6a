/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose clock told each time, and how far it is off: clocks of several hosts
 * are compared by what all of them saw at once. Hosts without such a thing are
 * not ordered against each other.
 */
#ifndef FP_PROBES_EXPLAIN_CLOCK_H
#define FP_PROBES_EXPLAIN_CLOCK_H

#include "probes/explain/event.h"

#define CLOCK_NS_PER_S INT64_C(1000000000)

/**
 * struct clock_row - a clock: that of a host, else of a rank, else of whoever
 * wrote a file; local time and time with a zone are two, and so are local
 * times before and behind a jump back.
 */
struct clock_row {
	uint32_t host;     /* name; 0: not known */
	int32_t rank;      /* where no host is known; -1 */
	uint32_t file;     /* where no rank is known either; 0 */
	bool local;        /* no zone is told */
	uint32_t era;      /* jumps back before it */
	uint32_t island;   /* clocks of one island can be compared; 0: alone */
	int64_t ahead_ns;  /* of most of its island; behind if negative */
	int64_t slack_ns;  /* so much that can be wrong */
	uint32_t n_shared; /* moments that it and others saw */
};

/** struct clocks - all of them. Zero-initialise; clocks_done(). */
struct clocks {
	struct clock_row *c; /* event.clock is an index from 1 */
	size_t n, room;
};

/**
 * clocks_find() - give each event with a time its clock, and estimate the
 * clocks. Times without a year get that of the others that have one.
 *
 * An offset is the median of differences to what the clocks that are placed
 * already tell of the same moment: a communicator's "Init COMPLETE", the end
 * of a collective in Flight Recorders, and, where more than one speaks for it,
 * watchdogs of one collective and the signal to dump. @slack_ns is from the
 * differences' median absolute deviation, and at least CLOCK_SLACK_S.
 *
 * Return: FP_OK; FP_ERR_NOMEM.
 */
enum fp_status clocks_find(struct events *events, struct clocks *ret,
                           struct fp_err *err);

#define CLOCK_SLACK_S 1 /* watchdogs look once in a while */

/** enum clock_order - of two events. */
enum clock_order {
	CLOCK_UNKNOWN, /* nothing tells, or it is too close to say */
	CLOCK_BEFORE,  /* the first one was first */
	CLOCK_BEHIND
};

/** clocks_order() - which was first; by one clock, or two of an island. */
enum clock_order clocks_order(const struct clocks *clocks,
                              const struct event *a, const struct event *b);

/** clocks_can_compare() - both have a time, of clocks that can be compared. */
bool clocks_can_compare(const struct clocks *clocks, const struct event *a,
                        const struct event *b);

/** clocks_since_ns() - from @a to @b, clocks put right; both can be compared. */
int64_t clocks_since_ns(const struct clocks *clocks, const struct event *a,
                        const struct event *b);

/** clocks_done() - free; takes NULL. */
void clocks_done(struct clocks *clocks);

#endif
