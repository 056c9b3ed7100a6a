/* SPDX-License-Identifier: Apache-2.0 */
/* Findings from what happened outside of pairs: agents, workers, the rest. */
#ifndef FP_PROBES_JUDGE_NOTES_H
#define FP_PROBES_JUDGE_NOTES_H

#include <stdbool.h>

#include "probes/finding/finding.h"
#include "probes/judge/results.h"
#include "topo/model/model.h"

/**
 * judge_lost() - agents that are gone: by host where all of a host are, by
 * rank else; or the control link, when most of several hosts went at once.
 * @ret_lost: [n_ranks], for free(3): whose agent is gone.
 *
 * Return: FP_OK or FP_ERR_NOMEM. The same for the others.
 */
enum fp_status judge_lost(const struct topo_job *job, const struct results *r,
                          struct findings *list, bool **ret_lost,
                          struct fp_err *err);

/**
 * judge_workers() - workers that died, hung, spoke nonsense, could not start
 * or be killed; and ranks that fail before they meet a peer.
 * @lost: of judge_lost(); whoever is gone is not accused again.
 */
enum fp_status judge_workers(const struct topo_job *job,
                             const struct results *r, const bool *lost,
                             struct findings *list, struct fp_err *err);

/**
 * judge_asides() - what is no fault: strangers, a shared control interface, a
 * journal that could not be written, mixed congestion control.
 */
enum fp_status judge_asides(const struct topo_job *job, const struct results *r,
                            struct findings *list, struct fp_err *err);

/** judge_channels() - hosts whose NCCL does without what it has elsewhere:
 * GPUDirect RDMA, HCAs. FP_OK or FP_ERR_NOMEM. */
enum fp_status judge_channels(const struct topo_job *job,
                              const struct results *r, struct findings *list,
                              struct fp_err *err);

/**
 * judge_collectives() - collectives that hung, failed or came out wrong: they
 * are evidence for what is found already where that explains them, else
 * findings of their own.
 */
enum fp_status judge_collectives(const struct topo_job *job,
                                 const struct results *r, struct findings *list,
                                 struct fp_err *err);

#endif
