// SPDX-License-Identifier: Apache-2.0
// What logs suspect against what a bisection of the model finds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/confirm/confirm.h"
#include "probes/explain/render.h"
#include "tests/unit/explain_bed.h"
#include "tests/unit/session_bed.h"
#include "topo/reading/reading.h"

#define TIMEOUT(rank)                                                         \
	"[rank" #rank "]:[E626 10:00:00.123456 ProcessGroupNCCL.cpp:616] "    \
	"[Rank " #rank "] Watchdog caught collective operation timeout: "     \
	"WorkNCCL(SeqNum=55, OpType=ALLREDUCE, NumelIn=1024, NumelOut=1024, " \
	"Timeout(ms)=600000) ran for 600012 milliseconds before timing out.\n"
#define START(host, rank, size)                                              \
	host ":10" #rank ":10" #rank " [0] NCCL INFO ncclCommInitRank comm " \
	     "0x55 rank " #rank " nranks " #size                             \
	     " cudaDev 0 nvmlDev 0 busId 9c000 commId 0x77 - Init START\n"
#define DONE(host, rank, size)                                               \
	START(host, rank, size)                                              \
	host ":10" #rank ":10" #rank " [0] NCCL INFO ncclCommInitRank comm " \
	     "0x55 rank " #rank " nranks " #size                             \
	     " cudaDev 0 nvmlDev 0 busId 9c000 commId 0x77 - Init COMPLETE\n"
#define RETRY(host, rank)                                                      \
	host ":10" #rank ":20" #rank " [0] net_ib.cc:1295 NCCL WARN NET/IB : " \
	     "Got completion from peer "                                       \
	     "h1<45832> with status=12 opcode=0 len=0 vendor err 129 (Send) "  \
	     "hca mlx5_0\n"
#define XID                                                              \
	"[ 12.3] NVRM: Xid (PCI:0000:9c:00): 79, pid=1, GPU has fallen " \
	"off the bus.\n"

/* The third of four ranks is silent. */
#define SILENT TIMEOUT(0) TIMEOUT(1) TIMEOUT(3)

static const struct {
	const char *name, *log, *shape;
	struct fake_rule rule; /* kind FAKE_SLOW, factor 0: none */
	uint32_t xport;
	unsigned outcome, fabric, verdict;
	const char *ranks, *words; /* of ranks suspected; in why */
} cases[] = {
	{ "the silent rank hangs here too",
	  SILENT,
	  "4",
	  { FAKE_HANG, 2, FAKE_ANY, .inside = true },
	  XPORT_AUTO,
	  CONFIRM_CONFIRMED,
	  FABRIC_FAULTY,
	  STORY_FAULT,
	  "2",
	  "rank 2" },
	{ "all is well here",
	  SILENT,
	  "4",
	  { 0 },
	  XPORT_AUTO,
	  CONFIRM_REFUTED,
	  FABRIC_HEALTHY,
	  STORY_UNDETERMINED,
	  "2",
	  "fabric healthy for rank 2" },
	{ "another rank hangs",
	  SILENT,
	  "4",
	  { FAKE_HANG, 0, FAKE_ANY, .inside = true },
	  XPORT_AUTO,
	  CONFIRM_ELSEWHERE,
	  FABRIC_FAULTY,
	  STORY_FAULT,
	  "2",
	  "nothing is found at those" },
	{ "a job of more ranks",
	  SILENT START("elsewhere", 0, 4),
	  "2 2 1",
	  { 0 },
	  XPORT_AUTO,
	  CONFIRM_UNTESTED,
	  FABRIC_HEALTHY,
	  STORY_UNDETERMINED,
	  "",
	  "rank 2 of a job of 4 ranks" },
	{ "a host of this job",
	  SILENT START("h1.cluster", 2, 4),
	  "2 2 1",
	  { 0 },
	  XPORT_AUTO,
	  CONFIRM_REFUTED,
	  FABRIC_HEALTHY,
	  STORY_UNDETERMINED,
	  "2, 3",
	  "ranks 2, 3" },
	{ "a host of another",
	  SILENT START("node9", 2, 4),
	  "2 2",
	  { 0 },
	  XPORT_AUTO,
	  CONFIRM_UNTESTED,
	  FABRIC_HEALTHY,
	  STORY_UNDETERMINED,
	  "",
	  "rank 2 on node9" },
	{ "RDMA is not TCP",
	  START("h0", 0, 2) RETRY("h0", 0),
	  "1 1",
	  { 0 },
	  XPORT_AUTO,
	  CONFIRM_UNTESTED,
	  FABRIC_HEALTHY,
	  STORY_FAULT,
	  "0, 1",
	  "--xport verbs" },
	{ "RDMA, and it is well",
	  START("h0", 0, 2) RETRY("h0", 0),
	  "1 1",
	  { 0 },
	  XPORT_VERBS,
	  CONFIRM_REFUTED,
	  FABRIC_HEALTHY,
	  STORY_UNDETERMINED,
	  "0, 1",
	  "healthy" },
	{ "a GPU that is gone",
	  START("h0", 0, 2) XID,
	  "1 1",
	  { 0 },
	  XPORT_AUTO,
	  CONFIRM_UNTESTED,
	  FABRIC_HEALTHY,
	  STORY_FAULT,
	  "0",
	  "--xport nccl" },
	{ "nothing is suspected",
	  DONE("h0", 0, 2) DONE("h1", 1, 2),
	  "1 1",
	  { 0 },
	  XPORT_AUTO,
	  CONFIRM_NOTHING,
	  FABRIC_HEALTHY,
	  STORY_HEALTHY,
	  "",
	  "all 2 ranks" },
};

static void run_case(size_t i)
{
	struct bed_case run = { .shape = cases[i].shape,
		                .kind = SESSION_BISECT,
		                .mode = MODE_QUICK,
		                .op = OP_ALLREDUCE,
		                .xport = cases[i].xport,
		                .rules = { cases[i].rule },
		                .n_rules = cases[i].rule.src ||
		                           cases[i].rule.dst };
	struct gather gather = { 0 };
	struct story story = { 0 };
	struct confirm c = { 0 };
	struct fp_err err = { 0 };
	char ranks[64];
	struct bed bed;

	explain_bed_read(&gather, "job.log", cases[i].log);
	assert_int_equal(story_make(&gather, &story, &err), FP_OK);
	bed_run(&bed, &run, NULL);
	assert_int_equal(confirm_plan(&story, &bed.build.job, &c, &err), FP_OK);
	confirm_judge(&c, &bed.session, NULL);
	story_ranks(c.ranks, c.n, ranks, sizeof(ranks));
	if (c.outcome != cases[i].outcome || c.fabric != cases[i].fabric ||
	    confirm_verdict(&c) != cases[i].verdict ||
	    strcmp(ranks, cases[i].ranks) || !strstr(c.why, cases[i].words))
		fail_msg("%s: %s, fabric %s, verdict %s, ranks '%s', '%s'",
		         cases[i].name, confirm_outcome_name(c.outcome),
		         confirm_fabric_name(c.fabric),
		         render_verdict_name(confirm_verdict(&c)), ranks,
		         c.why);
	confirm_done(&c);
	session_bed_close(&bed);
	story_done(&story);
	gather_done(&gather);
}

static void says_what_became_of_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run_case(i);
}

static void a_run_that_failed_tells_nothing(void **state)
{
	struct gather gather = { 0 };
	struct story story = { 0 };
	struct confirm c = { .drill = true };
	struct fp_err err = { 0 };

	(void)state;
	explain_bed_read(&gather, "job.log", SILENT);
	assert_int_equal(story_make(&gather, &story, &err), FP_OK);
	c.story = &story;
	confirm_judge(&c, NULL, "there was no run: no memory");
	assert_int_equal(c.outcome, CONFIRM_UNTESTED);
	assert_int_equal(c.fabric, FABRIC_UNKNOWN);
	assert_int_equal(confirm_verdict(&c), STORY_UNDETERMINED);
	assert_non_null(strstr(c.why, "no memory"));
	assert_non_null(strstr(c.why, "drill"));
	story_done(&story);
	gather_done(&gather);
}

static void names_a_rank_of_each_host(void **state)
{
	int32_t ranks[] = { 0, 1, 3 };
	struct confirm c = { .ranks = ranks, .n = 3 };
	struct build_run build = { 0 };
	char text[16];

	(void)state;
	build_job(&build, "2 2", BUILD_ONE_DEV);
	confirm_suspects(&c, &build.job, text, sizeof(text));
	assert_string_equal(text, "0,3");
	confirm_suspects(&c, &build.job, text, 3);
	assert_string_equal(text, "0");
	build_done(&build);
}

/* A process of which little may be read is there all the same. */
static void what_is_not_readable(void **state)
{
	struct reading_pen pen = { .set = readings_new(1),
		                   .source = READ_PROCFS,
		                   .device = "process 4711" };
	struct fp_text text = { 0 };
	struct build_run build = { 0 };
	struct beside beside;

	(void)state;
	build_job(&build, "1", BUILD_ONE_DEV);
	assert_non_null(pen.set);
	reading_put_text(&pen, "process.name", "python3");
	build.job.hosts[0].readings = readings_ref(pen.set);
	assert_int_equal(beside_find(&build.job, &beside, NULL), FP_OK);
	assert_true(beside.busy);
	assert_int_equal(beside.n, 1);
	beside_text(&beside, 80, &text);
	assert_non_null(strstr(fp_text_str(&text), "python3"));
	assert_non_null(strstr(fp_text_str(&text), "not readable"));
	fp_text_free(&text);
	beside_done(&beside);
	build_done(&build);
	readings_unref(pen.set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_became_of_it),
		cmocka_unit_test(a_run_that_failed_tells_nothing),
		cmocka_unit_test(names_a_rank_of_each_host),
		cmocka_unit_test(what_is_not_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
