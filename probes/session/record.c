// SPDX-License-Identifier: Apache-2.0
// What goes into a run's results, and its clock.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "probes/session/run.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"

#define ROUND_OVERHEAD_S 0.05
#define DEADLINE_TIMES 20       /* of the typical duration */
#define DEADLINE_FLOOR_S 1.0    /* a stall of the host is no hang */
#define DEADLINE_FLOOR_TCP 2.5  /* nor is a lost SYN or two */
#define DEADLINE_FLOOR_GPU 10.0 /* nor is a communicator's slow start */

double session_run_elapsed_s(const struct session_run *run)
{
	return (double)(fp_now_ns() - run->s->start_ns) / 1e9 + run->ahead_s;
}

double session_run_left_s(const struct session_run *run)
{
	if (run->s->opts.time_limit_s <= 0)
		return INFINITY;
	return run->s->opts.time_limit_s - session_run_elapsed_s(run);
}

static double deadline_floor_s(uint16_t xport, double time_s)
{
	double floor_s = trial_xport_is_gpu(xport) ? DEADLINE_FLOOR_GPU
	                 : xport == XPORT_SHM      ? DEADLINE_FLOOR_S
	                                           : DEADLINE_FLOOR_TCP;

	return fmax(floor_s, 2 * time_s + 0.5);
}

double session_run_deadline_s(const struct session_run *run, uint32_t idx)
{
	const struct session_stage *st = &run->stages.s[idx];
	double floor_s = deadline_floor_s(st->xport, st->time_s);
	double typical_s = run->pace[idx].typical_s;

	if (typical_s <= 0)
		return st->deadline_s;
	return fmin(st->deadline_s, fmax(floor_s, DEADLINE_TIMES * typical_s));
}

bool session_run_limit(const struct session_run *run, struct trial *t)
{
	double left_s = fmax(session_run_left_s(run),
	                     deadline_floor_s(t->xport, t->time_s));

	if (left_s >= t->deadline_s)
		return false;
	t->deadline_s = left_s;
	return true;
}

bool session_run_fits(const struct session_run *run, uint32_t idx,
                      double reserve_s)
{
	const struct session_stage *st = &run->stages.s[idx];
	double round_s = fmax(run->pace[idx].typical_s, st->time_s);

	return session_run_left_s(run) - reserve_s >=
	       round_s + ROUND_OVERHEAD_S;
}

bool session_run_is_lost(const struct session_run *run, int32_t src,
                         int32_t dst)
{
	return run->lost[src] || run->lost[dst];
}

bool session_run_is_sick(const struct session_run *run, int32_t rank)
{
	return run->strain[rank] >= SESSION_SICK;
}

bool session_run_is_out(const struct session_run *run, int32_t src, int32_t dst)
{
	return session_run_is_lost(run, src, dst) ||
	       session_run_is_sick(run, src) || session_run_is_sick(run, dst);
}

unsigned session_run_family(const struct session_run *run, uint32_t idx,
                            int32_t src, int32_t dst)
{
	struct trial t = session_stage_trial(&run->stages.s[idx], 0, src, dst);

	return hang_family(run->s->job, &t);
}

void session_run_event(struct session_run *run, uint32_t kind, int64_t value,
                       const char *fmt, ...)
{
	struct run_event e = {
		.t_s = session_run_elapsed_s(run),
		.value = value,
		.kind = kind,
		.rank = -1,
	};
	struct fp_err err = { 0 };
	char text[sizeof(e.text)];
	enum fp_status status;
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fp_copy(e.text, sizeof(e.text), text);
	status = results_add_event(&run->s->results, &e, &err);
	if (status && !run->status) {
		run->status = status;
		run->err = err;
	}
	if (run->hooks && run->hooks->event)
		run->hooks->event(run->hooks->arg, &e);
}

/* With --load links are measured while their GPUs work. */
static void ask_load(const struct session_run *run, struct batch *batch)
{
	for (size_t i = 0; i < batch->n_trials; i++)
		if (run->s->opts.load_s > 0 &&
		    trial_xport_is_gpu(batch->trials[i].xport) &&
		    !trial_is_alone(&batch->trials[i]))
			batch->trials[i].flags |= TRIAL_LOAD;
}

enum fp_status session_run_add_batch(struct session_run *run,
                                     struct batch *batch, struct fp_err *err)
{
	enum fp_status status;

	ask_load(run, batch);
	status = results_add_batch(&run->s->results, batch, err);
	if (!status && run->hooks && run->hooks->batch)
		run->hooks->batch(run->hooks->arg, batch);
	return status;
}

enum fp_status session_run_not_run(struct session_run *run,
                                   const struct trial *t, int32_t rank,
                                   const char *why, struct fp_err *err)
{
	struct outcome o = {
		.trial = t->id,
		.rank = rank,
		.state = run->lost[rank] ? OUTCOME_LOST : OUTCOME_NOTRUN,
	};
	enum fp_status status;

	fp_copy(o.err, sizeof(o.err), why);
	status = results_add_outcome(&run->s->results, &o, NULL, 0, err);
	if (!status && run->hooks && run->hooks->outcome)
		run->hooks->outcome(run->hooks->arg, t, &o, NULL, 0);
	return status;
}

enum fp_status session_run_skip(struct session_run *run, uint32_t idx,
                                int32_t src, int32_t dst, const char *why,
                                struct fp_err *err)
{
	struct trial t = session_stage_trial(&run->stages.s[idx],
	                                     run->s->opts.seed, src, dst);
	struct batch batch = { .trials = &t, .n_trials = 1 };
	enum fp_status status;

	t.round = run->round;
	status = session_run_add_batch(run, &batch, err);
	if (!status)
		status = session_run_not_run(run, &t, src, why, err);
	if (!status)
		status = session_run_not_run(run, &t, dst, why, err);
	return status;
}
