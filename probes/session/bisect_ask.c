// SPDX-License-Identifier: Apache-2.0
// Groups of a bisection as trials: from the record if they are there, else run.
#include <stdlib.h>
#include <string.h>

#include "probes/judge/test.h"
#include "probes/session/bisect_part.h"

/* struct team - the ranks of one group, ascending. */
struct team {
	int32_t *ranks;
	size_t n;
};

static int by_rank(const void *pa, const void *pb)
{
	int32_t a = *(const int32_t *)pa, b = *(const int32_t *)pb;

	return (a > b) - (a < b);
}

static bool team_make(const struct bisect_ask *ask,
                      const struct bisect_group *g, struct team *ret)
{
	const struct bisect_units *u = ask->units;
	size_t i, k;

	ret->n = 0;
	ret->ranks =
		calloc(u->first[u->n] + ask->n_base + 1, sizeof(*ret->ranks));
	if (!ret->ranks)
		return false;
	for (i = 0; i < ask->n_base; i++)
		ret->ranks[ret->n++] = ask->base[i];
	for (i = 0; i < g->n; i++)
		for (k = u->first[g->units[i]]; k < u->first[g->units[i] + 1];
		     k++)
			ret->ranks[ret->n++] = u->ranks[k];
	qsort(ret->ranks, ret->n, sizeof(*ret->ranks), by_rank);
	return true;
}

static bool is_of(const struct bisect_ask *ask, const struct trial *t,
                  const struct team *team)
{
	return t->op == ask->like->op && t->bytes == ask->like->bytes &&
	       t->variant == ask->like->variant &&
	       t->xport == ask->like->xport && t->member_count == team->n &&
	       memcmp(ask->s->results.members + t->member_first, team->ranks,
	              team->n * sizeof(*team->ranks)) == 0;
}

/* How it ended; false: not at all. */
static bool ended(const struct bisect_ask *ask, const struct trial *t,
                  bool *ret_fails)
{
	const struct results *r = &ask->s->results;
	size_t i, told = 0;

	*ret_fails = false;
	for (i = 0; i < r->n_outcomes; i++) {
		const struct outcome *o = &r->outcomes[i];

		if (o->trial != t->id || o->state == OUTCOME_NOTRUN)
			continue;
		told++;
		*ret_fails |= o->state > OUTCOME_NOTRUN || o->wrong_bytes;
	}
	if (told && !*ret_fails && ask->floor_Bps > 0)
		*ret_fails = bisect_busbw(r, t) < ask->floor_Bps;
	return told > 0;
}

/* The latest word on a group. */
static bool look_up(const struct bisect_ask *ask, const struct team *team,
                    bool *ret_fails)
{
	const struct results *r = &ask->s->results;
	size_t i;

	for (i = r->n_trials; i-- > 0;)
		if (!trial_is_pair(&r->trials[i]) &&
		    is_of(ask, &r->trials[i], team) &&
		    ended(ask, &r->trials[i], ret_fails))
			return true;
	return false;
}

static bool is_out(const struct session_run *run, const struct team *team)
{
	size_t i;

	for (i = 0; i < team->n; i++)
		if (session_run_is_lost(run, team->ranks[i], team->ranks[i]))
			return true;
	return false;
}

/* Must the group be run, or is it known? */
static bool is_wanted(const struct bisect_ask *ask,
                      const struct bisect_group *g, const struct team *team)
{
	bool fails;

	return (g->again || !look_up(ask, team, &fails)) &&
	       !is_out(ask->run, team);
}

static void add_trial(const struct bisect_ask *ask, const struct team *team,
                      struct batch *b)
{
	struct trial t = *ask->like;

	t.round = ask->run->round;
	t.stage = TRIAL_S7_RETEST;
	t.src = team->ranks[0];
	t.dst = -1;
	t.member_first = (uint32_t)b->n_members;
	t.member_count = (uint32_t)team->n;
	memcpy(b->members + b->n_members, team->ranks,
	       team->n * sizeof(*team->ranks));
	b->n_members += team->n;
	b->trials[b->n_trials++] = t;
}

/* All that nobody has tried yet, in one round. */
static bool run_teams(const struct bisect_ask *ask, const struct team *teams,
                      const struct bisect_group *groups, size_t n)
{
	struct session_run *run = ask->run;
	size_t i, room = 0;
	struct batch b = { 0 };
	bool good;

	for (i = 0; i < n; i++)
		room += teams[i].n;
	b.trials = calloc(n + 1, sizeof(*b.trials));
	b.members = calloc(room + 1, sizeof(*b.members));
	good = b.trials && b.members && !run->stop &&
	       session_run_left_s(run) > ask->like->deadline_s;
	for (i = 0; good && i < n; i++)
		if (is_wanted(ask, &groups[i], &teams[i]))
			add_trial(ask, &teams[i], &b);
	if (good && b.n_trials)
		good = !session_run_add_batch(run, &b, NULL);
	if (good && b.n_trials)
		session_run_execute(run, &b);
	free(b.trials);
	free(b.members);
	return good;
}

/* Groups with ranks in common cannot run at once. */
static bool run_all(const struct bisect_ask *ask, const struct team *teams,
                    const struct bisect_group *groups, size_t n)
{
	size_t i;

	if (!ask->n_base)
		return run_teams(ask, teams, groups, n);
	for (i = 0; i < n; i++)
		if (!run_teams(ask, &teams[i], &groups[i], 1))
			return false;
	return true;
}

static bool answer(const struct bisect_ask *ask, const struct team *teams,
                   struct bisect_group *groups, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!look_up(ask, &teams[i], &groups[i].fails))
			return false;
	return true;
}

bool bisect_ask_groups(void *arg, struct bisect_group *groups, size_t n)
{
	const struct bisect_ask *ask = arg;
	struct team *teams = calloc(n + 1, sizeof(*teams));
	bool good = teams != NULL;
	size_t i;

	for (i = 0; good && i < n; i++)
		good = team_make(ask, &groups[i], &teams[i]);
	if (good && ask->run)
		good = run_all(ask, teams, groups, n);
	good = good && answer(ask, teams, groups, n);
	for (i = 0; teams && i < n; i++)
		free(teams[i].ranks);
	free(teams);
	return good;
}
