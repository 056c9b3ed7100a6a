// SPDX-License-Identifier: Apache-2.0
// What a single test looks like.
#include "probes/judge/flags.h"

#include <math.h>

#include "probes/judge/clean.h"
#include "probes/judge/noise.h"

/*
 * Is it out of what its class does? By its spread. Or, where that is wide and
 * not a bell, by not reaching half of what is usual while others, who have no
 * end in common with it, nearly all do better; or half of what nearly all clean
 * pairs reach.
 */
static bool is_outside(const struct judge_look *look, double z)
{
	const struct judge_class *k = &look->g->classes[look->c->cls];

	return (look->x - look->usual) / k->sigma <= z ||
	       look->x - k->floor_x <= log(0.5) ||
	       (look->x - look->usual <= log(0.5) &&
	        judge_noise_is_rare(look->g, look->c, look->x));
}

bool judge_looks_slow(const struct judge_look *look,
                      const struct judge_limit *l, const double drop_z[2])
{
	double drop = 1 - exp(look->x - look->usual);
	double excess_s = exp(-look->x) - exp(-look->usual);

	return drop >= drop_z[0] &&
	       (l->excess_s <= 0 || excess_s >= l->excess_s) &&
	       is_outside(look, drop_z[1]);
}

/* Did the receiver stand still for longer than a busy core explains? Yes where
 * a transport does not tell. */
static bool has_stalled(const struct judge_test *t, double excess_s)
{
	int64_t stall_ns = outcome_get(t->rx, COUNTER_STALL_NS, -1);

	return stall_ns < 0 ||
	       (double)stall_ns / 1e9 - t->rx->p50_s >= excess_s;
}

/* The worst moments of @t against those of its class. What is CPU-bound
 * stands still whenever its cores are taken, so there only whole waits of
 * round trips count. */
static bool is_unsteady(const struct judge_group *g,
                        const struct judge_class *k, const struct judge_test *t,
                        const struct judge_usual *usual)
{
	const struct judge_opts *o = g->opts;
	double y = judge_test_y(t);

	if (g->latency)
		return y < usual->y - log(o->jitter_factor) &&
		       t->low - exp(-usual->y) >= o->jitter_excess_s;
	return !k->local && y < usual->y + log(o->flaky_ratio) &&
	       t->low < o->flaky_ratio * exp(usual->x) &&
	       has_stalled(t, o->stall_excess_s);
}

static bool is_lossy(const struct judge_group *g, const struct judge_class *k,
                     const struct judge_test *t,
                     const struct judge_usual *usual)
{
	const struct judge_opts *o = g->opts;
	double loss = judge_test_loss(t, o);

	return !k->local && loss >= o->loss_ratio &&
	       loss >= o->loss_factor * usual->loss;
}

uint32_t judge_test_flags(const struct judge_group *g,
                          const struct matrix_cell *c,
                          const struct judge_test *t)
{
	const struct judge_class *k = &g->classes[c->cls];
	struct judge_limit l = judge_class_limit(g, c->cls);
	struct judge_usual usual = k->usual;
	const double low[2] = { l.suspect_drop, g->opts->suspect_z };
	const double slow[2] = { l.slow_drop, g->opts->slow_z };
	struct judge_look look = { g, c, judge_test_x(t), NAN };

	if (t->trial->stage == TRIAL_S7_RETEST)
		usual = judge_clean_beside(g, c->cls, t->src).usual;
	look.usual = usual.x;
	if (!l.able)
		return 0;
	return (uint32_t)judge_looks_slow(&look, &l, low) << FLAG_LOW |
	       (uint32_t)judge_looks_slow(&look, &l, slow) << FLAG_SLOW |
	       (uint32_t)is_unsteady(g, k, t, &usual) << FLAG_UNSTEADY |
	       (uint32_t)is_lossy(g, k, t, &usual) << FLAG_LOSS;
}
