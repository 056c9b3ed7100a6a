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
	bool device; /* its GPU or library says so by a code of its own */
};

static const struct row {
	const char *name;
	struct end o, peer;
	bool own, peers_own;
} rows[] = {
	{ "both are fine",
	  { OUTCOME_OK, STAGE_DONE, 0, false },
	  { OUTCOME_OK, STAGE_DONE, 0, false },
	  false,
	  false },
	{ "its GPU fails, the peer waits in vain",
	  { OUTCOME_ERROR, STAGE_WARM, 0, true },
	  { OUTCOME_HANG, STAGE_WARM, 0, false },
	  true,
	  false },
	{ "its GPU fails in mid-transfer, the peer hears of it",
	  { OUTCOME_ERROR, STAGE_XFER, 0, true },
	  { OUTCOME_ERROR, STAGE_XFER, 0, false },
	  true,
	  false },
	{ "its GPU fails, and the peer had all it wanted",
	  { OUTCOME_ERROR, STAGE_VERIFY, 0, true },
	  { OUTCOME_OK, STAGE_DONE, 0, false },
	  true,
	  false },
	{ "both GPUs fail: it may lie between them",
	  { OUTCOME_ERROR, STAGE_XFER, 0, true },
	  { OUTCOME_ERROR, STAGE_XFER, 0, true },
	  false,
	  false },
	{ "the network fails at one end",
	  { OUTCOME_ERROR, STAGE_XFER, 0, false },
	  { OUTCOME_HANG, STAGE_XFER, 0, false },
	  false,
	  false },
	{ "nobody is heard of from the other end",
	  { OUTCOME_ERROR, STAGE_XFER, 0, true },
	  { OUTCOME_NONE, STAGE_SPAWN, 0, false },
	  false,
	  false },
	{ "its worker died",
	  { OUTCOME_ERROR, STAGE_XFER, OUTCOME_WORKER_DIED, false },
	  { OUTCOME_HANG, STAGE_XFER, 0, false },
	  true,
	  false },
	{ "it never met anybody",
	  { OUTCOME_HANG, STAGE_INIT, 0, false },
	  { OUTCOME_HANG, STAGE_CONNECT, 0, false },
	  true,
	  false },
};

static struct outcome outcome_of(const struct end *e)
{
	struct outcome o = { .state = e->state,
		             .stage = e->stage,
		             .flags = e->flags };

	if (e->device)
		outcome_put(&o, COUNTER_DEVICE_ERROR, 1);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
