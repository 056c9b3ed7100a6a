// SPDX-License-Identifier: Apache-2.0
// Sets a launcher's environment.
#include "tests/unit/env_bed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void env_bed_set(const char *vars)
{
	static const char *const names[] = {
		"FABRICPROBE_MEET",
		"FABRICPROBE_MEET_FD",
		"FABRICPROBE_TOKEN",
		"FABRICPROBE_RANK",
		"FABRICPROBE_SIZE",
		"FABRICPROBE_RUN",
		"OMPI_COMM_WORLD_RANK",
		"OMPI_COMM_WORLD_SIZE",
		"OMPI_COMM_WORLD_LOCAL_RANK",
		"MPI_LOCALRANKID",
		"PMI_RANK",
		"PMI_SIZE",
		"PMIX_RANK",
		"SLURM_PROCID",
		"SLURM_LOCALID",
		"SLURM_NTASKS",
		"SLURM_STEP_NUM_TASKS",
	};
	char copy[1024], *rest = copy, *name, *value;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)unsetenv(names[i]);
	assert_true(strlen(vars) < sizeof(copy));
	strcpy(copy, vars);
	while ((name = strsep(&rest, " "))) {
		value = strchr(name, '=');
		if (!value)
			continue;
		*value = '\0';
		assert_int_equal(setenv(name, value + 1, 1), 0);
	}
}
