// SPDX-License-Identifier: Apache-2.0
// Unit tests of files that end in the middle of a line: what is left of a
// number is not read as another one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/explain_bed.h"

/* A line, a number in it, and the kind that it is when it is whole. */
static const struct {
	const char *line, *number;
	unsigned kind;
} cuts[] = {
	{ "n1:7:8 [0] net_ib.cc:1 NCCL WARN NET/IB: Got completion from peer "
	  "10.0.0.5<54125> with status=12 opcode=129 len=0 vendor err 129 "
	  "(Recv)",
	  "12 opcode", KIND_WC_RETRY },
	{ "NVRM: Xid (PCI:0000:4c:00): 137, pid=1, x", "137,", KIND_XID },
	{ "INFO:root:collective 7 of group 0: missing ranks: {13}", "13}",
	  KIND_DESYNC_LAG },
	{ "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30",
	  "20034", KIND_SXID },
	{ "[rank3]: [Rank 3] Watchdog caught collective operation timeout: "
	  "WorkNCCL(SeqNum=4021, OpType=ALLREDUCE, NumelIn=512, NumelOut=512, "
	  "Timeout(ms)=600000) ran for 600041 milliseconds before timing out.",
	  "4021", KIND_WATCHDOG },
	{ "[rank3]: [PG 0 Rank 3] Received a dump signal due to a collective "
	  "timeout from rank 1. Last enqueued NCCL work: 4020, last completed "
	  "NCCL work: 4020.",
	  "4020,", KIND_DUMP },
	{ "#0-0 (27a079b828ff1a75) MISMATCH\n  Communicator ranks have "
	  "different collective operation counts\n  30 ranks have launched up "
	  "to operation 6650",
	  "6650", KIND_RAS_COUNT },
};

static const struct event *read_as(struct gather *g, const char *text,
                                   unsigned kind)
{
	explain_bed_read(g, "log", text);
	return events_first(&g->events, kind, 0);
}

static void a_number_in_pieces_is_not_read(void **state)
{
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		const char *at = strstr(cuts[i].line, cuts[i].number);
		struct gather g = { 0 };

		assert_non_null(at);
		(void)snprintf(text, sizeof(text), "%s\n", cuts[i].line);
		if (!read_as(&g, text, cuts[i].kind))
			fail_msg("whole: %s", cuts[i].line);
		gather_done(&g);
		/* One digit of it is there, and the file ends. */
		(void)snprintf(text, sizeof(text), "%.*s",
		               (int)(at - cuts[i].line) + 1, cuts[i].line);
		if (read_as(&g, text, cuts[i].kind))
			fail_msg("cut: %s", text);
		if (cuts[i].kind != KIND_WC_RETRY &&
		    !events_first(&g.events, KIND_CUT, 0))
			fail_msg("not said to be cut: %s", text);
		gather_done(&g);
	}
}

static void a_long_line_is_said_to_be_cut(void **state)
{
	char text[2 * EVENT_LINE_MAX];
	struct gather g = { 0 };
	const struct event *e;
	const char *kept;
	int n;

	(void)state;
	n = snprintf(text, sizeof(text), "n1:7:8 [0] x.cc:1 NCCL WARN ");
	for (; n + 4 < (int)sizeof(text); n += 2)
		memcpy(text + n, "\xc3\xa9", 2);
	text[n] = '\0';
	e = read_as(&g, text, KIND_WARN_OTHER);
	assert_non_null(e);
	kept = event_str(&g.events, e->text);
	assert_true(strlen(kept) <= EVENT_LINE_MAX);
	assert_string_equal(kept + strlen(kept) - 3, "...");
	assert_memory_equal(kept + strlen(kept) - 5, "\xc3\xa9", 2);
	gather_done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_in_pieces_is_not_read),
		cmocka_unit_test(a_long_line_is_said_to_be_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
