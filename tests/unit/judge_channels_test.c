// SPDX-License-Identifier: Apache-2.0
// Unit tests of hosts whose NCCL does without what it has elsewhere.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/notes.h"

#define HOSTS 3

/** struct row - channels of each host's rank, and who is accused of what. */
struct row {
	int64_t net[HOSTS], gdr[HOSTS], socket[HOSTS];
	unsigned code; /* FINDING_CODE_COUNT: of nothing */
	const char *host;
};

static const struct row rows[] = {
	{ { 4, 4, 4 }, { 4, 4, 4 }, { 0 }, FINDING_CODE_COUNT, "" },
	{ { 4, 4, 4 }, { 4, 0, 4 }, { 0 }, FINDING_NCCL_GDR_OFF, "h1" },
	/* nowhere: the cluster's way, or no HCA in it */
	{ { 4, 4, 4 }, { 0 }, { 0 }, FINDING_CODE_COUNT, "" },
	{ { 0 }, { 0 }, { 4, 4, 4 }, FINDING_CODE_COUNT, "" },
	/* those it talks to use sockets with it, too */
	{ { 4, 4, 0 }, { 4, 4, 0 }, { 2, 2, 4 }, FINDING_NCCL_SOCKET, "h2" },
	/* inside hosts only */
	{ { 0 }, { 0 }, { 0 }, FINDING_CODE_COUNT, "" },
};

static void outcomes_fill(const struct row *row, struct outcome *o)
{
	for (int32_t i = 0; i < HOSTS; i++) {
		o[i] = (struct outcome){ .trial = 1, .rank = i };
		if (row->net[i])
			outcome_put(&o[i], COUNTER_CHANNELS_IB, row->net[i]);
		if (row->gdr[i])
			outcome_put(&o[i], COUNTER_CHANNELS_GDR, row->gdr[i]);
		if (row->socket[i])
			outcome_put(&o[i], COUNTER_CHANNELS_SOCKET,
			            row->socket[i]);
	}
}

static void row_check(const struct row *row, const struct findings *list)
{
	if (row->code == FINDING_CODE_COUNT) {
		assert_int_equal(list->n, 0);
		return;
	}
	assert_int_equal(list->n, 1);
	assert_int_equal(list->f[0].code, row->code);
	assert_int_equal(list->f[0].locus.kind, LOCUS_HOST);
	assert_string_equal(list->f[0].locus.host, row->host);
}

static void test_the_odd_host(void **state)
{
	struct topo_host hosts[HOSTS] = { { .name = "h0" },
		                          { .name = "h1" },
		                          { .name = "h2" } };
	struct topo_rank ranks[HOSTS] = { { .rank = 0, .host = 0 },
		                          { .rank = 1, .host = 1 },
		                          { .rank = 2, .host = 2 } };
	const struct topo_job job = { .hosts = hosts,
		                      .n_hosts = HOSTS,
		                      .ranks = ranks,
		                      .n_ranks = HOSTS };
	struct outcome outcomes[HOSTS];
	const struct results r = { .outcomes = outcomes, .n_outcomes = HOSTS };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct findings list = { 0 };
		struct fp_err err = { 0 };

		outcomes_fill(&rows[i], outcomes);
		assert_int_equal(judge_channels(&job, &r, &list, &err), FP_OK);
		row_check(&rows[i], &list);
		findings_done(&list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_odd_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
