// SPDX-License-Identifier: Apache-2.0
// Which of many ranks speaks for all.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "mpi/boot/voice.h"
#include "tests/unit/env_bed.h"

static void test_whose(void **state)
{
	static const struct {
		const char *vars;
		bool job, host;
	} cases[] = {
		{ "", true, true },
		{ "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_LOCAL_RANK=0", true,
		  true },
		{ "OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_LOCAL_RANK=1", false,
		  false },
		{ "OMPI_COMM_WORLD_RANK=8 OMPI_COMM_WORLD_LOCAL_RANK=0", false,
		  true },
		{ "PMI_RANK=1", false, true },
		{ "PMI_RANK=1 MPI_LOCALRANKID=1", false, false },
		{ "PMIX_RANK=2", false, true },
		{ "SLURM_PROCID=5 SLURM_LOCALID=0", false, true },
		/* mpirun inside of Slurm: a daemon is Slurm's task */
		{ "SLURM_PROCID=1 SLURM_LOCALID=0 OMPI_COMM_WORLD_RANK=0 "
		  "OMPI_COMM_WORLD_LOCAL_RANK=2",
		  true, false },
		{ "FABRICPROBE_RANK=0 SLURM_PROCID=5", true, true },
		{ "FABRICPROBE_RANK=5 SLURM_PROCID=1 SLURM_LOCALID=1", true,
		  true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		env_bed_set(cases[i].vars);
		assert_int_equal(boot_voice_is_mine(BOOT_WHOLE_JOB, getenv),
		                 cases[i].job);
		assert_int_equal(boot_voice_is_mine(BOOT_WHOLE_HOST, getenv),
		                 cases[i].host);
	}
}

/* Told to end, it does so at once: by returning, not by the signal. */
static void test_told_to_end(void **state)
{
	sigset_t term, old, pending;

	(void)state;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &term, &old), 0);
	assert_int_equal(raise(SIGTERM), 0);
	env_bed_set("");
	boot_voice_defer(getenv);
	assert_int_equal(sigpending(&pending), 0);
	assert_false(sigismember(&pending, SIGTERM)); /* it was taken */
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
}

/* Under the wrapper no signal is waited for: one that is there stays. */
static void test_under_the_wrapper(void **state)
{
	sigset_t term, old;

	(void)state;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &term, &old), 0);
	assert_int_equal(raise(SIGTERM), 0);
	env_bed_set("FABRICPROBE_RUN=launch");
	boot_voice_defer(getenv);
	assert_int_equal(sigtimedwait(&term, NULL, &(struct timespec){ 0 }),
	                 SIGTERM);
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whose),
		cmocka_unit_test(test_told_to_end),
		cmocka_unit_test(test_under_the_wrapper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
