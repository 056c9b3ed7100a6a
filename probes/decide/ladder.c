// SPDX-License-Identifier: Apache-2.0
// The ladder of verdicts: nobody is convicted on one test.
#include "probes/decide/ladder.h"

#include <math.h>

#include "probes/stats/stats.h"

void decide_ladder_defaults(struct decide_ladder *l)
{
	*l = (struct decide_ladder){
		.suspect_z = -3.5,
		.suspect_drop = .05,
		.slow_z = -6,
		.slow_drop = .10,
		.flaky_ratio = .7,
		.retests = 3,
		.needed = 2,
	};
}

struct decide_sample decide_sample(double *x, size_t k)
{
	stats_sort(x, k);
	return (struct decide_sample){
		.capability = stats_quantile(x, k, 1),
		.typical = stats_quantile(x, k, .5),
		.floor = stats_quantile(x, k, .05),
	};
}

bool decide_is_suspect(const struct decide_ladder *l,
                       const struct decide_baseline *b, double x)
{
	return decide_z(b, x) <= l->suspect_z &&
	       decide_drop(b, x) >= l->suspect_drop;
}

bool decide_is_slow(const struct decide_ladder *l,
                    const struct decide_baseline *b, double x)
{
	return decide_z(b, x) <= l->slow_z && decide_drop(b, x) >= l->slow_drop;
}

enum decide_verdict decide_first(const struct decide_ladder *l,
                                 const struct decide_baseline *b,
                                 const struct decide_sample *s)
{
	if (decide_is_suspect(l, b, s->capability))
		return DECIDE_SUSPECT;
	if (s->floor - b->med < log(l->flaky_ratio))
		return DECIDE_FLAKY;
	return DECIDE_OK;
}

enum decide_verdict decide_retested(const struct decide_ladder *l,
                                    const struct decide_baseline *b,
                                    double first, const double *again, size_t n)
{
	size_t slow = 0, suspect = 0, open, i;

	open = n < l->retests ? l->retests - n : 0;
	for (i = 0; i < n; i++) {
		slow += decide_is_slow(l, b, again[i]);
		suspect += decide_is_suspect(l, b, again[i]);
	}
	if (!decide_is_suspect(l, b, first))
		return DECIDE_OK;
	if (decide_is_slow(l, b, first) && slow >= l->needed)
		return DECIDE_SLOW;
	if (suspect + open >= l->needed && open)
		return DECIDE_SUSPECT;
	if (suspect >= l->needed)
		return DECIDE_DEGRADED;
	return slow ? DECIDE_FLAKY : DECIDE_OK;
}

const char *decide_verdict_name(unsigned verdict)
{
	static const char *const names[DECIDE_VERDICT_COUNT] = {
		[DECIDE_OK] = "OK",           [DECIDE_DEGRADED] = "DEGRADED",
		[DECIDE_SUSPECT] = "SUSPECT", [DECIDE_FLAKY] = "FLAKY",
		[DECIDE_SLOW] = "SLOW",
	};

	return verdict < DECIDE_VERDICT_COUNT ? names[verdict] : "?";
}
