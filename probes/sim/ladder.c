// SPDX-License-Identifier: Apache-2.0
// The ladder of verdicts on made-up samples.
#include <math.h>

#include "probes/decide/ladder.h"
#include "probes/sim/pairs.h"

#define REPEATS 3
#define LOAD_MIN .5
#define LOAD_MAX .95

static double sample(const struct sim_ladder *c, struct stats_rng *rng)
{
	double x = log(c->base) + c->sigma * stats_rng_normal(rng);

	if (stats_rng_chance(rng, c->load))
		x += log(LOAD_MIN +
		         (LOAD_MAX - LOAD_MIN) * stats_rng_unit(rng));
	return x;
}

static double best(const struct sim_ladder *c, struct stats_rng *rng)
{
	double x[REPEATS];
	int i;

	for (i = 0; i < REPEATS; i++)
		x[i] = sample(c, rng);
	return decide_sample(x, REPEATS).capability;
}

static bool retested(const struct sim_ladder *c, const struct decide_ladder *l,
                     const struct decide_baseline *b, struct stats_rng *rng)
{
	double first = best(c, rng), again[REPEATS];
	int i;

	/* Nobody is tested again who was not slow: most are not. */
	if (!decide_is_slow(l, b, first))
		return false;
	for (i = 0; i < REPEATS; i++)
		again[i] = best(c, rng);
	return decide_retested(l, b, first, again, REPEATS) == DECIDE_SLOW;
}

static bool is_flagged(const struct sim_ladder *c,
                       const struct decide_ladder *l,
                       const struct decide_baseline *b, struct stats_rng *rng)
{
	switch (c->rule) {
	case SIM_RULE_ONE:
		return decide_z(b, sample(c, rng)) < l->suspect_z;
	case SIM_RULE_BEST:
		return decide_z(b, best(c, rng)) < l->suspect_z;
	case SIM_RULE_DROP:
		return decide_is_slow(l, b, best(c, rng));
	default:
		return retested(c, l, b, rng);
	}
}

uint32_t sim_ladder_run(const struct sim_ladder *c)
{
	/* What is usual is taken as known. */
	struct decide_baseline b = { .sigma = c->sigma, .able = true };
	struct decide_ladder l;
	uint32_t i, flagged = 0;
	struct stats_rng rng;

	decide_ladder_defaults(&l);
	stats_rng_init(&rng, c->seed, c->rule);
	for (i = 0; i < c->pairs; i++)
		flagged += is_flagged(c, &l, &b, &rng);
	return flagged;
}
