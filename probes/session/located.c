// SPDX-License-Identifier: Apache-2.0
// The machine's questions, round by round, to the executor.
#include "probes/session/relay.h"

#include <math.h>
#include <stdlib.h>

#include "probes/stats/stats.h"
#include "probes/trial/grow.h"
#include "topo/base/fmt.h"

#define MORE_PARTNERS 2
#define USUAL_MIN 4 /* pairs under one leaf */

bool session_is_located(const struct session *s)
{
	return s->fabric && s->fabric->spec.gpus > 0;
}

bool session_has_leaves(const struct session *s)
{
	return s->fabric && s->fabric->spec.gpus == 0 &&
	       s->fabric->n_leaves > 1 && s->opts.kind == SESSION_RUN;
}

struct locate_opts session_locate_opts(const struct session *s)
{
	static const uint8_t modes[MODE_COUNT] = {
		[MODE_QUICK] = LOCATE_QUICK,
		[MODE_STANDARD] = LOCATE_STANDARD,
		[MODE_DEEP] = LOCATE_DEEP,
	};

	struct locate_opts o = {
		.extent = locate_extent_of(s->fabric, modes[s->opts.mode]),
		.seed = s->opts.seed,
		.partners = MORE_PARTNERS,
	};

	/* A host does not reach itself over the network. */
	if (!s->fabric->spec.gpus)
		o.extent.loopbacks = 0;
	return o;
}

static bool is_time_up(const struct session_run *run)
{
	return run->stop || session_run_left_s(run) < 2 * run->s->opts.trial_s;
}

static void say_cut(struct session_run *run, size_t asks_left)
{
	char limit[FP_FMT_MAX];

	if (run->stop)
		return;
	session_run_event(run, EVENT_CUT, (int64_t)asks_left,
	                  "%s: cut to end within the time limit of %s",
	                  run->title,
	                  fp_fmt_seconds(run->s->opts.time_limit_s, limit));
}

static enum fp_status run_rounds(struct relay *r, struct fp_err *err)
{
	const struct locate_batch *b = &r->l->batch;
	enum fp_status status = FP_OK;
	size_t i, end;

	r->run->title = b->title;
	r->run->stage_round = 0;
	r->run->stage_rounds = b->asks[b->n - 1].round - b->asks[0].round + 1;
	r->run->trials_planned = r->run->trials_done + b->n;
	for (i = 0; i < b->n; i++)
		r->looks[i] = (struct locate_look){ .state = OUTCOME_NOTRUN };
	for (i = 0; !status && i < b->n; i = end) {
		if (is_time_up(r->run)) {
			say_cut(r->run, b->n - i);
			break;
		}
		for (end = i;
		     end < b->n && b->asks[end].round == b->asks[i].round;
		     end++)
			;
		status = relay_round(r, i, end, err);
	}
	return status;
}

/* What the job does is always tried: all ranks at once, after S1. */
static enum fp_status run_collectives(struct session_run *run,
                                      struct fp_err *err)
{
	enum fp_status status = FP_OK;
	uint32_t i;

	for (i = 0; !status && !run->stop && i < run->stages.n; i++) {
		if (run->stages.s[i].shape != SHAPE_FULL)
			continue;
		run->title = run->stages.s[i].title;
		if (session_run_fits(run, i, 0))
			status = session_run_full(run, i, err);
		else
			say_cut(run, 1);
	}
	return status;
}

/* What pairs of hosts under one leaf reach; of few such pairs the better ones
 * of all. */
static enum fp_status find_usual(struct relay *r, struct fp_err *err)
{
	const struct locate_batch *b = &r->l->batch;
	double *x = calloc(2 * b->n + 1, sizeof(*x)), *same;
	size_t i, n = 0, n_same = 0;

	if (!x)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for looks");
	same = x + b->n;
	for (i = 0; i < b->n; i++) {
		if (r->looks[i].state != OUTCOME_OK)
			continue;
		x[n++] = r->looks[i].capability;
		if (!locate_class_crosses(r->l->tests.t[b->asks[i].test].cls))
			same[n_same++] = r->looks[i].capability;
	}
	stats_sort(x, n);
	stats_sort(same, n_same);
	if (n_same >= USUAL_MIN)
		r->usual_x = stats_quantile(same, n_same, .5);
	else if (n)
		r->usual_x = stats_quantile(x, n, .75);
	free(x);
	return FP_OK;
}

/* Rates of hosts have no data sheet: they are parts of what is usual. How
 * steady they are the judge says. */
static enum fp_status scale_looks(struct relay *r, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t i;

	if (r->run->s->fabric->spec.gpus)
		return FP_OK;
	if (isnan(r->usual_x))
		status = find_usual(r, err);
	for (i = 0; i < r->l->batch.n; i++) {
		r->looks[i].capability -= r->usual_x;
		r->looks[i].floor = r->looks[i].capability;
		r->looks[i].latency = NAN;
	}
	return status;
}

static enum fp_status one_batch(struct relay *r, bool *io_collectives,
                                struct fp_err *err)
{
	enum fp_status status = FP_OK;

	if (session_has_leaves(r->run->s))
		*io_collectives = true; /* they ran before */
	if (!*io_collectives && r->l->batch.stage > TRIAL_S1_HOST) {
		*io_collectives = true;
		status = run_collectives(r->run, err);
	}
	if (!status)
		status = grow_room(&r->looks, &r->room_looks, r->l->batch.n,
		                   sizeof(*r->looks), err);
	if (!status)
		status = run_rounds(r, err);
	if (!status)
		status = scale_looks(r, err);
	r->cut = is_time_up(r->run);
	if (!status)
		status =
			(r->cut ? locate_cut : locate_eat)(r->l, r->looks, err);
	r->run->suspects = (uint32_t)r->l->a.n;
	return status;
}

/* What a replay goes by: which trials are the machine's. */
static void mark(struct session_run *run, uint32_t kind, const char *text)
{
	session_run_event(run, kind, (int64_t)run->s->results.n_trials, "%s",
	                  text);
}

enum fp_status session_run_located(struct session_run *run, struct fp_err *err)
{
	bool collectives = false;
	struct relay r;
	enum fp_status status = relay_init(&r, run, err);

	if (!status)
		mark(run, EVENT_LOCATE, "culprits are looked for");
	while (!status && !r.l->finished) {
		status = locate_next(r.l, err);
		if (!status && r.l->batch.n)
			status = one_batch(&r, &collectives, err);
	}
	if (!status && r.cut)
		session_run_event(run, EVENT_LOCATE_CUT, (int64_t)r.l->n_asks,
		                  "no time to look any further");
	if (!status)
		mark(run, EVENT_LOCATED, "culprits were looked for");
	if (!status && !collectives && session_is_located(run->s))
		status = run_collectives(run, err);
	relay_done(&r);
	return status;
}
