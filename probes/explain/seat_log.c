// SPDX-License-Identifier: Apache-2.0
// Seats and open operations out of the watchdog's lines.
#include <stdlib.h>
#include <string.h>

#include "probes/explain/fr.h"
#include "probes/explain/seat.h"

#define GROUP_ANY \
	UINT32_MAX /* a name that no group has: where lines tell none */

/* The only group that ranks tell of as they dump; none of several. */
static uint32_t dumped_group(const struct events *ev)
{
	uint32_t group = 0;

	for (size_t i = 0; ev->kinds[KIND_DUMP] && i < ev->n; i++) {
		const struct event *e = &ev->e[i];

		if (e->kind != KIND_DUMP || !e->group)
			continue;
		if (group && e->group != group)
			return GROUP_ANY;
		group = e->group;
	}
	return group ? group : GROUP_ANY;
}

/* The group that the rank's other lines give for this sequence. */
static uint32_t group_of(const struct events *ev, const struct event *of)
{
	uint32_t any = 0;

	if (of->group)
		return of->group;
	if (!ev->kinds[KIND_WORK])
		return dumped_group(ev);
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];

		if (e->kind != KIND_WORK || !e->group)
			continue;
		if (e->rank == of->rank && e->n[0] == of->n[0])
			return e->group;
		if (e->n[0] == of->n[0] || !any)
			any = e->group;
	}
	return any ? any : GROUP_ANY;
}

/* Operations whose sizes may differ by rank are told by their name alone. */
static uint64_t sig_of(const struct events *ev, const struct event *e)
{
	static const char *const uneven[] = {
		"ALLTOALL", "SCATTER", "GATHER", "SEND", "RECV", "COALESCED"
	};
	const char *op = event_str(ev, e->op);

	for (size_t i = 0; i < sizeof(uneven) / sizeof(uneven[0]); i++)
		if (strncmp(op, uneven[i], strlen(uneven[i])) == 0)
			return e->op;
	return (uint64_t)e->op << 32 ^ (uint64_t)e->n[1] * 31 ^
	       (uint64_t)e->n[2];
}

static enum fp_status add_watchdog(const struct events *ev, size_t i,
                                   struct seating *s, struct fp_err *err)
{
	const struct event *e = &ev->e[i];
	struct seat_op op = {
		.group = group_of(ev, e),
		.op = e->op,
		.sig = sig_of(ev, e),
		.rank = e->rank,
		.peer = -1,
		.direction = FR_COLLECTIVE,
		.seq = e->n[0],
		.order = e->n[0],
		.event = (uint32_t)i,
	};
	enum fp_status status = seating_add(s, op.group, e->rank, err);

	return status == FP_OK ? seating_op(s, &op, err) : status;
}

static enum fp_status add_all(const struct events *ev, struct seating *s,
                              struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < ev->n && status == FP_OK; i++) {
		const struct event *e = &ev->e[i];

		if (e->rank < 0)
			continue;
		if (e->kind == KIND_WATCHDOG)
			status = add_watchdog(ev, i, s, err);
		else if ((e->kind == KIND_WORK || e->kind == KIND_DUMP) &&
		         e->group)
			status = seating_add(s, e->group, e->rank, err);
	}
	return status;
}

static void place_ops(struct seating *s)
{
	for (size_t i = 0; i < s->n_ops; i++) {
		const struct seat_op *op = &s->ops[i];
		struct seat *seat = seating_find(s, op->group, op->rank);

		if (!seat)
			continue;
		seat->heard = true;
		if (seat->enqueued < op->seq)
			seat->enqueued = op->seq;
		if (seat->done == SEAT_UNKNOWN || seat->done >= op->seq)
			seat->done = op->seq - 1;
	}
}

static void place_work(const struct events *ev, struct seating *s)
{
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];
		bool work = e->kind == KIND_WORK;
		struct seat *seat;

		if (!work && e->kind != KIND_DUMP)
			continue;
		seat = seating_find(s, e->group, e->rank);
		if (!seat)
			continue;
		seat->heard = true;
		if (e->n[1] >= 0 && e->n[1] > seat->enqueued)
			seat->enqueued = e->n[1];
		if (e->n[2] >= 0 && seat->done == SEAT_UNKNOWN)
			seat->done = e->n[2];
	}
}

/* One process' word of the same kind reaches further than its group's. */
static int64_t world_of(const struct events *ev)
{
	int64_t world = 0;

	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];
		int64_t n = 0;

		if (e->kind == KIND_INIT_START || e->kind == KIND_INIT_DONE ||
		    e->kind == KIND_RAS_COMM)
			n = e->n[0];
		/* An all-gather's output is its input from every rank. */
		if (e->kind == KIND_WATCHDOG && e->n[1] > 0 &&
		    strstr(event_str(ev, e->op), "ALLGATHER") &&
		    e->n[2] % e->n[1] == 0)
			n = e->n[2] / e->n[1];
		if (n > world && n < (1 << 20))
			world = n;
	}
	return world;
}

/*
 * Ranks that should have written and did not. Without a known size, gaps below
 * the highest rank are all that can be seen.
 */
static enum fp_status add_silent(const struct events *ev, struct seating *s,
                                 struct fp_err *err)
{
	uint32_t group = s->n_seats ? s->seats[0].group : 0;
	int64_t world = world_of(ev);
	size_t n = s->n_seats;
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < n; i++) {
		if (s->seats[i].group != group)
			return FP_OK; /* which of them is the job is open */
		if (s->seats[i].rank >= world)
			world = s->seats[i].rank + 1;
	}
	/* Ranks of a subgroup are not those of the job. */
	if (events_first(ev, KIND_REPEATED, 0) || world > 65536 ||
	    (int64_t)n * 64 < world)
		return FP_OK;
	for (int64_t rank = 0; rank < world && status == FP_OK; rank++)
		if (!seating_find(s, group, (int32_t)rank))
			status = seating_add(s, group, (int32_t)rank, err);
	/* The new ones are behind the sorted ones: not found until sorted. */
	seating_sort(s);
	return status;
}

/* What a line of the watchdog says of itself. */
struct claim {
	int32_t rank;
	int64_t seq;
};

static int by_claim(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

/*
 * Old versions tell no group, and count from 0 in each: a rank that is at
 * several numbers at once stands for ranks, or groups, that are not told; but
 * works of one group that are open at once are behind one another.
 */
static bool is_mixed(const struct events *ev)
{
	size_t room = ev->kinds[KIND_WATCHDOG], n = 0;
	struct claim *claims;
	bool mixed = false;

	if (!room || ev->kinds[KIND_WORK] || dumped_group(ev) != GROUP_ANY)
		return false;
	claims = calloc(room, sizeof(*claims));
	for (size_t i = 0; claims && i < ev->n && n < room; i++)
		if (ev->e[i].kind == KIND_WATCHDOG && ev->e[i].rank >= 0 &&
		    ev->e[i].n[0] >= 0 && !ev->e[i].group)
			claims[n++] =
				(struct claim){ ev->e[i].rank, ev->e[i].n[0] };
	if (n)
		qsort(claims, n, sizeof(*claims), by_claim);
	for (size_t i = 1; i < n; i++)
		mixed |= claims[i].rank == claims[i - 1].rank &&
		         claims[i].seq > claims[i - 1].seq + 1;
	free(claims);
	return mixed;
}

enum fp_status seating_from_log(const struct events *events, struct seating *s,
                                struct fp_err *err)
{
	enum fp_status status =
		is_mixed(events) ? FP_OK : add_all(events, s, err);

	if (status != FP_OK)
		return status;
	seating_sort(s);
	place_ops(s);
	place_work(events, s);
	for (size_t i = 0; i < s->n_seats; i++)
		s->n_heard += s->seats[i].heard;
	return add_silent(events, s, err);
}
