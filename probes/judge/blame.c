// SPDX-License-Identifier: Apache-2.0
// Rows and columns: whom the marks of one symptom point at.
#include "probes/judge/blame.h"

#include <math.h>

#include "probes/judge/hearing.h"
#include "probes/trial/grow.h"

#define FEW_HOSTS 3     /* fewer cannot say which one is the odd one out */
#define HARD_PARTNERS 2 /* of which each was bad again */
#define SOFT_PARTNERS 4 /* that many bad pairs once each are a retest */

static bool side_convicts(const struct hearing *t, const struct edge_side *s)
{
	return s->bad >= judge_edges_share(t->c, t->f) * (s->bad + s->good) &&
	       (s->hard >= HARD_PARTNERS || s->bad >= SOFT_PARTNERS);
}

static double side_gain(const struct edge_side *s)
{
	return NATS_BAD * s->bad - NATS_GOOD * s->good;
}

/* Against every bad pair having a fault of its own. */
static double end_confidence(const struct judge_blame *b)
{
	double nats = log(PRIOR_END) - NATS_GOOD * b->n_good -
	              log(PRIOR_PAIR) * b->n_bad;

	return 1 / (1 + exp(-nats));
}

/* A class too small to know its own spread makes a weak case. */
static double class_limit(const struct blame_family *f,
                          const struct judge_mark *mark,
                          const struct judge_opts *o)
{
	uint32_t n;

	if (f->symptom == SYMPTOM_DEAD || f->symptom == SYMPTOM_CORRUPT ||
	    !mark->cell)
		return 1;
	n = mark->m->classes[mark->cell->cls].n;
	if (n <= 2)
		return 0.3;
	return n < o->small_class ? 0.9 : 1;
}

enum fp_status hearing_accuse(struct hearing *t,
                              const struct judge_blame *blame,
                              struct fp_err *err)
{
	struct judge_case *c = t->c;
	enum fp_status status =
		grow_room(&c->blames, &c->room_blames, c->n_blames + 1,
	                  sizeof(*c->blames), err);

	if (status)
		return status;
	c->blames[c->n_blames] = *blame;
	c->blames[c->n_blames].symptom = t->f->symptom;
	c->blames[c->n_blames].by = -1;
	c->n_blames++;
	return FP_OK;
}

/* The bad marks of edge @e are explained by @blame from now on. */
void hearing_explain(struct hearing *t, const struct edge *e, size_t blame)
{
	struct judge_blame *b = &t->c->blames[blame];
	struct judge_mark *mark;
	double limit;
	size_t i;

	for (i = e->first; i < e->first + e->n; i++) {
		mark = &t->f->marks[t->edges.order[i]];
		if (mark->weight == MARK_GOOD || mark->blame >= 0)
			continue;
		mark->blame = (int32_t)blame;
		limit = class_limit(t->f, mark, t->c->opts);
		if (limit < b->confidence)
			b->confidence = limit;
	}
}

static bool edge_is_at(const struct edge *e, const struct judge_blame *b,
                       bool undirected)
{
	bool tx = e->a == b->a, rx = e->b == b->a;

	if (undirected || b->direction == DIRECTION_BOTH)
		return tx || rx;
	return b->direction == DIRECTION_TX ? tx : rx;
}

/* How strongly @end is accused, and in which direction; 0: not at all. */
static double end_gain(const struct hearing *t, size_t end, uint8_t *direction)
{
	const struct edge_side *tx = &t->edges.tx[end], *rx = &t->edges.rx[end];
	bool sends = side_convicts(t, tx);
	bool receives = side_convicts(t, rx);

	if (t->f->undirected) {
		*direction = DIRECTION_BOTH;
		return sends ? side_gain(tx) : 0;
	}
	*direction = sends && receives ? DIRECTION_BOTH
	             : sends           ? DIRECTION_TX
	                               : DIRECTION_RX;
	return (sends ? side_gain(tx) : 0) + (receives ? side_gain(rx) : 0);
}

static void end_counts(const struct hearing *t, struct judge_blame *b)
{
	const struct edge_side *tx = &t->edges.tx[b->a];
	const struct edge_side *rx = &t->edges.rx[b->a];
	bool both = b->direction == DIRECTION_BOTH;

	if (both || b->direction == DIRECTION_TX) {
		b->n_bad += tx->bad;
		b->n_good += tx->good;
	}
	if (both || b->direction == DIRECTION_RX) {
		b->n_bad += rx->bad;
		b->n_good += rx->good;
	}
}

static bool strongest_end(const struct hearing *t, struct judge_blame *ret)
{
	double gain, best = 0;
	uint8_t direction;
	size_t end;

	for (end = 0; end < t->edges.n_ends; end++) {
		gain = end_gain(t, end, &direction);
		if (gain <= best)
			continue;
		best = gain;
		ret->a = (int32_t)end;
		ret->direction = direction;
	}
	return best > 0;
}

/* Ends of @level, strongest first, each judged by what is left unexplained. */
static enum fp_status accuse_ends(struct hearing *t, enum blame_level level,
                                  struct fp_err *err)
{
	enum fp_status status;
	struct judge_blame b;
	size_t i;

	for (;;) {
		judge_edges_fill(&t->edges, t->c, t->f, level);
		b = (struct judge_blame){ .level = (uint8_t)level, .b = -1 };
		if (!strongest_end(t, &b))
			return FP_OK;
		end_counts(t, &b);
		b.confidence = end_confidence(&b);
		status = hearing_accuse(t, &b, err);
		if (status)
			return status;
		for (i = 0; i < t->edges.n; i++)
			if (edge_is_at(&t->edges.e[i], &b, t->f->undirected))
				hearing_explain(t, &t->edges.e[i],
				                t->c->n_blames - 1);
	}
}

/* A host with one pair of ranks has little to show: then it must be a lot. */
static bool host_convicts(const struct hearing *t, const struct edge *e)
{
	const struct judge_mark *mark;
	size_t i;

	if (e->a != e->b || !e->is_bad || e->hard < 2)
		return false;
	for (i = e->first; e->n <= 2 && i < e->first + e->n; i++) {
		mark = &t->f->marks[t->edges.order[i]];
		if (1 - mark->cell->ratio < t->c->opts->small_drop_local)
			return false;
	}
	return true;
}

/* Whole hosts whose inside is bad, while that of most others is not. */
static enum fp_status accuse_hosts(struct hearing *t, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct judge_blame b;
	size_t i, hosts = 0, bad = 0;
	const struct edge *e;

	judge_edges_fill(&t->edges, t->c, t->f, BLAME_HOST);
	for (i = 0; i < t->edges.n; i++) {
		hosts += t->edges.e[i].a == t->edges.e[i].b;
		bad += t->edges.e[i].a == t->edges.e[i].b &&
		       t->edges.e[i].is_bad;
	}
	if (hosts < FEW_HOSTS || 2 * bad >= hosts)
		return FP_OK;
	for (i = 0; !status && i < t->edges.n; i++) {
		e = &t->edges.e[i];
		if (!host_convicts(t, e))
			continue;
		b = (struct judge_blame){
			.level = BLAME_HOST,
			.direction = DIRECTION_NONE,
			.a = e->a,
			.b = -1,
			.n_bad = e->bad,
			.n_good = e->good,
		};
		b.confidence = end_confidence(&b);
		status = hearing_accuse(t, &b, err);
		if (!status)
			hearing_explain(t, e, t->c->n_blames - 1);
	}
	return status;
}

/* An end is dead in the way that most of its pairs are. */
static void set_kinds(struct hearing *t)
{
	uint32_t counts[MARK_KIND_COUNT];
	struct judge_blame *b;
	size_t i, k;

	for (i = t->first_blame; i < t->c->n_blames; i++) {
		b = &t->c->blames[i];
		for (k = 0; k < MARK_KIND_COUNT; k++)
			counts[k] = 0;
		for (k = 0; k < t->f->n; k++)
			if (t->f->marks[k].blame == (int32_t)i)
				counts[t->f->marks[k].kind]++;
		for (b->kind = 0, k = 1; k < MARK_KIND_COUNT; k++)
			if (counts[k] > counts[b->kind])
				b->kind = (uint8_t)k;
	}
}

static enum fp_status hear_ends(struct hearing *t, struct fp_err *err)
{
	const struct blame_family *f = t->f;
	enum fp_status status = FP_OK;

	if (f->local && f->symptom == SYMPTOM_SLOW)
		status = accuse_hosts(t, err);
	if (!status && !f->local)
		status = accuse_ends(t, BLAME_PORT, err);
	if (!status && !f->local)
		status = hearing_accuse_port_pairs(t, err);
	return status ? status : accuse_ends(t, BLAME_RANK, err);
}

static enum fp_status hear_ranks(struct hearing *t, struct fp_err *err)
{
	return accuse_ends(t, BLAME_RANK, err);
}

static enum fp_status hear(struct judge_case *c, const struct blame_family *f,
                           enum fp_status (*accuse)(struct hearing *t,
                                                    struct fp_err *err),
                           struct fp_err *err)
{
	struct hearing t = { .c = c, .f = f, .first_blame = c->n_blames };
	enum fp_status status = judge_edges_init(&t.edges, c, f, err);

	if (status)
		return status;
	status = accuse(&t, err);
	if (!status)
		set_kinds(&t);
	judge_edges_done(&t.edges);
	return status;
}

enum fp_status judge_blame_ends(struct judge_case *c,
                                const struct blame_family *f,
                                struct fp_err *err)
{
	return hear(c, f, hear_ends, err);
}

enum fp_status judge_blame_ranks(struct judge_case *c,
                                 const struct blame_family *f,
                                 struct fp_err *err)
{
	return hear(c, f, hear_ranks, err);
}

enum fp_status judge_blame_pairs(struct judge_case *c,
                                 const struct blame_family *f,
                                 struct fp_err *err)
{
	return hear(c, f, hearing_accuse_pairs, err);
}
