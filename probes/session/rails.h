/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RDMA ports, rail by rail: a stage of verbs is one stage for each rail of the
 * job, which is planned and watched for hangs as that rail sees the job.
 */
#ifndef FP_PROBES_SESSION_RAILS_H
#define FP_PROBES_SESSION_RAILS_H

#include "probes/session/stage.h"

/** session_rails() - how many rails the job has for what @xport measures; 1
 * for all but verbs. */
uint32_t session_rails(const struct topo_job *job, unsigned xport);

/**
 * session_rails_are_slots() - are pairs of @st those of ranks of equal place in
 * their hosts, all of a host at once? Of GPUs, which share a rail and move
 * data without the host; and of ranks that have RDMA ports of their own.
 */
bool session_rails_are_slots(const struct session_stage *st,
                             const struct topo_job *job);

/**
 * session_rails_apart() - turn each stage of verbs in @stages into one for
 * each rail. With many rails, --quick samples the pairs of each.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status session_rails_apart(const struct session_opts *opts,
                                   const struct topo_job *job,
                                   struct session_stages *stages,
                                   struct fp_err *err);

/** session_rails_view() - @job as @st sees it; topo_job_on_rail_done(), also
 * after a failure. FP_OK, FP_ERR_NOMEM. */
enum fp_status session_rails_view(const struct session_stage *st,
                                  const struct topo_job *job,
                                  struct topo_job *ret, struct fp_err *err);

/**
 * session_rails_skip() - ranks that have no part in @st, on rail view @view:
 * those of @skip (may be NULL), those without a port on its rail, and where
 * hosts have ranks with ports of their own those that share one with an
 * earlier rank.
 * @ret: n_ranks, for free(3).
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status session_rails_skip(const struct session_stage *st,
                                  const struct topo_job *view, const bool *skip,
                                  bool **ret, struct fp_err *err);

#endif
