// SPDX-License-Identifier: Apache-2.0
// One round of the machine's asks: trials out, looks in.
#include "probes/session/relay.h"

#include <math.h>
#include <stdlib.h>

#include "probes/trial/grow.h"

#define BURST_TIME_S 0.1 /* of each of many looks in one round */

enum fp_status relay_init(struct relay *r, struct session_run *run,
                          struct fp_err *err)
{
	const struct topo_job *job = run->s->job;
	size_t hosts = (size_t)run->s->fabric->spec.hosts, i;
	struct locate_opts opts = session_locate_opts(run->s);

	*r = (struct relay){ .run = run, .usual_x = NAN };
	r->rank_of = calloc(hosts * FABRIC_MAX_PER_HOST, sizeof(*r->rank_of));
	run->s->locate = calloc(1, sizeof(*run->s->locate));
	if (!r->rank_of || !run->s->locate)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	r->ways = calloc(job->n_ranks, WAYS * sizeof(*r->ways));
	if (!r->ways)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	r->l = run->s->locate;
	for (i = 0; i < hosts * FABRIC_MAX_PER_HOST; i++)
		r->rank_of[i] = -1;
	for (i = 0; i < job->n_ranks; i++)
		if (job->ranks[i].host >= 0 &&
		    (size_t)job->ranks[i].host < hosts &&
		    job->ranks[i].local_rank >= 0 &&
		    job->ranks[i].local_rank < FABRIC_MAX_PER_HOST)
			r->rank_of[job->ranks[i].host * FABRIC_MAX_PER_HOST +
			           job->ranks[i].local_rank] = (int32_t)i;
	return locate_init(r->l, run->s->fabric, &opts, err);
}

void relay_done(struct relay *r)
{
	free(r->rank_of);
	free(r->looks);
	free(r->batch.trials);
	free(r->ask_of);
	free(r->ends);
	free(r->ways);
}

static enum fp_status make_room(struct relay *r, size_t n, struct fp_err *err)
{
	enum fp_status status = grow_room(&r->batch.trials, &r->room_trials, n,
	                                  sizeof(*r->batch.trials), err);

	if (!status)
		status = grow_room(&r->ask_of, &r->room_asks, n,
		                   sizeof(*r->ask_of), err);
	if (!status)
		status = grow_room(&r->ends, &r->room_ends, 2 * n,
		                   sizeof(*r->ends), err);
	return status;
}

static struct way_record *way_of(const struct relay *r, const struct trial *t,
                                 int way)
{
	size_t rank = (size_t)(way ? t->dst : t->src);

	return &r->ways[rank * WAYS +
	                ((size_t)way * XPORT_COUNT + t->xport) * MEM_COUNT +
	                t->mem];
}

static bool is_dead(const struct relay *r, const struct trial *t, int way)
{
	const struct way_record *w = way_of(r, t, way);

	return w->hangs >= WAY_DEAD && !w->passed;
}

static void learn(struct relay *r, const struct trial *t, uint8_t state)
{
	int way;

	for (way = 0; way < 2; way++) {
		struct way_record *w = way_of(r, t, way);

		w->passed |= state == OUTCOME_OK;
		if (state == OUTCOME_HANG && w->hangs < WAY_DEAD)
			w->hangs++;
	}
}

/* Has the trial an end that is gone, or that hangs whatever it does this way?
 * Retests are few, and must be. */
static bool is_hopeless(const struct relay *r, const struct trial *t)
{
	if (session_run_is_out(r->run, t->src, t->dst))
		return true;
	return r->l->batch.stage != TRIAL_S7_RETEST &&
	       (is_dead(r, t, 0) || is_dead(r, t, 1));
}

static void fill_trial(const struct relay *r, const struct locate_ask *ask,
                       bool burst, struct trial *t)
{
	const struct session_opts *o = &r->run->s->opts;

	t->round = r->run->round;
	t->stage = r->l->batch.stage;
	t->bytes = o->bytes;
	t->time_s = burst ? fmin(BURST_TIME_S, o->trial_s) : o->trial_s;
	t->deadline_s = o->deadline_s;
	t->seed = o->seed;
	if (ask->solo)
		t->flags = TRIAL_KEEP_SAMPLES;
	r->run->round_cut |= session_run_limit(r->run, t);
}

/* Trials of asks @first..@end-1 of one round: of each test its @nth look. */
static enum fp_status fill_batch(struct relay *r, size_t first, size_t end,
                                 size_t nth, struct fp_err *err)
{
	const struct locate_ask *asks = r->l->batch.asks;
	enum fp_status status = make_room(r, end - first, err);
	struct trial t;
	size_t i, k = 0;

	r->batch.n_trials = 0;
	r->run->round_cut = false;
	for (i = first; !status && i < end; i++) {
		k = i > first && asks[i].test == asks[i - 1].test ? k + 1 : 0;
		if (k != nth ||
		    !session_transfer_trial(r->run->s->fabric, r->rank_of,
		                            &r->l->tests.t[asks[i].test].t,
		                            &t) ||
		    is_hopeless(r, &t))
			continue;
		fill_trial(r, &asks[i], nth > 0, &t);
		r->ask_of[r->batch.n_trials] = i;
		r->batch.trials[r->batch.n_trials++] = t;
	}
	return status;
}

static void take_ends(struct relay *r, size_t first_outcome)
{
	const struct results *res = &r->run->s->results;
	uint32_t base = r->batch.trials[0].id;
	const struct outcome *o;
	size_t i, at;

	for (i = 0; i < 2 * r->batch.n_trials; i++)
		r->ends[i] = NULL;
	for (i = first_outcome; i < res->n_outcomes; i++) {
		o = &res->outcomes[i];
		at = o->trial - base;
		if (o->trial < base || at >= r->batch.n_trials)
			continue;
		if (o->rank == r->batch.trials[at].src)
			r->ends[2 * at] = o;
		if (o->rank == r->batch.trials[at].dst)
			r->ends[2 * at + 1] = o;
	}
}

static void take_looks(struct relay *r)
{
	const struct fabric *f = r->run->s->fabric;
	struct locate_look look;
	size_t i;

	for (i = 0; i < r->batch.n_trials; i++) {
		const struct locate_ask *ask = &r->l->batch.asks[r->ask_of[i]];
		unsigned cls = r->l->tests.t[ask->test].cls;

		look = session_look_of(
			r->ends[2 * i], r->ends[2 * i + 1],
			f->spec.gpus ? locate_expected_Bps(f, cls) : 1,
			SESSION_LATENCY_S);
		/* The run's end is nobody's hang. */
		if (r->run->round_cut && look.state == OUTCOME_HANG)
			look.state = OUTCOME_NOTRUN;
		r->looks[r->ask_of[i]] = look;
		learn(r, &r->batch.trials[i], look.state);
	}
}

static enum fp_status run_batch(struct relay *r, struct fp_err *err)
{
	size_t first = r->run->s->results.n_outcomes;
	enum fp_status status;

	status = session_run_add_batch(r->run, &r->batch, err);
	if (status)
		return status;
	session_run_execute(r->run, &r->batch);
	take_ends(r, first);
	take_looks(r);
	return FP_OK;
}

/* Looks at one test in one round follow each other. */
enum fp_status relay_round(struct relay *r, size_t first, size_t end,
                           struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t nth;

	for (nth = 0; !status && !r->run->stop; nth++) {
		status = fill_batch(r, first, end, nth, err);
		if (status || !r->batch.n_trials)
			break;
		status = run_batch(r, err);
	}
	return status;
}
