// SPDX-License-Identifier: Apache-2.0
// Collectives that hang, fail or come out wrong.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/judge.h"
#include "tests/unit/model_run.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void judge(const struct build_run *b, struct findings *list)
{
	struct matrices ms;

	model_judge(b, &ms, list);
	matrices_done(&ms);
}

static const struct finding *find(const struct findings *list, unsigned code,
                                  int32_t rank)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->f[i].code == code && list->f[i].locus.rank == rank)
			return &list->f[i];
	return NULL;
}

static void a_collective_of_healthy_pairs(void **state)
{
	static const uint8_t hang[] = { OUTCOME_HANG, OUTCOME_HANG,
		                        OUTCOME_HANG, OUTCOME_HANG };
	static const uint8_t at[] = { STAGE_XFER, STAGE_XFER, STAGE_CONNECT,
		                      STAGE_XFER };
	static const uint8_t fail[] = { OUTCOME_NOTRUN, OUTCOME_ERROR,
		                        OUTCOME_NOTRUN, OUTCOME_NOTRUN };
	static const uint8_t fail_at[] = { STAGE_SPAWN, STAGE_INIT, STAGE_SPAWN,
		                           STAGE_SPAWN };
	static const struct {
		const uint8_t *states, *stages;
		unsigned code;
		int32_t rank;
	} rows[] = {
		{ hang, at, FINDING_COLL_HANG, 2 },
		{ hang, hang, FINDING_COLL_HANG, -1 },
		{ fail, fail_at, FINDING_COLL_ERROR, 1 },
	};
	struct findings list;
	struct build_run b;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		build_job(&b, "2 2", BUILD_ONE_DEV);
		build_coll(&b, OP_ALLREDUCE, rows[i].states, rows[i].stages);
		build_coll(&b, OP_ALLREDUCE, rows[i].states, rows[i].stages);
		judge(&b, &list);
		assert_int_equal(list.n, 1);
		assert_non_null(find(&list, rows[i].code, rows[i].rank));
		findings_done(&list);
		build_done(&b);
	}
}

static void who_is_behind_is_said(void **state)
{
	static const uint8_t hang[] = { OUTCOME_HANG, OUTCOME_HANG,
		                        OUTCOME_HANG, OUTCOME_HANG,
		                        OUTCOME_HANG };
	static const uint8_t at[] = { STAGE_XFER, STAGE_CONNECT, STAGE_XFER,
		                      STAGE_XFER, STAGE_CONNECT };
	struct findings list;
	struct build_run b;

	(void)state;
	build_job(&b, "5", BUILD_ONE_DEV);
	build_coll(&b, OP_BROADCAST, hang, at);
	judge(&b, &list);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.f[0].locus.kind, LOCUS_JOB);
	assert_string_equal(
		list.f[0].evidence[0],
		"shm/tcp broadcast 64K over 5 ranks, trial 1: HANG");
	assert_string_equal(list.f[0].evidence[1],
	                    "trial 1, reached CONNECT: ranks 1,4");
	assert_string_equal(list.f[0].evidence[2],
	                    "trial 1, reached XFER: ranks 0,2-3");
	findings_done(&list);
	build_done(&b);
}

/* Of those that came equally far the one with the least data. */
static void who_got_least_is_said(void **state)
{
	static const uint8_t hang[] = { OUTCOME_HANG, OUTCOME_HANG,
		                        OUTCOME_HANG, OUTCOME_HANG };
	static const uint8_t at[] = { STAGE_XFER, STAGE_XFER, STAGE_XFER,
		                      STAGE_XFER };
	static const struct {
		uint64_t moved[4];
		int32_t rank;
		const char *text;
	} rows[] = {
		{ { 5, 5, 5, 5 }, -1, NULL },
		{ { 49152, 32768, 0, 16384 },
		  2,
		  "trial 1, got the least data (0 B): rank 2" },
		{ { 4096, 4096, 0, 0 },
		  -1,
		  "trial 1, got the least data (0 B): ranks 2-3" },
	};
	struct findings list;
	struct build_run b;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		build_job(&b, "4", BUILD_ONE_DEV);
		build_coll(&b, OP_ALLREDUCE, hang, at);
		for (k = 0; k < b.results.n_outcomes; k++)
			b.results.outcomes[k].moved_bytes = rows[i].moved[k];
		judge(&b, &list);
		assert_int_equal(list.n, 1);
		assert_int_equal(list.f[0].locus.rank, rows[i].rank);
		assert_int_equal(list.f[0].n_evidence, rows[i].text ? 3 : 2);
		if (rows[i].text)
			assert_string_equal(list.f[0].evidence[2],
			                    rows[i].text);
		findings_done(&list);
		build_done(&b);
	}
}

/* Who hangs in pairs explains the collective: no second finding. */
static void a_collective_is_explained(void **state)
{
	static const uint8_t hang[] = { OUTCOME_HANG, OUTCOME_HANG,
		                        OUTCOME_HANG, OUTCOME_HANG };
	struct model m = model_clean();
	struct findings list;
	struct build_run b;
	char last[FINDING_TEXT_MAX];

	(void)state;
	model_add(&m, (struct model_fault){ MODEL_HOLE, 1, 2, 0, true, false });
	build_job(&b, "1 1 1 1", BUILD_ONE_DEV);
	model_run(&b, &m);
	build_coll(&b, OP_ALLREDUCE, hang, NULL);
	judge(&b, &list);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.f[0].code, FINDING_PAIR_BLACKHOLE);
	strcpy(last, list.f[0].evidence[list.f[0].n_evidence - 1]);
	assert_non_null(strstr(last, "all_reduce"));
	findings_done(&list);
	build_done(&b);
}

static void a_collective_with_wrong_data(void **state)
{
	struct model m = model_clean();
	struct findings list;
	struct build_run b;
	int corrupt_pair;

	(void)state;
	for (corrupt_pair = 0; corrupt_pair < 2; corrupt_pair++) {
		build_job(&b, "4", BUILD_ONE_DEV);
		if (corrupt_pair)
			model_add(&m, (struct model_fault){ MODEL_CORRUPT, 1, 3,
			                                    9, false, false });
		model_run(&b, &m);
		build_coll(&b, OP_ALLREDUCE, NULL, NULL);
		b.results.outcomes[b.results.n_outcomes - 1].wrong_bytes = 8;
		judge(&b, &list);
		assert_int_equal(list.n, 1);
		assert_int_equal(list.f[0].code, FINDING_DATA_CORRUPT);
		assert_int_equal(list.f[0].locus.kind,
		                 corrupt_pair ? LOCUS_PAIR : LOCUS_JOB);
		findings_done(&list);
		build_done(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_collective_of_healthy_pairs),
		cmocka_unit_test(who_is_behind_is_said),
		cmocka_unit_test(who_got_least_is_said),
		cmocka_unit_test(a_collective_is_explained),
		cmocka_unit_test(a_collective_with_wrong_data),
	};

	return cmocka_run_group_tests_name("judge_coll", tests, NULL, NULL);
}
