// SPDX-License-Identifier: Apache-2.0
// Chooses how a rank starts up; and the start-up of a rank that is alone.
#include "mpi/boot/boot.h"

#include <stdlib.h>
#include <string.h>

struct boot {
	int32_t rank, size;
};

static const struct boot_ops *const boots[] = {
	&boot_mpi_ops,
	&boot_env_ops,
	&boot_solo_ops,
};

static enum fp_status pick_named(const char *want, const struct boot_ops **ret,
                                 struct fp_err *err)
{
	for (size_t i = 0; i < sizeof(boots) / sizeof(boots[0]); i++) {
		if (strcmp(boots[i]->name, want) != 0)
			continue;
		*ret = boots[i];
		return FP_OK;
	}
	return fp_err_set(err, FP_ERR_USAGE,
	                  "--boot %s: auto, mpi, env or solo", want);
}

static bool has_any(char *(*getenv_fn)(const char *), const char *const *names)
{
	for (; *names; names++)
		if (getenv_fn(*names))
			return true;
	return false;
}

enum fp_status boot_pick(const char *want, char *(*getenv_fn)(const char *),
                         const struct boot_ops **ret, struct fp_err *err)
{
	static const char *const env[] = { "FABRICPROBE_MEET", NULL };
	static const char *const mpi[] = { "OMPI_COMM_WORLD_SIZE", "PMIX_RANK",
		                           "PMI_SIZE", NULL };
	int32_t expected = boot_expected_size(getenv_fn);

	if (strcmp(want, "auto") != 0)
		return pick_named(want, ret, err);
	if (has_any(getenv_fn, env))
		*ret = &boot_env_ops;
	else if (has_any(getenv_fn, mpi))
		*ret = &boot_mpi_ops;
	else if (expected > 1)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "this is one of %d Slurm tasks that cannot "
		                  "find each other: use srun --mpi=pmix, or "
		                  "fabricprobe-run, or set FABRICPROBE_MEET "
		                  "and FABRICPROBE_TOKEN",
		                  expected);
	else
		*ret = &boot_solo_ops;
	return FP_OK;
}

/* A count as launchers write it; 0 if it is none. */
static int32_t parse_count(const char *text)
{
	char *end;
	long n;

	if (!text || text[0] < '0' || text[0] > '9')
		return 0;
	n = strtol(text, &end, 10);
	return *end || n > INT32_MAX ? 0 : (int32_t)n;
}

int32_t boot_expected_size(char *(*getenv_fn)(const char *))
{
	/* The innermost launcher first: Slurm counts the daemons of an
	 * mpirun that runs inside of it. */
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
		                             "SLURM_STEP_NUM_TASKS" };
	int32_t n = 0;

	for (size_t i = 0; !n && i < sizeof(names) / sizeof(names[0]); i++)
		n = parse_count(getenv_fn(names[i]));
	return n;
}

static enum fp_status solo_open(const struct boot_opts *opts, struct boot **ret,
                                struct fp_err *err)
{
	struct boot *b = calloc(1, sizeof(*b));

	(void)opts;
	if (!b)
		return fp_err_set(err, FP_ERR_NOMEM, "start-up");
	b->size = 1;
	*ret = b;
	return FP_OK;
}

static int32_t solo_rank(const struct boot *b)
{
	return b->rank;
}

static int32_t solo_size(const struct boot *b)
{
	return b->size;
}

static int solo_listen_fd(const struct boot *b, struct boot_meet *meet,
                          bool *ret_fixed)
{
	(void)b;
	(void)meet;
	*ret_fixed = false;
	return -1;
}

static enum fp_status solo_exchange(struct boot *b, struct boot_meet *meet,
                                    struct fp_err *err)
{
	(void)b;
	(void)meet;
	(void)err;
	return FP_OK;
}

static void solo_finish(struct boot *b, bool all_answered, int exit_status)
{
	(void)all_answered;
	(void)exit_status;
	free(b);
}

const struct boot_ops boot_solo_ops = {
	.name = "solo",
	.open = solo_open,
	.rank = solo_rank,
	.size = solo_size,
	.listen_fd = solo_listen_fd,
	.exchange = solo_exchange,
	.finish = solo_finish,
};
