/* SPDX-License-Identifier: Apache-2.0 */
/* The steps from seats to roots. */
#ifndef FP_PROBES_EXPLAIN_HANG_PART_H
#define FP_PROBES_EXPLAIN_HANG_PART_H

#include "probes/explain/graph.h"
#include "probes/explain/hang.h"
#include "probes/explain/seat.h"

/** struct hang_slot - a collective of a group that is open somewhere. */
struct hang_slot {
	uint32_t group;
	int64_t seq;
	size_t n_absent, n_done, n_open, n_unheard;
	size_t n_queued;         /* open, behind something else of their rank */
	uint64_t sig, other_sig; /* of the most, of one that differs; 0 none */
	size_t n_major;          /* ranks that call the first */
	uint32_t op, other_op;   /* their names */
	uint32_t event;          /* of an open one */
};

/** struct hang_pass - what the steps share. */
struct hang_pass {
	const struct events *events;
	struct hangs *hangs;
	struct seating s;
	struct hang_slot *slots; /* sorted by group and seq */
	size_t n_slots, slots_room;
	int32_t *ranks; /* ascending: the graph's first nodes */
	size_t n_ranks;
	struct graph graph; /* ranks, then slots */
};

/** hang_slots_make() - the slots, and who stands where in each. */
enum fp_status hang_slots_make(struct hang_pass *p, struct fp_err *err);

/** hang_slot_find() - of @group and @seq; NULL: none is open. */
struct hang_slot *hang_slot_find(const struct hang_pass *p, uint32_t group,
                                 int64_t seq);

/** hang_oldest() - the oldest open operation of @rank; NULL: none. */
const struct seat_op *hang_oldest(const struct hang_pass *p, int32_t rank);

/** hang_link() - ranks and edges of the graph. */
enum fp_status hang_link(struct hang_pass *p, struct fp_err *err);

/** hang_name_roots() - the graph's sinks, as hangs. */
enum fp_status hang_name_roots(struct hang_pass *p, struct fp_err *err);

#endif
