// SPDX-License-Identifier: Apache-2.0
// Which start-up an environment asks for, and the one of a lonely rank.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/boot/boot.h"
#include "tests/unit/env_bed.h"
#include "topo/base/status.h"

static void test_pick(void **state)
{
	static const struct {
		const char *vars, *want, *name;
	} cases[] = {
		{ "", "auto", "solo" },
		{ "OMPI_COMM_WORLD_SIZE=4", "auto", "mpi" },
		{ "PMIX_RANK=0", "auto", "mpi" },
		{ "PMI_SIZE=4", "auto", "mpi" },
		{ "FABRICPROBE_MEET=h:1", "auto", "env" },
		{ "FABRICPROBE_MEET=h:1 PMI_SIZE=4", "auto", "env" },
		{ "FABRICPROBE_MEET=h:1", "mpi", "mpi" },
		{ "", "env", "env" },
		{ "SLURM_STEP_NUM_TASKS=1", "auto", "solo" },
		/* a batch script, which is not a task of a step */
		{ "SLURM_NTASKS=8", "auto", "solo" },
		{ "SLURM_STEP_NUM_TASKS=8", "auto", NULL },
		{ "SLURM_STEP_NUM_TASKS=8 PMIX_RANK=1", "auto", "mpi" },
		{ "", "pmi", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct boot_ops *ops = NULL;
		struct fp_err err = { 0 };

		env_bed_set(cases[i].vars);
		assert_int_equal(boot_pick(cases[i].want, getenv, &ops, &err),
		                 cases[i].name ? FP_OK : FP_ERR_USAGE);
		assert_int_equal(ops != NULL, cases[i].name != NULL);
		if (ops)
			assert_string_equal(ops->name, cases[i].name);
		else
			assert_true(strlen(err.text) < sizeof(err.text) - 1);
	}
}

static void test_expected_size(void **state)
{
	static const struct {
		const char *vars;
		int32_t size;
	} cases[] = {
		{ "", 0 },
		{ "OMPI_COMM_WORLD_SIZE=16", 16 },
		{ "PMI_SIZE=3", 3 },
		{ "SLURM_STEP_NUM_TASKS=8", 8 },
		/* mpirun inside of Slurm: its daemons are Slurm's tasks */
		{ "SLURM_STEP_NUM_TASKS=2 OMPI_COMM_WORLD_SIZE=16", 16 },
		{ "SLURM_STEP_NUM_TASKS=2 PMI_SIZE=16", 16 },
		{ "OMPI_COMM_WORLD_SIZE= PMI_SIZE=2", 2 },
		{ "OMPI_COMM_WORLD_SIZE=-4", 0 },
		{ "OMPI_COMM_WORLD_SIZE=4x", 0 },
		{ "OMPI_COMM_WORLD_SIZE=99999999999999999999", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		env_bed_set(cases[i].vars);
		assert_int_equal(boot_expected_size(getenv), cases[i].size);
	}
}

static void test_solo(void **state)
{
	const struct boot_opts opts = { 0 };
	struct boot_meet meet = { .port = 7 };
	struct boot *b = NULL;
	bool fixed = true;

	(void)state;
	assert_int_equal(boot_solo_ops.open(&opts, &b, NULL), FP_OK);
	assert_int_equal(boot_solo_ops.rank(b), 0);
	assert_int_equal(boot_solo_ops.size(b), 1);
	assert_int_equal(boot_solo_ops.listen_fd(b, &meet, &fixed), -1);
	assert_false(fixed);
	assert_int_equal(boot_solo_ops.exchange(b, &meet, NULL), FP_OK);
	assert_int_equal(meet.port, 7);
	boot_solo_ops.finish(b, true, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pick),
		cmocka_unit_test(test_expected_size),
		cmocka_unit_test(test_solo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
