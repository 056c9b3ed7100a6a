// SPDX-License-Identifier: Apache-2.0
// What two ends agree on, on an HCA without a wire.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/stats/rng.h"
#include "probes/xport/verbs_note.h"
#include "tests/fuzz/verbs_device.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct wire_setup setup;
static const struct xport_env env = { .setup = &setup };

/* Options are used that both ends have, of one vendor. */
static void test_ece(void **state)
{
	static const struct {
		uint32_t have;
		struct verbs_ece to, want;
	} rows[] = {
		{ 5, { DEVICE_VENDOR, 7 }, { DEVICE_VENDOR, 5 } },
		{ 5, { DEVICE_VENDOR, 4 }, { DEVICE_VENDOR, 4 } },
		{ 5, { DEVICE_VENDOR + 1, 5 }, { 0, 0 } },
		{ 5, { 0, 0 }, { 0, 0 } },
		{ 0, { DEVICE_VENDOR, 5 }, { 0, 0 } },
	};
	struct verbs_ep *ep;
	struct verbs_end end;
	struct verbs verbs;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		device_open(&verbs, &env, WIRE_RDMA_WRITE, 2);
		device_offers(rows[i].have);
		assert_int_equal(verbs_conn_open(&verbs, &ep, NULL), FP_OK);
		end = verbs_conn_end(ep, 1);
		assert_int_equal(end.ece.options, rows[i].have);
		end.ece = rows[i].to;
		assert_int_equal(verbs_conn_join(ep, &end, 1, NULL), FP_OK);
		/* this is what the welcome tells */
		end = verbs_conn_end(ep, 1);
		assert_int_equal(end.ece.vendor, rows[i].want.vendor);
		assert_int_equal(end.ece.options, rows[i].want.options);
		verbs_ep_close(&ep->port.ep);
		device_check();
	}
}

/* A connection whose peer it is itself. */
static struct verbs_ep *to_itself(struct verbs *verbs, uint32_t op, int32_t qps)
{
	struct verbs_ep *ep;
	struct verbs_end end;

	device_open(verbs, &env, op, qps);
	assert_int_equal(verbs_conn_open(verbs, &ep, NULL), FP_OK);
	end = verbs_conn_end(ep, 1);
	assert_int_equal(verbs_conn_join(ep, &end, 1, NULL), FP_OK);
	assert_int_equal(verbs_conn_regions(ep, 64, 64, NULL), FP_OK);
	return ep;
}

/* A peer that takes more than it was offered is told so, at once. */
static void test_taken_too_much(void **state)
{
	struct verbs verbs;
	struct verbs_ep *ep = to_itself(&verbs, WIRE_RDMA_SEND, 1);
	struct verbs_taken *taken = &ep->box->taken;

	(void)state;
	assert_int_equal(verbs_offers_turn(ep, true, NULL), FP_OK);
	taken->offers = 1;
	taken->seal = verbs_seal(0, taken, offsetof(struct verbs_taken, seal));
	assert_int_equal(verbs_offers_turn(ep, true, NULL), FP_ERR_PROTO);
	verbs_ep_close(&ep->port.ep);
	device_check();
}

/* -- records come in any order ----------------------------------------------- */

/* A record at this end, its place in the box, and whether it is there. */
struct record {
	struct verbs_ep *ep;
	const void *from;
	void *to;
	size_t len;
	bool (*is_there)(struct verbs_ep *ep);
};

/* It is there when all of it is, in whatever order its parts of @unit bytes
 * come; not before, and nothing is said to be wrong. */
static void bring(const struct record *r, size_t unit, struct stats_rng *rng)
{
	const uint8_t *from = r->from;
	uint8_t *to = r->to;
	int32_t order[VERBS_NOTE_BYTES];
	size_t n = r->len / unit;

	for (size_t i = 0; i < n; i++)
		order[i] = (int32_t)i;
	stats_rng_shuffle(rng, order, n);
	assert_false(r->is_there(r->ep));
	for (size_t i = 0; i < n && memcmp(to, from, r->len) != 0; i++) {
		memcpy(to + (size_t)order[i] * unit,
		       from + (size_t)order[i] * unit, unit);
		assert_int_equal(r->is_there(r->ep), !memcmp(to, from, r->len));
	}
}

static size_t unit_of(size_t round)
{
	return round % 2 ? 1 : sizeof(uint64_t);
}

static bool note_is_there(struct verbs_ep *ep)
{
	struct verbs_come come;

	return verbs_note_come(ep, &come);
}

/* Of every length, in a ring that is used again and again. */
static void test_notes_torn(void **state)
{
	struct verbs verbs;
	struct verbs_ep *ep = to_itself(&verbs, WIRE_RDMA_WRITE, 1);
	struct record r = { .ep = ep, .is_there = note_is_there };
	uint8_t words[VERBS_SHORT], got[VERBS_SHORT];
	struct verbs_said said = { .kind = NOTE_SHORT, .bytes = words };
	struct stats_rng rng;
	size_t slot, off;
	bool sent;

	(void)state;
	stats_rng_init(&rng, 1, 0);
	for (size_t i = 0; i < 4 * VERBS_NOTES; i++) {
		struct xport_flow flow = { .ep = &ep->port.ep, .buf = got };

		said.len = (uint32_t)(i % 2 ? 1 + i * 7 % VERBS_SHORT
		                            : 8 + i * 8 % (VERBS_SHORT - 8));
		memset(words, (int)i, sizeof(words));
		slot = ep->notes_sent % VERBS_NOTES;
		ep->peer_taken = ep->taken;
		assert_int_equal(verbs_note_send(ep, &said, &sent, NULL),
		                 FP_OK);
		assert_true(sent);
		off = VERBS_SHORT - said.len;
		r.len = VERBS_NOTE_BYTES - off;
		r.from = ep->desk->notes[slot].bytes + off;
		r.to = ep->box->notes[slot].bytes + off;
		bring(&r, unit_of(i), &rng);
		flow.len = said.len;
		assert_int_equal(verbs_flow_ops.recv(&flow, NULL), FP_OK);
		assert_int_equal(flow.done, said.len);
		assert_memory_equal(got, words, said.len);
		assert_int_equal(verbs_reap(ep, NULL), FP_OK);
	}
	verbs_ep_close(&ep->port.ep);
	device_check();
}

static bool offer_is_there(struct verbs_ep *ep)
{
	uint64_t before = ep->offers_open;

	assert_int_equal(verbs_offers_turn(ep, true, NULL), FP_OK);
	return ep->offers_open > before;
}

static void test_offers_torn(void **state)
{
	struct verbs verbs;
	struct verbs_ep *ep = to_itself(&verbs, WIRE_RDMA_READ, 1);
	struct record r = { .ep = ep,
		            .len = sizeof(struct verbs_offer),
		            .is_there = offer_is_there };
	struct verbs_offer offer;
	struct stats_rng rng;
	size_t slot;

	(void)state;
	stats_rng_init(&rng, 2, 0);
	r.from = &offer;
	for (size_t i = 0; i < 4 * VERBS_OFFERS; i++) {
		slot = ep->offers_open % VERBS_OFFERS;
		offer = (struct verbs_offer){
			.from = (uint64_t)(uintptr_t)ep->tx,
			.at = i % 32,
			.len = (uint32_t)(i % 29) + 1,
			.rkey = ep->tx_mr->rkey,
		};
		offer.seal = verbs_offer_seal(&offer, ep->offers_open + 1);
		r.to = &ep->box->offers[slot];
		bring(&r, unit_of(i), &rng);
	}
	verbs_ep_close(&ep->port.ep);
	device_check();
}

static bool taken_is_there(struct verbs_ep *ep)
{
	return verbs_peer_taken(ep)->offers == ep->taken.offers;
}

static bool placed_is_there(struct verbs_ep *ep)
{
	struct xport_flow flow = { .ep = &ep->port.ep, .len = 7 };

	flow.placed = true;
	assert_int_equal(verbs_flow_ops.recv(&flow, NULL), FP_OK);
	return flow.done == flow.len;
}

/* Counts that are written over: one between two is none. */
static void test_counts_torn(void **state)
{
	struct verbs verbs;
	struct verbs_ep *ep = to_itself(&verbs, WIRE_RDMA_WRITE, 1);
	struct verbs_placed placed = { 0 };
	struct record taken = { .ep = ep,
		                .from = &ep->taken,
		                .to = &ep->box->taken,
		                .len = sizeof(ep->taken),
		                .is_there = taken_is_there };
	struct record here = { .ep = ep,
		               .from = &placed,
		               .to = &ep->box->placed[0],
		               .len = sizeof(placed),
		               .is_there = placed_is_there };
	struct stats_rng rng;

	(void)state;
	stats_rng_init(&rng, 3, 0);
	for (size_t i = 0; i < 256; i++) {
		ep->taken.notes += 60; /* past the bytes' borders */
		ep->taken.offers += 3;
		ep->taken.seal = verbs_seal(0, &ep->taken,
		                            offsetof(struct verbs_taken, seal));
		bring(&taken, unit_of(i), &rng);
		placed.bytes += 7;
		placed.seal =
			verbs_seal(0, &placed.bytes, sizeof(placed.bytes));
		bring(&here, unit_of(i), &rng);
	}
	verbs_ep_close(&ep->port.ep);
	device_check();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ece),
		cmocka_unit_test(test_taken_too_much),
		cmocka_unit_test(test_notes_torn),
		cmocka_unit_test(test_offers_torn),
		cmocka_unit_test(test_counts_torn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
