// SPDX-License-Identifier: Apache-2.0
// The verbs transport between real processes, where there is an RDMA device;
// tests/vm runs it where there is one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/xport/table.h"
#include "tests/unit/xport_cases.h"
#include "topo/base/fmt.h"

#define SKIP 77
#define PLACE_BYTES ((size_t)300000)
#define FLOOD_BYTES ((size_t)70000)
#define FLOOD 150 /* messages */

static const struct xport_ops *ops;

static void test_integrity(void **state)
{
	(void)state;
	case_integrity(ops, NULL);
}

/* struct wire_rdma's: more queue pairs than one take stripes of what is placed;
 * and how it comes there. */
struct way {
	int32_t qps;
	uint32_t op;
};

static void by_way(struct rig *r, const void *arg)
{
	const struct way *way = arg;

	r->setup.rdma.qps = way->qps;
	r->setup.rdma.op = way->op;
}

static enum xport_side side_of(const struct rig *r)
{
	return r->me == 0 ? XPORT_ACTIVE : XPORT_PASSIVE;
}

static struct xport_ep *place_connect(struct rig *r)
{
	const struct xport_peer peer = {
		.trial = &r->trial,
		.me = r->me,
		.peer = !r->me,
		.side = side_of(r),
		.tx_bytes = PLACE_BYTES,
		.rx_bytes = r->me == 1 ? 2 * PLACE_BYTES : 0,
		.blob = &r->blobs[!r->me],
		.deadline_ns = fp_after_ns(RIG_LONG_S),
	};
	struct xport_ep *ep = NULL;

	RIG_CHECK(r, r->ops->connect(r->x, &peer, &ep, &r->err) == FP_OK);
	return ep;
}

/* Several messages to the two places by turns; a short one ends each, and the
 * way back says that it was looked at. */
static void place_body(struct rig *r, const void *arg)
{
	struct xport_ep *ep = place_connect(r);
	uint8_t *data = r->ops->tx_region(ep), *place, word[8];
	struct xport_step step = { .placed = true };

	(void)arg;
	rig_fill(data, PLACE_BYTES, 5);
	for (size_t i = 0; i < 6; i++) {
		step.tx_at = i % 2 * PLACE_BYTES;
		if (r->me == 0) {
			step.to = ep;
			step.tx_len = PLACE_BYTES - i;
			RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_OK);
			rig_send(r, ep, sizeof(word));
			rig_recv(r, ep, word, sizeof(word));
			continue;
		}
		place = (uint8_t *)r->ops->rx_region(ep) + step.tx_at;
		step.from = ep;
		step.rbuf = place;
		step.rx_len = PLACE_BYTES - i;
		RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_OK);
		RIG_CHECK(r, rig_wrong(place, step.rx_len, 5) == 0);
		memset(place, 0, PLACE_BYTES);
		rig_recv(r, ep, word, sizeof(word));
		rig_send(r, ep, sizeof(word));
	}
	r->ops->ep_close(ep);
}

/* More than may be under way, one behind another; both ends then agree. */
static void flood_body(struct rig *r, const void *arg)
{
	struct xport_ep *ep = place_connect(r);
	uint8_t *data = r->ops->tx_region(ep), word[8];
	struct xport_step step = { .placed = true };

	(void)arg;
	rig_fill(data, PLACE_BYTES, 6);
	for (size_t i = 0; i < FLOOD; i++) {
		const size_t len = i % 3 ? FLOOD_BYTES - i : 1 + i;

		if (r->me == 0) {
			step.to = ep;
			step.tx_len = len;
		} else {
			step.from = ep;
			step.rbuf = r->ops->rx_region(ep);
			step.rx_len = len;
		}
		RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_OK);
	}
	if (r->me == 0) {
		rig_send(r, ep, sizeof(word));
	} else {
		RIG_CHECK(r, rig_wrong(step.rbuf, FLOOD_BYTES - 1, 6) == 0);
		rig_recv(r, ep, word, sizeof(word));
	}
	r->ops->ep_close(ep);
}

static void each_way(void (*body)(struct rig *, const void *))
{
	static const int32_t qps[] = { 1, 2, 5 };

	for (uint32_t i = 0; i < 3 * WIRE_RDMA_OPS; i++) {
		const struct way way = { qps[i % 3], i / 3 };
		const struct rig_plan plan = {
			.ops = ops,
			.n = 2,
			.body = body,
			.arg = &way,
			.adjust = by_way,
		};

		rig_run(&plan);
	}
}

static void test_places(void **state)
{
	(void)state;
	each_way(place_body);
}

static void test_flood(void **state)
{
	(void)state;
	each_way(flood_body);
}

/* What is not inside the peer's region is refused here already. */
static void outside_body(struct rig *r, const void *arg)
{
	struct xport_ep *ep = place_connect(r);
	struct xport_step step = {
		.to = ep,
		.tx_len = PLACE_BYTES,
		.tx_at = PLACE_BYTES + 1,
		.placed = true,
	};

	(void)arg;
	if (r->me == 0)
		RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_ERR_LIMIT);
	rig_barrier(r);
	r->ops->ep_close(ep);
}

static void test_outside(void **state)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = outside_body,
	};

	(void)state;
	rig_run(&plan);
}

static void test_rings(void **state)
{
	(void)state;
	case_rings(ops);
}

static void test_mesh(void **state)
{
	(void)state;
	case_mesh(ops);
}

static void test_never_comes(void **state)
{
	(void)state;
	case_never_comes(ops, true);
}

static void test_stopped(void **state)
{
	(void)state;
	case_stopped(ops);
}

static void test_closed(void **state)
{
	(void)state;
	case_closed(ops);
}

static void test_aborted(void **state)
{
	(void)state;
	case_aborted(ops);
}

#if FP_HAVE_VERBS
#include "probes/xport/verbs_note.h"

/* A key that the peer never gave: it refuses, and both ends know. */
static void wrong_key_body(struct rig *r, const void *arg)
{
	struct xport_ep *ep =
		rig_connect(r, !r->me, 0, side_of(r), PLACE_BYTES);
	struct xport_step step = { .to = ep, .tx_len = PLACE_BYTES };

	(void)arg;
	if (r->me == 0) {
		((struct verbs_ep *)ep)->peer_box.rkey ^= 0xff;
		RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_ERR_LIB);
		RIG_CHECK(r, strstr(r->err.text, "(status 10)"));
	}
	rig_barrier(r);
	r->ops->ep_close(ep);
}

static void test_wrong_key(void **state)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = wrong_key_body,
	};

	(void)state;
	rig_run(&plan);
}

/* Nobody has that queue pair: the device gives up by itself. */
static void wrong_qp_body(struct rig *r, const void *arg)
{
	struct verbs *verbs = (struct verbs *)r->x;
	struct verbs_ep *ep;
	struct verbs_end end;
	int64_t until_ns = fp_after_ns(RIG_LONG_S);
	const struct verbs_said said = { .kind = NOTE_BYE, .signal = true };
	enum fp_status status = FP_OK;
	bool sent;

	(void)arg;
	if (r->me == 0) {
		RIG_CHECK(r, verbs_conn_open(verbs, &ep, &r->err) == FP_OK);
		end = verbs_conn_end(ep, 1);
		end.qpn[0] ^= 0xf000;
		RIG_CHECK(r, verbs_conn_join(ep, &end, 1, &r->err) == FP_OK);
		RIG_CHECK(r,
		          verbs_note_send(ep, &said, &sent, &r->err) == FP_OK);
		while (status == FP_OK && fp_now_ns() < until_ns)
			status = verbs_reap(ep, &r->err);
		RIG_CHECK(r, status == FP_ERR_LIB);
		RIG_CHECK(r, ep->why.wc_status == IBV_WC_RETRY_EXC_ERR);
		verbs_ep_close(&ep->port.ep);
	}
	rig_barrier(r);
}

static void test_wrong_qp(void **state)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = wrong_qp_body,
	};

	(void)state;
	rig_run(&plan);
}
#endif

static bool can_run(void)
{
	const struct wire_setup setup = { .size = 1 };
	const struct xport_env env = { .setup = &setup };
	struct fp_err err = { 0 };

	ops = xport_table_find(XPORT_VERBS);
	if (ops && ops->probe(&env, &err) == FP_OK)
		return true;
	printf("skipped: %s\n", ops ? err.text : "built without libibverbs");
	return false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integrity),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_mesh),
		cmocka_unit_test(test_never_comes),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_aborted),
#if FP_HAVE_VERBS
		cmocka_unit_test(test_wrong_key),
		cmocka_unit_test(test_wrong_qp),
#endif
	};

	if (!can_run())
		return SKIP;
	return cmocka_run_group_tests_name("xport_verbs", tests, NULL, NULL);
}
