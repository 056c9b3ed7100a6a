// SPDX-License-Identifier: Apache-2.0
// One trial in the air: every member of it gets exactly one outcome.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/conductor/impl.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"

#define FLIGHT_SILENT_BEATS 3.0
#define FLIGHT_GONE (OUTCOME_WORKER_DIED | OUTCOME_KILLED | OUTCOME_WEDGED)

void flight_leave(struct peer *p)
{
	free(p->samples);
	p->samples = NULL;
	p->n_samples = 0;
	p->flight = -1;
}

static void outcome_give(struct conductor *c, struct flight *f, uint32_t member,
                         const struct outcome *o)
{
	struct peer *p = &c->peers[f->members[member]];

	if (f->have[member])
		return;
	f->have[member] = true;
	if (++f->n_outcomes == f->n)
		f->state = FLIGHT_DONE;
	if (o->elapsed_s > c->round.work_s)
		c->round.work_s = o->elapsed_s;
	c->sink->outcome(c->sink->arg, f->trial, o, p->samples, p->n_samples);
	if (p->flight == f - c->round.flights)
		flight_leave(p);
}

void flight_outcome(struct conductor *c, struct flight *f, uint32_t member,
                    uint8_t state, const char *text)
{
	struct outcome o = {
		.trial = f->trial->id,
		.rank = f->members[member],
		.state = state,
		.stage = f->state == FLIGHT_PREPARING ? STAGE_INIT
		                                      : STAGE_CONNECT,
	};

	if (state == OUTCOME_HANG)
		o.flags = OUTCOME_SILENT;
	if (state == OUTCOME_NOTRUN)
		o.stage = STAGE_SPAWN;
	fp_copy(o.err, sizeof(o.err), text);
	outcome_give(c, f, member, &o);
}

/* One member cannot: the others need not try. */
static void flight_cancel(struct conductor *c, struct flight *f,
                          const char *why)
{
	uint32_t i, id = f->trial->id;

	for (i = 0; i < f->n; i++) {
		if (f->have[i])
			continue;
		conductor_send(c, f->members[i], WIRE_CANCEL, &id, sizeof(id));
		flight_outcome(c, f, i, OUTCOME_NOTRUN, why);
	}
	f->state = FLIGHT_DONE;
}

/* One member is gone in mid-flight: the others wait for nobody. They report
 * themselves how far they got. */
static void flight_call_off(struct conductor *c, const struct flight *f)
{
	uint32_t i, id = f->trial->id;

	for (i = 0; i < f->n; i++)
		if (!f->have[i])
			conductor_send(c, f->members[i], WIRE_CANCEL, &id,
			               sizeof(id));
}

static struct flight *flight_of(struct conductor *c, int32_t rank, uint32_t id)
{
	struct peer *p = &c->peers[rank];
	struct flight *f;

	if (p->flight < 0 || (size_t)p->flight >= c->round.n)
		return NULL;
	f = &c->round.flights[p->flight];
	return f->trial->id == id ? f : NULL;
}

void round_endpoint(struct conductor *c, int32_t rank,
                    const struct wire_endpoint *ep)
{
	struct flight *f = flight_of(c, rank, ep->trial);

	if (!f || f->state != FLIGHT_PREPARING ||
	    ep->index != c->peers[rank].member ||
	    f->endpoints[ep->index].trial != 0)
		return;
	f->endpoints[ep->index] = *ep;
	if (++f->n_endpoints == f->n)
		f->state = FLIGHT_SET;
}

void round_samples(struct conductor *c, int32_t rank, const uint8_t *payload)
{
	struct peer *p = &c->peers[rank];
	struct wire_samples head;

	memcpy(&head, payload, sizeof(head));
	if (!flight_of(c, rank, head.trial) || p->samples || head.n == 0)
		return;
	p->samples = calloc(head.n, sizeof(*p->samples));
	if (!p->samples)
		return;
	memcpy(p->samples, payload + sizeof(head),
	       head.n * sizeof(*p->samples));
	p->n_samples = head.n;
}

void round_outcome(struct conductor *c, int32_t rank, const struct outcome *o)
{
	struct flight *f = flight_of(c, rank, o->trial);
	bool before_go;
	char text[OUTCOME_ERR_MAX];

	if (!f || outcome_check(o, (size_t)c->size))
		return;
	before_go = f->state == FLIGHT_PREPARING || f->state == FLIGHT_SET;
	if (!before_go && (o->flags & FLIGHT_GONE))
		flight_call_off(c, f);
	outcome_give(c, f, c->peers[rank].member, o);
	if (!before_go)
		return;
	(void)snprintf(text, sizeof(text), "rank %d could not prepare: %.80s",
	               (int)rank, o->err);
	flight_cancel(c, f, text);
}

void round_lost(struct conductor *c, int32_t rank, const char *why)
{
	struct peer *p = &c->peers[rank];
	struct flight *f;
	char text[OUTCOME_ERR_MAX];

	if (p->flight < 0 || (size_t)p->flight >= c->round.n)
		return;
	f = &c->round.flights[p->flight];
	flight_outcome(c, f, p->member, OUTCOME_LOST, why);
	if (f->state == FLIGHT_RUNNING)
		flight_call_off(c, f);
	if (f->state == FLIGHT_RUNNING || f->state == FLIGHT_DONE)
		return;
	(void)snprintf(text, sizeof(text), "rank %d is lost", (int)rank);
	flight_cancel(c, f, text);
}

/* Why @rank cannot take part now; NULL if it can. */
static const char *peer_unfit(const struct peer *p)
{
	switch (p->state) {
	case PEER_READY:
		return p->flight < 0 ? NULL : "two trials of a rank in a round";
	case PEER_ABSENT:
		return "never said hello";
	case PEER_LOST:
		return p->text;
	case PEER_FAILED:
	case PEER_HELLO:
	default:
		return p->text[0] ? p->text : "no worker";
	}
}

static void flight_refuse(struct conductor *c, struct flight *f, uint32_t unfit,
                          const char *why)
{
	const struct peer *p = &c->peers[f->members[unfit]];
	char text[OUTCOME_ERR_MAX];
	uint32_t i;

	flight_outcome(c, f, unfit,
	               p->state == PEER_LOST || p->state == PEER_ABSENT
	                       ? OUTCOME_LOST
	                       : OUTCOME_NOTRUN,
	               why);
	(void)snprintf(text, sizeof(text), "rank %d: %.100s",
	               (int)f->members[unfit], why);
	for (i = 0; i < f->n; i++)
		flight_outcome(c, f, i, OUTCOME_NOTRUN, text);
}

static void prepare_send(struct conductor *c, const struct flight *f,
                         uint32_t member)
{
	struct wire_prepare head = {
		.trial = *f->trial,
		.n_members = f->n,
		.me = member,
	};
	struct mailbox_parts parts = {
		&head,
		sizeof(head),
		f->members,
		f->n * sizeof(*f->members),
	};

	(void)mailbox_send_parts(c->mailbox, f->members[member], WIRE_PREPARE,
	                         &parts, NULL);
}

/* A worker that drives a GPU may first have to be started anew. */
void flight_prepare(struct conductor *c, struct flight *f)
{
	const char *why;
	uint32_t i;

	for (i = 0; i < f->n; i++) {
		why = peer_unfit(&c->peers[f->members[i]]);
		if (why) {
			flight_refuse(c, f, i, why);
			return;
		}
	}
	f->deadline_ns = fp_after_ns(
		c->opts.prepare_s +
		(trial_xport_is_gpu(f->trial->xport) ? c->opts.start_s : 0));
	for (i = 0; i < f->n; i++) {
		c->peers[f->members[i]].flight =
			(int32_t)(f - c->round.flights);
		c->peers[f->members[i]].member = i;
	}
	for (i = 0; i < f->n; i++)
		prepare_send(c, f, i);
}

/* Of a team all members, or where they are many the first. */
static uint32_t go_team(const struct flight *f, uint32_t *ret)
{
	uint32_t i, n = f->n <= WIRE_TEAM_ALL_MAX ? f->n : 1;

	for (i = 0; i < n; i++)
		ret[i] = i;
	return n;
}

/* Which members' endpoints member @me needs: its partner, its neighbours in a
 * ring, or everybody for an all-to-all. */
static uint32_t go_peers(const struct flight *f, uint32_t me, uint32_t *ret)
{
	uint32_t next = (me + 1) % f->n, prev = (me + f->n - 1) % f->n;
	uint32_t i, n = 0;

	if (f->trial->xport == XPORT_NCCL)
		return go_team(f, ret);
	if (f->trial->op == OP_ALLTOALL) {
		for (i = 0; i < f->n; i++)
			if (i != me)
				ret[n++] = i;
		return n;
	}
	ret[n++] = next;
	if (prev != next)
		ret[n++] = prev;
	return n;
}

static void go_send(struct conductor *c, const struct flight *f, uint32_t me,
                    uint32_t *peers, struct wire_endpoint *eps)
{
	struct wire_go go = { .trial = f->trial->id };
	struct mailbox_parts parts = { &go, sizeof(go), eps, 0 };
	uint32_t i;

	go.n = go_peers(f, me, peers);
	for (i = 0; i < go.n; i++)
		eps[i] = f->endpoints[peers[i]];
	parts.b_len = go.n * sizeof(*eps);
	(void)mailbox_send_parts(c->mailbox, f->members[me], WIRE_GO, &parts,
	                         NULL);
}

void flight_go(struct conductor *c, struct flight *f)
{
	struct wire_endpoint *eps = calloc(f->n, sizeof(*eps));
	uint32_t *peers = calloc(f->n, sizeof(*peers));
	uint32_t i;

	if (!eps || !peers) {
		flight_cancel(c, f, "conductor: no memory");
	} else {
		f->state = FLIGHT_RUNNING;
		f->deadline_ns =
			fp_after_ns(f->trial->deadline_s + c->opts.grace_s);
		for (i = 0; i < f->n; i++)
			go_send(c, f, i, peers, eps);
	}
	free(eps);
	free(peers);
}

/* What a silent agent has left before it is lost; 0 if it is not silent. */
static double patience_s(const struct conductor *c, double silence_s)
{
	const struct mailbox_opts *m = &c->opts.mailbox;

	if (silence_s <= FLIGHT_SILENT_BEATS * m->heartbeat_s)
		return 0;
	return m->dead_s - silence_s;
}

/* Past all deadlines: is the agent silent too, or only its worker stuck? A
 * silent one has as long as everywhere. Return: seconds to wait for it. */
static double member_overdue(struct conductor *c, struct flight *f, uint32_t i)
{
	int32_t rank = f->members[i];
	double silence_s = mailbox_silence_s(c->mailbox, rank);
	double left_s = patience_s(c, silence_s);
	char text[OUTCOME_ERR_MAX];

	if (left_s > 0)
		return left_s;
	(void)snprintf(text, sizeof(text), "agent silent for %.1f s",
	               silence_s);
	if (left_s < 0)
		conductor_lose(c, rank, text);
	else
		flight_outcome(c, f, i, OUTCOME_HANG,
		               "agent answers, but not its worker");
	return 0;
}

void flight_overdue(struct conductor *c, struct flight *f)
{
	bool preparing = f->state == FLIGHT_PREPARING;
	double left_s, most_s = 0;
	uint32_t i;

	for (i = 0; i < f->n; i++) {
		if (f->have[i] || (preparing && f->endpoints[i].trial != 0))
			continue;
		left_s = member_overdue(c, f, i);
		if (left_s > most_s)
			most_s = left_s;
	}
	if (most_s > 0)
		f->deadline_ns = fp_after_ns(most_s);
	else if (preparing && f->state != FLIGHT_DONE)
		flight_cancel(c, f, "a peer did not get ready for it");
}

void flight_free(struct flight *f)
{
	free(f->endpoints);
	free(f->have);
}

enum fp_status flight_init(struct flight *f, const struct batch *batch,
                           const struct trial *t)
{
	f->trial = t;
	if (trial_is_pair(t)) {
		f->pair[0] = t->src;
		f->pair[1] = t->dst;
		f->members = f->pair;
		f->n = trial_is_alone(t) ? 1 : 2;
	} else {
		f->members = batch->members + t->member_first;
		f->n = t->member_count;
	}
	f->endpoints = calloc(f->n, sizeof(*f->endpoints));
	f->have = calloc(f->n, sizeof(*f->have));
	return f->endpoints && f->have ? FP_OK : FP_ERR_NOMEM;
}
