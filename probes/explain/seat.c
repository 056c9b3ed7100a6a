// SPDX-License-Identifier: Apache-2.0
// Seats and open operations out of Flight Recorder dumps.
#include "probes/explain/seat.h"

#include <stdlib.h>
#include <string.h>

#include "probes/explain/fr.h"
#include "probes/trial/grow.h"

/* A recorder holds so many entries: a number further away is another count. */
#define STATUS_SLACK 2048

static int by_place(const void *a, const void *b)
{
	const struct seat *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_order(const void *a, const void *b)
{
	const struct seat_op *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

struct seat *seating_find(const struct seating *s, uint32_t group, int32_t rank)
{
	struct seat key = { .group = group, .rank = rank };

	return s->n_seats ? bsearch(&key, s->seats, s->n_seats,
	                            sizeof(*s->seats), by_place)
	                  : NULL;
}

const struct seat *seating_group(const struct seating *s, uint32_t group,
                                 size_t *ret_n)
{
	size_t low = 0, high = s->n_seats, end;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (s->seats[mid].group < group)
			low = mid + 1;
		else
			high = mid;
	}
	for (end = low; end < s->n_seats && s->seats[end].group == group;)
		end++;
	*ret_n = end - low;
	return s->seats + low;
}

enum fp_status seating_add(struct seating *s, uint32_t group, int32_t rank,
                           struct fp_err *err)
{
	enum fp_status status =
		grow_room(&s->seats, &s->seats_room, s->n_seats + 1,
	                  sizeof(*s->seats), err);

	if (status == FP_OK)
		s->seats[s->n_seats++] = (struct seat){
			.group = group,
			.rank = rank,
			.enqueued = SEAT_UNKNOWN,
			.done = SEAT_UNKNOWN,
		};
	return status;
}

enum fp_status seating_op(struct seating *s, const struct seat_op *op,
                          struct fp_err *err)
{
	enum fp_status status = grow_room(&s->ops, &s->ops_room, s->n_ops + 1,
	                                  sizeof(*s->ops), err);

	if (status == FP_OK)
		s->ops[s->n_ops++] = *op;
	return status;
}

void seating_sort(struct seating *s)
{
	size_t n = 0;

	if (!s->n_seats)
		return;
	qsort(s->seats, s->n_seats, sizeof(*s->seats), by_place);
	for (size_t i = 0; i < s->n_seats; i++)
		if (!n || by_place(&s->seats[n - 1], &s->seats[i]))
			s->seats[n++] = s->seats[i];
	s->n_seats = n;
}

static void raise_to(int64_t *have, int64_t value)
{
	if (value > *have)
		*have = value;
}

static bool is_open_op(const struct event *e)
{
	return e->kind == KIND_FR_ENTRY && e->n[1] != FR_COMPLETED;
}

static enum fp_status add_seats(const struct events *ev, struct seating *s,
                                struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < ev->n && status == FP_OK; i++) {
		const struct event *e = &ev->e[i];

		if (e->kind == KIND_FR_MEMBER || e->kind == KIND_FR_ENTRY)
			status = seating_add(s, e->group, e->rank, err);
	}
	seating_sort(s);
	return status;
}

/* The global rank of the member with number @peer of @group. */
static int32_t member_at(const struct seating *s, uint32_t group, int32_t peer)
{
	size_t n;
	const struct seat *seats = seating_group(s, group, &n);

	return peer >= 0 && (size_t)peer < n ? seats[peer].rank : -1;
}

static enum fp_status add_ops(const struct events *ev, struct seating *s,
                              struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < ev->n && status == FP_OK; i++) {
		const struct event *e = &ev->e[i];
		struct seat_op op = {
			.group = e->group,
			.op = e->op,
			.sig = e->op,
			.rank = e->rank,
			.peer = -1,
			.direction = (uint32_t)e->n[3],
			.seq = e->n[0],
			.order = e->n[4],
			.event = (uint32_t)i,
		};

		if (!is_open_op(e))
			continue;
		if (op.direction != FR_COLLECTIVE)
			op.peer = member_at(s, e->group, e->peer);
		status = seating_op(s, &op, err);
	}
	return status;
}

/* Last launched and last ended; what is open is not ended. */
static void place_collectives(const struct events *ev, struct seating *s)
{
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];
		struct seat *seat;

		if (e->kind != KIND_FR_ENTRY || e->n[3] != FR_COLLECTIVE)
			continue;
		seat = seating_find(s, e->group, e->rank);
		if (!seat)
			continue;
		raise_to(&seat->enqueued, e->n[0]);
		if (e->n[1] == FR_COMPLETED)
			raise_to(&seat->done, e->n[0]);
	}
	for (size_t i = 0; i < s->n_ops; i++) {
		const struct seat_op *op = &s->ops[i];
		struct seat *seat = seating_find(s, op->group, op->rank);

		if (seat && op->direction == FR_COLLECTIVE &&
		    (seat->done == SEAT_UNKNOWN || seat->done >= op->seq))
			seat->done = op->seq - 1;
	}
}

/*
 * The status counts sends and receives too where a group has them: then it is
 * no collective's number.
 */
static void place_status(const struct events *ev, struct seating *s)
{
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];
		struct seat *seat;

		if (e->kind != KIND_FR_STATUS)
			continue;
		seat = seating_find(s, e->group, e->rank);
		if (seat && seat->enqueued != SEAT_UNKNOWN &&
		    e->n[0] < seat->enqueued + STATUS_SLACK)
			raise_to(&seat->enqueued, e->n[0]);
	}
}

static int32_t highest_rank(const struct seating *s)
{
	int32_t most = -1;

	for (size_t i = 0; i < s->n_seats; i++)
		if (s->seats[i].rank > most)
			most = s->seats[i].rank;
	return most;
}

static enum fp_status mark_heard(const struct events *ev, struct seating *s,
                                 struct fp_err *err)
{
	int32_t most = highest_rank(s);
	bool *heard = calloc((size_t)most + 2, sizeof(*heard));

	if (!heard)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];

		if (e->kind != KIND_FR_DUMP || e->rank < 0 || e->rank > most)
			continue;
		s->n_heard += !heard[e->rank];
		heard[e->rank] = true;
	}
	for (size_t i = 0; i < s->n_seats; i++)
		s->seats[i].heard =
			s->seats[i].rank >= 0 && heard[s->seats[i].rank];
	free(heard);
	return FP_OK;
}

static void mark_oldest(struct seating *s)
{
	if (!s->n_ops)
		return;
	qsort(s->ops, s->n_ops, sizeof(*s->ops), by_order);
	for (size_t i = 0; i < s->n_ops; i++)
		s->ops[i].oldest = !i || s->ops[i - 1].rank != s->ops[i].rank;
}

static enum fp_status from_dumps(const struct events *ev, struct seating *s,
                                 struct fp_err *err)
{
	enum fp_status status = add_seats(ev, s, err);

	if (status == FP_OK)
		status = add_ops(ev, s, err);
	if (status != FP_OK)
		return status;
	place_collectives(ev, s);
	place_status(ev, s);
	return mark_heard(ev, s, err);
}

enum fp_status seating_make(const struct events *events, struct seating *ret,
                            struct fp_err *err)
{
	enum fp_status status;

	*ret = (struct seating){ 0 };
	ret->from_log = !events_first(events, KIND_FR_DUMP, 0);
	status = ret->from_log ? seating_from_log(events, ret, err)
	                       : from_dumps(events, ret, err);
	if (status != FP_OK) {
		seating_done(ret);
		return status;
	}
	mark_oldest(ret);
	ret->n_members = (size_t)highest_rank(ret) + 1;
	return FP_OK;
}

void seating_done(struct seating *s)
{
	if (!s)
		return;
	free(s->seats);
	free(s->ops);
	*s = (struct seating){ 0 };
}
