// SPDX-License-Identifier: Apache-2.0
// The ladder: a cell is only as bad as what was seen again.
#include "probes/judge/cell.h"

#include <math.h>

#include "probes/judge/clean.h"
#include "probes/judge/failure.h"
#include "probes/judge/flags.h"
#include "probes/judge/lossy.h"
#include "probes/judge/noise.h"
#include "probes/judge/pace.h"

/* struct tally - how often a flag was seen in a cell's good tests. */
struct tally {
	uint32_t good, flagged;     /* tests; of them with any flag */
	bool first[FLAG_COUNT];     /* in the first one */
	uint32_t again[FLAG_COUNT]; /* in later ones */
	uint32_t need, limit;       /* to convict; tests after the first */
	uint32_t lone;              /* that must all agree to be named alone */
	struct judge_noise noise[FLAG_COUNT]; /* where it was seen again */
};

static bool ran(const struct judge_test *t)
{
	return t->state != OUTCOME_NOTRUN;
}

static void add_segs(const struct judge_test *t, struct matrix_cell *c)
{
	if (t->segs < 0)
		return;
	c->retrans = (c->retrans < 0 ? 0 : c->retrans) + t->retrans;
	c->segs = (c->segs < 0 ? 0 : c->segs) + t->segs;
}

void judge_cell_values(const struct judge_test *tests, size_t n,
                       struct matrix_cell *ret)
{
	bool latency = tests[0].trial->op == OP_LATENCY;
	bool passed = judge_tests_passed(tests, n);
	struct judge_lossy lossy = { 0 };
	const struct judge_test *t;
	size_t i;

	*ret = (struct matrix_cell){
		.src = tests[0].src,
		.dst = tests[0].dst,
		.cls = -1,
		.stage = STAGE_DONE,
		.trial = tests[n - 1].trial->id,
		.retrans = -1,
		.segs = -1,
		.culprit = -1,
	};
	for (i = 0; i < n; i++) {
		t = &tests[i];
		ret->n_tests += ran(t);
		ret->n_failed += judge_test_failed(t, passed) && t->culprit < 0;
		ret->wrong_bytes += t->wrong;
		ret->wrong_back += t->wrong_back;
		add_segs(t, ret);
		judge_lossy_add(&lossy, t);
		if (!(t->value > 0))
			continue;
		if (!(ret->value > 0) ||
		    (latency ? t->value < ret->value : t->value > ret->value)) {
			ret->value = t->value;
			ret->trial = t->trial->id;
		}
		if (t->low > 0 &&
		    (!(ret->low > 0) ||
		     (latency ? t->low > ret->low : t->low < ret->low)))
			ret->low = t->low;
	}
	ret->loss_share = judge_lossy_share(&lossy);
}

static void tally_add(struct tally *y, uint32_t flags)
{
	y->flagged += flags != 0;
	for (size_t f = 0; f < FLAG_COUNT; f++) {
		if (y->good == 0)
			y->first[f] = flags >> f & 1;
		else
			y->again[f] += flags >> f & 1;
	}
	y->good++;
}

static struct tally tally_make(const struct judge_group *g, size_t cell)
{
	const struct matrix_cell *c = &g->m->cells[cell];
	int32_t cls = c->cls;
	struct tally y = {
		.need = judge_class_limit(g, cls).retests,
		.limit = judge_class_limit(g, cls).of,
		.lone = g->classes[cls].lone,
	};
	uint32_t flags;
	size_t i;

	for (i = g->first[cell]; i < g->first[cell + 1]; i++) {
		if (!(g->tests[i].value > 0))
			continue;
		flags = judge_test_flags(g, c, &g->tests[i]);
		if (!g->tests[i].spoiled || !flags)
			tally_add(&y, flags);
	}
	return y;
}

static bool seen_again(const struct tally *y, enum judge_flag f)
{
	return y->first[f] && y->again[f] >= y->need;
}

/* Stalls and losses come to healthy pairs, too, where cores are short. */
static void tally_noise(const struct judge_group *g, size_t cell,
                        struct tally *y)
{
	static const enum judge_flag rare[] = { FLAG_UNSTEADY, FLAG_LOSS };

	for (size_t i = 0; i < sizeof(rare) / sizeof(rare[0]); i++)
		if (seen_again(y, rare[i]))
			y->noise[rare[i]] =
				judge_noise_beside(g, cell, rare[i]);
}

static bool is_shown(const struct tally *y, enum judge_flag f, uint32_t more)
{
	return y->noise[f].cells == 0 ||
	       judge_noise_shows(&y->noise[f], y->good + more,
	                         y->again[f] + 1 + more);
}

static bool reproduced(const struct tally *y, enum judge_flag f)
{
	return seen_again(y, f) && is_shown(y, f, 0);
}

/* Not reproduced yet, but it still could be. */
static bool is_open(const struct tally *y, enum judge_flag f)
{
	uint32_t later = y->good ? y->good - 1 : 0;
	uint32_t limit = seen_again(y, f) ? JUDGE_LONE_MAX : y->limit;
	uint32_t left = later < limit ? limit - later : 0;

	return y->first[f] && !reproduced(y, f) && left > 0 &&
	       y->again[f] + left >= y->need && is_shown(y, f, left);
}

bool judge_cell_is_clean(const struct judge_group *g, size_t cell)
{
	struct tally y = tally_make(g, cell);

	return y.good > 0 && !y.first[FLAG_LOW] && !y.first[FLAG_SLOW] &&
	       !y.first[FLAG_UNSTEADY] && !y.first[FLAG_LOSS];
}

/* From the best to the worst of a cell's good tests. */
static double cell_spread(const struct judge_group *g, size_t cell)
{
	double x, best = -INFINITY, worst = INFINITY;
	size_t i;

	for (i = g->first[cell]; i < g->first[cell + 1]; i++) {
		x = judge_test_x(&g->tests[i]);
		best = fmax(best, x);
		worst = fmin(worst, x);
	}
	return best - worst;
}

/* Is the best of @cell, @x, below the worst of clean pairs? In a class that is
 * too small to know its spread, by more than either varies by itself. */
static bool is_apart(const struct judge_group *g, size_t cell, double x,
                     const struct judge_clean *clean)
{
	int32_t cls = g->m->cells[cell].cls;
	struct judge_limit l = judge_class_limit(g, cls);
	bool small = g->classes[cls].n < g->opts->small_class;
	double gap = clean->floor_x - x;

	if (isnan(gap))
		return !small;
	if (small && gap < fmax(clean->spread, cell_spread(g, cell)))
		return false;
	return gap >= -log(1 - l.suspect_drop);
}

/* What the best of all tests still falls short of, for noise only ever lowers:
 * of what clean pairs mostly did at that time, and of the worst they did. */
static void best_flags(const struct judge_group *g, size_t cell, bool *ret_low,
                       bool *ret_slow)
{
	const struct matrix_cell *c = &g->m->cells[cell];
	const struct judge_clean clean = judge_clean_beside(g, c->cls, c->src);
	struct judge_limit l = judge_class_limit(g, c->cls);
	const double low[2] = { l.suspect_drop, g->opts->suspect_z };
	const double slow[2] = { l.slow_drop, g->opts->slow_z };
	struct judge_look look = { g, c, NAN, clean.usual.x };
	bool apart;

	look.x = g->latency ? -log(c->value) : log(c->value);
	apart = is_apart(g, cell, look.x, &clean);
	*ret_low = apart && judge_looks_slow(&look, &l, low);
	*ret_slow = apart && judge_looks_slow(&look, &l, slow);
}

/* Alone it is named only when every retest agrees, and there were enough. */
static uint32_t lone_why(const struct tally *y)
{
	uint32_t later = y->good - 1;
	bool all = y->again[FLAG_SLOW] == later;

	if (all && later >= y->lone)
		return 0;
	if (later < (all ? y->lone : y->limit))
		return CELL_WHY_OPEN_SLOW | CELL_WHY_OPEN;
	return CELL_WHY_OPEN_SLOW;
}

/* What is CPU-bound is low whenever its cores are taken: no weakness. */
static uint32_t why_of(const struct tally *y, bool low, bool slow, bool local)
{
	uint32_t why = 0;

	if (reproduced(y, FLAG_SLOW) && slow) {
		why |= CELL_WHY_SLOW | lone_why(y);
	} else if (reproduced(y, FLAG_LOW) && low && !is_open(y, FLAG_SLOW))
		why |= CELL_WHY_DEGRADED;
	else if (is_open(y, FLAG_SLOW) || is_open(y, FLAG_LOW))
		why |= CELL_WHY_OPEN;
	else if (reproduced(y, FLAG_LOW) && !low && !local)
		why |= CELL_WHY_WEAK;
	if (why & CELL_WHY_OPEN && y->first[FLAG_SLOW])
		why |= CELL_WHY_OPEN_SLOW;
	if (reproduced(y, FLAG_UNSTEADY))
		why |= CELL_WHY_UNSTEADY;
	if (reproduced(y, FLAG_LOSS))
		why |= CELL_WHY_LOSS;
	if (is_open(y, FLAG_UNSTEADY))
		why |= CELL_WHY_OPEN;
	if (is_open(y, FLAG_LOSS))
		why |= CELL_WHY_OPEN | CELL_WHY_OPEN_LOSS;
	return why;
}

static uint32_t pace_why(const struct judge_group *g, size_t cell)
{
	switch (judge_pace_of(g, cell, &g->m->cells[cell].pace)) {
	case PACE_SLOW:
		return CELL_WHY_SLOW | CELL_WHY_PACE;
	case PACE_OPEN:
		return CELL_WHY_OPEN | CELL_WHY_OPEN_SLOW;
	default:
		return 0;
	}
}

static enum cell_state state_of(uint32_t why)
{
	if (why & CELL_WHY_SLOW)
		return CELL_SLOW;
	if (why & CELL_WHY_OPEN)
		return CELL_SUSPECT;
	if (why & (CELL_WHY_UNSTEADY | CELL_WHY_LOSS | CELL_WHY_WEAK))
		return CELL_FLAKY;
	return why & CELL_WHY_DEGRADED ? CELL_DEGRADED : CELL_OK;
}

static enum cell_state speed_state(struct judge_group *g, size_t cell)
{
	struct matrix_cell *c = &g->m->cells[cell];
	const struct judge_class *k = &g->classes[c->cls];
	struct tally y = tally_make(g, cell);
	bool low, slow;
	double x;

	if (y.good == 0)
		return CELL_NOTRUN;
	tally_noise(g, cell, &y);
	x = g->latency ? -log(c->value) : log(c->value);
	c->ratio = exp(x - k->usual.x);
	c->z = (x - k->usual.x) / k->sigma;
	c->n_flagged = y.flagged;
	best_flags(g, cell, &low, &slow);
	c->why = why_of(&y, low, slow, k->local) | pace_why(g, cell);
	return state_of(c->why);
}

void judge_cell_state(struct judge_group *g, size_t cell)
{
	struct matrix_cell *c = &g->m->cells[cell];
	enum cell_state state = speed_state(g, cell), worse = CELL_NOTRUN;
	struct failure own = judge_failure_of(g, cell, true);
	struct failure other = judge_failure_of(g, cell, false);
	const struct failure *f = NULL;

	if (other.state != OUTCOME_NONE) {
		f = &other;
		c->why |= CELL_WHY_FAILED;
		worse = other.passed >= g->opts->retest_flags
		                ? CELL_FLAKY
		                : judge_failure_state(&other);
	} else if (own.state != OUTCOME_NONE && state == CELL_NOTRUN) {
		/* Once the pair was seen to work, its end's failure is not
		 * its own. */
		f = &own;
		c->culprit = own.culprit;
		worse = judge_failure_state(&own);
	}
	if (c->wrong_bytes && worse < CELL_CORRUPT)
		worse = CELL_CORRUPT;
	if (f) {
		c->stage = f->stage;
		c->trial = f->trial;
	}
	c->state = worse > state ? worse : state;
}
