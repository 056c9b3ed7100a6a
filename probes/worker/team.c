// SPDX-License-Identifier: Apache-2.0
// Trials of transports whose members run together on streams of their own.
#include "probes/xport/team.h"
#include "probes/worker/part.h"

struct xport *worker_team_xport(const struct worker *w)
{
	unsigned id = w->hand.trial.xport;
	struct xport *x = id < XPORT_COUNT ? w->xports[id] : NULL;

	return x && x->ops->team ? x : NULL;
}

static struct xport_join join_of(const struct worker *w, size_t *n_samples)
{
	const struct worker_trial *h = &w->hand;
	const struct measure *m = &h->measure;
	/* Libraries that make communicators take their time. */
	int64_t half_ns = (m->deadline_ns - m->go_ns) / 2;
	int64_t connect_ns = m->go_ns + (int64_t)(w->setup.connect_s * 1e9);

	if (connect_ns < m->go_ns + half_ns)
		connect_ns = m->go_ns + half_ns;
	return (struct xport_join){
		.samples = m->samples,
		.room_samples = m->room_samples,
		.n_samples = n_samples,
		.trial = &h->trial,
		.members = h->members,
		.n = h->n,
		.me = h->me,
		.peers = h->peers,
		.board = w->board,
		.connect_ns = connect_ns < m->deadline_ns ? connect_ns
		                                          : m->deadline_ns,
		.deadline_ns = m->deadline_ns,
	};
}

enum fp_status worker_team_offer(struct worker *w, struct fp_err *err)
{
	struct xport *x = worker_team_xport(w);
	const struct xport_join how = join_of(w, NULL);

	return x->ops->team->offer(x, &how, &w->hand.mine, err);
}

void worker_note_error(const struct worker *w, struct outcome *o)
{
	unsigned id = w->hand.trial.xport;
	const struct xport *x = id < XPORT_COUNT ? w->xports[id] : NULL;
	int code;

	if (!trial_xport_is_gpu(id))
		return;
	code = x && x->ops->error ? x->ops->error(x) : w->codes[id];
	outcome_put(o, COUNTER_DEVICE_ERROR, code > 0 ? code : -1);
}

enum fp_status worker_team_run(struct worker *w, struct outcome *o,
                               struct fp_err *err)
{
	struct xport *x = worker_team_xport(w);
	struct measure *m = &w->hand.measure;
	const struct xport_join how = join_of(w, NULL);
	enum fp_status status = x->ops->team->join(x, &how, &m->team, err);

	if (status == FP_OK)
		status = measure_run(m, o, err);
	if (status == FP_ERR_LIB && o->stage >= STAGE_WARM)
		worker_note_error(w, o);
	if (m->team && m->team->ops->counters)
		m->team->ops->counters(m->team, o);
	/* A library that failed once is not asked again: the agent starts a
	 * new process. */
	if (status != FP_OK && status != FP_ERR_NOTSUP &&
	    status != FP_ERR_LIMIT)
		o->flags |= OUTCOME_RETIRED;
	if (m->team)
		m->team->ops->leave(m->team, status == FP_OK);
	m->team = NULL;
	return status;
}

enum fp_status worker_busy(struct worker *w, bool on, struct fp_err *err)
{
	struct xport *x = w->xports[XPORT_CUDA];

	return x && x->ops->busy ? x->ops->busy(x, on, err) : FP_OK;
}

enum fp_status worker_alone_run(struct worker *w, struct outcome *o,
                                struct fp_err *err)
{
	struct xport *x = worker_team_xport(w);
	const struct xport_join how = join_of(w, &w->hand.measure.n_samples);
	enum fp_status status;

	w->hand.measure.n_samples = 0;
	if (!x || !x->ops->local)
		return fp_err_set(err, FP_ERR_NOTSUP,
		                  "transport %s tries no device by itself",
		                  trial_xport_name(w->hand.trial.xport));
	board_stage(w->board, STAGE_XFER);
	status = x->ops->local(x, &how, o, err);
	/* The links that are measured next find it as hot as it is now. */
	if (status == FP_OK && w->hand.trial.flags & TRIAL_LOAD)
		status = worker_busy(w, true, err);
	if (status == FP_OK) {
		o->state = OUTCOME_OK;
		o->stage = STAGE_DONE;
	} else if (status != FP_ERR_NOTSUP && status != FP_ERR_LIMIT) {
		o->flags |= OUTCOME_RETIRED;
	}
	return status;
}

void worker_team_withdraw(struct worker *w)
{
	struct xport *x = worker_team_xport(w);

	if (x)
		x->ops->team->withdraw(x);
}
