// SPDX-License-Identifier: Apache-2.0
// From cells to marks, one rule a symptom.
#include "probes/judge/marks.h"

#include <stdlib.h>

#include "probes/trial/grow.h"

static bool weigh(struct judge_mark *mark, enum mark_weight weight, bool alone)
{
	mark->weight = (uint8_t)weight;
	mark->alone = alone;
	return true;
}

static bool slow_rule(const struct judge_opts *o,
                      const struct matrix_cell *cell, struct judge_mark *mark)
{
	const uint32_t unclear =
		CELL_WHY_DEGRADED | CELL_WHY_WEAK | CELL_WHY_OPEN;

	if (cell->why & CELL_WHY_SLOW)
		return weigh(mark, MARK_HARD,
		             !(cell->why & CELL_WHY_OPEN_SLOW));
	if (cell->why & CELL_WHY_DEGRADED && 1 - cell->ratio >= o->end_drop)
		return weigh(mark, MARK_HARD, false);
	if (cell->why & CELL_WHY_OPEN_SLOW && !mark->local)
		return weigh(mark, MARK_SOFT, false);
	if (cell->why & unclear && 1 - cell->ratio >= o->suspect_drop)
		return false;
	return weigh(mark, MARK_GOOD, false);
}

static bool loss_rule(const struct judge_opts *o,
                      const struct matrix_cell *cell, struct judge_mark *mark)
{
	if (mark->local || cell->segs < (int64_t)o->loss_min_segs)
		return false;
	if (cell->why & CELL_WHY_LOSS)
		return weigh(mark, MARK_HARD, true);
	return weigh(mark,
	             cell->why & CELL_WHY_OPEN_LOSS ? MARK_SOFT : MARK_GOOD,
	             false);
}

static bool stall_rule(const struct judge_opts *o,
                       const struct matrix_cell *cell, struct judge_mark *mark)
{
	(void)o;
	if (mark->local)
		return false;
	if (cell->why & CELL_WHY_UNSTEADY)
		return weigh(mark, MARK_HARD, true);
	return weigh(mark, cell->why & CELL_WHY_WEAK ? MARK_SOFT : MARK_GOOD,
	             false);
}

static bool jitter_rule(const struct judge_opts *o,
                        const struct matrix_cell *cell, struct judge_mark *mark)
{
	(void)o;
	if (cell->why & CELL_WHY_UNSTEADY)
		return weigh(mark, MARK_HARD, true);
	return weigh(mark, MARK_GOOD, false);
}

static bool latency_rule(const struct judge_opts *o,
                         const struct matrix_cell *cell,
                         struct judge_mark *mark)
{
	(void)o;
	if (cell->why & CELL_WHY_SLOW)
		return weigh(mark, MARK_HARD, true);
	return weigh(mark, MARK_GOOD, false);
}

static bool corrupt_rule(const struct judge_opts *o,
                         const struct matrix_cell *cell,
                         struct judge_mark *mark)
{
	(void)o;
	if (cell->wrong_bytes)
		return weigh(mark, MARK_HARD, true);
	/* Eight good bytes do not clear the way of a million. */
	return mark->m->op == OP_WRITE && weigh(mark, MARK_GOOD, false);
}

#define OPS(op) (1u << (op))

/* A rule fills in what a cell shows; false: nothing either way. */
static const struct {
	bool (*rule)(const struct judge_opts *o, const struct matrix_cell *cell,
	             struct judge_mark *mark);
	uint32_t ops;
	bool undirected;
} rules[SYMPTOM_COUNT] = {
	[SYMPTOM_CORRUPT] = { corrupt_rule, OPS(OP_WRITE) | OPS(OP_LATENCY),
	                      false },
	[SYMPTOM_SLOW] = { slow_rule, OPS(OP_WRITE), false },
	[SYMPTOM_LOSS] = { loss_rule, OPS(OP_WRITE), false },
	[SYMPTOM_STALL] = { stall_rule, OPS(OP_WRITE), false },
	[SYMPTOM_JITTER] = { jitter_rule, OPS(OP_LATENCY), true },
	[SYMPTOM_LATENCY] = { latency_rule, OPS(OP_LATENCY), true },
};

enum fp_status judge_mark_add(struct judge_case *c,
                              const struct judge_mark *mark, struct fp_err *err)
{
	enum fp_status status =
		grow_room(&c->marks, &c->room_marks, c->n_marks + 1,
	                  sizeof(*c->marks), err);

	if (!status)
		c->marks[c->n_marks++] = *mark;
	return status;
}

static enum fp_status cell_marks(struct judge_case *c, const struct matrix *m,
                                 const struct matrix_cell *cell,
                                 enum symptom symptom, struct fp_err *err)
{
	struct judge_mark mark = {
		.src = cell->src,
		.dst = cell->dst,
		.local = m->classes[cell->cls].local,
		.xport = (uint8_t)m->xport,
		.m = m,
		.cell = cell,
		.blame = -1,
	};
	enum fp_status status = FP_OK;

	if ((cell->value > 0 || cell->wrong_bytes) &&
	    rules[symptom].rule(c->opts, cell, &mark))
		status = judge_mark_add(c, &mark, err);
	if (status || symptom != SYMPTOM_CORRUPT || !cell->wrong_back)
		return status;
	mark.src = cell->dst;
	mark.dst = cell->src;
	weigh(&mark, MARK_HARD, true);
	return judge_mark_add(c, &mark, err);
}

int judge_mark_cmp(const struct judge_mark *a, const struct judge_mark *b)
{
	if (a->local != b->local)
		return a->local - b->local;
	if (a->xport != b->xport)
		return a->xport - b->xport;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

/* Of the same pair the worse one first. */
static int mark_order(const void *pa, const void *pb)
{
	const struct judge_mark *a = pa, *b = pb;
	int by = judge_mark_cmp(a, b);

	if (by)
		return by;
	if (a->weight != b->weight)
		return b->weight - a->weight;
	if (a->alone != b->alone)
		return b->alone - a->alone;
	if (a->mild != b->mild)
		return a->mild - b->mild;
	return (a->m > b->m) - (a->m < b->m);
}

void judge_marks_merge(struct judge_case *c, size_t begin)
{
	size_t i, n = begin;

	if (c->n_marks > begin)
		qsort(c->marks + begin, c->n_marks - begin, sizeof(*c->marks),
		      mark_order);
	for (i = begin; i < c->n_marks; i++)
		if (n == begin ||
		    judge_mark_cmp(&c->marks[n - 1], &c->marks[i]) != 0)
			c->marks[n++] = c->marks[i];
	c->n_marks = n;
}

/* A reliable connection is acknowledged by the device: whichever direction is
 * dead, neither is alive. */
static bool is_round_trip(enum symptom symptom, const struct judge_mark *mark)
{
	return symptom == SYMPTOM_DEAD && mark->xport == XPORT_VERBS;
}

/* Marks [begin, end) as one family. */
static struct blame_family family_of(const struct judge_case *c, size_t begin,
                                     size_t end, enum symptom symptom)
{
	return (struct blame_family){
		.symptom = (uint8_t)symptom,
		.local = c->marks[begin].local,
		.undirected = rules[symptom].undirected ||
		              is_round_trip(symptom, &c->marks[begin]),
		.marks = c->marks + begin,
		.n = end - begin,
	};
}

static size_t family_end(const struct judge_case *c, size_t begin)
{
	size_t end = begin + 1;

	while (end < c->n_marks &&
	       c->marks[end].local == c->marks[begin].local &&
	       c->marks[end].xport == c->marks[begin].xport)
		end++;
	return end;
}

static enum fp_status
families_hear(struct judge_case *c, size_t begin, enum symptom symptom,
              enum fp_status (*hear)(struct judge_case *c,
                                     const struct blame_family *f,
                                     struct fp_err *err),
              struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct blame_family f;
	size_t i, end;

	for (i = begin; !status && i < c->n_marks; i = end) {
		end = family_end(c, i);
		f = family_of(c, i, end, symptom);
		status = hear(c, &f, err);
	}
	return status;
}

/* What is dead or damages data does so on every path: a rank with one partner
 * inside its host and one outside is heard of both at once. */
static bool crosses_paths(enum symptom symptom)
{
	return symptom == SYMPTOM_DEAD || symptom == SYMPTOM_CORRUPT;
}

static enum fp_status all_hear(struct judge_case *c, size_t begin,
                               enum symptom symptom, struct fp_err *err)
{
	enum fp_status status;
	struct blame_family f;

	status = families_hear(c, begin, symptom, judge_blame_ends, err);
	if (!status && crosses_paths(symptom) && begin < c->n_marks) {
		f = family_of(c, begin, c->n_marks, symptom);
		status = judge_blame_ranks(c, &f, err);
	}
	if (!status)
		status = families_hear(c, begin, symptom, judge_blame_pairs,
		                       err);
	return status;
}

enum fp_status judge_marks_hear(struct judge_case *c, const struct matrices *ms,
                                const struct grams *grams, enum symptom symptom,
                                struct fp_err *err)
{
	size_t begin = c->n_marks, i, k;
	enum fp_status status = FP_OK;
	const struct matrix *m;

	if (symptom == SYMPTOM_DEAD)
		status = judge_dead_marks(c, ms, grams, err);
	for (i = 0; !status && i < ms->n; i++) {
		m = &ms->m[i];
		if (!(rules[symptom].ops & OPS(m->op)))
			continue;
		for (k = 0; !status && k < m->n_cells; k++)
			status = cell_marks(c, m, &m->cells[k], symptom, err);
	}
	if (status)
		return status;
	judge_marks_merge(c, begin);
	return all_hear(c, begin, symptom, err);
}
