/* SPDX-License-Identifier: Apache-2.0 */
/* What rose while GPUs were measured: findings, and evidence of others. */
#ifndef FP_PROBES_JUDGE_WATCH_H
#define FP_PROBES_JUDGE_WATCH_H

#include "probes/finding/finding.h"
#include "probes/judge/results.h"
#include "topo/model/model.h"

/**
 * judge_watch() - counters of errors that rose and clocks that were held down
 * while trials ran: evidence of what @list has found at that GPU, its links or
 * pairs already; and a finding of their own, or a further line of the one that
 * checks have made of the same place. What most of the GPUs count nobody is
 * accused of. After all that fills @list; the caller sorts it.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_watch(const struct topo_job *job, const struct results *r,
                           struct findings *list, struct fp_err *err);

#endif
