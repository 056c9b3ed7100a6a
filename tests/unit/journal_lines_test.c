// SPDX-License-Identifier: Apache-2.0
// Lines of a journal: what is refused, and that numbers come back as they were.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/journal/journal.h"
#include "probes/journal/tables.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

#define HEAD "{\"journal\":\"fabricprobe-journal/1\"}\n"
#define SNAPSHOT                                                             \
	"{\"schema\":\"fabricprobe-snapshot/1\",\"hosts\":[{\"name\":\"h\"," \
	"\"host_id\":\"i\"}],\"ranks\":[{\"rank\":0,\"host\":0,\"local_"     \
	"rank\":0"                                                           \
	"},{\"rank\":1,\"host\":0,\"local_rank\":1}]}"
#define JOB                                \
	"{\"job\":{\"snapshot\":" SNAPSHOT \
	",\"session\":{\"mode\":\"quick\"},\"judge\":{\"retests\":2}}}\n"
#define BATCH(id, more)                       \
	"{\"batch\":{\"trials\":[{\"id\":" id \
	",\"xport\":\"shm\",\"bytes\":8,"     \
	"\"src\":0,\"dst\":1,\"deadline_s\":1" more "}],\"members\":[]}}\n"

static const struct {
	const char *text;
	bool loads;
	size_t bad, trials, outcomes;
	const char *word; /* of the error */
} bad_rows[] = {
	{ "", false, 0, 0, 0, "empty" },
	{ "\n", false, 0, 0, 0, "line 1" },
	{ "nonsense\n", false, 0, 0, 0, "line 1" },
	{ "{}\n", false, 0, 0, 0, "not the head" },
	{ "{\"journal\":\"fabricprobe-journal/9\"}\n", false, 0, 0, 0,
	  "fabricprobe-journal/9" },
	{ HEAD, false, 0, 0, 0, "before its ranks" },
	{ HEAD "{\"job\":{}}\n", false, 0, 0, 0, "line 2" },
	{ HEAD "{\"job\":{\"snapshot\":{\"schema\":\"x\"},\"session\":"
	       "{},\"judge\":{}}}\n",
	  false, 0, 0, 0, "line 2" },
	{ HEAD JOB, true, 0, 0, 0, NULL },
	{ HEAD JOB JOB, true, 1, 0, 0, NULL },
	{ HEAD JOB "{\"later\":1}\n", true, 0, 0, 0, NULL },
	{ HEAD JOB "{\"fabric\":\"host,nic,switch\"}\n", true, 0, 0, 0, NULL },
	{ HEAD JOB "{\"model\":\"{}\"}\n{\"fabric\":\"\"}\n", true, 1, 0, 0,
	  NULL },
	{ HEAD JOB "{\"fabric\":7}\n", true, 1, 0, 0, NULL },
	{ HEAD JOB "{\"event\":{\"kind\":\"locate\",\"value\":-7}}\n", true, 0,
	  0, 0, NULL },
	{ HEAD JOB BATCH("1", ""), true, 0, 1, 0, NULL },
	{ HEAD JOB BATCH("7", ",\"unknown\":[1]"), true, 0, 1, 0, NULL },
	{ HEAD BATCH("1", "") JOB, true, 1, 0, 0, NULL },
	{ HEAD JOB BATCH("1", ",\"op\":\"fly\""), true, 1, 0, 0, NULL },
	{ HEAD JOB BATCH("1", ",\"iters\":-1"), true, 1, 0, 0, NULL },
	{ HEAD JOB BATCH("1", ",\"src_ep\":4294967296"), true, 1, 0, 0, NULL },
	{ HEAD JOB BATCH("1", ",\"flags\":256"), true, 1, 0, 0, NULL },
	{ HEAD JOB BATCH("1", ",\"time_s\":1e9"), true, 1, 0, 0, NULL },
	{ HEAD JOB BATCH("1", ",\"stage\":3"), true, 1, 0, 0, NULL },
	{ HEAD JOB BATCH("1", "") "{\"outcome\":{\"trial\":1,"
	                          "\"rank\":0,\"state\":\"OK\","
	                          "\"counters\":{\"retransmits\":3,"
	                          "\"other\":9}}}\n",
	  true, 0, 1, 1, NULL },
	{ HEAD JOB BATCH("1", "") "{\"outcome\":{\"trial\":2,"
	                          "\"rank\":0,\"state\":\"OK\"}}\n",
	  true, 1, 1, 0, NULL },
	{ HEAD JOB BATCH("1", "") "{\"outcome\":{\"trial\":1,"
	                          "\"rank\":9,\"state\":\"OK\"}}\n",
	  true, 1, 1, 0, NULL },
	{ HEAD JOB BATCH("1", "") "{\"outcome\":{\"trial\":1,"
	                          "\"rank\":0,\"state\":\"OK\","
	                          "\"min_s\":-1}}\n",
	  true, 1, 1, 0, NULL },
	{ HEAD JOB "{\"batch\":{\"trials\":[{\"id\":1,\"op\":"
	           "\"all_reduce\",\"member_count\":2,\"bytes\":8,"
	           "\"src\":0,\"dst\":-1,\"deadline_s\":1}],"
	           "\"members\":[0,7]}}\n",
	  true, 1, 0, 0, NULL },
	{ HEAD JOB "{\"event\":{\"kind\":\"agent-lost\",\"rank\":5}}\n", true,
	  1, 0, 0, NULL },
	{ HEAD JOB "{\"end\":{}}\n", true, 1, 0, 0, NULL },
};

static void check_loaded(size_t i, struct journal_run *run)
{
	const struct results *r = &run->results;

	if (run->bad_lines != bad_rows[i].bad ||
	    r->n_trials != bad_rows[i].trials ||
	    r->n_outcomes != bad_rows[i].outcomes)
		fail_msg("row %zu: %zu bad, %zu trials, %zu outcomes", i,
		         run->bad_lines, r->n_trials, r->n_outcomes);
	assert_int_equal(run->opts.judge.retests, 2);
	assert_int_equal(run->opts.mode, MODE_QUICK);
	if (r->n_outcomes)
		assert_int_equal(
			outcome_get(&r->outcomes[0], COUNTER_RETRANS, -1), 3);
	journal_run_done(run);
}

static void check_refused(size_t i, const struct fp_err *err)
{
	if (!strstr(err->text, bad_rows[i].word))
		fail_msg("row %zu: %s", i, err->text);
}

static void test_bad_lines(void **state)
{
	struct journal_run run;
	enum fp_status status;

	(void)state;
	for (size_t i = 0; i < COUNT(bad_rows); i++) {
		struct fp_err err = { 0 };

		status = journal_parse(bad_rows[i].text,
		                       strlen(bad_rows[i].text), &run, &err);
		if ((status == FP_OK) != bad_rows[i].loads)
			fail_msg("row %zu: %s", i, err.text);
		if (status)
			check_refused(i, &err);
		else
			check_loaded(i, &run);
	}
}

/* Every member has its row: bytes of all of them come back. */
static void test_records_are_whole(void **state)
{
	static const struct {
		const struct fields *record;
		size_t size, left_out;
	} rows[] = {
		{ &journal_trial_fields, sizeof(struct trial),
		  sizeof(uint16_t) },
		{ &journal_event_fields, sizeof(struct run_event), 0 },
		/* at the end */
		{ &journal_judge_fields, sizeof(struct judge_opts),
		  sizeof(uint32_t) },
		/* what aligns the times, and the judge's */
		{ &journal_session_fields, sizeof(struct session_opts),
		  sizeof(struct judge_opts) + sizeof(uint32_t) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t sum = 0;

		for (size_t k = 0; k < rows[i].record->n; k++)
			sum += rows[i].record->rows[k].size;
		if (sum + rows[i].left_out != rows[i].size)
			fail_msg("record %zu: %zu of %zu bytes", i, sum,
			         rows[i].size);
	}
}

static void test_numbers(void **state)
{
	const double values[] = { 1.0 / 3,     119551234.56789012,
		                  4.9e-324,    1.7e308,
		                  0.1,         2e-7,
		                  123456789.0, 3 };
	struct outcome o = { .trial = 7,
		             .rank = 3,
		             .state = OUTCOME_HANG,
		             .stage = STAGE_CONNECT,
		             .flags = OUTCOME_KILLED,
		             .wrong_bytes = UINT64_MAX };
	struct outcome back;
	json_t *json;
	char *text;

	(void)state;
	strcpy(o.cc, "cubic");
	strcpy(o.err, "no data for 5 s");
	outcome_put(&o, COUNTER_STALL_NS, INT64_MAX);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		o.p50_s = values[i];
		json = journal_outcome_to_json(&o);
		text = json_dumps(json, JSON_REAL_PRECISION(17));
		json_decref(json);
		json = json_loads(text, 0, NULL);
		assert_int_equal(journal_outcome_from_json(json, &back, NULL),
		                 FP_OK);
		assert_memory_equal(&o, &back, sizeof(o));
		json_decref(json);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_records_are_whole),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
