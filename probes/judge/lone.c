// SPDX-License-Identifier: Apache-2.0
// What no end explains: pairs, one by one.
#include <math.h>

#include "probes/judge/hearing.h"

#define LONE_PAIRS 2 /* more, and more than a tenth, are not lone */

static double end_over_pair(const struct edge_side *s)
{
	double others = s->bad > 1 ? s->bad - 1 : 0;

	return exp(log(PRIOR_END / PRIOR_PAIR) + NATS_BAD * others -
	           NATS_GOOD * s->good);
}

/* What of edge @e is bad enough to be named without others? */
static bool edge_stands_alone(const struct hearing *t, const struct edge *e,
                              bool *ret_mild)
{
	const struct judge_mark *mark;
	bool alone = false;
	size_t i;

	*ret_mild = true;
	for (i = e->first; i < e->first + e->n; i++) {
		mark = &t->f->marks[t->edges.order[i]];
		if (mark->weight != MARK_HARD || mark->blame >= 0 ||
		    !mark->alone)
			continue;
		alone = true;
		*ret_mild = *ret_mild && mark->mild;
	}
	return alone;
}

static uint8_t edge_kind(const struct hearing *t, const struct edge *e)
{
	size_t i;

	for (i = e->first; i < e->first + e->n; i++)
		if (t->f->marks[t->edges.order[i]].weight == MARK_HARD)
			return t->f->marks[t->edges.order[i]].kind;
	return MARK_ANY;
}

/* The same pair the other way round was accused of the same already. */
static struct judge_blame *way_back(const struct hearing *t,
                                    const struct judge_blame *b)
{
	struct judge_blame *o;
	size_t i;

	for (i = t->first_blame; i < t->c->n_blames; i++) {
		o = &t->c->blames[i];
		if (o->level == b->level && o->a == b->b && o->b == b->a &&
		    o->kind == b->kind)
			return o;
	}
	return NULL;
}

static enum fp_status accuse_edge(struct hearing *t, const struct edge *e,
                                  enum blame_level level, bool mild,
                                  struct fp_err *err)
{
	const struct edge_side *in =
		t->f->undirected ? t->edges.tx : t->edges.rx;
	struct judge_blame b = {
		.level = (uint8_t)level,
		.direction = t->f->undirected ? DIRECTION_BOTH : DIRECTION_TX,
		.kind = edge_kind(t, e),
		.mild = mild,
		.a = e->a,
		.b = e->b,
		.n_bad = e->bad,
		.n_good = e->good,
		.confidence = 1 / (1 + end_over_pair(&t->edges.tx[e->a]) +
		                   end_over_pair(&in[e->b])),
	};
	struct judge_blame *back = way_back(t, &b);
	enum fp_status status = FP_OK;

	if (back) {
		back->direction = DIRECTION_BOTH;
		back->mild = back->mild && mild;
		hearing_explain(t, e, (size_t)(back - t->c->blames));
		return FP_OK;
	}
	status = hearing_accuse(t, &b, err);
	if (!status)
		hearing_explain(t, e, t->c->n_blames - 1);
	return status;
}

/* Do the bad marks of @e lie between different ranks? */
static bool edge_has_ranks(const struct hearing *t, const struct edge *e)
{
	const struct judge_mark *mark, *first = NULL;
	size_t i;

	for (i = e->first; i < e->first + e->n; i++) {
		mark = &t->f->marks[t->edges.order[i]];
		if (mark->weight == MARK_GOOD || mark->blame >= 0)
			continue;
		if (!first)
			first = mark;
		if ((mark->src != first->src && mark->src != first->dst) ||
		    (mark->dst != first->src && mark->dst != first->dst))
			return true;
	}
	return false;
}

enum fp_status hearing_accuse_port_pairs(struct hearing *t, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	bool mild;
	size_t i;

	judge_edges_fill(&t->edges, t->c, t->f, BLAME_PORT);
	for (i = 0; !status && i < t->edges.n; i++)
		if (t->edges.e[i].is_bad && edge_has_ranks(t, &t->edges.e[i]) &&
		    edge_stands_alone(t, &t->edges.e[i], &mild))
			status = accuse_edge(t, &t->edges.e[i], BLAME_PORT_PAIR,
			                     mild, err);
	return status;
}

/* Where many lone pairs are unsteady, or slow on shared cores, it is the
 * time that was bad, not they. */
static bool is_diffuse(const struct hearing *t)
{
	size_t i, lone = 0;
	bool mild;

	if (t->f->symptom == SYMPTOM_DEAD || t->f->symptom == SYMPTOM_CORRUPT ||
	    t->f->symptom == SYMPTOM_LOSS ||
	    (t->f->symptom == SYMPTOM_SLOW && !t->f->local))
		return false;
	for (i = 0; i < t->edges.n; i++)
		lone += edge_stands_alone(t, &t->edges.e[i], &mild);
	return lone > LONE_PAIRS && lone * 10 > t->edges.n;
}

enum fp_status hearing_accuse_pairs(struct hearing *t, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	bool mild;
	size_t i;

	judge_edges_fill(&t->edges, t->c, t->f, BLAME_RANK);
	if (is_diffuse(t))
		return FP_OK;
	for (i = 0; !status && i < t->edges.n; i++)
		if (edge_stands_alone(t, &t->edges.e[i], &mild))
			status = accuse_edge(t, &t->edges.e[i], BLAME_PAIR,
			                     mild, err);
	return status;
}
