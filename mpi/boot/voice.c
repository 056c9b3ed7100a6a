// SPDX-License-Identifier: Apache-2.0
// One of many speaks for all, before there is any way to agree on it.
#include "mpi/boot/voice.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#define VOICE_DEFER_S 1

/* The innermost launcher first: what is inside of a Slurm job has Slurm's
 * numbers, too. */
static const char *const job_ranks[] = {
	"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", NULL,
};
static const char *const host_ranks[] = {
	"OMPI_COMM_WORLD_LOCAL_RANK",
	"MPI_LOCALRANKID",
	"SLURM_LOCALID",
	NULL,
};

bool boot_voice_is_mine(enum boot_whole whole, char *(*getenv_fn)(const char *))
{
	const char *const *name =
		whole == BOOT_WHOLE_JOB ? job_ranks : host_ranks;
	const char *text = NULL;

	/* Each has an environment of its own, and what is wrong in it is known
	 * to nobody else. */
	if (getenv_fn("FABRICPROBE_RANK"))
		return true;
	for (; *name && !text; name++)
		text = getenv_fn(*name);
	return !text || strtol(text, NULL, 10) == 0;
}

bool boot_is_wrapped(char *(*getenv_fn)(const char *))
{
	return getenv_fn("FABRICPROBE_RUN") != NULL;
}

void boot_voice_defer(char *(*getenv_fn)(const char *))
{
	const struct timespec most = { .tv_sec = VOICE_DEFER_S };
	sigset_t set;

	if (boot_is_wrapped(getenv_fn))
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	(void)sigtimedwait(&set, NULL, &most);
}
