// SPDX-License-Identifier: Apache-2.0
// Unit tests of whose failure a failed trial was: an end's own, or not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/judge/test.h"

/* An end of a pair's trial. */
struct end {
	uint8_t state, stage, flags;
	int64_t device; /* its GPU's or library's code; 0: none */
};

static const struct row {
	const char *name;
	struct end o, peer;
	bool own, peers_own;
} rows[] = {
	{ "both are fine",
	  { OUTCOME_OK, STAGE_DONE, 0, 0 },
	  { OUTCOME_OK, STAGE_DONE, 0, 0 },
	  false,
	  0 },
	{ "its GPU fails, the peer waits in vain",
	  { OUTCOME_ERROR, STAGE_WARM, 0, -1 },
	  { OUTCOME_HANG, STAGE_WARM, 0, 0 },
	  true,
	  0 },
	{ "its GPU fails in mid-transfer, the peer hears of it",
	  { OUTCOME_ERROR, STAGE_XFER, 0, -1 },
	  { OUTCOME_ERROR, STAGE_XFER, 0, 0 },
	  true,
	  0 },
	{ "its GPU fails, and the peer had all it wanted",
	  { OUTCOME_ERROR, STAGE_VERIFY, 0, -1 },
	  { OUTCOME_OK, STAGE_DONE, 0, 0 },
	  true,
	  0 },
	{ "both GPUs fail: it may lie between them",
	  { OUTCOME_ERROR, STAGE_XFER, 0, -1 },
	  { OUTCOME_ERROR, STAGE_XFER, 0, -1 },
	  false,
	  0 },
	{ "its memory fails",
	  { OUTCOME_ERROR, STAGE_XFER, 0, 214 },
	  { OUTCOME_HANG, STAGE_XFER, 0, 0 },
	  true,
	  false },
	{ "an NVLink fails: it is not known whose",
	  { OUTCOME_ERROR, STAGE_XFER, 0, 220 },
	  { OUTCOME_HANG, STAGE_XFER, 0, 0 },
	  false,
	  false },
	{ "the network fails at one end",
	  { OUTCOME_ERROR, STAGE_XFER, 0, 0 },
	  { OUTCOME_HANG, STAGE_XFER, 0, 0 },
	  false,
	  0 },
	{ "nobody is heard of from the other end",
	  { OUTCOME_ERROR, STAGE_XFER, 0, -1 },
	  { OUTCOME_NONE, STAGE_SPAWN, 0, 0 },
	  false,
	  0 },
	{ "its worker died",
	  { OUTCOME_ERROR, STAGE_XFER, OUTCOME_WORKER_DIED, 0 },
	  { OUTCOME_HANG, STAGE_XFER, 0, 0 },
	  true,
	  0 },
	{ "it never met anybody",
	  { OUTCOME_HANG, STAGE_INIT, 0, 0 },
	  { OUTCOME_HANG, STAGE_CONNECT, 0, 0 },
	  true,
	  0 },
};

static struct outcome outcome_of(const struct end *e)
{
	struct outcome o = { .state = e->state,
		             .stage = e->stage,
		             .flags = e->flags };

	if (e->device)
		outcome_put(&o, COUNTER_DEVICE_ERROR, e->device);
	return o;
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct outcome o = outcome_of(&rows[i].o);
		const struct outcome peer = outcome_of(&rows[i].peer);

		print_message("%s\n", rows[i].name);
		assert_int_equal(judge_own_fault(&o, &peer), rows[i].own);
		assert_int_equal(judge_own_fault(&peer, &o), rows[i].peers_own);
	}
	assert_false(judge_own_fault(NULL, NULL));
}

static void test_codes(void **state)
{
	static const struct {
		int64_t code;
		bool gpu, link;
	} codes[] = {
		{ 0, false, false },   { -1, false, false },
		{ 2, false, false },   { 214, true, false },
		{ 217, false, false }, { 220, true, true },
		{ 226, true, false },  { 700, true, false },
		{ 704, false, false }, { 719, true, false },
		{ 802, false, false }, { 999, true, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		assert_int_equal(judge_gpu_error(codes[i].code), codes[i].gpu);
		assert_int_equal(judge_link_error(codes[i].code),
		                 codes[i].link);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
