// SPDX-License-Identifier: Apache-2.0
// A trial in a worker: PREPARE, GO, its outcome; or CANCEL.
#include <stdlib.h>
#include <string.h>

#include "probes/worker/part.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"

static void board_begin(struct worker *w, uint32_t trial)
{
	struct board *b = w->board;

	atomic_store(&b->stage, STAGE_INIT);
	atomic_store(&b->iter, 0);
	atomic_store(&b->bytes, 0);
	atomic_store(&b->injected, 0);
	atomic_store(&b->beat_ns, fp_now_ns());
	atomic_store(&b->trial, trial);
}

void worker_forget(struct worker *w)
{
	struct worker_trial *h = &w->hand;

	if (!h->held)
		return;
	worker_close(w);
	worker_unlisten(w);
	free(h->members);
	free(h->peers);
	free(h->mesh);
	*h = (struct worker_trial){ 0 };
	atomic_store(&w->board->trial, 0);
	board_stage(w->board, STAGE_READY);
}

static enum fp_status send_samples(struct worker *w, struct fp_err *err)
{
	const struct measure *m = &w->hand.measure;
	const struct wire_samples head = {
		.trial = w->hand.trial.id,
		.rank = w->setup.rank,
		.n = (uint32_t)m->n_samples,
	};

	if (!(w->hand.trial.flags & TRIAL_KEEP_SAMPLES) || m->n_samples == 0)
		return FP_OK;
	return worker_send(
		w, WIRE_SAMPLES, (struct worker_part){ &head, sizeof(head) },
		(struct worker_part){ m->samples,
	                              m->n_samples * sizeof(*m->samples) },
		err);
}

/* The trial in hand is over. */
static enum fp_status send_outcome(struct worker *w, struct outcome *o,
                                   struct fp_err *err)
{
	const struct worker_part none = { 0 };
	enum fp_status status = send_samples(w, err);

	o->trial = w->hand.trial.id;
	o->rank = w->setup.rank;
	fault_note(&w->faults, o);
	/* Before the outcome: then the next trial cannot meet this one. */
	worker_forget(w);
	if (status == FP_OK)
		status = worker_send(w, WIRE_OUTCOME,
		                     (struct worker_part){ o, sizeof(*o) },
		                     none, err);
	return status;
}

/* Cannot run here, or asks for more than this host has: no fault of a link. */
static bool is_not_here(enum fp_status status)
{
	return status == FP_ERR_NOTSUP || status == FP_ERR_LIMIT;
}

/* What cannot be done here was not tried; the rest went wrong. */
static enum fp_status send_failure(struct worker *w, enum fp_status status,
                                   const struct fp_err *why, struct fp_err *err)
{
	struct outcome o = { 0 };

	measure_fail(&w->hand.measure, status, why, &o);
	if (is_not_here(status))
		o.state = OUTCOME_NOTRUN;
	if (status == FP_ERR_LIB)
		worker_note_error(w, &o);
	worker_witness(w, &o);
	return send_outcome(w, &o, err);
}

static bool hand_take(struct worker *w, const struct wire_prepare *p,
                      const uint8_t *members)
{
	struct worker_trial *h = &w->hand;
	size_t n = p->n_members;

	*h = (struct worker_trial){
		.held = true,
		.trial = p->trial,
		.n = p->n_members,
		.me = p->me,
		.members = calloc(n, sizeof(*h->members)),
		.peers = calloc(n, sizeof(*h->peers)),
		.mesh = calloc(n, sizeof(struct xport_ep *)),
	};
	h->mine.trial = p->trial.id;
	h->mine.index = p->me;
	h->measure = (struct measure){
		.trial = &h->trial,
		.members = h->members,
		.n_members = h->n,
		.me = h->me,
		.mesh = h->mesh,
		.board = w->board,
		.samples = w->samples,
		.room_samples = WORKER_ROOM,
		.rates = w->rates,
		.room_rates = WORKER_ROOM,
	};
	if (!h->members || !h->peers || !h->mesh)
		return false;
	memcpy(h->members, members, n * sizeof(*h->members));
	return true;
}

static enum fp_status prepare(struct worker *w, struct fp_err *err)
{
	struct worker_trial *h = &w->hand;
	const struct wire_prepare p = {
		.trial = h->trial,
		.n_members = h->n,
		.me = h->me,
	};
	const char *wrong = wire_prepare_check(&p, h->members, w->setup.rank,
	                                       (size_t)w->setup.size);
	enum fp_status status;

	if (wrong)
		return fp_err_set(err, FP_ERR_PROTO, "%s", wrong);
	worker_rail_take(w);
	status = worker_busy(
		w, h->trial.flags & TRIAL_LOAD && !trial_is_alone(&h->trial),
		err);
	if (status != FP_OK)
		return status;
	if (worker_team_xport(w))
		return worker_listen(w, err);
	if (h->trial.mem != MEM_HOST && h->trial.xport <= XPORT_TCP)
		return fp_err_set(err, FP_ERR_NOTSUP,
		                  "this worker knows no %s memory",
		                  trial_mem_name(h->trial.mem));
	status = measure_needs(&h->trial, h->n, h->me, &h->needs, err);
	if (status == FP_OK)
		status = worker_memory_check(h->needs.memory_bytes, err);
	if (status == FP_OK)
		status = worker_listen(w, err);
	return status;
}

enum fp_status worker_on_prepare(struct worker *w, const struct wire_frame *f,
                                 struct fp_err *err)
{
	const struct worker_part none = { 0 };
	struct wire_prepare p;
	struct fp_err why = { 0 };
	enum fp_status status;

	memcpy(&p, f->payload, sizeof(p));
	if (p.trial.id == 0)
		return fp_err_set(err, FP_ERR_PROTO, "PREPARE of no trial");
	worker_forget(w);
	board_begin(w, p.trial.id);
	if (hand_take(w, &p, f->payload + sizeof(p)))
		status = prepare(w, &why);
	else
		status = fp_err_set(&why, FP_ERR_NOMEM, "no memory");
	if (status != FP_OK)
		return send_failure(w, status, &why, err);
	return worker_send(
		w, WIRE_ENDPOINT,
		(struct worker_part){ &w->hand.mine, sizeof(w->hand.mine) },
		none, err);
}

static enum fp_status peers_take(struct worker_trial *h,
                                 const struct wire_frame *f, uint32_t n,
                                 struct fp_err *err)
{
	const uint8_t *at = f->payload + sizeof(struct wire_go);
	struct wire_endpoint ep;

	for (uint32_t i = 0; i < n; i++, at += sizeof(ep)) {
		memcpy(&ep, at, sizeof(ep));
		if (ep.trial != h->trial.id || ep.index >= h->n)
			return fp_err_set(err, FP_ERR_PROTO,
			                  "trial %u: GO with an endpoint of "
			                  "trial %u, member %u",
			                  h->trial.id, ep.trial, ep.index);
		h->peers[ep.index] = ep;
	}
	return FP_OK;
}

static enum fp_status run_datagram(struct worker *w, struct outcome *o,
                                   struct fp_err *err)
{
	struct worker_trial *h = &w->hand;
	uint32_t other = 1 - h->me;
	const struct xport_ops *ops = worker_edge_ops(w, other);
	const struct xport_peer peer = {
		.trial = &h->trial,
		.me = h->me,
		.peer = other,
		.side = h->me == 0 ? XPORT_ACTIVE : XPORT_PASSIVE,
		.blob = &h->peers[other].tcp,
		.deadline_ns = h->measure.deadline_ns,
	};
	enum fp_status status;

	if (!ops || !ops->datagram)
		return fp_err_set(err, FP_ERR_NOTSUP,
		                  "transport %s has no datagrams",
		                  trial_xport_name(h->trial.xport));
	board_stage(w->board, STAGE_XFER);
	status = ops->datagram(w->xports[ops->id], &peer, o, err);
	if (status != FP_OK)
		return status;
	fault_datagram(&w->faults, &h->trial, h->members[other], o);
	if (h->me == 1)
		o->flags |= OUTCOME_RECEIVER;
	o->state = OUTCOME_OK;
	o->stage = STAGE_DONE;
	return FP_OK;
}

static enum fp_status run(struct worker *w, struct outcome *o,
                          struct fp_err *err)
{
	enum fp_status status;

	if (w->hand.trial.op == OP_DATAGRAM)
		return run_datagram(w, o, err);
	if (trial_is_alone(&w->hand.trial))
		return worker_alone_run(w, o, err);
	if (worker_team_xport(w))
		return worker_team_run(w, o, err);
	status = worker_connect(w, err);
	if (status == FP_OK) {
		worker_unlisten(w);
		status = measure_run(&w->hand.measure, o, err);
	}
	worker_counters(w, o);
	return status;
}

enum fp_status worker_on_go(struct worker *w, const struct wire_frame *f,
                            struct fp_err *err)
{
	struct worker_trial *h = &w->hand;
	struct measure *m = &h->measure;
	struct outcome o = { 0 };
	struct fp_err why = { 0 };
	struct wire_go go;
	enum fp_status status;

	memcpy(&go, f->payload, sizeof(go));
	if (!h->held || go.trial != h->trial.id)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "GO for trial %u, which was not prepared",
		                  go.trial);
	m->go_ns = fp_now_ns();
	m->deadline_ns = m->go_ns + (int64_t)(h->trial.deadline_s * 1e9);
	status = peers_take(h, f, go.n, err);
	if (status != FP_OK)
		return status;
	board_stage(w->board, STAGE_CONNECT);
	worker_misbehave(w);
	status = run(w, &o, &why);
	if (o.state == OUTCOME_NONE)
		measure_fail(m, status, &why, &o);
	if (is_not_here(status))
		o.state = OUTCOME_NOTRUN;
	o.elapsed_s = (double)(fp_now_ns() - m->go_ns) / 1e9;
	w->faults.trials_done++;
	return send_outcome(w, &o, err);
}

enum fp_status worker_on_cancel(struct worker *w, const struct wire_frame *f,
                                struct fp_err *err)
{
	uint32_t id;

	(void)err;
	memcpy(&id, f->payload, sizeof(id));
	/* Another one: it crossed with an outcome. */
	if (w->hand.held && w->hand.trial.id == id)
		worker_forget(w);
	return FP_OK;
}
