// SPDX-License-Identifier: Apache-2.0
// Unit tests of lines: prefixes off, times read, and lines in pieces.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/explain_bed.h"

#define NS INT64_C(1000000000)

static const struct {
	const char *raw, *text, *host;
	int64_t time_ns;
	int rank, pid;
	unsigned repeated;
} lines[] = {
	{ "plain", "plain", "", EVENT_NO_TIME, -1, -1, 0 },
	{ "  padded  \r", "  padded", "", EVENT_NO_TIME, -1, -1, 0 },
	{ "12: words", "words", "", EVENT_NO_TIME, 12, -1, 0 },
	{ " 0:    8  2", "   8  2", "", EVENT_NO_TIME, 0, -1, 0 },
	{ "[1,31]<stdout>:x", "x", "", EVENT_NO_TIME, 31, -1, 0 },
	{ "[prterun-h1-99@1,5]<stderr>: x", "x", "", EVENT_NO_TIME, 5, -1, 0 },
	{ "(Actor pid=3855, ip=10.1.66.27) [rank9]:x [repeated 6x across "
	  "cluster]",
	  "x", "10.1.66.27", EVENT_NO_TIME, 9, 3855, 6 },
	{ "[80746] [rank4]:y", "y", "", EVENT_NO_TIME, 4, -1, 0 },
	{ "[default3]:y", "y", "", EVENT_NO_TIME, -1, -1, 0 },
	{ "> 3: quoted", "quoted", "", EVENT_NO_TIME, 3, -1, 0 },
	{ "\x1b[1;31mred\x1b[0m text", "red text", "", EVENT_NO_TIME, -1, -1,
	  0 },
	{ "\x1b]0;title\a2025-01-21T02:21:33,498559+00:00 x", "x", "",
	  1737426093 * NS + 498559000, -1, -1, 0 },
	{ "2025-01-17T15:36:26.5Z stdout F x", "x", "",
	  1737128186 * NS + 500000000, -1, -1, 0 },
	{ "2025-01-17T16:36:26+01:00 x", "x", "", 1737128186 * NS, -1, -1, 0 },
	{ "[2026-03-13 23:33:02] h:1:2 x", "h:1:2 x", "", 1773444782 * NS, -1,
	  -1, 0 },
	{ "[Sun Feb 23 16:24:18 2025] NVRM: x", "NVRM: x", "", 1740327858 * NS,
	  -1, -1, 0 },
	{ "192.0.2.7: x", "x", "192.0.2.7", EVENT_NO_TIME, -1, -1, 0 },
	{ "gpu_node17: x", "x", "gpu_node17", EVENT_NO_TIME, -1, -1, 0 },
	{ "2019-06-02T16:13:44.5Z: [1,12]<stdout>:x", "x", "",
	  1559492024 * NS + 500000000, 12, -1, 0 },
	{ "[node-1:4711] x", "x", "node-1", EVENT_NO_TIME, -1, 4711, 0 },
	{ "[node1:4711:0:4711] x", "x", "node1", EVENT_NO_TIME, -1, 4711, 0 },
	/* no prefixes */
	{ "epoch3: loss 2.0", "epoch3: loss 2.0", "", EVENT_NO_TIME, -1, -1,
	  0 },
	{ "Step_12: x", "Step_12: x", "", EVENT_NO_TIME, -1, -1, 0 },
	{ "[launch.py:135] x", "[launch.py:135] x", "", EVENT_NO_TIME, -1, -1,
	  0 },
	{ "[12] x", "[12] x", "", EVENT_NO_TIME, -1, -1, 0 },
	{ "2025-99 x", "2025-99 x", "", EVENT_NO_TIME, -1, -1, 0 },
	{ "(a pid) x", "(a pid) x", "", EVENT_NO_TIME, -1, -1, 0 },
	{ "1234567890123: x", "1234567890123: x", "", EVENT_NO_TIME, -1, -1,
	  0 },
	{ "\x1b[", "", "", EVENT_NO_TIME, -1, -1, 0 },
};

static void takes_prefixes_off(void **state)
{
	static struct logline line;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		logline_clean(&line, lines[i].raw, strlen(lines[i].raw), 1);
		assert_string_equal(line.text, lines[i].text);
		assert_string_equal(line.host, lines[i].host);
		if (line.time_ns != lines[i].time_ns)
			fail_msg("'%s': %lld", lines[i].raw,
			         (long long)line.time_ns);
		assert_int_equal(line.rank, lines[i].rank);
		assert_int_equal(line.pid, lines[i].pid);
		assert_int_equal(line.repeated, lines[i].repeated);
	}
}

static void cuts_what_is_too_long(void **state)
{
	static struct logline line;
	static char raw[LOGLINE_MAX * 2];

	(void)state;
	memset(raw, 'x', sizeof(raw));
	logline_clean(&line, raw, sizeof(raw), 1);
	assert_true(line.cut);
	assert_int_equal(line.len, LOGLINE_MAX - 1);
}

/* Larger than what is read at once, with a warning across each border. */
static void reads_files_in_pieces(void **state)
{
	static const char warning[] = "h:1:2 [0] a.cc:1 NCCL WARN Duplicate "
				      "GPU detected\n";
	size_t n = sizeof(warning) - 1, len = 3u << 20, used = 0;
	char *text = malloc(len);
	struct gather g = { 0 };
	struct fp_err err = { 0 };

	(void)state;
	assert_non_null(text);
	for (; used + n <= len; used += n)
		memcpy(text + used, warning, n);
	assert_int_equal(gather_text(&g, "log", text, used, &err), FP_OK);
	assert_int_equal(g.events.n, 1);
	assert_int_equal(g.events.e[0].count, used / n);
	assert_int_equal(g.files[0].lines, used / n);
	assert_int_equal(g.files[0].bytes, used);
	gather_done(&g);
	free(text);
}

static void keeps_names_once(void **state)
{
	struct events ev = { 0 };
	uint32_t a = event_name(&ev, "mlx5_0", 6);

	(void)state;
	assert_int_equal(event_name(&ev, "mlx5_01", 6), a);
	assert_int_not_equal(event_name(&ev, "mlx5_01", 7), a);
	assert_int_equal(event_name(&ev, "", 0), 0);
	assert_string_equal(event_str(&ev, event_name(&ev, "a\tb", 3)), "a?b");
	for (int i = 0; i < 5000; i++) {
		char text[16];
		int n = snprintf(text, sizeof(text), "name-%d", i);

		assert_string_equal(
			event_str(&ev, event_name(&ev, text, (size_t)n)), text);
	}
	assert_string_equal(event_str(&ev, a), "mlx5_0");
	assert_string_equal(event_str(&ev, UINT32_MAX), "");
	events_done(&ev);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_prefixes_off),
		cmocka_unit_test(cuts_what_is_too_long),
		cmocka_unit_test(reads_files_in_pieces),
		cmocka_unit_test(keeps_names_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
