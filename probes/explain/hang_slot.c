// SPDX-License-Identifier: Apache-2.0
// Each open collective, and where the members of its group stand.
#include <stdlib.h>
#include <string.h>

#include "probes/explain/fr.h"
#include "probes/explain/hang_part.h"
#include "probes/trial/grow.h"

static int by_place(const void *a, const void *b)
{
	const struct hang_slot *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

struct hang_slot *hang_slot_find(const struct hang_pass *p, uint32_t group,
                                 int64_t seq)
{
	struct hang_slot key = { .group = group, .seq = seq };

	return p->n_slots ? bsearch(&key, p->slots, p->n_slots,
	                            sizeof(*p->slots), by_place)
	                  : NULL;
}

const struct seat_op *hang_oldest(const struct hang_pass *p, int32_t rank)
{
	size_t low = 0, high = p->s.n_ops;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (p->s.ops[mid].rank < rank)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->s.n_ops && p->s.ops[low].rank == rank ? &p->s.ops[low]
	                                                      : NULL;
}

static enum fp_status list_slots(struct hang_pass *p, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t n = 0;

	for (size_t i = 0; i < p->s.n_ops && status == FP_OK; i++) {
		const struct seat_op *op = &p->s.ops[i];

		if (op->direction != FR_COLLECTIVE)
			continue;
		status = grow_room(&p->slots, &p->slots_room, p->n_slots + 1,
		                   sizeof(*p->slots), err);
		if (status == FP_OK)
			p->slots[p->n_slots++] = (struct hang_slot){
				.group = op->group,
				.seq = op->seq,
				.sig = op->sig,
				.op = op->op,
				.event = op->event,
			};
	}
	if (!p->n_slots)
		return status;
	qsort(p->slots, p->n_slots, sizeof(*p->slots), by_place);
	for (size_t i = 0; i < p->n_slots; i++)
		if (!n || by_place(&p->slots[n - 1], &p->slots[i]))
			p->slots[n++] = p->slots[i];
	p->n_slots = n;
	return status;
}

static void count_seats(struct hang_pass *p, struct hang_slot *slot)
{
	size_t n;
	const struct seat *seats = seating_group(&p->s, slot->group, &n);

	for (size_t i = 0; i < n; i++) {
		const struct seat *seat = &seats[i];
		const struct seat_op *first;

		if (!seat->heard) {
			slot->n_unheard++;
		} else if (seat->enqueued < slot->seq) {
			slot->n_absent++;
		} else if (seat->done >= slot->seq) {
			slot->n_done++;
		} else {
			slot->n_open++;
			first = hang_oldest(p, seat->rank);
			slot->n_queued +=
				first && (first->group != slot->group ||
			                  first->seq != slot->seq);
		}
	}
}

static struct hang_slot *slot_of(struct hang_pass *p, const struct seat_op *op)
{
	return op->direction == FR_COLLECTIVE && op->sig
	               ? hang_slot_find(p, op->group, op->seq)
	               : NULL;
}

/* The one that can have a majority, after Boyer and Moore; n_major is what it
 * is ahead by. */
static void elect(struct hang_slot *slot, const struct seat_op *op)
{
	if (!slot->n_major) {
		slot->sig = op->sig;
		slot->op = op->op;
		slot->n_major = 1;
	} else if (op->sig == slot->sig) {
		slot->n_major++;
	} else {
		slot->n_major--;
	}
}

static void count_vote(struct hang_slot *slot, const struct seat_op *op)
{
	if (op->sig == slot->sig) {
		slot->n_major++;
	} else {
		slot->other_sig = op->sig;
		slot->other_op = op->op;
	}
}

/* What most ranks call in each, and whether any calls something else. */
static void vote(struct hang_pass *p)
{
	struct hang_slot *slot;

	for (size_t i = 0; i < p->s.n_ops; i++) {
		slot = slot_of(p, &p->s.ops[i]);
		if (slot)
			elect(slot, &p->s.ops[i]);
	}
	for (size_t i = 0; i < p->n_slots; i++)
		p->slots[i].n_major = 0;
	for (size_t i = 0; i < p->s.n_ops; i++) {
		slot = slot_of(p, &p->s.ops[i]);
		if (slot)
			count_vote(slot, &p->s.ops[i]);
	}
}

enum fp_status hang_slots_make(struct hang_pass *p, struct fp_err *err)
{
	enum fp_status status = list_slots(p, err);

	if (status != FP_OK)
		return status;
	for (size_t i = 0; i < p->n_slots; i++)
		count_seats(p, &p->slots[i]);
	vote(p);
	return FP_OK;
}
