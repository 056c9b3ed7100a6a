// SPDX-License-Identifier: Apache-2.0
// What carried a log is taken off it, and what it said is left.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/explain/strip.h"
#include "probes/explain/undress.h"
#include "tests/unit/explain_bed.h"

#define EACH(p) p "GPU0 X\n" p "\n" p "NIC0 PIX\n" p "  legend: - none\n"
#define BARE "GPU0 X\n\nNIC0 PIX\n  legend: - none\n"

static const struct {
	const char *text, *bare;
} strips[] = {
	{ EACH("> "), BARE },
	{ EACH("0: "), BARE },
	{ EACH("worker-0  | "), BARE },
	{ EACH("[pod/a-0/b] 2025-06-26T10:00:00.1Z "), BARE },
	{ EACH("2025-06-26 10:00:00,123 - train - ERROR - "), BARE },
	{ EACH("<134>1 2025-06-26T10:00:00.1Z node7 train 4711 - - "), BARE },
	{ EACH("[1,3]<stdout>:"), BARE },
	{ EACH("2025年06月26日 10:00:00 "), BARE },
	{ EACH("jeu. 26 juin 2025 10:00:00 CEST "), BARE },
	{ BARE, BARE },
	{ "1: GPU0\n1: GPU1\n", "1: GPU0\n1: GPU1\n" }, /* too few to tell */
	{ "", "" },
};

static void strips_what_all_begin_with(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(strips) / sizeof(strips[0]); i++) {
		char text[1024];
		struct strip s;
		size_t n = strlen(strips[i].text);

		memcpy(text, strips[i].text, n + 1);
		strip_find(&s, text, n);
		text[strip_apply(&s, text, n)] = '\0';
		assert_string_equal(text, strips[i].bare);
	}
}

#define LONG80                                                              \
	"[rank0]:[E626 10:00:00.123456 ProcessGroupNCCL.cpp:616] [Rank 0] " \
	"Watchdog caught"

static const struct {
	const char *text;
	uint32_t width;
} widths[] = {
	{ "", 0 },
	{ LONG80 "\n  collective operation timeout\n", 0 }, /* a column */
	{ LONG80 "\ncollective operation timeout\n[rank1]: next\n", 80 },
	{ "a short line\nanother\n", 0 },
	/* the widest ones of ranks that are labelled, each with a number */
	{ "10: " LONG80 "\n11: step 1\n21: " LONG80 "\n43: step 1\n54: " LONG80
	  "\n65: step 1\n76: " LONG80 "\n87: step 2\n",
	  0 },
	{ "GPU0 0123456789012345678901234567890123456789012345678901234567890\n"
	  "GPU1 0123456789012345678901234567890123456789012345678901234567890\n"
	  "GPU2 "
	  "0123456789012345678901234567890123456789012345678901234567890\n",
	  0 },
	{ "GPU0 NV18 0123456789012345678901234567890123456789012345678901  \n"
	  "NODE 0-27\n"
	  "GPU1 NV18 01234567890123456789012345678901234567890123456789  N/\n"
	  "A\n"
	  "GPU2 NV18\n",
	  64 },
};

static void knows_a_terminals_edge(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		assert_int_equal(
			undress_edge(widths[i].text, strlen(widths[i].text))
				.width,
			widths[i].width);
}

/* Ends of lines at the edge are the terminal's, those of DOS too. */
static void joins_what_a_terminal_broke(void **state)
{
	static const char text[] =
		LONG80 "\r\ncollective operation timeout\r\n[rank1]: next\r\n";
	static const char joined[] =
		LONG80 "collective operation timeout\r\n[rank1]: next\r\n";
	size_t raw = sizeof(text) - 1, n;
	struct undress u = { 0 };
	char buf[sizeof(text)];

	(void)state;
	memcpy(buf, text, sizeof(text));
	undress_choose(&u, buf, raw);
	n = undress_run(&u, buf, 0, &raw, true);
	assert_int_equal(raw, 0);
	assert_int_equal(n, sizeof(joined) - 1);
	assert_memory_equal(buf, joined, n);
	assert_int_equal(undress_lines(&u, 0, n), 1);
	undress_done(&u);
}

static const struct {
	const char *line, *text;
} jsons[] = {
	{ "{\"log\":\"a \\\"b\\\"\\tc\\u00e9\\n\",\"stream\":\"stderr\"}",
	  "a \"b\"\tc\xc3\xa9\n" },
	{ "{\"time\":\"2025-06-26T10:00:00Z\",\"msg\":\"x\"}",
	  "2025-06-26T10:00:00Z x" },
	{ "{\"k\":{\"pod_name\":\"w-0\"},\"message\":\"x\",\"level\":3}",
	  "[pod/w-0/log] x" },
	{ "{\"text\":\"second\",\"log\":\"first\"}", "first" },
	{ "{\"rank\":3}", "" },
	{ "{\"log\":\"cut", "" },
	{ "{\"log\":\"cut\\", "" },
	{ "{\"log\":\"\\u12\"}", "u12" },
	{ "no JSON", "" },
};

static void takes_messages_out_of_json(void **state)
{
	char out[256];

	(void)state;
	for (size_t i = 0; i < sizeof(jsons) / sizeof(jsons[0]); i++) {
		out[undress_json(jsons[i].line, strlen(jsons[i].line), out)] =
			'\0';
		assert_string_equal(out, jsons[i].text);
	}
}

#define WARN                                                        \
	"h1:10:20 [0] misc/socket.cc:50 NCCL WARN socketProgress: " \
	"Connection closed by remote peer h9<1234>"

/* Numbers of lines are those of the file, whatever it was wrapped in. */
static void counts_the_files_lines(void **state)
{
	static const char *const texts[] = {
		"one\ntwo\n\n" WARN "\n",
		"{\"log\":\"a\\nb\\nc\"}\n\n{\"log\":\"d\"}\n{\"log\":\"" WARN
		"\"}\n",
		LONG80 "\ncollective operation timeout\n[rank1]: x\n" WARN "\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct gather g = { 0 };
		const struct seen want = {
			KIND_SOCK_CLOSED, -2, -2, "h1", "h9", NULL, -2, -2
		};

		explain_bed_read(&g, "job.log", texts[i]);
		assert_int_equal(explain_bed_expect(&g, &want)->line, 4);
		gather_done(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strips_what_all_begin_with),
		cmocka_unit_test(knows_a_terminals_edge),
		cmocka_unit_test(joins_what_a_terminal_broke),
		cmocka_unit_test(takes_messages_out_of_json),
		cmocka_unit_test(counts_the_files_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
