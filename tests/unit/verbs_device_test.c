// SPDX-License-Identifier: Apache-2.0
// What two ends agree on, on an HCA without a wire.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

/* A peer that takes more than it was offered is told so, at once. */
static void test_taken_too_much(void **state)
{
	struct verbs_ep *ep;
	struct verbs_end end;
	struct verbs verbs;

	(void)state;
	device_open(&verbs, &env, WIRE_RDMA_SEND, 1);
	assert_int_equal(verbs_conn_open(&verbs, &ep, NULL), FP_OK);
	end = verbs_conn_end(ep, 1);
	assert_int_equal(verbs_conn_join(ep, &end, 1, NULL), FP_OK);
	assert_int_equal(verbs_conn_regions(ep, 64, 64, NULL), FP_OK);
	assert_int_equal(verbs_offers_turn(ep, true, NULL), FP_OK);
	ep->box->taken.offers = 1;
	assert_int_equal(verbs_offers_turn(ep, true, NULL), FP_ERR_PROTO);
	verbs_ep_close(&ep->port.ep);
	device_check();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ece),
		cmocka_unit_test(test_taken_too_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
