// SPDX-License-Identifier: Apache-2.0
// The local launcher: what it starts, and how that ends.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi/local/env.h"
#include "tests/unit/local_bed.h"

static void test_hosts(void **state)
{
	static const struct {
		uint32_t rank, n, hosts, host;
	} cases[] = {
		{ 0, 4, 2, 0 }, { 1, 4, 2, 0 }, { 2, 4, 2, 1 },
		{ 3, 4, 2, 1 }, { 0, 5, 2, 0 }, { 2, 5, 2, 0 },
		{ 3, 5, 2, 1 }, { 4, 5, 2, 1 }, { 0, 3, 3, 0 },
		{ 2, 3, 3, 2 }, { 6, 7, 1, 0 }, { 1023, 1024, 1024, 1023 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(local_host_of(cases[i].rank, cases[i].n,
		                               cases[i].hosts),
		                 cases[i].host);
}

/* pid, host name, stdin, own process group, descriptors, name */
static void test_launch(void **state)
{
	static const char *const rest[RANKS] = {
		" local0 /dev/null 1 4 ",
		" local0 /dev/null 1 3 ",
		" local1 /dev/null 1 3 ",
		" local1 /dev/null 1 3 ",
	};
	const struct local_opts opts = { .n = RANKS, .hosts = 2 };
	struct fp_err err = { 0 };
	char text[256];

	(void)state;
	(void)setenv("FABRICPROBE_RANK", "77", 1); /* of an outer launch */
	assert_int_equal(local_bed_launch(&opts, "end", &err), 3);
	(void)unsetenv("FABRICPROBE_RANK");
	for (int i = 0; i < RANKS; i++) {
		assert_true(local_bed_read(i, text, sizeof(text)));
		if (!strstr(text, rest[i]))
			fail_msg("rank %d: %s", i, text);
		assert_non_null(strstr(text, program_invocation_short_name));
	}
}

static void test_launch_one(void **state)
{
	const struct local_opts opts = { .n = 1 };
	char text[256];

	(void)state;
	assert_int_equal(local_bed_launch(&opts, "end", NULL), 3);
	assert_true(local_bed_read(0, text, sizeof(text)));
	assert_non_null(strstr(text, " - /dev/null 1 4 "));
}

static void test_rank0_killed(void **state)
{
	const struct local_opts opts = { .n = 2, .out_dir = "saved" };
	struct local_end end = local_bed_end(&opts, "die");

	(void)state;
	assert_int_equal(end.status, 1);
	assert_true(end.mute);
	assert_non_null(strstr(end.text, "signal 9"));
	assert_non_null(strstr(end.text, "fabricprobe report saved"));
}

static void test_others_die_early(void **state)
{
	const struct local_opts opts = { .n = RANKS };

	(void)state;
	assert_int_equal(local_bed_launch(&opts, "die-early", NULL), 3);
}

/* Rank 0 has ended, the others would stay for ever and ignore SIGTERM. */
static void test_others_linger(void **state)
{
	const struct local_opts opts = { .n = 2 };

	(void)state;
	assert_int_equal(local_bed_launch(&opts, "linger", NULL), 3);
	assert_int_equal(kill(local_bed_pid(1), 0), -1);
	assert_int_equal(errno, ESRCH);
}

static void test_bad_opts(void **state)
{
	static const struct local_opts cases[] = {
		{ .n = 0 },
		{ .n = 1025 },
		{ .n = 2, .hosts = 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fp_err err = { 0 };

		assert_int_equal(local_bed_launch(&cases[i], "end", &err), -1);
		assert_int_equal(err.status, FP_ERR_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_launch),
		cmocka_unit_test(test_launch_one),
		cmocka_unit_test(test_rank0_killed),
		cmocka_unit_test(test_others_die_early),
		cmocka_unit_test(test_others_linger),
		cmocka_unit_test(test_bad_opts),
	};

	if (local_is_child())
		return local_bed_child();
	return cmocka_run_group_tests(tests, local_bed_set_up,
	                              local_bed_tear_down);
}
