// SPDX-License-Identifier: Apache-2.0
// Which direction of a pair is dead. A stream needs both for its
// acknowledgements, so it hangs whichever fails; datagrams tell.
#include <stdlib.h>

#include "probes/judge/marks.h"
#include "probes/trial/grow.h"

/* struct way - all that is known of one direction of a pair on one path. */
struct way {
	struct judge_mark mark; /* its pair and family; its worst cell */
	uint32_t fail;          /* CELL_ERROR, CELL_HANG; 0: none */
	bool bulk_fail;         /* streams did, not only round trips */
	bool ok;                /* something got through */
	bool bulk_ok;           /* full-size packets did */
	bool passed_since;      /* failed, but not any more */
};

struct ways {
	struct way *w;
	size_t n, room;
};

static uint32_t cell_fail(const struct matrix_cell *cell)
{
	if (!(cell->why & CELL_WHY_FAILED))
		return 0;
	if (cell->state == CELL_ERROR || cell->state == CELL_HANG)
		return cell->state;
	return CELL_HANG;
}

static struct judge_mark mark_of(const struct matrix *m,
                                 const struct matrix_cell *cell)
{
	return (struct judge_mark){
		.src = cell->src,
		.dst = cell->dst,
		.local = m->classes[cell->cls].local,
		.xport = (uint8_t)m->xport,
		.m = m,
		.cell = cell,
		.blame = -1,
	};
}

static enum fp_status way_add(struct ways *ways, const struct way *way,
                              struct fp_err *err)
{
	enum fp_status status = grow_room(&ways->w, &ways->room, ways->n + 1,
	                                  sizeof(*ways->w), err);

	if (!status)
		ways->w[ways->n++] = *way;
	return status;
}

static enum fp_status add_cells(struct ways *ways, const struct matrix *m,
                                struct fp_err *err)
{
	enum fp_status status = FP_OK;
	const struct matrix_cell *cell;
	struct way way;
	size_t i;

	for (i = 0; !status && i < m->n_cells; i++) {
		cell = &m->cells[i];
		way = (struct way){
			.mark = mark_of(m, cell),
			.fail = cell_fail(cell),
			.ok = cell->value > 0,
			.bulk_ok = m->op == OP_WRITE && cell->value > 0,
		};
		way.bulk_fail = way.fail && m->op == OP_WRITE;
		way.passed_since = way.fail && cell->state < CELL_CORRUPT;
		status = way_add(ways, &way, err);
	}
	return status;
}

/* Directions of which only datagrams are known. */
static enum fp_status add_grams(struct ways *ways, const struct judge_case *c,
                                const struct grams *grams, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	const struct gram *g;
	struct way way;
	size_t i;

	for (i = 0; !status && i < grams->n; i++) {
		g = &grams->g[i];
		way = (struct way){
			.mark = {
				.src = g->src,
				.dst = g->dst,
				.local = topo_job_same_host(c->job, g->src,
				                            g->dst) ||
				         judge_ports_is_loopback(
				                 c->job, g->src, g->dst),
				.xport = XPORT_TCP,
				.blame = -1,
			},
		};
		status = way_add(ways, &way, err);
	}
	return status;
}

static int way_cmp(const void *pa, const void *pb)
{
	const struct way *a = pa, *b = pb;
	int by = judge_mark_cmp(&a->mark, &b->mark);

	if (by)
		return by;
	if (a->fail != b->fail)
		return a->fail > b->fail ? -1 : 1;
	if (!a->mark.m || !b->mark.m)
		return !a->mark.m - !b->mark.m;
	return (a->mark.m > b->mark.m) - (a->mark.m < b->mark.m);
}

static void way_merge(struct way *into, const struct way *w)
{
	into->ok |= w->ok;
	into->bulk_fail |= w->bulk_fail;
	into->bulk_ok |= w->bulk_ok;
}

/* One entry a direction and path: the worst failure, and any success. */
static void ways_merge(struct ways *ways)
{
	size_t i, n = 0;

	if (ways->n)
		qsort(ways->w, ways->n, sizeof(*ways->w), way_cmp);
	for (i = 0; i < ways->n; i++) {
		if (n &&
		    judge_mark_cmp(&ways->w[n - 1].mark, &ways->w[i].mark) == 0)
			way_merge(&ways->w[n - 1], &ways->w[i]);
		else
			ways->w[n++] = ways->w[i];
	}
	ways->n = n;
}

static int way_pair_cmp(const void *pa, const void *pb)
{
	const struct way *a = pa, *b = pb;

	return judge_mark_cmp(&a->mark, &b->mark);
}

static const struct way *way_back(const struct ways *ways, const struct way *w)
{
	struct way key = *w;

	key.mark.src = w->mark.dst;
	key.mark.dst = w->mark.src;
	return bsearch(&key, ways->w, ways->n, sizeof(key), way_pair_cmp);
}

/* struct evidence - one direction, with what bears on it. */
struct evidence {
	const struct way *way;
	bool back_failed, back_ok;
	enum gram_verdict gram, gram_back;
};

static bool is_troubled(const struct evidence *e)
{
	return e->way->fail || e->back_failed || (!e->way->ok && !e->back_ok);
}

static enum mark_kind dead_kind(const struct evidence *e)
{
	bool alive = e->gram == GRAM_ALIVE && e->gram_back == GRAM_ALIVE;

	if (e->way->fail == CELL_HANG)
		return alive ? MARK_HANG_ALIVE : MARK_HANG;
	return alive ? MARK_ERROR_ALIVE : MARK_ERROR;
}

/* Returns false when it says nothing of this direction. */
static bool decide(const struct evidence *e, struct judge_mark *mark)
{
	mark->weight = MARK_HARD;
	mark->alone = true;
	mark->mild = e->way->passed_since && e->way->fail == CELL_ERROR;
	if (is_troubled(e) && e->gram == GRAM_DEAD) {
		mark->kind = MARK_BLACKHOLE;
		return true;
	}
	if (is_troubled(e) && e->gram == GRAM_MTU && !e->way->bulk_ok) {
		mark->kind = MARK_MTU;
		return true;
	}
	if (e->way->fail) {
		mark->kind = (uint8_t)dead_kind(e);
		return e->gram_back != GRAM_DEAD && e->gram_back != GRAM_MTU;
	}
	mark->weight = MARK_GOOD;
	mark->alone = mark->mild = false;
	return e->way->ok || e->gram == GRAM_ALIVE;
}

/* Do datagrams say that packets are lost this way? */
static bool is_lossy_way(enum gram_verdict gram)
{
	return gram == GRAM_DEAD || gram == GRAM_MTU;
}

/* Round trips fail whichever direction does. If bulk gets through this way and
 * not the way back, as far as known, then it is the way back. */
static bool is_of_way_back(const struct way *w, const struct way *back)
{
	return w->fail && !w->bulk_fail && w->bulk_ok &&
	       !(back && back->bulk_ok);
}

static enum fp_status turn_back(struct judge_case *c, const struct way *w,
                                enum mark_kind kind, const struct way *back,
                                struct fp_err *err)
{
	struct judge_mark good = w->mark, bad = w->mark;
	enum fp_status status = FP_OK;

	good.weight = MARK_GOOD;
	bad.src = w->mark.dst;
	bad.dst = w->mark.src;
	bad.weight = MARK_HARD;
	bad.alone = true;
	bad.kind = (uint8_t)kind;
	if (!back || !(back->fail || back->ok))
		status = judge_mark_add(c, &bad, err);
	return status ? status : judge_mark_add(c, &good, err);
}

/* What both ends drive together, as members of a communicator do, fails both
 * ways or neither: a way back that was not tried is as bad. */
static enum fp_status dead_mark(struct judge_case *c, const struct way *w,
                                const struct way *back, struct judge_mark mark,
                                struct fp_err *err)
{
	enum fp_status status = judge_mark_add(c, &mark, err);

	if (status || !w->fail || mark.xport != XPORT_NCCL ||
	    (back && (back->fail || back->ok)))
		return status;
	mark.src = w->mark.dst;
	mark.dst = w->mark.src;
	return judge_mark_add(c, &mark, err);
}

static enum fp_status way_judge(struct judge_case *c, const struct ways *ways,
                                const struct grams *grams, const struct way *w,
                                struct fp_err *err)
{
	const struct way *back = way_back(ways, w);
	struct judge_mark mark = w->mark;
	struct evidence e = {
		.way = w,
		.back_failed = back && back->fail,
		.back_ok = back && back->ok,
	};

	if (mark.xport == XPORT_TCP) {
		e.gram = judge_grams_verdict(grams, mark.src, mark.dst);
		e.gram_back = judge_grams_verdict(grams, mark.dst, mark.src);
	}
	if (!is_lossy_way(e.gram) && !is_lossy_way(e.gram_back) &&
	    is_of_way_back(w, back))
		return turn_back(c, w, dead_kind(&e), back, err);
	return decide(&e, &mark) ? dead_mark(c, w, back, mark, err) : FP_OK;
}

enum fp_status judge_dead_marks(struct judge_case *c, const struct matrices *ms,
                                const struct grams *grams, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	struct ways ways = { 0 };
	size_t i;

	for (i = 0; !status && i < ms->n; i++)
		status = add_cells(&ways, &ms->m[i], err);
	if (!status)
		status = add_grams(&ways, c, grams, err);
	ways_merge(&ways);
	for (i = 0; !status && i < ways.n; i++)
		status = way_judge(c, &ways, grams, &ways.w[i], err);
	free(ways.w);
	return status;
}
