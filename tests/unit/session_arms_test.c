// SPDX-License-Identifier: Apache-2.0
// Which control arms are worth a worker: those of what a host has.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/session/arms.h"
#include "probes/trial/variant.h"
#include "tests/unit/build_run.h"

static const struct {
	const char *a, *b; /* GPUs of two hosts */
	bool beyond;       /* do their NVLinks leave the host? */
} boards[] = {
	{ "NVIDIA GB200", "NVIDIA GB200", true },
	{ "NVIDIA GB300 NVL72", "NVIDIA GB300 NVL72", true },
	{ "NVIDIA GB200", "NVIDIA H100 80GB HBM3", false },
	{ "NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3", false },
	{ "NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB", false },
	{ "Tesla V100-SXM2-16GB", "Tesla V100-SXM2-16GB", false },
};

static void nvlink_between_hosts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(boards) / sizeof(boards[0]); i++) {
		struct build_run b;

		build_job(&b, "1 1", BUILD_ONE_DEV);
		build_gpus(&b.job.hosts[0], 1, boards[i].a);
		build_gpus(&b.job.hosts[1], 1, boards[i].b);
		assert_int_equal(arms_apply(&b.job, VARIANT_MNNVL_OFF, 0, 1),
		                 boards[i].beyond);
		build_done(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nvlink_between_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
