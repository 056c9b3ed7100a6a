/* SPDX-License-Identifier: Apache-2.0 */
/* What a collective should reach where its pairs do what they do. */
#ifndef FP_PROBES_JUDGE_COLL_LAW_H
#define FP_PROBES_JUDGE_COLL_LAW_H

#include "probes/judge/since.h"

/** JUDGE_COLL_LARGE - bytes; below, latency decides, which varies. */
#define JUDGE_COLL_LARGE (1u << 20)

/**
 * judge_coll_law() - busbw of collective @t by the alpha-beta law of a ring
 * (nccl-tests doc/PERFORMANCE.md: busbw is that of the slowest link; NCCL's
 * tuning.cc adds a latency for each step):
 *
 *	t = steps * (latency + bytes / ranks / rate), steps = ranks * factor
 *
 * with the rate that is usual in the slowest class of pairs, and the latency
 * that is usual in the latest. Trees, and several HCAs for one GPU, are faster.
 *
 * Return: B/s; 0 where no pairs of its transport are known, where all of it is
 * inside one host or over loopback, which share cores, or for less than
 * JUDGE_COLL_LARGE.
 */
double judge_coll_law(const struct judge_run *now, const struct trial *t);

/** judge_coll_floor() - half of that: below it a collective is slow while its
 * pairs are not. Half, since 16 MiB over healthy hosts of eight 50 GB/s HCAs
 * reach 12.5 % of what 1 GiB do, which is the rate of one (NVIDIA's DGX H100
 * figures), and since "twice as long as usual" is DLRover's straggler. */
double judge_coll_floor(const struct judge_run *now, const struct trial *t);

/** judge_coll_shares_cores() - is all of @t inside a host, or between hosts
 * over its loopback? Then cores decide. Never of GPUs. */
bool judge_coll_shares_cores(const struct judge_run *now,
                             const struct trial *t);

#endif
