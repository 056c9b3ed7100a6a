/* SPDX-License-Identifier: Apache-2.0 */
/* What GPUs reported of themselves while they were measured. */
#ifndef FP_PROBES_JUDGE_XIDS_H
#define FP_PROBES_JUDGE_XIDS_H

#include "probes/finding/finding.h"
#include "probes/judge/results.h"
#include "topo/model/model.h"

/**
 * judge_xids() - the Xids among @r's watches: each GPU's are findings, as those
 * of the kernel's log are, and evidence of what is found of its rank. A
 * program's Xid where this program's own worker died is its echo, and none.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_xids(const struct topo_job *job, const struct results *r,
                          struct findings *list, struct fp_err *err);

#endif
