// SPDX-License-Identifier: Apache-2.0
// Rounds that others spoiled, by using a port that was measured: once more.
#include <stdlib.h>

#include "probes/judge/foreign.h"
#include "probes/session/run.h"

#define TRIES 2

/* The pairs whose trials, from outcome @first on, were contaminated. */
static enum fp_status spoiled_pairs(const struct session_run *run, size_t first,
                                    struct session_todo *ret,
                                    struct fp_err *err)
{
	const struct results *r = &run->s->results;
	struct foreign f;
	enum fp_status status = foreign_find(run->s->job, r, first, &f, err);
	const struct trial *t;
	size_t i;

	for (i = 0; !status && i < f.n; i++) {
		if (i > 0 && f.hits[i - 1].trial == f.hits[i].trial)
			continue;
		t = results_trial(r, f.hits[i].trial);
		status = session_todo_add(ret, t->src, t->dst, err);
	}
	foreign_done(&f);
	return status;
}

enum fp_status session_run_round(struct session_run *run, uint32_t idx,
                                 const struct session_stage *st,
                                 const struct plan_pair *pairs, size_t n,
                                 struct fp_err *err)
{
	size_t first = run->s->results.n_outcomes;
	struct session_todo again = { 0 };
	enum fp_status status;
	uint32_t k;

	status = session_run_round_once(run, idx, st, pairs, n, err);
	for (k = 0; !status && k < TRIES && !run->stop; k++) {
		again.n = 0;
		status = spoiled_pairs(run, first, &again, err);
		if (status || !again.n || !session_run_fits(run, idx, 0))
			break;
		first = run->s->results.n_outcomes;
		run->trials_planned += again.n;
		run->stage_rounds++;
		status = session_run_round_once(run, idx, st, again.pairs,
		                                again.n, err);
	}
	free(again.pairs);
	return status;
}
