// SPDX-License-Identifier: Apache-2.0
// libnccl's double: sends and receives of a group make progress together.
#include <stdlib.h>
#include <string.h>

#include "tests/doubles/nccl_impl.h"

/* An operation under way. */
struct step {
	const struct nc_op *op;
	struct nc_mail *mail;
	uint32_t number; /* of this message on its way */
	bool posted, done;
};

/* struct talk - the messages of one group. */
struct talk {
	struct ncclComm *c;
	struct step *steps;
	size_t n, left;
	double begin_s, end_s, egress_s;
};

static struct nc_mail *mail_of(const struct nc_op *op)
{
	struct ncclComm *c = op->comm;
	int src = op->kind == NC_SEND ? c->rank : op->peer;
	int dst = op->kind == NC_SEND ? op->peer : c->rank;

	return &c->sh->mails[src * c->n + dst];
}

static void step_end(struct talk *t, struct step *s, double end_s)
{
	s->done = true;
	t->left--;
	if (end_s > t->end_s)
		t->end_s = end_s;
}

/* Messages leave a member one behind the other. */
static void post(struct talk *t, struct step *s)
{
	const struct nc_op *op = s->op;
	struct fpd_path p = nc_path(t->c, t->c->rank, op->peer);
	uint64_t bytes = op->count * nc_size(op->type);

	if (!fpd_memory_share(op->send, &s->mail->share))
		return;
	s->mail->bytes = bytes;
	s->mail->t_s = t->begin_s + t->egress_s;
	t->egress_s += (double)bytes / p.Bps;
	s->posted = true;
	atomic_store(&s->mail->posted, s->number + 1);
	nc_wake(&s->mail->posted);
}

static bool send_step(struct talk *t, struct step *s)
{
	/* Only one at a time lies between two members. */
	if (!s->posted && atomic_load(&s->mail->taken) >= s->number)
		post(t, s);
	if (s->posted && atomic_load(&s->mail->taken) > s->number) {
		step_end(t, s, s->mail->end_s);
		return true;
	}
	return false;
}

static bool recv_step(struct talk *t, struct step *s)
{
	const struct nc_op *op = s->op;
	struct fpd_path p = nc_path(t->c, op->peer, t->c->rank);
	uint64_t bytes = op->count * nc_size(op->type);
	const uint8_t *data;
	double begin_s;

	if (atomic_load(&s->mail->posted) <= s->number)
		return false;
	data = nc_map(t->c, &s->mail->share);
	if (!data)
		return false;
	if (bytes > s->mail->bytes)
		bytes = s->mail->bytes;
	memcpy(op->recv, data, bytes);
	nc_corrupt(t->c, op->peer, op->recv, bytes);
	begin_s = s->mail->t_s > t->begin_s ? s->mail->t_s : t->begin_s;
	s->mail->end_s = begin_s + fpd_path_s(&p, bytes);
	atomic_store(&s->mail->taken, s->number + 1);
	nc_wake(&s->mail->taken);
	step_end(t, s, s->mail->end_s);
	return true;
}

static void talk_path(struct ncclComm *c, const struct nc_op *op)
{
	if (c->told[op->peer] || op->peer == (c->rank + 1) % c->n ||
	    c->rank == (op->peer + 1) % c->n)
		return;
	c->told[op->peer] = true;
	nc_tell_path(c, op->peer, op->kind == NC_SEND);
}

/* How many messages of this group went the same way before. */
static uint32_t earlier(const struct talk *t, size_t i)
{
	uint32_t n = 0;

	for (size_t k = 0; k < i; k++)
		n += t->steps[k].mail == t->steps[i].mail &&
		     t->steps[k].op->kind == t->steps[i].op->kind;
	return n;
}

static void talk_begin(struct talk *t, const struct nc_op *ops)
{
	for (size_t i = 0; i < t->n; i++) {
		struct step *s = &t->steps[i];

		s->op = &ops[i];
		s->mail = mail_of(s->op);
		s->number =
			atomic_load(s->op->kind == NC_SEND ? &s->mail->posted
		                                           : &s->mail->taken) +
			earlier(t, i);
		talk_path(t->c, s->op);
	}
}

/* Something that another member has to do first. */
static bool wait_for_peer(struct talk *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct step *s = &t->steps[i];
		const _Atomic uint32_t *word;
		uint32_t value;

		if (s->done)
			continue;
		word = s->op->kind == NC_SEND ? &s->mail->taken
		                              : &s->mail->posted;
		value = atomic_load(word);
		if (value > s->number)
			return true;
		return nc_wait(t->c, word, value);
	}
	return true;
}

bool nc_messages(const struct nc_op *ops, size_t n)
{
	struct talk t = { .c = ops[0].comm, .n = n, .left = n };
	bool moved, good = true;

	t.steps = calloc(n, sizeof(*t.steps));
	if (!t.steps)
		return false;
	t.begin_s = t.end_s = fpd_clock() + fpd_world()->launch_s;
	talk_begin(&t, ops);
	while (t.left > 0 && good) {
		moved = false;
		for (size_t i = 0; i < n; i++) {
			struct step *s = &t.steps[i];

			if (!s->done)
				moved |= s->op->kind == NC_SEND
				                 ? send_step(&t, s)
				                 : recv_step(&t, s);
		}
		if (!moved)
			good = wait_for_peer(&t);
	}
	if (good)
		fpd_clock_set(t.end_s);
	free(t.steps);
	return good;
}
