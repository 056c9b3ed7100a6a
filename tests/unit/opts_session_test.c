// SPDX-License-Identifier: Apache-2.0
// What a session and a worker get of the command line.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "tests/unit/opts_line.h"

static void test_defaults_are_an_empty_line(void **state)
{
	static const char *const lines[CMD_COUNT] = {
		"run",      "pairs",  "sweep",      "report d",
		"list",     "topo",   "explain d",  "check",
		"simulate", "bisect", "compare a b"
	};
	uint32_t command;

	(void)state;
	for (command = 0; command < CMD_COUNT; command++) {
		struct opts opts;
		struct opts_line line;
		struct opts parsed = opts_line_taken(&line, lines[command]);
		char *expected, *got = opts_to_json(&parsed);

		opts_defaults(command, &opts);
		expected = opts_to_json(&opts);
		assert_string_equal(got, expected);
		assert_int_equal(parsed.op, opts.op);
		free(expected);
		free(got);
	}
}

static void test_session(void **state)
{
	static const struct {
		const char *args;
		uint32_t kind, mode, xport, op, factor;
		uint64_t bytes, min_bytes, max_bytes, step_bytes;
		bool check;
	} cases[] = {
		{ "", SESSION_RUN, MODE_STANDARD, XPORT_AUTO, OP_WRITE, 2, 0, 8,
		  32u << 20, 0, true },
		{ "--quick --xport tcp --bytes 1M", SESSION_RUN, MODE_QUICK,
		  XPORT_TCP, OP_WRITE, 2, 1u << 20, 8, 32u << 20, 0, true },
		{ "pairs --op latency", SESSION_PAIRS, MODE_STANDARD,
		  XPORT_AUTO, OP_LATENCY, 2, 0, 8, 32u << 20, 0, true },
		{ "sweep", SESSION_SWEEP, MODE_STANDARD, XPORT_AUTO,
		  OP_ALLREDUCE, 2, 0, 8, 32u << 20, 0, true },
		{ "sweep --op broadcast -f 4 -i 1K -c 0", SESSION_SWEEP,
		  MODE_STANDARD, XPORT_AUTO, OP_BROADCAST, 4, 0, 8, 32u << 20,
		  0, false },
		{ "sweep -b 1K -e 8K -i 1K", SESSION_SWEEP, MODE_STANDARD,
		  XPORT_AUTO, OP_ALLREDUCE, 0, 0, 1024, 8192, 1024, true },
		{ "sweep -f 1", SESSION_SWEEP, MODE_STANDARD, XPORT_AUTO,
		  OP_ALLREDUCE, 0, 0, 8, 32u << 20, 1u << 20, true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct opts_line line;
		struct opts opts = opts_line_taken(&line, cases[i].args);
		struct session_opts s;

		opts_session(&opts, &s);
		assert_int_equal(s.kind, cases[i].kind);
		assert_int_equal(s.mode, cases[i].mode);
		assert_int_equal(s.xport, cases[i].xport);
		assert_int_equal(s.op, cases[i].op);
		assert_int_equal(s.factor, cases[i].factor);
		assert_int_equal(s.bytes, cases[i].bytes);
		assert_int_equal(s.min_bytes, cases[i].min_bytes);
		assert_int_equal(s.max_bytes, cases[i].max_bytes);
		assert_int_equal(s.step_bytes, cases[i].step_bytes);
		assert_int_equal(s.check, cases[i].check);
	}
}

static void test_session_times(void **state)
{
	struct opts_line line;
	struct opts opts =
		opts_line_taken(&line, "--time-limit 60 --trial-time 1 "
	                               "--trial-timeout 3 --seed 7 "
	                               "--bidirectional");
	struct session_opts s;

	(void)state;
	opts_session(&opts, &s);
	assert_true(s.time_limit_s == 60 && s.trial_s == 1 &&
	            s.deadline_s == 3);
	assert_int_equal(s.seed, 7);
	assert_true(s.bidirectional);
}

static void test_setup(void **state)
{
	struct opts_line line;
	struct opts opts = opts_line_taken(
		&line, "--streams 3 --sockbuf 1M --connect-timeout 2 --netdev "
		       "eth1 --addr ::1 --tcp-cc reno --host-id a/b --sysroot "
		       "/r --inject hang~src=1 --inject drop~dst=2");
	struct wire_setup s = { 0 };

	(void)state;
	opts_setup(&opts, &s);
	assert_int_equal(s.streams, 3);
	assert_int_equal(s.sockbuf, 1 << 20);
	assert_true(s.connect_s == 2);
	assert_string_equal(s.netdev, "eth1");
	assert_string_equal(s.addr, "::1");
	assert_string_equal(s.tcp_cc, "reno");
	assert_string_equal(s.host_id, "a/b");
	assert_string_equal(s.sysroot, "/r");
	assert_string_equal(s.inject, "hang src=1\ndrop dst=2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults_are_an_empty_line),
		cmocka_unit_test(test_session),
		cmocka_unit_test(test_session_times),
		cmocka_unit_test(test_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
