/* SPDX-License-Identifier: Apache-2.0 */
/* What the check of versions knows of environment variables. */
#ifndef FP_PROBES_CHECK_VERSIONS_H
#define FP_PROBES_CHECK_VERSIONS_H

#include "probes/check/check.h"
#include "probes/check/look.h"

/** struct env_row - variables that begin so, and what a difference means. */
struct env_row {
	const char *prefix; /* "env.NCCL_" */
	uint32_t severity;
};

/**
 * env_row_of() - the row for reading @name.
 *
 * Return: NULL for what may differ between hosts.
 */
const struct env_row *env_row_of(const char *name);

/** env_judge() - work-arounds that were left in a host's environment. */
void env_judge(const struct check_host *host, struct check_out *out);

/** env_judge_ranks() - ranks of a host whose environments differ. */
void env_judge_ranks(const struct check_host *host, struct check_out *out);

#endif
