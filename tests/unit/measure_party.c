// SPDX-License-Identifier: Apache-2.0
// Members of a trial as threads over the loop transport.
#include "tests/unit/measure_party.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "topo/base/clock.h"

struct trial party_trial(uint16_t op, uint64_t bytes)
{
	return (struct trial){
		.id = 7,
		.xport = XPORT_SHM,
		.op = op,
		.bytes = bytes,
		.src = PARTY_FIRST_RANK,
		.dst = PARTY_FIRST_RANK + 1,
		.time_s = 0.02,
		.deadline_s = 60,
		.seed = 99,
	};
}

static struct measure_needs needs_of(const struct party *p, uint32_t me)
{
	struct measure_needs needs;
	struct fp_err err = { 0 };

	assert_int_equal(measure_needs(&p->trial, p->n, me, &needs, &err),
	                 FP_OK);
	return needs;
}

static void connect_pair(struct party *p)
{
	struct measure *a = &p->members[0].m, *b = &p->members[1].m;
	struct measure_needs na = needs_of(p, 0), nb = needs_of(p, 1);

	if (p->trial.op == OP_WRITE && p->trial.dir == DIR_BI) {
		loop_net_pair(p->net, na.data_bytes, nb.answer_bytes, &a->next,
		              &b->prev);
		loop_net_pair(p->net, na.answer_bytes, nb.data_bytes, &a->prev,
		              &b->next);
		return;
	}
	loop_net_pair(p->net, na.data_bytes, nb.data_bytes, &a->ep, &b->ep);
}

static void connect_mesh(struct party *p)
{
	for (uint32_t a = 0; a < p->n; a++) {
		p->members[a].m.mesh = p->members[a].mesh;
		for (uint32_t b = a + 1; b < p->n; b++)
			loop_net_pair(p->net, needs_of(p, a).data_bytes,
			              needs_of(p, b).data_bytes,
			              &p->members[a].mesh[b],
			              &p->members[b].mesh[a]);
	}
}

static void connect_ring(struct party *p)
{
	for (uint32_t a = 0; a < p->n; a++) {
		uint32_t b = (a + 1) % p->n;

		loop_net_pair(p->net, needs_of(p, a).data_bytes,
		              needs_of(p, b).answer_bytes,
		              &p->members[a].m.next, &p->members[b].m.prev);
	}
}

static void member_init(struct party *p, uint32_t me)
{
	struct party_member *x = &p->members[me];

	x->m = (struct measure){
		.trial = &p->trial,
		.members = p->ranks,
		.n_members = p->n,
		.me = me,
		.board = &x->board,
		.go_ns = fp_now_ns(),
		.deadline_ns = fp_after_ns(p->trial.deadline_s),
		.samples = x->samples,
		.room_samples = PARTY_ROOM,
		.rates = x->rates,
		.room_rates = PARTY_ROOM,
	};
}

void party_open(struct party *p, const struct trial *t, uint32_t n)
{
	*p = (struct party){ .trial = *t, .n = n };
	p->members = calloc(n, sizeof(*p->members));
	assert_non_null(p->members);
	/* One abort word for all, as good as one each. */
	p->net = loop_net_open(&p->members[0].board, t->id, 65536);
	assert_non_null(p->net);
	for (uint32_t i = 0; i < n; i++) {
		p->ranks[i] = PARTY_FIRST_RANK + (int32_t)i;
		member_init(p, i);
	}
	if (trial_is_pair(t))
		connect_pair(p);
	else if (t->op == OP_ALLTOALL)
		connect_mesh(p);
	else
		connect_ring(p);
}

void *party_member_run(void *arg)
{
	struct party_member *x = arg;

	x->status = measure_run(&x->m, &x->o, &x->err);
	return NULL;
}

void party_run(struct party *p)
{
	pthread_t threads[PARTY_MAX];

	for (uint32_t i = 0; i < p->n; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
		                                party_member_run,
		                                &p->members[i]),
		                 0);
	for (uint32_t i = 0; i < p->n; i++)
		pthread_join(threads[i], NULL);
}

void party_close(struct party *p)
{
	loop_net_close(p->net);
	free(p->members);
}
