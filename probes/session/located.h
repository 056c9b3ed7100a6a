/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run that the machine of probes/locate drives: its questions as trials, and
 * outcomes as its answers. Ranks stand for GPUs: local rank g of a host is its
 * GPU g.
 */
#ifndef FP_PROBES_SESSION_LOCATED_H
#define FP_PROBES_SESSION_LOCATED_H

#include "probes/locate/locate.h"
#include "probes/session/run.h"

/** session_is_located() - is there a fabric with GPUs to look for culprits in?
 */
bool session_is_located(const struct session *s);

/** session_has_leaves() - is it known under which of several leaves hosts are?
 * Then the machine measures them too, after all else. */
bool session_has_leaves(const struct session *s);

/** session_hosts_judge() - findings about leaves and their links, in place of
 * those about devices and pairs that they explain. FP_OK, FP_ERR_NOMEM. */
enum fp_status session_hosts_judge(struct session *s, struct fp_err *err);

/** session_run_located() - the stages S0..S4 and S7 by the machine, and the
 * collectives after S1. FP_OK, FP_ERR_NOMEM, FP_ERR_INPUT, FP_ERR_LIMIT. */
enum fp_status session_run_located(struct session_run *run, struct fp_err *err);

/** session_locate_opts() - how the machine plans for @s. */
struct locate_opts session_locate_opts(const struct session *s);

/**
 * session_transfer_trial() - the trial that makes transfer @t.
 * A copy between memory and GPU has one rank at both ends: mem is where its
 * bytes come from.
 * @rank_of: [hosts * FABRIC_MAX_PER_HOST] rank of each GPU, -1: none.
 *
 * Return: false if there is no rank for an end.
 */
bool session_transfer_trial(const struct fabric *f, const int32_t *rank_of,
                            const struct fabric_transfer *t, struct trial *ret);

/** session_trial_transfer() - the transfer that a pair's trial makes, of any
 * transport: shared memory and TCP move memory of hosts. */
struct fabric_transfer session_trial_transfer(const struct fabric *f,
                                              const struct topo_job *job,
                                              const struct trial *t);

/** session_look_of() - what the outcomes of both ends showed, as a part of
 * @expected_Bps. Either may be NULL: not heard of. @late_s: usual latency. */
struct locate_look session_look_of(const struct outcome *src,
                                   const struct outcome *dst,
                                   double expected_Bps, double late_s);

/** SESSION_LATENCY_S - of a small message, where nothing is wrong. */
#define SESSION_LATENCY_S 2e-6

/** session_located_judge() - findings and coverage from the machine's
 * accusations. @ret_missing: as session_cover(). */
enum fp_status session_located_judge(struct session *s, bool *ret_missing,
                                     struct fp_err *err);

/** session_accuse_component() - one finding of @l->a.list[@i], as @name. */
enum fp_status session_accuse_component(const struct locate *l, size_t i,
                                        struct findings *list,
                                        struct fp_err *err);

#endif
