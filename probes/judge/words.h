/* SPDX-License-Identifier: Apache-2.0 */
/* What the judge says: places, numbers, and lines of evidence. */
#ifndef FP_PROBES_JUDGE_WORDS_H
#define FP_PROBES_JUDGE_WORDS_H

#include "probes/judge/blame.h"
#include "probes/judge/gram.h"

#define WORDS_RANK_MAX 96
#define WORDS_PAIR_MAX 192

/** words_rank() - "rank 3 (h1)". Return: @buf. */
const char *words_rank(const struct topo_job *job, int32_t rank,
                       char buf[static WORDS_RANK_MAX]);

/** words_pair() - "rank 3 (h1) -> rank 5 (h2)". Return: @buf. */
const char *words_pair(const struct topo_job *job, int32_t src, int32_t dst,
                       char buf[static WORDS_PAIR_MAX]);

#define WORDS_TRIAL_MAX 96

/** words_trial() - transport, operation and size of a message: "tcp write 1M",
 * "shm/tcp all_reduce 64K" where each edge has its own. Return: @buf. */
const char *words_trial(const struct trial *t,
                        char buf[static WORDS_TRIAL_MAX]);

/** words_locus_rank() - fill @l with a rank and its host. */
void words_locus_rank(const struct topo_job *job, int32_t rank,
                      struct locus *l);

/** words_mark() - one line of evidence in @f from a mark of @symptom. */
void words_mark(struct finding *f, const struct judge_case *c,
                const struct grams *grams, const struct judge_mark *mark,
                unsigned symptom);

#endif
