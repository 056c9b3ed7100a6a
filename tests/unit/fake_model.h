/* SPDX-License-Identifier: Apache-2.0 */
/* What the model cluster does with data that flows from one rank to another. */
#ifndef FP_TESTS_FAKE_MODEL_H
#define FP_TESTS_FAKE_MODEL_H

#include "tests/unit/fake_exec.h"

/** struct fake_flow - data of a trial on its way. */
struct fake_flow {
	struct fake_exec *f;
	const struct trial *t;
	int32_t src, dst;
};

/** fake_noise() - a factor at or a little below 1. */
double fake_noise(struct fake_exec *f);

/** fake_end_matches() - is @rank what a rule's end says? */
bool fake_end_matches(const struct fake_rule *r, const struct topo_job *job,
                      int32_t wanted, int32_t rank);

/** fake_find_rule() - the rule of @kind that applies now, or NULL. */
struct fake_rule *fake_find_rule(const struct fake_flow *flow,
                                 enum fake_kind kind);

/** fake_reversed() - the same the other way. */
struct fake_flow fake_reversed(const struct fake_flow *flow);

/** fake_worker() - does a rule of @kind (FAKE_STUCK, FAKE_DIES) befall the
 * worker of @rank now? */
bool fake_worker(const struct fake_exec *f, enum fake_kind kind, int32_t rank);

/** fake_is_shared() - do others use the port of @rank now? */
bool fake_is_shared(const struct fake_exec *f, int32_t rank);

/** fake_hangs() - does a stream hang? Uses FAKE_ONCE up. */
bool fake_hangs(const struct fake_flow *flow);

/** fake_rate() - B/s, with noise. */
double fake_rate(const struct fake_flow *flow);

/** fake_latency() - half a round trip, s, with noise. */
double fake_latency(const struct fake_flow *flow);

#endif
