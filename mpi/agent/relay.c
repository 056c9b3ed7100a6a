// SPDX-License-Identifier: Apache-2.0
// Frames of a worker: checked against what is due, then passed on.
#include <event2/bufferevent.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/agent/impl.h"
#include "topo/base/fmt.h"

#define RELAY_CHUNK 65536

static void from_ready(struct agent *a, const struct wire_frame *f)
{
	struct wire_ready ready;

	if (a->phase != WORKER_STARTING) {
		agent_worker_garbage(a, "READY twice");
		return;
	}
	memcpy(&ready, f->payload, sizeof(ready));
	ready.rank = a->rank;
	agent_worker_disarm(a);
	if (ready.status != FP_OK) {
		agent_worker_give_up(a, ready.text);
		return;
	}
	a->phase = WORKER_READY;
	a->failures = 0;
	agent_send(a, WIRE_READY, &ready, sizeof(ready));
	agent_watch_start(a);
	if (a->hand == HAND_HELD) {
		agent_hand_prepare(a, a->held, a->held_len);
		free(a->held);
		a->held = NULL;
		agent_worker_arm(a, a->opts.start_s);
	}
}

static void from_facts(struct agent *a, const struct wire_frame *f)
{
	if (a->phase != WORKER_READY || a->facts_seen) {
		agent_worker_garbage(a, "FACTS out of turn");
		return;
	}
	a->facts_seen = true;
	a->setup.reads = 0; /* once is enough for the run */
	agent_send(a, WIRE_FACTS, f->payload, f->head.length);
}

/* Is a frame about @id due while the trial in hand is in @phase? One that
 * crossed a CANCEL, or the agent's own report, is dropped in silence; more of
 * them than can cross are nonsense. */
static bool is_due(struct agent *a, uint32_t id, bool in_phase,
                   const char *what)
{
	if (a->hand != HAND_EMPTY && id == a->trial.id && in_phase) {
		a->may_cross = AGENT_CROSS_MAX; /* it has caught up */
		return true;
	}
	if (id > a->trial.id || (id == a->trial.id && a->hand != HAND_EMPTY) ||
	    a->may_cross == 0)
		agent_worker_garbage(a, what);
	else
		a->may_cross--;
	return false;
}

static void from_endpoint(struct agent *a, const struct wire_frame *f)
{
	struct wire_endpoint ep;

	memcpy(&ep, f->payload, sizeof(ep));
	if (!is_due(a, ep.trial, a->hand == HAND_PREPARED,
	            "ENDPOINT out of turn"))
		return;
	agent_worker_disarm(a);
	agent_send(a, WIRE_ENDPOINT, f->payload, f->head.length);
}

static void from_samples(struct agent *a, const struct wire_frame *f)
{
	struct wire_samples s;

	memcpy(&s, f->payload, sizeof(s));
	if (!is_due(a, s.trial, a->hand == HAND_RUNNING, "SAMPLES out of turn"))
		return;
	if (s.rank != a->rank) {
		agent_worker_garbage(a, "SAMPLES of another rank");
		return;
	}
	agent_send(a, WIRE_SAMPLES, f->payload, f->head.length);
}

void agent_hand_outcome(struct agent *a, const struct outcome *o)
{
	agent_send(a, WIRE_OUTCOME, o, sizeof(*o));
	agent_watch_trial(a);
	agent_hand_drop(a);
}

static void from_outcome(struct agent *a, const struct wire_frame *f)
{
	struct outcome o;

	memcpy(&o, f->payload, sizeof(o));
	if (!is_due(a, o.trial,
	            a->hand == HAND_PREPARED || a->hand == HAND_RUNNING,
	            "OUTCOME out of turn"))
		return;
	if (o.rank != a->rank) {
		agent_worker_garbage(a, "OUTCOME of another rank");
		return;
	}
	if (a->called_off && o.state == OUTCOME_HANG) {
		o.state = OUTCOME_ERROR;
		fp_copy(o.err, sizeof(o.err), "called off: a peer is gone");
	}
	agent_hand_outcome(a, &o);
	if (o.flags & OUTCOME_RETIRED)
		agent_worker_kill(a);
}

static void on_worker_frame(struct agent *a, const struct wire_frame *f)
{
	static void (*const handlers[WIRE_TYPE_COUNT])(
		struct agent *, const struct wire_frame *) = {
		[WIRE_READY] = from_ready,       [WIRE_FACTS] = from_facts,
		[WIRE_ENDPOINT] = from_endpoint, [WIRE_SAMPLES] = from_samples,
		[WIRE_OUTCOME] = from_outcome,
	};

	if (f->head.type < WIRE_TYPE_COUNT && handlers[f->head.type])
		handlers[f->head.type](a, f);
	else
		agent_worker_garbage(a, "a frame that workers do not send");
}

static void worker_frames(struct agent *a)
{
	struct wire_frame frame;
	struct fp_err err = { 0 };
	bool got = true;

	while (a->phase != WORKER_KILLING && a->phase != WORKER_GONE) {
		if (wire_reader_next(&a->reader, &frame, &got, &err)) {
			agent_worker_garbage(a, err.text);
			return;
		}
		if (!got)
			return;
		on_worker_frame(a, &frame);
	}
}

void agent_relay_read(struct bufferevent *bev, void *arg)
{
	struct agent *a = arg;
	uint8_t *room;
	size_t n;

	do {
		room = wire_reader_room(&a->reader, RELAY_CHUNK);
		if (!room) {
			agent_worker_garbage(a, "no memory for its frames");
			return;
		}
		n = bufferevent_read(bev, room, RELAY_CHUNK);
		wire_reader_add(&a->reader, n);
		worker_frames(a);
	} while (n > 0 && a->phase != WORKER_KILLING &&
	         a->phase != WORKER_GONE);
}
