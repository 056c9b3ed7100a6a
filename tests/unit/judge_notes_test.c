// SPDX-License-Identifier: Apache-2.0
// Findings from events and from workers that failed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/judge/judge.h"
#include "tests/unit/model_run.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define GOOD 100e6

struct note {
	unsigned kind;
	int32_t rank;
	double t_s;
	const char *text;
};

/* struct want - one finding; rank -1: none. */
struct want {
	unsigned code, kind;
	const char *host;
	int32_t rank;
};

struct note_case {
	const char *name, *shape;
	struct note notes[8];
	struct want wants[3];
};

#define LOST(r, t)                                         \
	{                                                  \
		EVENT_AGENT_LOST, r, t, "silent for 6.0 s" \
	}
#define MISSING(r, t)                                         \
	{                                                     \
		EVENT_AGENT_MISSING, r, t, "never said hello" \
	}
#define HOST(c, h)                   \
	{                            \
		c, LOCUS_HOST, h, -1 \
	}
#define RANK(c, r, h)               \
	{                           \
		c, LOCUS_RANK, h, r \
	}
#define JOB(c)                       \
	{                            \
		c, LOCUS_JOB, "", -1 \
	}

static const struct note_case cases[] = {
	{ "nothing happened", "2 2", { { 0 } }, { { 0 } } },
	{ "all agents of a host",
	  "2 2 2",
	  { LOST(2, 5), LOST(3, 5.1) },
	  { HOST(FINDING_HOST_LOST, "h1") } },
	{ "one agent of a host",
	  "2 2 2",
	  { LOST(3, 5) },
	  { RANK(FINDING_AGENT_LOST, 3, "h1") } },
	{ "a host and an agent",
	  "2 2 2 2",
	  { LOST(2, 5), LOST(3, 5), LOST(6, 9) },
	  { HOST(FINDING_HOST_LOST, "h1"),
	    RANK(FINDING_AGENT_LOST, 6, "h3") } },
	{ "the other of two hosts",
	  "1 1",
	  { LOST(1, 5) },
	  { HOST(FINDING_HOST_LOST, "h1") } },
	{ "the other of two hosts, larger",
	  "1 3",
	  { LOST(1, 5),
	    LOST(2, 5),
	    LOST(3, 5),
	    { EVENT_CONTROL_SUSPECT, 0, 5, "3 of 4 agents" } },
	  { HOST(FINDING_HOST_LOST, "h1") } },
	{ "most hosts at once",
	  "1 1 1 1",
	  { LOST(1, 5), LOST(2, 5.5) },
	  { HOST(FINDING_CONTROL_LINK, "h0") } },
	{ "most hosts, one after the other",
	  "1 1 1 1",
	  { LOST(1, 5), LOST(2, 50) },
	  { HOST(FINDING_HOST_LOST, "h1"), HOST(FINDING_HOST_LOST, "h2") } },
	{ "most hosts, as the conductor says",
	  "1 1 1 1 1",
	  { LOST(1, 5),
	    LOST(2, 10),
	    LOST(4, 12),
	    { EVENT_CONTROL_SUSPECT, 0, 12, "3 of 4 agents" } },
	  { HOST(FINDING_CONTROL_LINK, "h0") } },
	{ "two of five hosts at once",
	  "1 1 1 1 1",
	  { LOST(1, 5), LOST(2, 5) },
	  { HOST(FINDING_HOST_LOST, "h1"), HOST(FINDING_HOST_LOST, "h2") } },
	{ "never there",
	  "1 1 1",
	  { MISSING(2, 30) },
	  { HOST(FINDING_HOST_LOST, "h2") } },
	{ "could not start",
	  "2",
	  { { EVENT_WORKER_FAILED, 1, 0.1, "libfoo.so: not found" },
	    { EVENT_WORKER_DIED, 1, 0.05, "exit 127" } },
	  { RANK(FINDING_WORKER_START, 1, "h0") } },
	{ "died",
	  "2",
	  { { EVENT_WORKER_DIED, 1, 3, "killed by signal 11" } },
	  { RANK(FINDING_WORKER_DIED, 1, "h0") } },
	{ "died again and again",
	  "2",
	  { { EVENT_WORKER_DIED, 1, 3, "killed by signal 11" },
	    { EVENT_WORKER_DIED, 1, 4, "killed by signal 11" } },
	  { RANK(FINDING_WORKER_DIED, 1, "h0") } },
	{ "hung",
	  "2",
	  { { EVENT_WORKER_KILLED, 0, 3, "did not answer" } },
	  { RANK(FINDING_WORKER_HUNG, 0, "h0") } },
	{ "wedged after it hung",
	  "2",
	  { { EVENT_WORKER_KILLED, 0, 3, "did not answer" },
	    { EVENT_WORKER_WEDGED, 0, 13, "cannot be killed" } },
	  { RANK(FINDING_WORKER_WEDGED, 0, "h0") } },
	{ "nonsense",
	  "2",
	  { { EVENT_WORKER_GARBAGE, 0, 3, "bad magic" },
	    { EVENT_WORKER_KILLED, 0, 3, "killed for it" } },
	  { RANK(FINDING_WORKER_GARBAGE, 0, "h0") } },
	{ "two workers",
	  "2",
	  { { EVENT_WORKER_DIED, 0, 3, "exit 1" },
	    { EVENT_WORKER_KILLED, 1, 3, "did not answer" } },
	  { RANK(FINDING_WORKER_DIED, 0, "h0"),
	    RANK(FINDING_WORKER_HUNG, 1, "h0") } },
	{ "died, then its agent went",
	  "2 2",
	  { { EVENT_WORKER_DIED, 3, 3, "exit 1" }, LOST(3, 5) },
	  { RANK(FINDING_AGENT_LOST, 3, "h1") } },
	{ "journal",
	  "2",
	  { { EVENT_JOURNAL, -1, 1, "no space left" } },
	  { JOB(FINDING_JOURNAL) } },
	{ "shared control interface",
	  "2 1",
	  { { EVENT_CONTROL_SHARED, -1, 0, "eth0 carries both" } },
	  { JOB(FINDING_CONTROL_SHARED) } },
	{ "strangers",
	  "2",
	  { { EVENT_STRANGER, -1, 1, "1 unknown connection" } },
	  { JOB(FINDING_STRANGERS) } },
	{ "cut and interrupted are no findings",
	  "2",
	  { { EVENT_CUT, -1, 1, "cut" },
	    { EVENT_INTERRUPTED, -1, 1, "SIGINT" } },
	  { { 0 } } },
};

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

static void check_wants(const struct note_case *c, const struct findings *list)
{
	const struct finding *f;
	size_t i, n = 0;

	while (n < COUNT(c->wants) && c->wants[n].host)
		n++;
	if (list->n != n)
		print_error("%s\n", c->name);
	assert_int_equal(list->n, n);
	for (i = 0; i < n; i++) {
		f = find(list, c->wants[i].code, c->wants[i].rank);
		if (!f) {
			print_error("%s\n", c->name);
			fail();
			return;
		}
		assert_int_equal(f->locus.kind, c->wants[i].kind);
		assert_true(f->n_evidence > 0);
	}
	for (i = 0; i < n; i++)
		assert_string_equal(list->f[i].locus.host, c->wants[i].host);
}

static void every_event_has_its_finding(void **state)
{
	const struct note_case *c;
	struct findings list;
	struct build_run b;
	uint64_t seed;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		c = &cases[i];
		build_job(&b, c->shape, BUILD_ONE_DEV);
		for (k = 0; k < COUNT(c->notes) && c->notes[k].text; k++)
			build_event(&b, c->notes[k].kind, c->notes[k].rank,
			            c->notes[k].t_s, c->notes[k].text);
		for (seed = 0; seed < 3; seed++) {
			judge(&b, &list);
			check_wants(c, &list);
			findings_done(&list);
			build_shuffle(&b, seed);
		}
		build_done(&b);
	}
}

static const struct outcome_case {
	struct build_test test;
	unsigned code;
	int32_t rank;
} outcome_cases[] = {
	{ { .src = 0,
	    .dst = 1,
	    .src_state = OUTCOME_ERROR,
	    .dst_state = OUTCOME_ERROR,
	    .dst_flags = OUTCOME_WORKER_DIED },
	  FINDING_WORKER_DIED,
	  1 },
	{ { .src = 0,
	    .dst = 1,
	    .src_state = OUTCOME_HANG,
	    .src_flags = OUTCOME_KILLED,
	    .dst_state = OUTCOME_HANG },
	  FINDING_WORKER_HUNG,
	  0 },
	{ { .src = 0,
	    .dst = 1,
	    .src_state = OUTCOME_HANG,
	    .src_flags = OUTCOME_SILENT,
	    .dst_state = OUTCOME_NOTRUN },
	  FINDING_WORKER_HUNG,
	  0 },
	{ { .src = 0,
	    .dst = 1,
	    .src_state = OUTCOME_HANG,
	    .src_flags = OUTCOME_KILLED | OUTCOME_WEDGED,
	    .dst_state = OUTCOME_HANG },
	  FINDING_WORKER_WEDGED,
	  0 },
	{ { .src = 0,
	    .dst = 1,
	    .dst_state = OUTCOME_ERROR,
	    .dst_stage = STAGE_INIT,
	    .src_state = OUTCOME_NOTRUN,
	    .err = "bind: address in use" },
	  FINDING_RANK_ERROR,
	  1 },
	{ { .src = 0,
	    .dst = 1,
	    .dst_state = OUTCOME_HANG,
	    .dst_stage = STAGE_INIT,
	    .src_state = OUTCOME_HANG,
	    .src_stage = STAGE_CONNECT },
	  FINDING_RANK_HANG,
	  1 },
};

static void only_outcomes_tell(void **state)
{
	struct findings list;
	struct build_run b;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(outcome_cases); i++) {
		build_job(&b, "1 1", BUILD_ONE_DEV);
		build_test(&b, &outcome_cases[i].test);
		judge(&b, &list);
		/* its partner is a victim, and the pair is no finding */
		assert_int_equal(list.n, 1);
		assert_non_null(find(&list, outcome_cases[i].code,
		                     outcome_cases[i].rank));
		findings_done(&list);
		build_done(&b);
	}
}

/* A host hangs, then its agent is seen to be gone: one finding. */
static void what_a_dead_host_did_before(void **state)
{
	struct model m = model_clean();
	struct findings list;
	struct build_run b;

	(void)state;
	model_add(&m, (struct model_fault){ MODEL_HOLE, 2, MODEL_ANY, 0, true,
	                                    false });
	model_add(&m, (struct model_fault){ MODEL_HOLE, MODEL_ANY, 2, 0, true,
	                                    false });
	build_job(&b, "1 1 1 1", BUILD_ONE_DEV);
	model_run(&b, &m);
	build_event(&b, EVENT_AGENT_LOST, 2, 9, "connection closed");
	judge(&b, &list);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.f[0].code, FINDING_HOST_LOST);
	assert_string_equal(list.f[0].locus.host, "h2");
	assert_true(list.f[0].n_evidence > 1);
	findings_done(&list);
	build_done(&b);
}

static void mixed_congestion_control(void **state)
{
	static const struct {
		const char *cc[4];
		const char *host; /* NULL: no finding, "": the job */
	} rows[] = {
		{ { "cubic", "cubic", "cubic", "cubic" }, NULL },
		{ { "", "", "", "" }, NULL },
		{ { "cubic", "cubic", "reno", "cubic" }, "h2" },
		{ { "cubic", "reno", "reno", "cubic" }, "" },
		{ { "bbr", "", "reno", "" }, "" },
	};
	struct findings list;
	struct build_run b;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		build_job(&b, "1 1 1 1", BUILD_ONE_DEV);
		build_test(&b, &(struct build_test){
				       .src = 0, .dst = 1, .value = GOOD });
		build_test(&b, &(struct build_test){
				       .src = 2, .dst = 3, .value = GOOD });
		for (k = 0; k < 4; k++)
			strcpy(b.results.outcomes[k].cc, rows[i].cc[k]);
		judge(&b, &list);
		assert_int_equal(list.n, rows[i].host != NULL);
		if (list.n) {
			assert_int_equal(list.f[0].code, FINDING_CC_MIXED);
			assert_int_equal(list.f[0].severity, SEVERITY_WARN);
			assert_string_equal(list.f[0].locus.host, rows[i].host);
		}
		findings_done(&list);
		build_done(&b);
	}
}

static void strangers_are_counted(void **state)
{
	struct findings list;
	struct build_run b;

	(void)state;
	build_job(&b, "1 1", BUILD_ONE_DEV);
	build_test(&b,
	           &(struct build_test){ .src = 0, .dst = 1, .value = GOOD });
	outcome_put(&b.results.outcomes[1], COUNTER_STRANGERS, 4);
	/* the control port's events count from the beginning */
	build_event(&b, EVENT_STRANGER, -1, 1, "unknown connections");
	build_event(&b, EVENT_STRANGER, -1, 2, "unknown connections");
	b.results.events[0].value = 7;
	b.results.events[1].value = 9;
	judge(&b, &list);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.f[0].code, FINDING_STRANGERS);
	assert_true(list.f[0].observed > 12.5 && list.f[0].observed < 13.5);
	findings_done(&list);
	build_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_has_its_finding),
		cmocka_unit_test(only_outcomes_tell),
		cmocka_unit_test(what_a_dead_host_did_before),
		cmocka_unit_test(mixed_congestion_control),
		cmocka_unit_test(strangers_are_counted),
	};

	return cmocka_run_group_tests_name("judge_notes", tests, NULL, NULL);
}
