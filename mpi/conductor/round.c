// SPDX-License-Identifier: Apache-2.0
// Rounds: all flights prepared, one barrier, all gone, all come home.
#include <stdio.h>
#include <stdlib.h>

#include "mpi/conductor/impl.h"
#include "topo/base/clock.h"

/* The first deadline of a flight in @state; INT64_MAX: there is none. */
static int64_t round_due_ns(const struct round *r, enum flight_state state)
{
	int64_t due_ns = INT64_MAX;
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->flights[i].state == state &&
		    r->flights[i].deadline_ns < due_ns)
			due_ns = r->flights[i].deadline_ns;
	return due_ns;
}

/* Runs the loop until no flight is in @state; false when told to stop. What
 * has come by a deadline counts, though this process was late to read it. */
static bool round_wait(struct conductor *c, enum flight_state state)
{
	struct round *r = &c->round;
	int64_t now_ns, due_ns;
	struct flight *f;

	for (;;) {
		due_ns = round_due_ns(r, state);
		if (due_ns == INT64_MAX)
			return true;
		now_ns = fp_now_ns();
		if (!conductor_pump(c, due_ns))
			return false;
		for (f = r->flights; f < r->flights + r->n; f++)
			if (f->state == state && f->deadline_ns <= now_ns)
				flight_overdue(c, f); /* may move it */
	}
}

/* Told to stop: what is in the air is named, not waited for. */
static void round_interrupt(struct conductor *c)
{
	struct round *r = &c->round;
	char text[OUTCOME_ERR_MAX];
	double silence_s;
	struct flight *f;
	uint32_t i;
	size_t k;

	for (k = 0; k < r->n; k++) {
		f = &r->flights[k];
		for (i = 0; i < f->n; i++) {
			if (f->have[i])
				continue;
			silence_s =
				mailbox_silence_s(c->mailbox, f->members[i]);
			(void)snprintf(text, sizeof(text),
			               "interrupted in mid-trial; agent last "
			               "heard %.1f s ago",
			               silence_s);
			flight_outcome(c, f, i, OUTCOME_NOTRUN, text);
		}
	}
}

static void round_free(struct conductor *c)
{
	size_t i;

	for (i = 0; i < c->round.n; i++)
		flight_free(&c->round.flights[i]);
	free(c->round.flights);
	c->round = (struct round){ 0 };
	for (i = 0; i < (size_t)c->size; i++)
		flight_leave(&c->peers[i]);
}

static bool round_fly(struct conductor *c)
{
	struct round *r = &c->round;
	size_t i;

	for (i = 0; i < r->n; i++)
		flight_prepare(c, &r->flights[i]);
	if (!round_wait(c, FLIGHT_PREPARING))
		return false;
	/* A barrier: trials of a round are meant to run at the same time. */
	for (i = 0; i < r->n; i++)
		if (r->flights[i].state == FLIGHT_SET)
			flight_go(c, &r->flights[i]);
	return round_wait(c, FLIGHT_RUNNING);
}

static enum fp_status round_init(struct conductor *c, const struct batch *batch,
                                 size_t first, size_t n, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t i;

	c->round.flights = calloc(n, sizeof(*c->round.flights));
	if (!c->round.flights)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a round");
	c->round.n = n;
	for (i = 0; i < n && !status; i++)
		status = flight_init(&c->round.flights[i], batch,
		                     &batch->trials[first + i]);
	return status ? fp_err_set(err, status, "no memory for a round")
	              : FP_OK;
}

static void pending_flush(struct conductor *c)
{
	char text[96];
	size_t i;

	conductor_watches_flush(c);
	for (i = 0; i < c->n_pending; i++)
		c->sink->event(c->sink->arg, &c->pending[i]);
	c->n_pending = 0;
	if (c->strangers == c->strangers_told)
		return;
	c->strangers_told = c->strangers;
	(void)snprintf(text, sizeof(text),
	               "%u unknown connections to the control port dropped",
	               (unsigned)c->strangers);
	conductor_event(c, EVENT_STRANGER, -1, c->strangers, text);
}

static uint32_t rounds_count(const struct batch *batch)
{
	uint32_t n = batch->n_trials > 0;
	size_t i;

	for (i = 1; i < batch->n_trials; i++)
		n += batch->trials[i].round != batch->trials[i - 1].round;
	return n;
}

static size_t round_length(const struct batch *batch, size_t first)
{
	size_t end = first + 1;

	while (end < batch->n_trials &&
	       batch->trials[end].round == batch->trials[first].round)
		end++;
	return end - first;
}

/* Past @stop_ns: nothing is begun, every member hears of it. */
static void round_skip(struct conductor *c)
{
	size_t k;
	uint32_t i;

	for (k = 0; k < c->round.n; k++)
		for (i = 0; i < c->round.flights[k].n; i++)
			flight_outcome(c, &c->round.flights[k], i,
			               OUTCOME_NOTRUN, "time limit");
}

static enum fp_status round_run(struct conductor *c, int64_t stop_ns,
                                struct fp_err *err)
{
	if (fp_now_ns() >= stop_ns) {
		round_skip(c);
		return FP_OK;
	}
	if (round_fly(c))
		return FP_OK;
	round_interrupt(c);
	return fp_err_set(err, FP_ERR_INTR, "stopped by a signal");
}

static enum fp_status rounds_run(struct conductor *c, const struct batch *batch,
                                 int64_t stop_ns, struct fp_err *err)
{
	struct exec_round told = { .n_rounds = rounds_count(batch) };
	enum fp_status status = FP_OK;
	size_t first, n;
	int64_t begun_ns;

	for (first = 0; !status && first < batch->n_trials; first += n) {
		n = round_length(batch, first);
		told.n_trials = (uint32_t)n;
		c->sink->round_begin(c->sink->arg, &told);
		begun_ns = fp_now_ns();
		status = round_init(c, batch, first, n, err);
		if (!status)
			status = round_run(c, stop_ns, err);
		told.wall_s = (double)(fp_now_ns() - begun_ns) / 1e9;
		told.work_s = c->round.work_s;
		round_free(c);
		c->sink->round_end(c->sink->arg, &told);
		told.round++;
	}
	return status;
}

static enum fp_status conductor_run(void *self, const struct batch *batch,
                                    int64_t stop_ns,
                                    const struct exec_sink *sink,
                                    struct fp_err *err)
{
	struct conductor *c = self;
	enum fp_status status;

	c->sink = sink;
	pending_flush(c);
	if (!batch->n_trials)
		conductor_look(c);
	status = c->signum ? fp_err_set(err, FP_ERR_INTR, "stopped by a signal")
	                   : rounds_run(c, batch, stop_ns, err);
	pending_flush(c);
	c->sink = NULL;
	return status;
}

const struct exec_ops conductor_exec_ops = {
	.name = "job",
	.run = conductor_run,
};
