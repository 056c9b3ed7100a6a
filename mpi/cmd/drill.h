/* SPDX-License-Identifier: Apache-2.0 */
/* Drills: do the rules of --inject fit the job, and did they act? */
#ifndef FP_MPI_CMD_DRILL_H
#define FP_MPI_CMD_DRILL_H

#include "mpi/opts/opts.h"
#include "probes/judge/results.h"

/**
 * drill_check() - are all ranks that the rules of @opts name in a job of
 * @n_ranks?
 *
 * Return: FP_OK; FP_ERR_USAGE naming the option, the rule and its rank.
 */
enum fp_status drill_check(const struct opts *opts, size_t n_ranks,
                           struct fp_err *err);

/** drill_acted() - did rule @i of --inject act in any trial of @r? */
bool drill_acted(const struct results *r, size_t i);

#endif
