/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs by themselves, each against the others of its model in the job. */
#ifndef FP_PROBES_JUDGE_LOCAL_H
#define FP_PROBES_JUDGE_LOCAL_H

#include <stdbool.h>

#include "probes/finding/finding.h"
#include "probes/judge/results.h"
#include "topo/model/model.h"

/**
 * judge_local_low() - which ranks' GPUs are behind the others in what they did
 * by themselves: the best of their tests counts. Fewer than three GPUs of a
 * model tell nothing.
 * @ret: [n_ranks], set to true for these. Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_local_low(const struct topo_job *job,
                               const struct results *r, bool *ret,
                               struct fp_err *err);

/** judge_local() - the same as findings: a slow GPU, or a slow link between it
 * and its host. Return: FP_OK or FP_ERR_NOMEM. */
enum fp_status judge_local(const struct topo_job *job, const struct results *r,
                           struct findings *list, struct fp_err *err);

#endif
