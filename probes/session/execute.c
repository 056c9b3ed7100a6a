// SPDX-License-Identifier: Apache-2.0
// Hands a round to the executor and takes in what comes of it.
#include <math.h>

#include "probes/session/run.h"
#include "probes/trial/grow.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"

/* A worker that does a trial well is fit again. */
static void note_rank(struct session_run *run, const struct outcome *o)
{
	if (o->rank < 0 || (size_t)o->rank >= run->s->job->n_ranks)
		return;
	run->lost[o->rank] |= o->state == OUTCOME_LOST;
	run->failing[o->rank] &= o->state != OUTCOME_OK;
}

static void keep_status(struct session_run *run, enum fp_status status,
                        const struct fp_err *err)
{
	if (!run->status && status) {
		run->status = status;
		run->err = *err;
	}
}

/* What the end of the run's time cut off is neither a hang nor, for an end
 * whose peer was quicker to give up, an error. */
static bool is_cut(const struct session_run *run, const struct trial *t,
                   const struct outcome *o)
{
	const uint8_t own = OUTCOME_KILLED | OUTCOME_WEDGED |
	                    OUTCOME_WORKER_DIED | OUTCOME_SILENT;

	return run->round_cut && !(o->flags & own) &&
	       (o->state == OUTCOME_HANG ||
	        (o->state == OUTCOME_ERROR && o->elapsed_s >= t->deadline_s));
}

static void sink_outcome(void *arg, const struct trial *trial,
                         const struct outcome *o, const double *samples,
                         size_t n)
{
	struct session_run *run = arg;
	struct fp_err err = { 0 };
	struct outcome off;

	if (is_cut(run, trial, o)) {
		off = *o;
		off.state = OUTCOME_NOTRUN;
		fp_copy(off.err, sizeof(off.err), SESSION_CUT);
		o = &off;
	}

	keep_status(run,
	            results_add_outcome(&run->s->results, o, samples, n, &err),
	            &err);
	note_rank(run, o);
	if (run->hooks && run->hooks->outcome)
		run->hooks->outcome(run->hooks->arg, trial, o, samples, n);
}

static void strain(struct session_run *run, int32_t rank, uint8_t by)
{
	run->failing[rank] = true;
	if (run->strain[rank] < SESSION_SICK)
		run->strain[rank] = (uint8_t)(run->strain[rank] + by);
}

static void heed(struct session_run *run, const struct run_event *e)
{
	if (e->rank < 0 || (size_t)e->rank >= run->s->job->n_ranks)
		return;
	switch (e->kind) {
	case EVENT_AGENT_LOST:
	case EVENT_AGENT_MISSING:
		run->lost[e->rank] = true;
		break;
	case EVENT_WORKER_WEDGED:
		strain(run, e->rank, SESSION_SICK);
		break;
	case EVENT_WORKER_KILLED:
	case EVENT_WORKER_GARBAGE:
		strain(run, e->rank, SESSION_STRAIN_KILLED);
		break;
	case EVENT_WORKER_DIED:
		strain(run, e->rank, SESSION_STRAIN_DIED);
		break;
	default:
		break;
	}
}

static void sink_event(void *arg, const struct run_event *e)
{
	struct session_run *run = arg;
	struct fp_err err = { 0 };

	keep_status(run, results_add_event(&run->s->results, e, &err), &err);
	heed(run, e);
	if (run->hooks && run->hooks->event)
		run->hooks->event(run->hooks->arg, e);
}

static void sink_watch(void *arg, const struct watch *w)
{
	struct session_run *run = arg;
	struct fp_err err = { 0 };

	keep_status(run, results_add_watch(&run->s->results, w, &err), &err);
	if (run->hooks && run->hooks->watch)
		run->hooks->watch(run->hooks->arg, w);
}

static void tell_progress(const struct session_run *run)
{
	double left_s = session_run_left_s(run);
	const struct session_progress p = {
		.stage = run->title,
		.round = run->stage_round,
		.n_rounds = run->stage_rounds,
		.trials_done = run->trials_done,
		.trials_planned = run->trials_planned,
		.suspects = run->suspects,
		.elapsed_s = session_run_elapsed_s(run),
		.left_s = isfinite(left_s) ? left_s : -1,
	};

	if (run->hooks && run->hooks->progress)
		run->hooks->progress(run->hooks->arg, &p);
}

static void sink_round_begin(void *arg, const struct exec_round *round)
{
	(void)round;
	tell_progress(arg);
}

static void sink_round_end(void *arg, const struct exec_round *round)
{
	struct session_run *run = arg;
	struct session *s = run->s;
	struct fp_err err = { 0 };

	run->wall_s = round->wall_s;
	keep_status(run,
	            grow_room(&s->round_overhead_s, &s->room_rounds,
	                      s->n_rounds + 1, sizeof(*s->round_overhead_s),
	                      &err),
	            &err);
	if (!run->status)
		s->round_overhead_s[s->n_rounds++] =
			fmax(0, round->wall_s - round->work_s);
}

/* A model's round takes no time here but some in the model. */
static enum fp_status execute(struct session_run *run, struct batch *batch,
                              struct fp_err *err)
{
	const struct exec_sink sink = {
		.arg = run,
		.outcome = sink_outcome,
		.event = sink_event,
		.watch = sink_watch,
		.round_begin = sink_round_begin,
		.round_end = sink_round_end,
	};
	double left_s = session_run_left_s(run);
	int64_t begin_ns = fp_now_ns(), stop_ns = INT64_MAX;
	enum fp_status status;
	double real_s;

	if (isfinite(left_s))
		stop_ns = begin_ns + (int64_t)(fmax(left_s, 0) * 1e9);
	run->wall_s = 0;
	status = run->exec->run(run->exec_self, batch, stop_ns, &sink, err);
	real_s = (double)(fp_now_ns() - begin_ns) / 1e9;
	run->ahead_s += fmax(0, run->wall_s - real_s);
	run->trials_done += batch->n_trials;
	run->round++;
	run->stage_round++;
	return status;
}

/* Told to stop, or unable to go on: either way what there is gets judged. */
static void note_end(struct session_run *run, enum fp_status status,
                     const struct fp_err *err)
{
	keep_status(run, status, err);
	if (!run->status)
		return;
	run->stop = true;
	if (run->status == FP_ERR_INTR)
		session_run_event(run, EVENT_INTERRUPTED, 0, "told to stop");
	else
		session_run_event(run, EVENT_CUT, 0, "%s: %s", run->title,
		                  run->err.text);
}

void session_run_look(struct session_run *run)
{
	struct batch none = { .n_trials = 0 };

	if (trial_xport_is_gpu(run->s->opts.xport) && !run->stop)
		session_run_execute(run, &none);
}

void session_run_execute(struct session_run *run, struct batch *batch)
{
	struct fp_err err = { 0 };

	note_end(run, execute(run, batch, &err), &err);
}
