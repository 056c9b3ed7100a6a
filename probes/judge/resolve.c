// SPDX-License-Identifier: Apache-2.0
// Who explains whom, when several symptoms point at one place.
#include <math.h>
#include <stdlib.h>

#include "probes/judge/blame.h"
#include "probes/judge/lossy.h"
#include "probes/judge/marks.h"

static bool at_end(int32_t a, int32_t src, int32_t dst, uint8_t direction)
{
	return (direction != DIRECTION_RX && a == src) ||
	       (direction != DIRECTION_TX && a == dst);
}

static bool at_pair(const struct judge_blame *b, int32_t src, int32_t dst)
{
	return (b->a == src && b->b == dst) ||
	       (b->direction == DIRECTION_BOTH && b->a == dst && b->b == src);
}

static bool covers_way(const struct judge_case *c, const struct judge_blame *b,
                       bool local, int32_t src, int32_t dst)
{
	const int32_t *port = c->ports->of_rank;

	switch (b->level) {
	case BLAME_HOST:
		return local && c->job->ranks[src].host == b->a &&
		       c->job->ranks[dst].host == b->a;
	case BLAME_PORT:
		return !local &&
		       at_end(b->a, port[src], port[dst], b->direction);
	case BLAME_PORT_PAIR:
		return !local && at_pair(b, port[src], port[dst]);
	case BLAME_RANK:
		return at_end(b->a, src, dst, b->direction);
	default:
		return at_pair(b, src, dst);
	}
}

bool judge_blame_covers(const struct judge_case *c, const struct judge_blame *b,
                        const struct judge_mark *mark, bool undirected)
{
	return covers_way(c, b, mark->local, mark->src, mark->dst) ||
	       (undirected &&
	        covers_way(c, b, mark->local, mark->dst, mark->src));
}

/* struct docket - the case, with each blame's marks side by side. */
struct docket {
	struct judge_case *c;
	size_t *first; /* [n_blames + 1] into marks */
	size_t *marks;
};

/* Did what shows @symptom need both ways? A round trip does; and a reliable
 * connection, which waits for acknowledgements, and sends again without. */
static bool went_both_ways(const struct judge_mark *mark, uint8_t symptom)
{
	if (mark->m && mark->m->op == OP_LATENCY)
		return symptom != SYMPTOM_CORRUPT;
	return mark->xport == XPORT_VERBS &&
	       (symptom == SYMPTOM_STALL || symptom == SYMPTOM_LOSS);
}

/* Does blame @i cover all marks of blame @j? */
static bool covers_all(const struct docket *d, size_t i, size_t j)
{
	const struct judge_case *c = d->c;
	const struct judge_mark *mark;
	size_t k;

	for (k = d->first[j]; k < d->first[j + 1]; k++) {
		mark = &c->marks[d->marks[k]];
		if (!judge_blame_covers(
			    c, &c->blames[i], mark,
			    went_both_ways(mark, c->blames[j].symptom)))
			return false;
	}
	return true;
}

enum condition {
	ALWAYS,
	IF_STALLS,   /* its worst moments are worse than its pace */
	IF_SPORADIC, /* what it explains did not fail every time */
	IF_PACED,    /* the slow one is slow in each message */
	UNLESS_PACED,
	IF_LOSS_BOUND, /* most slow pairs carry what their loss allows */
};

/*
 * In this order: @by explains @what when its place covers the other's, and
 * also when both places are the same, if so marked. A rate limit drops
 * packets, so slowness explains loss, unless the rate is one that loss at
 * random leaves; loss makes round trips wait, so it explains jitter, and
 * trials that wait too long; and what waits now and then is slow on the whole.
 */
static const struct {
	uint8_t by, what;
	bool equal;
	uint8_t only; /* enum condition */
} explains[] = {
	{ SYMPTOM_CORRUPT, SYMPTOM_CORRUPT, true, ALWAYS },
	{ SYMPTOM_DEAD, SYMPTOM_DEAD, true, ALWAYS },
	{ SYMPTOM_LOSS, SYMPTOM_DEAD, true, IF_SPORADIC },
	{ SYMPTOM_DEAD, SYMPTOM_SLOW, true, ALWAYS },
	{ SYMPTOM_DEAD, SYMPTOM_LOSS, true, ALWAYS },
	{ SYMPTOM_DEAD, SYMPTOM_STALL, true, ALWAYS },
	{ SYMPTOM_DEAD, SYMPTOM_JITTER, true, ALWAYS },
	{ SYMPTOM_DEAD, SYMPTOM_LATENCY, true, ALWAYS },
	{ SYMPTOM_SLOW, SYMPTOM_SLOW, true, ALWAYS },
	{ SYMPTOM_LOSS, SYMPTOM_LOSS, true, ALWAYS },
	{ SYMPTOM_JITTER, SYMPTOM_JITTER, true, ALWAYS },
	{ SYMPTOM_LATENCY, SYMPTOM_LATENCY, true, ALWAYS },
	{ SYMPTOM_STALL, SYMPTOM_STALL, true, ALWAYS },
	{ SYMPTOM_LOSS, SYMPTOM_SLOW, false, ALWAYS },
	{ SYMPTOM_LOSS, SYMPTOM_STALL, true, ALWAYS },
	{ SYMPTOM_LOSS, SYMPTOM_JITTER, true, ALWAYS },
	{ SYMPTOM_LOSS, SYMPTOM_LATENCY, true, ALWAYS },
	{ SYMPTOM_LOSS, SYMPTOM_SLOW, true, IF_LOSS_BOUND },
	{ SYMPTOM_SLOW, SYMPTOM_LOSS, true, ALWAYS },
	{ SYMPTOM_SLOW, SYMPTOM_JITTER, false, ALWAYS },
	{ SYMPTOM_SLOW, SYMPTOM_JITTER, true, IF_PACED },
	{ SYMPTOM_JITTER, SYMPTOM_SLOW, true, UNLESS_PACED },
	{ SYMPTOM_JITTER, SYMPTOM_STALL, true, ALWAYS },
	{ SYMPTOM_JITTER, SYMPTOM_LATENCY, true, ALWAYS },
	{ SYMPTOM_STALL, SYMPTOM_SLOW, true, IF_STALLS },
	{ SYMPTOM_SLOW, SYMPTOM_STALL, true, ALWAYS },
	{ SYMPTOM_SLOW, SYMPTOM_LATENCY, true, ALWAYS },
	{ SYMPTOM_STALL, SYMPTOM_SLOW, false, ALWAYS },
	{ SYMPTOM_STALL, SYMPTOM_JITTER, true, ALWAYS },
};

/* Is the worst of blame @i's pairs further from what they reach than that is
 * from what others reach? */
static bool stalls_most(const struct docket *d, size_t i)
{
	const struct matrix_cell *cell;
	double stalls = 0, slow = 0;
	size_t k;

	for (k = d->first[i]; k < d->first[i + 1]; k++) {
		cell = d->c->marks[d->marks[k]].cell;
		if (!cell || !(cell->low > 0) || !(cell->value > 0))
			continue;
		stalls += log(cell->low / cell->value);
		slow += log(cell->ratio);
	}
	return stalls < slow;
}

/* Did all pairs of blame @j get through at other times? */
static bool is_sporadic(const struct docket *d, size_t j)
{
	const struct matrix_cell *cell;
	size_t k;

	for (k = d->first[j]; k < d->first[j + 1]; k++) {
		cell = d->c->marks[d->marks[k]].cell;
		if (!cell || !(cell->value > 0))
			return false;
	}
	return true;
}

/* Slow even in its best moments, which waits now and then do not explain? */
static bool is_paced(const struct docket *d, size_t i)
{
	const struct matrix_cell *cell;
	size_t k;

	for (k = d->first[i]; k < d->first[i + 1]; k++) {
		cell = d->c->marks[d->marks[k]].cell;
		if (cell && cell->why & CELL_WHY_PACE)
			return true;
	}
	return false;
}

static bool is_loss_bound(const struct docket *d, size_t j)
{
	const struct matrix_cell *cell;
	size_t k, bound = 0, n = 0;

	for (k = d->first[j]; k < d->first[j + 1]; k++) {
		cell = d->c->marks[d->marks[k]].cell;
		n += cell != NULL;
		bound += cell && judge_lossy_explains(cell);
	}
	return 2 * bound > n;
}

static bool is_met(const struct docket *d, unsigned only, size_t i, size_t j)
{
	switch (only) {
	case IF_STALLS:
		return stalls_most(d, i);
	case IF_SPORADIC:
		return is_sporadic(d, j);
	case IF_PACED:
		return is_paced(d, i);
	case UNLESS_PACED:
		return !is_paced(d, j);
	case IF_LOSS_BOUND:
		return is_loss_bound(d, j);
	default:
		return true;
	}
}

static bool applies(const struct docket *d, size_t rule, size_t i, size_t j)
{
	const struct judge_blame *by = &d->c->blames[i];
	const struct judge_blame *what = &d->c->blames[j];

	if (i == j || by->by >= 0 || what->by >= 0 ||
	    by->symptom != explains[rule].by ||
	    what->symptom != explains[rule].what || !covers_all(d, i, j))
		return false;
	if (!is_met(d, explains[rule].only, i, j))
		return false;
	/* Of equals of one symptom the first stays. */
	if (by->symptom == what->symptom)
		return i < j || !covers_all(d, j, i);
	return explains[rule].equal || !covers_all(d, j, i);
}

/* Streams have a direction, round trips have none: take it over. */
static void take_direction(struct judge_blame *by,
                           const struct judge_blame *what)
{
	if (by->symptom != SYMPTOM_JITTER || by->level != what->level ||
	    by->direction != DIRECTION_BOTH ||
	    (what->symptom != SYMPTOM_SLOW && what->symptom != SYMPTOM_STALL))
		return;
	by->direction = what->direction;
	by->a = what->a;
	by->b = what->b;
}

static void apply_rule(struct docket *d, size_t rule)
{
	struct judge_case *c = d->c;
	size_t i, j;

	for (i = 0; i < c->n_blames; i++)
		for (j = 0; j < c->n_blames; j++)
			if (applies(d, rule, i, j)) {
				c->blames[j].by = (int32_t)i;
				take_direction(&c->blames[i], &c->blames[j]);
			}
}

/* A counting sort of the marks by their blame. */
static void docket_fill(struct docket *d)
{
	const struct judge_case *c = d->c;
	size_t i, b;

	for (i = 0; i < c->n_marks; i++)
		if (c->marks[i].blame >= 0)
			d->first[c->marks[i].blame + 1]++;
	for (b = 0; b < c->n_blames; b++)
		d->first[b + 1] += d->first[b];
	for (i = c->n_marks; i-- > 0;)
		if (c->marks[i].blame >= 0)
			d->marks[--d->first[c->marks[i].blame + 1]] = i;
	/* Now first[b + 1] is where blame b begins. */
	for (b = 0; b < c->n_blames; b++)
		d->first[b] = d->first[b + 1];
	for (i = b = 0; i < c->n_marks; i++)
		b += c->marks[i].blame >= 0;
	d->first[c->n_blames] = b;
}

enum fp_status judge_blame_resolve(struct judge_case *c, struct fp_err *err)
{
	struct docket d = {
		.c = c,
		.first = calloc(c->n_blames + 2, sizeof(*d.first)),
		.marks = calloc(c->n_marks + 1, sizeof(*d.marks)),
	};
	enum fp_status status = FP_OK;
	size_t rule;

	if (d.first && d.marks) {
		docket_fill(&d);
		for (rule = 0; rule < sizeof(explains) / sizeof(explains[0]);
		     rule++)
			apply_rule(&d, rule);
	} else {
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	}
	free(d.first);
	free(d.marks);
	return status;
}
