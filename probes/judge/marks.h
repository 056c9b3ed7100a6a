/* SPDX-License-Identifier: Apache-2.0 */
/* From cells to marks: what each of them shows of one symptom. */
#ifndef FP_PROBES_JUDGE_MARKS_H
#define FP_PROBES_JUDGE_MARKS_H

#include "probes/judge/blame.h"
#include "probes/judge/gram.h"

/**
 * judge_marks_hear() - make the marks of @symptom from all matrices, one a
 * directed pair and family (transport; local or not), and accuse whom they
 * point at.
 * @grams: for SYMPTOM_DEAD.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_marks_hear(struct judge_case *c, const struct matrices *ms,
                                const struct grams *grams, enum symptom symptom,
                                struct fp_err *err);

/** judge_mark_add() - append a copy. FP_OK or FP_ERR_NOMEM. */
enum fp_status judge_mark_add(struct judge_case *c,
                              const struct judge_mark *mark,
                              struct fp_err *err);

/**
 * judge_marks_merge() - sort the marks from @begin on by family and pair, and
 * keep the worst of each.
 */
void judge_marks_merge(struct judge_case *c, size_t begin);

/** judge_mark_cmp() - by family and pair; 0: the same pair. */
int judge_mark_cmp(const struct judge_mark *a, const struct judge_mark *b);

/** judge_dead_marks() - the marks of SYMPTOM_DEAD. FP_OK or FP_ERR_NOMEM. */
enum fp_status judge_dead_marks(struct judge_case *c, const struct matrices *ms,
                                const struct grams *grams, struct fp_err *err);

#endif
