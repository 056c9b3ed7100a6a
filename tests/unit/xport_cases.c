// SPDX-License-Identifier: Apache-2.0
// How a host transport must move data and meet peers.
#include "tests/unit/xport_cases.h"

#include <stdlib.h>
#include <string.h>

#define SOON_S 0.2             /* of a deadline that is meant to pass */
#define BULK ((size_t)4 << 20) /* more than small socket buffers hold */
#define SMALL_BUFFERS 65536

static const size_t sizes[] = {
	0,
	1,
	7,
	40,
	41,
	48,
	49,
	4095,
	65535,
	65536,
	65537,
	1 << 20,
	(1 << 20) + 1,
	(16 << 20) + 3,
};
#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))
#define LARGEST (((size_t)16 << 20) + 3)

static enum xport_side side_of(const struct rig *r)
{
	return r->me == 0 ? XPORT_ACTIVE : XPORT_PASSIVE;
}

static void small_buffers(struct rig *r, const void *arg)
{
	(void)arg;
	r->setup.sockbuf = SMALL_BUFFERS;
}

static uint8_t *buffer(struct rig *r, size_t len)
{
	uint8_t *p = malloc(len);

	RIG_CHECK(r, p != NULL);
	return p;
}

/* Member 0 sends, member 1 checks; then the other way. */
static void one_way(struct rig *r, struct xport_ep *ep, uint8_t *buf)
{
	uint8_t *region = r->ops->tx_region(ep);
	size_t i, len;

	for (i = 0; i < 2 * N_SIZES; i++) {
		len = sizes[i / 2];
		if (i % 2 == r->me) {
			rig_fill(region, len, (uint32_t)i);
			rig_send(r, ep, len);
		} else {
			memset(buf, 0xee, len);
			rig_recv(r, ep, buf, len);
			RIG_CHECK(r, rig_wrong(buf, len, (uint32_t)i) == 0);
		}
	}
}

static void both_ways(struct rig *r, struct xport_ep *ep, uint8_t *buf)
{
	uint8_t *region = r->ops->tx_region(ep);
	struct xport_step step = { .to = ep, .from = ep, .rbuf = buf };
	size_t i;

	for (i = 0; i < N_SIZES; i++) {
		/* sizes differ, so that the halves end apart */
		step.tx_len = sizes[r->me == 0 ? i : N_SIZES - 1 - i];
		step.rx_len = sizes[r->me == 0 ? N_SIZES - 1 - i : i];
		rig_fill(region, step.tx_len, r->me);
		RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_OK);
		RIG_CHECK(r, rig_wrong(buf, step.rx_len, !r->me) == 0);
	}
}

/* More messages than any queue holds, told apart by their data. */
static void many(struct rig *r, struct xport_ep *ep, uint8_t *buf)
{
	uint8_t *region = r->ops->tx_region(ep);
	struct xport_step step = { .to = ep };
	uint32_t i;

	for (i = 0; i < 1000; i++) {
		step.tx_off = i * 8;
		step.tx_len = 1 + i * 37 % 100;
		if (r->me == 0) {
			rig_fill(region + step.tx_off, step.tx_len, i);
			RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_OK);
		} else {
			rig_recv(r, ep, buf, step.tx_len);
			RIG_CHECK(r, rig_wrong(buf, step.tx_len, i) == 0);
		}
	}
}

static void integrity_body(struct rig *r, const void *arg)
{
	struct xport_ep *ep = rig_connect(r, !r->me, 0, side_of(r), LARGEST);
	struct xport_step outside = {
		.to = ep,
		.tx_off = 1,
		.tx_len = LARGEST,
	};
	uint8_t *buf = buffer(r, LARGEST);

	(void)arg;
	r->ops->unlisten(r->x);
	one_way(r, ep, buf);
	both_ways(r, ep, buf);
	many(r, ep, buf);
	/* a step that fails may take back what the peer has not read yet */
	rig_barrier(r);
	RIG_CHECK(r, rig_step(r, outside, RIG_LONG_S) == FP_ERR_LIMIT);
	free(buf);
	r->ops->ep_close(ep);
}

void case_integrity(const struct xport_ops *ops,
                    void (*adjust)(struct rig *, const void *))
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = integrity_body,
		.adjust = adjust,
	};

	rig_run(&plan);
}

static void ring_body(struct rig *r, const void *arg)
{
	const uint32_t next = (r->me + 1) % r->n;
	const uint32_t prev = (r->me + r->n - 1) % r->n;
	struct xport_ep *to, *from;
	uint8_t *buf = buffer(r, BULK);
	struct xport_step step = {
		.tx_len = BULK,
		.rbuf = buf,
		.rx_len = BULK,
	};

	(void)arg;
	/* the edge's lane is its first member */
	to = rig_connect(r, next, r->me, XPORT_ACTIVE, BULK);
	from = rig_connect(r, prev, prev, XPORT_PASSIVE, 0);
	r->ops->unlisten(r->x);
	step.to = to;
	step.from = from;
	rig_fill(r->ops->tx_region(to), BULK, r->me);
	RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_OK);
	RIG_CHECK(r, rig_wrong(buf, BULK, prev) == 0);
	r->ops->ep_close(to);
	r->ops->ep_close(from);
	free(buf);
}

void case_rings(const struct xport_ops *ops)
{
	struct rig_plan plan = {
		.ops = ops,
		.body = ring_body,
		.adjust = small_buffers,
	};

	for (plan.n = 2; plan.n <= RIG_MEMBERS; plan.n++)
		rig_run(&plan);
}

/* Everybody first waits for the one whom it meets last otherwise. */
static void mesh_body(struct rig *r, const void *arg)
{
	struct xport_ep *eps[RIG_MEMBERS];
	uint32_t i, peer;
	uint8_t byte;

	(void)arg;
	for (i = 1; i < r->n; i++) {
		peer = (r->me + i) % r->n;
		eps[peer] = rig_connect(
			r, peer, 0, r->me < peer ? XPORT_PASSIVE : XPORT_ACTIVE,
			1);
	}
	r->ops->unlisten(r->x);
	for (i = 1; i < r->n; i++) {
		peer = (r->me + i) % r->n;
		*(uint8_t *)r->ops->tx_region(eps[peer]) = (uint8_t)r->me;
		rig_send(r, eps[peer], 1);
	}
	for (i = 1; i < r->n; i++) {
		peer = (r->me + i) % r->n;
		rig_recv(r, eps[peer], &byte, 1);
		RIG_CHECK(r, byte == peer);
		r->ops->ep_close(eps[peer]);
	}
}

void case_mesh(const struct xport_ops *ops)
{
	const struct rig_plan plan = { .ops = ops, .n = 3, .body = mesh_body };

	rig_run(&plan);
}
