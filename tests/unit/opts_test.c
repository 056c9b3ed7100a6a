// SPDX-License-Identifier: Apache-2.0
// The command line: what is taken, and what is refused with which words.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/opts_line.h"

static const struct {
	const char *args, *echo;
} taken[] = {
	{ "", "\"command\":\"run\"" },
	{ "run", "\"command\":\"run\"" },
	{ "list", "{\"command\":\"list\",\"verbose\":false}" },
	{ "report dir",
	  "\"command\":\"report\",\"baseline\":\"\",\"format\":\"text\"" },
	{ "report --format json dir", "\"format\":\"json\"" },
	{ "report dir --format=sweep", "\"format\":\"sweep\"" },
	{ "", "\"quick\":false,\"standard\":true,\"deep\":false" },
	{ "--quick", "\"quick\":true,\"standard\":false" },
	{ "--quick --deep", "\"quick\":false,\"standard\":false,\"deep\":"
	                    "true" },
	{ "--xport tcp", "\"xport\":\"tcp\"" },
	{ "pairs --op latency", "\"op\":\"latency\"" },
	{ "sweep", "\"op\":\"all_reduce\"" },
	{ "sweep --op alltoall", "\"op\":\"alltoall\"" },
	{ "--bytes 64M", "\"bytes\":67108864" },
	{ "--bytes=1T", "\"bytes\":1099511627776" },
	{ "--bidirectional", "\"bidirectional\":true" },
	{ "--seed 0xffffffffffffffff", "\"seed\":\"18446744073709551615\"" },
	{ "sweep -b 8 -e 128M -f 2 -n 5 -w 2 -c 0 -T 30 -J out.json",
	  "\"minbytes\":8,\"maxbytes\":134217728,\"stepfactor\":2,"
	  "\"stepbytes\":0,\"iters\":5,\"warmup_iters\":2,\"check\":"
	  "0" },
	{ "sweep -b8 -e1K", "\"minbytes\":8,\"maxbytes\":1024" },
	{ "sweep -T 30", "\"timeout\":30.0" },
	{ "sweep -J -", "\"json\":\"-\"" },
	{ "--json -", "\"json\":\"-\"" },
	{ "--time-limit 2m", "\"time-limit\":120.0" },
	{ "--trial-time 0.12", "\"trial-time\":0.12" },
	{ "--trial-timeout 500ms", "\"trial-timeout\":0.5" },
	{ "--connect-timeout 2", "\"connect-timeout\":2.0" },
	{ "--start-timeout 1h", "\"start-timeout\":3600.0" },
	{ "--heartbeat 50ms --lost-after 1",
	  "\"heartbeat\":0.05,\"lost-after\":1.0" },
	{ "--streams 64", "\"streams\":64" },
	{ "--sockbuf 4K", "\"sockbuf\":4096" },
	{ "--tcp-cc reno --netdev eth0",
	  "\"netdev\":\"eth0\",\"addr\":\"\",\"streams\":1,\"sockbuf\":"
	  "0,"
	  "\"tcp-cc\":\"reno\"" },
	{ "--addr 10.0.0.1", "\"addr\":\"10.0.0.1\"" },
	{ "--addr fe80::1%eth0", "\"addr\":\"fe80::1%eth0\"" },
	{ "--local 8 --local-hosts 8", "\"local\":8,\"local-hosts\":8" },
	{ "--local 1024 --boot env", "\"boot\":\"env\"" },
	{ "--keep-mpi-env --control-if ib0",
	  "\"keep-mpi-env\":true,\"control-if\":\"ib0\"" },
	{ "--host-id h --worker w --nccl-lib n --sysroot s",
	  "\"host-id\":\"h\",\"worker\":\"w\",\"nccl-lib\":\"n\",\"sysroot\":"
	  "\"s\"" },
	{ "--out dir --color never",
	  "\"out\":\"dir\",\"json\":\"\",\"color\":\"never\"" },
	{ "--gbits --timing --no-progress -v",
	  "\"gbits\":true,\"timing\":true,\"no-progress\":true,"
	  "\"verbose\":true" },
	{ "--inject slow~src=1~dst=3~factor=4 --inject hang~src=0",
	  "\"inject\":[\"slow src=1 dst=3 factor=4\",\"hang src=0\"]" },
	{ "--verb --gb", "\"verbose\":true" },
	{ "topo topo.txt", "\"from\":\"topo.txt\"" },
	{ "check --from a b c", "\"from\":[\"a\",\"b\",\"c\"]" },
	{ "--out \xff", "\"out\":\"(not UTF-8)\"" },
};

static void test_takes(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		struct opts_line line;
		struct opts opts = opts_line_taken(&line, taken[i].args);
		char *echo = opts_to_json(&opts);

		assert_non_null(echo);
		if (!strstr(echo, taken[i].echo))
			fail_msg("'%s' gave %s", taken[i].args, echo);
		free(echo);
	}
}

static const struct {
	const char *args, *error;
} refused[] = {
	{ "bogus", "'bogus' is not a command: use run, pairs, sweep, report, "
	           "list, topo, explain, check, simulate, bisect or "
	           "compare" },
	{ "--quick pairs", "unexpected 'pairs': a command is the first word" },
	{ "run x", "unexpected 'x'" },
	{ "list x", "unexpected 'x'" },
	{ "topo a b", "unexpected 'b': topo takes one file or folder" },
	{ "topo --from a b", "unexpected 'b': topo takes one file or folder" },
	{ "report",
	  "report needs the folder of a saved run: fabricprobe report "
	  "DIR" },
	{ "compare a",
	  "compare needs the folders of two saved runs: fabricprobe compare "
	  "BEFORE NOW" },
	{ "compare a b c", "unexpected 'c'" },
	{ "report a b", "unexpected 'b': report takes one folder" },
	{ "--bogus", "--bogus: no such option; see fabricprobe run --help" },
	{ "sweep -q", "-q: no such option; see fabricprobe sweep --help" },
	{ "sweep -vqx", "-vqx: no such option; see fabricprobe sweep --help" },
	{ "sweep -b 8 -qv",
	  "-qv: no such option; see fabricprobe sweep --help" },
	{ "--t", "--t: the beginning of several options; see fabricprobe run "
	         "--help" },
	{ "--quick=1", "--quick takes no value" },
	{ "run -b 8", "-b/--minbytes: not an option of run" },
	{ "sweep -g 8",
	  "-g '8' -t '1': a rank drives one GPU by one thread, so "
	  "that one that hangs is known and can be killed alone: "
	  "start 8 ranks a host (mpirun --map-by ppr:8:node)" },
	{ "sweep -G 2", "-G '2': use 0; a graph hides which of its operations "
	                "does not end, and its times are those of one launch" },
	{ "report x --out y", "--out: not an option of report" },
	{ "list --json=x", "-J/--json: not an option of list" },
	{ "--local", "--local needs a value: 1 to 1024" },
	{ "--xport", "--xport needs a value: auto, shm..." },
	{ "sweep -b", "-b/--minbytes needs a value: 1 to 1T" },
	{ "--xport ib", "--xport 'ib': use auto, shm..." },
	{ "pairs --op all_reduce", "--op 'all_reduce': use write or latency" },
	{ "sweep --op write",
	  "--op 'write': use all_reduce, all_gather, reduce_scatter, "
	  "broadcast, alltoall or sendrecv" },
	{ "--color blue", "--color 'blue': use auto, always or never" },
	{ "--boot slurm", "--boot 'slurm': use auto, mpi or env" },
	{ "report d --format xml", "--format 'xml': use text, json or sweep" },
	{ "--bytes 0", "--bytes '0': use 1 to 1T" },
	{ "--bytes 2T", "--bytes '2T': use 1 to 1T" },
	{ "--bytes -1", "--bytes '-1': use 1 to 1T" },
	{ "--bytes 99999999999999999999",
	  "--bytes '99999999999999999999': use 1 to 1T" },
	{ "--bytes 18446744073709551615K",
	  "--bytes '18446744073709551615K': use 1 to 1T" },
	{ "--bytes 1Q", "--bytes '1Q': use 1 to 1T" },
	{ "--sockbuf 1", "--sockbuf '1': use 4K to 1G" },
	{ "--streams 0", "--streams '0': use 1 to 64" },
	{ "--streams 65", "--streams '65': use 1 to 64" },
	{ "--streams +1", "--streams '+1': use 1 to 64" },
	{ "--streams 1x", "--streams '1x': use 1 to 64" },
	{ "--streams 4294967297", "--streams '4294967297': use 1 to 64" },
	{ "--local 0", "--local '0': use 1 to 1024" },
	{ "--local 1025", "--local '1025': use 1 to 1024" },
	{ "--local-hosts 2", "--local-hosts '2': use at most --local (0)" },
	{ "--local 2 --local-hosts 3",
	  "--local-hosts '3': use at most --local (2)" },
	{ "--local 2 --boot mpi", "--boot 'mpi': use auto or env with "
	                          "--local, which starts its "
	                          "own ranks" },
	{ "--local 2 --control-if eth0",
	  "--control-if 'eth0': leave it out with --local, whose ranks meet "
	  "over loopback" },
	{ "--time-limit 0", "--time-limit '0': use 1s to 720h" },
	{ "--time-limit 1w", "--time-limit '1w': use 1s to 720h" },
	{ "--heartbeat 10ms", "--heartbeat '10ms': use 20ms to 1m" },
	{ "--heartbeat 8",
	  "--lost-after '15': use more than twice --heartbeat (8)" },
	{ "--trial-time 9 --trial-timeout 3",
	  "--trial-time '9': use less than --trial-timeout (3)" },
	{ "--seed -1",
	  "--seed '-1': use a number of 64 bits, decimal or 0x..." },
	{ "--seed 0x10000000000000000",
	  "--seed '0x10000000000000000': use a number of 64 bits, "
	  "decimal or 0x..." },
	{ "--addr h1", "--addr 'h1': use an IPv4 or IPv6 address in numbers" },
	{ "--addr 10.0.0.1%eth0",
	  "--addr '10.0.0.1%eth0': use an IPv4 or IPv6 address in "
	  "numbers" },
	{ "--tcp-cc 0123456789abcdef",
	  "--tcp-cc '0123456789abcdef': use 1 to 15 characters" },
	{ "--netdev=", "--netdev '': use 1 to 63 characters" },
	{ "sweep -b 2M -e 1M",
	  "-b/--minbytes '2097152': use at most -e/--maxbytes "
	  "(1048576)" },
	{ "sweep -f 0", "-f/--stepfactor '0': use 1 to 1024" },
	{ "sweep -n 0", "-n/--iters '0': use 1 to 10000000" },
	{ "--xport \x1b[31m", "--xport '?[31m': use auto, shm..." },
};

/* What is behind "..." is another in every build. */
static bool says(const char *text, const char *want)
{
	size_t len = strlen(want);

	if (len > 3 && strcmp(want + len - 3, "...") == 0)
		return strncmp(text, want, len - 3) == 0;
	return strcmp(text, want) == 0;
}

static void test_refuses(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct fp_err err = { 0 };
		struct opts_line line;
		struct opts opts = { .bytes = 42 };

		assert_int_equal(
			opts_line_parse(&line, refused[i].args, &opts, &err),
			FP_ERR_USAGE);
		if (!says(err.text, refused[i].error))
			fail_msg("'%s' said: %s", refused[i].args, err.text);
		assert_int_equal(opts.bytes, 42); /* untouched */
	}
}

static void test_refuses_injections(void **state)
{
	struct fp_err err = { 0 };
	struct opts_line line;
	struct opts opts;
	char many[8192] = "";
	size_t i;

	(void)state;
	assert_int_equal(
		opts_line_parse(&line, "--inject nonsense", &opts, &err),
		FP_ERR_USAGE);
	assert_non_null(strstr(err.text, "--inject: "));
	assert_non_null(strstr(err.text, "nonsense"));

	/* not as a text that is too short: as a fault that is none */
	err = (struct fp_err){ 0 };
	assert_int_equal(opts_line_parse(&line, "--inject=", &opts, &err),
	                 FP_ERR_USAGE);
	assert_non_null(strstr(err.text, "--inject: fault '' is none of"));

	for (i = 0; i < OPTS_INJECT_MAX + 1; i++)
		strcat(many, "--inject=hang ");
	err = (struct fp_err){ 0 };
	assert_int_equal(opts_line_parse(&line, many, &opts, &err),
	                 FP_ERR_USAGE);
	assert_string_equal(err.text,
	                    "--inject 'hang': use at most 32 of them");

	many[0] = '\0';
	for (i = 0; i < 20; i++)
		strcat(many, "--inject=hang~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"
		             "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"
		             "~~~~~~~~~~~~~~~~~~~~~~~~~ ");
	err = (struct fp_err){ 0 };
	assert_int_equal(opts_line_parse(&line, many, &opts, &err),
	                 FP_ERR_USAGE);
	assert_string_equal(err.text,
	                    "--inject: use lines of 2047 characters in all");
}

static void test_odd_argv(void **state)
{
	char *none[] = { NULL };
	struct fp_err err = { 0 };
	struct opts opts;

	(void)state;
	assert_int_equal(opts_parse(0, none, &opts, &err), FP_OK);
	assert_int_equal(opts.command, CMD_RUN);
	assert_int_equal(opts_parse(0, none, &opts, NULL), FP_OK);
}

static void test_keeps_argv(void **state)
{
	struct opts_line line, before;
	struct opts opts = opts_line_taken(&line, "report dir --format json");
	int i;

	(void)state;
	assert_string_equal(opts.dir, "dir");
	opts_line_cut(&before, "report dir --format json");
	for (i = 0; i < before.argc; i++)
		assert_string_equal(line.argv[i], before.argv[i]);
}

static void test_help_and_version(void **state)
{
	static const struct {
		const char *args;
		bool help, version;
		uint32_t command;
	} cases[] = {
		{ "--help", true, false, CMD_RUN },
		{ "-h", true, false, CMD_RUN },
		{ "--version", false, true, CMD_RUN },
		{ "-V", false, true, CMD_RUN },
		{ "report --help", true, false, CMD_REPORT },
		{ "sweep -h -b 2M -e 1", true, false, CMD_SWEEP },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct opts_line line;
		struct opts opts = opts_line_taken(&line, cases[i].args);

		assert_int_equal(opts.help, cases[i].help);
		assert_int_equal(opts.version, cases[i].version);
		assert_int_equal(opts.command, cases[i].command);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_takes),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_refuses_injections),
		cmocka_unit_test(test_odd_argv),
		cmocka_unit_test(test_keeps_argv),
		cmocka_unit_test(test_help_and_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
