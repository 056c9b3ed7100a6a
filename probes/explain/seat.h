/* SPDX-License-Identifier: Apache-2.0 */
/* Where each rank stands in each of its process groups. */
#ifndef FP_PROBES_EXPLAIN_SEAT_H
#define FP_PROBES_EXPLAIN_SEAT_H

#include "probes/explain/event.h"

#define SEAT_UNKNOWN INT64_MIN

/**
 * struct seat - a rank in a group. @enqueued and @done are the last
 * collective's sequence, SEAT_UNKNOWN where nothing tells.
 */
struct seat {
	uint32_t group;
	int32_t rank;
	int64_t enqueued, done;
	bool heard; /* the rank told something, be it of other groups */
};

/** struct seat_op - something launched and not ended. */
struct seat_op {
	uint32_t group, op; /* names */
	uint64_t sig;       /* equal where the calls are; 0: not known */
	int32_t rank, peer; /* peer: global; -1: a collective */
	uint32_t direction; /* enum fr_direction */
	int64_t seq, order; /* order: among the rank's own */
	uint32_t event;
	bool oldest; /* of its rank */
};

/** struct seating - sorted: seats by group and rank, ops by rank, order. */
struct seating {
	struct seat *seats;
	size_t n_seats, seats_room;
	struct seat_op *ops;
	size_t n_ops, ops_room;
	size_t n_heard, n_members; /* ranks */
	bool from_log;             /* watchdog's lines, not dumps */
};

/**
 * seating_make() - out of dumps where there are any, else out of the
 * watchdog's lines.
 *
 * Return: FP_OK, FP_ERR_NOMEM. Undo with seating_done().
 */
enum fp_status seating_make(const struct events *events, struct seating *ret,
                            struct fp_err *err);

/** seating_find() - the seat of @rank in @group; NULL: not a member. */
struct seat *seating_find(const struct seating *s, uint32_t group,
                          int32_t rank);

/** seating_group() - first seat of @group and, in *@ret_n, how many. */
const struct seat *seating_group(const struct seating *s, uint32_t group,
                                 size_t *ret_n);

/** seating_add() - a seat of which nothing is known yet; not sorted. */
enum fp_status seating_add(struct seating *s, uint32_t group, int32_t rank,
                           struct fp_err *err);

/** seating_op() - one more op; not sorted. */
enum fp_status seating_op(struct seating *s, const struct seat_op *op,
                          struct fp_err *err);

/** seating_sort() - seats, without doubles; seating_find() needs it. */
void seating_sort(struct seating *s);

/** seating_from_log() - the part for the watchdog's lines. */
enum fp_status seating_from_log(const struct events *events, struct seating *s,
                                struct fp_err *err);

/** seating_done() - free; takes NULL. */
void seating_done(struct seating *s);

#endif
