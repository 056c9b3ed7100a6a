// SPDX-License-Identifier: Apache-2.0
// Coverage of collectives: which ran, and with whom.
#include <stdio.h>

#include "probes/judge/test.h"
#include "probes/session/cover_part.h"

#define COVER_RANKS 4 /* named one by one */

/* Why trial @t of a collective shows nothing; NULL: it was seen, whatever came
 * of it. */
static const char *why_unseen(const struct results *r, const struct trial *t)
{
	bool any = false, failed = false, moved = false;
	const struct outcome *o;
	const char *why = NULL;
	size_t i;

	for (i = 0; i < r->n_outcomes; i++) {
		o = &r->outcomes[i];
		if (o->trial != t->id)
			continue;
		any = true;
		failed |= o->state > OUTCOME_NOTRUN;
		moved |= judge_still_moved(t, o);
		if (o->state == OUTCOME_NOTRUN && !why)
			why = o->err;
	}
	if (moved)
		return "out of time, though data moved on to the end: a busy "
		       "machine, or a size too large for it";
	if (failed)
		return NULL;
	return any ? why : "";
}

static const char *why_no_collective(const struct cover *c,
                                     const struct session_stage *st)
{
	const struct results *r = &c->s->results;
	const char *why = "";
	size_t i;

	for (i = 0; why && i < r->n_trials; i++)
		if (session_stage_is_of(st, &r->trials[i]))
			why = why_unseen(r, &r->trials[i]);
	return why;
}

/* Ranks that are not among @members, in ascending order: "rank 3", "ranks 1,
 * 3, ...". Returns how many. */
static size_t left_out_text(const int32_t *members, size_t n, size_t n_ranks,
                            char *buf, size_t size)
{
	size_t rank, k = 0, out = 0, used = 0;

	buf[0] = '\0';
	for (rank = 0; rank < n_ranks; rank++) {
		if (k < n && members[k] == (int32_t)rank) {
			k++;
			continue;
		}
		if (out < COVER_RANKS)
			used += (size_t)snprintf(buf + used, size - used,
			                         "%s%zu", out ? ", " : " ",
			                         rank);
		else if (out == COVER_RANKS)
			(void)snprintf(buf + used, size - used, ", ...");
		out++;
	}
	return out;
}

/* A collective leaves out who would only make all others wait. */
static enum fp_status say_left_out(struct cover *c,
                                   const struct session_stage *st)
{
	const struct results *r = &c->s->results;
	size_t i, n, n_ranks = c->s->job->n_ranks;
	const struct trial *t = NULL;
	char ranks[COVER_RANKS * 12 + 8];

	for (i = 0; !t && i < r->n_trials; i++)
		if (session_stage_is_of(st, &r->trials[i]))
			t = &r->trials[i];
	if (!t)
		return FP_OK;
	n = left_out_text(r->members + t->member_first, t->member_count,
	                  n_ranks, ranks, sizeof(ranks));
	if (!n)
		return FP_OK;
	return cover_skip(
		c, st->required, "known by then to hang, to fail or to be lost",
		"%s: ran without rank%s%s", st->title, n > 1 ? "s" : "", ranks);
}

enum fp_status cover_collective(struct cover *c, const struct session_stage *st)
{
	const char *why = why_no_collective(c, st);

	if (!why)
		return say_left_out(c, st);
	return cover_skip(c, st->required,
	                  *why ? why : cover_why_untried(c->s, st), "%s",
	                  st->title);
}
