/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control arms: what of NCCL is at fault where a pair or a collective fails,
 * told by what runs without it. Correctness and speed are judged apart, by the
 * cell that the arms were run for.
 */
#ifndef FP_PROBES_JUDGE_ARMS_H
#define FP_PROBES_JUDGE_ARMS_H

#include <stdbool.h>

#include "probes/finding/finding.h"
#include "probes/judge/matrix.h"
#include "probes/judge/results.h"
#include "topo/model/model.h"

/** judge_arms_named() - does @list say of @rank that it fails by itself,
 * whoever its partner is? No setting of NCCL's cures that. */
bool judge_arms_named(const struct findings *list, int32_t rank);

/** judge_arms_any_named() - of any that took part in @t? */
bool judge_arms_any_named(const struct results *r, const struct trial *t,
                          const struct findings *list);

/** judge_arm_is_wanted() - is @cell bad in a way that an arm can explain? */
bool judge_arm_is_wanted(const struct matrix_cell *cell);

/**
 * judge_arm_passes() - did an arm's trial @v go well where @cell did not: to
 * its end, with all data right, and where the cell is only slow, clearly
 * faster.
 */
bool judge_arm_passes(const struct matrix_cell *cell,
                      const struct pair_view *v);

/** enum judge_copy - what plain copies between the same GPUs do. */
enum judge_copy { COPY_UNKNOWN, COPY_GOOD, COPY_BAD };

/** judge_arm_copy() - of the pair of @cell. @ret_cell: where that stands, NULL:
 * nowhere; may be NULL. */
enum judge_copy judge_arm_copy(const struct matrices *ms,
                               const struct matrix_cell *cell,
                               const struct matrix_cell **ret_cell);

/** judge_arms_failed() - did NCCL's collective @t, in the job's environment or
 * in an arm, hang, fail or come out wrong? *@ret_ran: somebody ran it. */
bool judge_arms_failed(const struct results *r, const struct trial *t,
                       bool *ret_ran);

/**
 * judge_arms() - what the arms tell, as findings beside those of the pairs and
 * collectives themselves.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_arms(const struct topo_job *job, const struct results *r,
                          const struct matrices *ms, struct findings *list,
                          struct fp_err *err);

#endif
