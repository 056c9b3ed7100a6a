// SPDX-License-Identifier: Apache-2.0
// Edges: from a rank to what it waits in, and on to whom that waits for.
#include <stdlib.h>
#include <string.h>

#include "probes/explain/fr.h"
#include "probes/explain/hang_part.h"

static int by_number(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static enum fp_status list_ranks(struct hang_pass *p, struct fp_err *err)
{
	size_t n = 0;

	p->ranks = calloc(p->s.n_seats + 1, sizeof(*p->ranks));
	if (!p->ranks)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	for (size_t i = 0; i < p->s.n_seats; i++)
		p->ranks[i] = p->s.seats[i].rank;
	qsort(p->ranks, p->s.n_seats, sizeof(*p->ranks), by_number);
	for (size_t i = 0; i < p->s.n_seats; i++)
		if (!n || p->ranks[n - 1] != p->ranks[i])
			p->ranks[n++] = p->ranks[i];
	p->n_ranks = n;
	return FP_OK;
}

static uint32_t node_of_rank(const struct hang_pass *p, int32_t rank)
{
	const int32_t *at = bsearch(&rank, p->ranks, p->n_ranks,
	                            sizeof(*p->ranks), by_number);

	return at ? (uint32_t)(at - p->ranks) : UINT32_MAX;
}

static uint32_t node_of_slot(const struct hang_pass *p,
                             const struct hang_slot *slot)
{
	return (uint32_t)(p->n_ranks + (size_t)(slot - p->slots));
}

/*
 * A collective waits for those that have not launched it, and for those that
 * have but are held by something older. Of ranks without a word it is only
 * said where nobody else is in the way.
 */
static enum fp_status
link_slot(struct hang_pass *p, const struct hang_slot *slot, struct fp_err *err)
{
	size_t n;
	const struct seat *seats = seating_group(&p->s, slot->group, &n);
	bool known = slot->n_absent || slot->n_queued;
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < n && status == FP_OK; i++) {
		const struct seat *seat = &seats[i];
		const struct seat_op *first = hang_oldest(p, seat->rank);
		bool absent = seat->heard ? seat->enqueued < slot->seq
		                          : !known && !slot->n_done;
		bool open = seat->heard && !absent && seat->done < slot->seq;
		bool queued = open && first &&
		              (first->group != slot->group ||
		               first->seq != slot->seq);

		if (absent || queued)
			status = graph_add(&p->graph, node_of_slot(p, slot),
			                   node_of_rank(p, seat->rank), err);
	}
	return status;
}

/* Has @peer an open operation towards @rank in this group? */
static const struct seat_op *counterpart(const struct hang_pass *p,
                                         const struct seat_op *op)
{
	const struct seat_op *at = hang_oldest(p, op->peer);
	const struct seat_op *end = p->s.ops + p->s.n_ops;

	for (; at && at < end && at->rank == op->peer; at++)
		if (at->group == op->group && at->peer == op->rank &&
		    at->direction != op->direction)
			return at;
	return NULL;
}

static enum fp_status link_pair(struct hang_pass *p, const struct seat_op *op,
                                struct fp_err *err)
{
	const struct seat_op *other = counterpart(p, op);
	uint32_t from = node_of_rank(p, op->rank);
	uint32_t to = node_of_rank(p, op->peer);

	if (from == UINT32_MAX || to == UINT32_MAX || from == to)
		return FP_OK;
	if (!other || (op->oldest && !other->oldest))
		return graph_add(&p->graph, from, to, err);
	return FP_OK;
}

static enum fp_status link_op(struct hang_pass *p, const struct seat_op *op,
                              struct fp_err *err)
{
	const struct hang_slot *slot;

	if (op->direction != FR_COLLECTIVE)
		return link_pair(p, op, err);
	slot = hang_slot_find(p, op->group, op->seq);
	/* What a rank launched later holds it only if somebody is missing. */
	if (!slot || (!op->oldest && !slot->n_absent))
		return FP_OK;
	return graph_add(&p->graph, node_of_rank(p, op->rank),
	                 node_of_slot(p, slot), err);
}

enum fp_status hang_link(struct hang_pass *p, struct fp_err *err)
{
	enum fp_status status = list_ranks(p, err);

	p->graph.n_nodes = (uint32_t)(p->n_ranks + p->n_slots);
	for (size_t i = 0; i < p->s.n_ops && status == FP_OK; i++)
		status = link_op(p, &p->s.ops[i], err);
	for (size_t i = 0; i < p->n_slots && status == FP_OK; i++)
		status = link_slot(p, &p->slots[i], err);
	return status == FP_OK ? graph_components(&p->graph, err) : status;
}
