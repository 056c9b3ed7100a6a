// SPDX-License-Identifier: Apache-2.0
// Sinks of the graph of waiting: who waits for nobody else.
#include <stdlib.h>
#include <string.h>

#include "probes/explain/fr.h"
#include "probes/explain/hang_part.h"

/* What is known of a component of the graph. */
struct sink {
	bool leaves;  /* an edge leads out of it */
	bool awaited; /* one leads into it, or it has several nodes */
	uint32_t n_ranks, n_slots;
	uint32_t node; /* one of them */
};

static struct sink *find_sinks(const struct hang_pass *p)
{
	const struct graph *g = &p->graph;
	struct sink *sinks = calloc(g->n_components + 1, sizeof(*sinks));

	for (size_t i = 0; sinks && i < g->n; i++) {
		uint32_t from = g->component[g->edges[i].from];
		uint32_t to = g->component[g->edges[i].to];

		sinks[from].leaves |= from != to;
		sinks[to].awaited = true;
	}
	for (uint32_t i = 0; sinks && i < g->n_nodes; i++) {
		struct sink *sink = &sinks[g->component[i]];

		sink->node = i;
		sink->n_ranks += i < p->n_ranks;
		sink->n_slots += i >= p->n_ranks;
	}
	return sinks;
}

/* The hang of @class that there is already for this place, or a new one. */
static struct hang *hang_for(struct hang_pass *p, unsigned class,
                             const struct hang_slot *slot)
{
	struct hangs *all = p->hangs;
	struct hang *hang;

	for (size_t i = 0; i < all->n; i++)
		if (all->h[i].class == class)
			return &all->h[i];
	hang = hangs_new(all, class);
	if (!hang)
		return NULL;
	hang->event = UINT32_MAX;
	if (slot) {
		hang->group = slot->group;
		hang->seq = slot->seq;
		hang->op = slot->op;
		hang->op2 = slot->other_op;
		hang->event = slot->event;
	}
	return hang;
}

/* The collective in which somebody misses @rank most. */
static const struct hang_slot *missed_in(const struct hang_pass *p,
                                         uint32_t node)
{
	const struct hang_slot *best = NULL;

	for (size_t i = 0; i < p->graph.n; i++) {
		const struct graph_edge *edge = &p->graph.edges[i];
		const struct hang_slot *slot;

		if (edge->to != node || edge->from < p->n_ranks)
			continue;
		slot = &p->slots[edge->from - p->n_ranks];
		if (!best || slot->n_open > best->n_open)
			best = slot;
	}
	return best;
}

static bool was_heard(const struct hang_pass *p, int32_t rank)
{
	for (size_t i = 0; i < p->s.n_seats; i++)
		if (p->s.seats[i].rank == rank && p->s.seats[i].heard)
			return true;
	return false;
}

static int64_t at_seq(const struct hang_pass *p, const struct hang_slot *slot,
                      int32_t rank)
{
	const struct seat *seat =
		slot ? seating_find(&p->s, slot->group, rank) : NULL;

	return seat && seat->enqueued != SEAT_UNKNOWN ? seat->enqueued : -1;
}

/* A rank that others wait for and that waits for nobody. */
static enum fp_status name_rank(struct hang_pass *p, uint32_t node,
                                struct fp_err *err)
{
	int32_t rank = p->ranks[node];
	const struct hang_slot *slot = missed_in(p, node);
	unsigned class = was_heard(p, rank) ? HANG_ABSENT : HANG_SILENT;
	struct hang *hang = hang_for(p, class, slot);

	if (!hang)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	hang->seq2 = at_seq(p, slot, rank);
	return hang_add_rank(hang, rank, err);
}

static unsigned class_of(const struct hang_pass *p,
                         const struct hang_slot *slot)
{
	if (slot->other_sig)
		return HANG_MISMATCH;
	if (!slot->n_done)
		return slot->n_unheard ? HANG_SILENT : HANG_STUCK;
	/*
	 * The watchdog tells the open one only: without what is enqueued
	 * behind it, ranks that are elsewhere may never have been here.
	 */
	return p->s.from_log ? HANG_DESYNC : HANG_PARTIAL;
}

static bool is_culprit(const struct hang_slot *slot, const struct seat_op *op,
                       unsigned class)
{
	if (op->group != slot->group || op->seq != slot->seq ||
	    op->direction != FR_COLLECTIVE)
		return false;
	/* Without a majority nobody can say which of them are wrong. */
	return class != HANG_MISMATCH || op->sig != slot->sig ||
	       slot->n_major * 2 <= slot->n_open;
}

static int64_t launched_beyond(const struct hang_pass *p,
                               const struct hang_slot *slot)
{
	size_t n;
	const struct seat *seats = seating_group(&p->s, slot->group, &n);
	int64_t most = 0;

	for (size_t i = 0; i < n; i++)
		if (seats[i].enqueued != SEAT_UNKNOWN &&
		    seats[i].enqueued - slot->seq > most)
			most = seats[i].enqueued - slot->seq;
	return most;
}

/* A collective in which nobody is missing. */
static enum fp_status
name_slot(struct hang_pass *p, const struct hang_slot *slot, struct fp_err *err)
{
	unsigned class = class_of(p, slot);
	struct hang *hang = hang_for(p, class, slot);
	enum fp_status status = FP_OK;

	if (!hang)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	hang->ahead = launched_beyond(p, slot);
	for (size_t i = 0; i < p->s.n_ops && status == FP_OK; i++)
		if (is_culprit(slot, &p->s.ops[i], class))
			status = hang_add_rank(hang, p->s.ops[i].rank, err);
	return status;
}

/* Ranks that wait for each other, and for nobody else. */
static enum fp_status name_circle(struct hang_pass *p, uint32_t component,
                                  struct fp_err *err)
{
	struct hang *hang = hang_for(p, HANG_ORDER, NULL);
	enum fp_status status = FP_OK;

	if (!hang)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	for (uint32_t i = 0; i < p->n_ranks && status == FP_OK; i++)
		if (p->graph.component[i] == component)
			status = hang_add_rank(hang, p->ranks[i], err);
	for (size_t i = 0; i < p->n_slots; i++)
		if (p->graph.component[p->n_ranks + i] == component) {
			hang->op2 = hang->op;
			hang->op = p->slots[i].op;
			hang->group = p->slots[i].group;
			hang->seq = p->slots[i].seq;
			hang->event = p->slots[i].event;
		}
	return status;
}

/* Ranks that call something else are at fault, whoever waits for whom. */
static enum fp_status name_mismatches(struct hang_pass *p, bool *ret,
                                      struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < p->n_slots && status == FP_OK; i++) {
		if (!p->slots[i].other_sig)
			continue;
		/* Behind the first, all that follow differ as well. */
		if (i && p->slots[i - 1].group == p->slots[i].group &&
		    p->slots[i - 1].other_sig)
			continue;
		*ret = true;
		status = name_slot(p, &p->slots[i], err);
	}
	return status;
}

static enum fp_status name_sink(struct hang_pass *p, const struct sink *sink,
                                uint32_t component, struct fp_err *err)
{
	if (sink->leaves || !sink->awaited)
		return FP_OK;
	if (sink->n_ranks + sink->n_slots > 1)
		return name_circle(p, component, err);
	if (sink->n_slots)
		return name_slot(p, &p->slots[sink->node - p->n_ranks], err);
	return name_rank(p, sink->node, err);
}

static size_t count_waiting(const struct hang_pass *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->s.n_ops; i++)
		n += p->s.ops[i].oldest;
	return n;
}

enum fp_status hang_name_roots(struct hang_pass *p, struct fp_err *err)
{
	struct sink *sinks = find_sinks(p);
	bool mismatch = false;
	enum fp_status status;

	if (!sinks)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	status = name_mismatches(p, &mismatch, err);
	for (uint32_t i = 0;
	     !mismatch && status == FP_OK && i < p->graph.n_components; i++)
		status = name_sink(p, &sinks[i], i, err);
	for (size_t i = 0; i < p->hangs->n; i++)
		p->hangs->h[i].n_waiting = count_waiting(p);
	free(sinks);
	return status;
}
