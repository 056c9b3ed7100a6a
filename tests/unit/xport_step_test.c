// SPDX-License-Identifier: Apache-2.0
// Steps whose two ends use different transports.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/xport/flow.h"
#include "tests/unit/xport_rig.h"

#define BULK ((size_t)4 << 20) /* more than small socket buffers hold */
#define SMALL_BUFFERS 65536

/* An ep that has step() alone, as of a transport that cannot do more. */
struct plain {
	struct xport_ep ep;
	struct xport_ep *inner;
};

static enum fp_status plain_step(const struct xport_step *step,
                                 struct fp_err *err)
{
	struct xport_step inner = *step;

	if (inner.to)
		inner.to = ((struct plain *)step->to)->inner;
	if (inner.from)
		inner.from = ((struct plain *)step->from)->inner;
	return (inner.to ? inner.to : inner.from)->ops->step(&inner, err);
}

static const struct xport_ops plain_shm_ops = { .step = plain_step };
static const struct xport_ops plain_tcp_ops = { .step = plain_step };

/* One member's two transports and the ends of its two edges. */
struct mixed {
	const struct xport_ops *ops[2];
	struct xport *x[2];
	struct wire_blob blobs[2][RIG_MEMBERS];
	struct xport_ep *to, *from;
	uint8_t *buf;
};

static void mixed_open(struct rig *r, struct mixed *m)
{
	m->ops[0] = &xport_shm_ops;
	m->ops[1] = &xport_tcp_ops;
	m->x[1] = r->x;
	memcpy(m->blobs[1], r->blobs, sizeof(r->blobs));
	RIG_CHECK(r, m->ops[0]->open(&r->env, &m->x[0], &r->err) == FP_OK);
	RIG_CHECK(r, m->ops[0]->listen(m->x[0], &r->trial, 2, &r->blobs[r->me],
	                               &r->err) == FP_OK);
	rig_swap(r);
	memcpy(m->blobs[0], r->blobs, sizeof(r->blobs));
	m->buf = malloc(BULK);
	RIG_CHECK(r, m->buf != NULL);
}

/* The edge that begins at @first: over shared memory if that is even. */
static struct xport_ep *mixed_connect(struct rig *r, struct mixed *m,
                                      uint32_t first, uint32_t peer)
{
	const uint32_t which = first % 2;
	const struct xport_peer p = {
		.trial = &r->trial,
		.me = r->me,
		.peer = peer,
		.lane = first,
		.side = first == r->me ? XPORT_ACTIVE : XPORT_PASSIVE,
		.tx_bytes = BULK,
		.blob = &m->blobs[which][peer],
		.deadline_ns = fp_after_ns(RIG_LONG_S),
	};
	struct xport_ep *ep = NULL;

	RIG_CHECK(r, m->ops[which]->connect(m->x[which], &p, &ep, &r->err) ==
	                     FP_OK);
	return ep;
}

static void mixed_close(struct rig *r, struct mixed *m)
{
	(void)r;
	m->to->ops->ep_close(m->to);
	m->from->ops->ep_close(m->from);
	m->ops[0]->close(m->x[0]);
	free(m->buf);
}

static void mixed_body(struct rig *r, const void *arg)
{
	const bool plain = *(const bool *)arg;
	const uint32_t next = (r->me + 1) % r->n;
	const uint32_t prev = (r->me + r->n - 1) % r->n;
	struct plain to, from;
	struct mixed m;
	struct xport_step step = { .tx_len = BULK, .rx_len = BULK };
	uint32_t i;

	mixed_open(r, &m);
	m.to = mixed_connect(r, &m, r->me, next);
	m.from = mixed_connect(r, &m, prev, prev);
	to = (struct plain){ { r->me % 2 ? &plain_tcp_ops : &plain_shm_ops },
		             m.to };
	from = (struct plain){ { prev % 2 ? &plain_tcp_ops : &plain_shm_ops },
		               m.from };
	step.to = plain ? &to.ep : m.to;
	step.from = plain ? &from.ep : m.from;
	step.rbuf = m.buf;
	for (i = 0; i < 4; i++) {
		rig_fill(m.to->ops->tx_region(m.to), BULK, i + r->me);
		step.deadline_ns = fp_after_ns(RIG_LONG_S);
		/* at once: no matter that all of them would send first */
		RIG_CHECK(r, xport_step_run(&step, plain ? r->me : 0,
		                            &r->err) == FP_OK);
		RIG_CHECK(r, rig_wrong(m.buf, BULK, i + prev) == 0);
	}
	mixed_close(r, &m);
}

static void small_buffers(struct rig *r, const void *arg)
{
	(void)arg;
	r->setup.sockbuf = SMALL_BUFFERS;
}

static void mixed_rings(bool plain)
{
	struct rig_plan plan = {
		.ops = &xport_tcp_ops,
		.body = mixed_body,
		.arg = &plain,
		.adjust = small_buffers,
	};

	for (plan.n = 2; plan.n <= RIG_MEMBERS; plan.n++)
		rig_run(&plan);
}

static void test_at_once(void **state)
{
	(void)state;
	mixed_rings(false);
}

static void test_in_turn(void **state)
{
	(void)state;
	mixed_rings(true);
}

/* Between both transports a deadline and a hang-up are seen as well. */
static void broken_body(struct rig *r, const void *arg)
{
	struct xport_step step = { .tx_len = BULK, .rx_len = 1 };
	struct mixed m;

	(void)arg;
	mixed_open(r, &m);
	m.to = mixed_connect(r, &m, r->me, !r->me);
	m.from = mixed_connect(r, &m, !r->me, !r->me);
	step.to = m.to;
	step.from = m.from;
	step.rbuf = m.buf;
	if (r->me == 0) {
		RIG_CHECK(r, rig_step(r, step, 0.2) == FP_ERR_TIMEOUT);
		rig_say(r, 1);
		RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_ERR_PEER);
	} else {
		rig_hear(r, 0);
	}
	mixed_close(r, &m);
}

static void test_broken(void **state)
{
	const struct rig_plan plan = {
		.ops = &xport_tcp_ops,
		.n = 2,
		.body = broken_body,
	};

	(void)state;
	rig_run(&plan);
}

static void test_nothing(void **state)
{
	const struct xport_step step = { .to = NULL, .from = NULL };
	struct fp_err err = { .status = FP_OK };

	(void)state;
	assert_int_equal(xport_step_run(&step, 0, &err), FP_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_in_turn),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests_name("xport_step", tests, NULL, NULL);
}
