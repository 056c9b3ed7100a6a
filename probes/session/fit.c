// SPDX-License-Identifier: Apache-2.0
// Many ranks on few cores: pairs inside a host cannot run at once, so they get
// shorter trials, and if that is not enough only some of them get one.
#include <math.h>

#include "probes/session/stage.h"

#define ROUND_S 0.02     /* of a round, beside its trials' time */
#define TRIAL_MIN_S 0.02 /* a rate needs some intervals of 5 ms */
#define MATCHINGS_MIN 3  /* a rank is judged by that many partners */

/* What a mode has for all pairs of one kind inside hosts; 0: no limit. */
static const struct {
	double required_s, other_s;
} budgets[MODE_COUNT] = {
	[MODE_QUICK] = { 6, 2 },
	[MODE_STANDARD] = { 120, 60 },
	[MODE_DEEP] = { 0, 0 },
};

uint32_t session_most_ranks(const struct topo_job *job)
{
	int32_t most = 0;
	size_t r;

	for (r = 0; r < job->n_ranks; r++)
		if (job->ranks[r].local_rank >= most)
			most = job->ranks[r].local_rank + 1;
	return (uint32_t)most;
}

void session_stage_fit(struct session_stage *st, const struct session_opts *o,
                       const struct topo_job *job)
{
	double budget_s = st->required ? budgets[o->mode].required_s
	                               : budgets[o->mode].other_s;
	uint32_t n = session_most_ranks(job), all = plan_rounds(n);
	uint32_t pairs = n / 2;
	uint32_t per_host = session_per_host(job, st->xport);
	/* of a matching */
	double rounds = per_host ? 2 * ceil((double)pairs / per_host) : 2;
	double time_s = st->time_s;

	if (budget_s <= 0 || all <= MATCHINGS_MIN ||
	    all * rounds * (time_s + ROUND_S) <= budget_s)
		return;
	if (time_s <= session_mode_local_s(o->mode))
		time_s =
			fmin(time_s, fmax(TRIAL_MIN_S,
		                          budget_s / (all * rounds) - ROUND_S));
	st->time_s = time_s;
	if (all * rounds * (time_s + ROUND_S) <= budget_s)
		return;
	st->matchings = (uint32_t)(budget_s / (rounds * (time_s + ROUND_S)));
	if (st->matchings < MATCHINGS_MIN)
		st->matchings = MATCHINGS_MIN;
}
