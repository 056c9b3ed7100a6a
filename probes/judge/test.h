/* SPDX-License-Identifier: Apache-2.0 */
/* What the judge looks at: one direction of one pair trial, both ends. */
#ifndef FP_PROBES_JUDGE_TEST_H
#define FP_PROBES_JUDGE_TEST_H

#include <stdbool.h>

#include "probes/judge/results.h"
#include "topo/model/model.h"

/** struct judge_test - data that went from src to dst in one trial. */
struct judge_test {
	const struct trial *trial;
	const struct outcome *tx, *rx; /* src's and dst's; NULL: not there */
	int32_t src, dst;
	int32_t src_ep, dst_ep; /* their rails; -1: there is but one */
	uint32_t state; /* enum outcome_state, the worse end's; never NONE */
	uint32_t stage; /* enum outcome_stage, of the end that got less far */
	double value;   /* rate, B/s; shortest half round trip, s; 0: none */
	double pace;    /* rate of the median message, B/s: what a stolen core
	                   leaves alone; 0: not known */
	double low;     /* p5 of rates; p99 of half round trips; 0: none */
	int64_t retrans, segs; /* -1: not known */
	uint64_t wrong, wrong_back;
	int32_t culprit; /* the end whose own failure it was; -1 */
	bool late;       /* out of time, though data moved on */
	bool spoiled;    /* others used an end's port: what was bad in it says
	                    nothing, see foreign.h */
};

/**
 * judge_tests_collect() - from all pair trials but datagram ones that have an
 * outcome; sorted by matrix (op, xport, mem, dir, bytes, rails), pair, trial.
 * @ret: for free(3); points into @r.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_tests_collect(const struct topo_job *job,
                                   const struct results *r,
                                   struct judge_test **ret, size_t *ret_n,
                                   struct fp_err *err);

/** judge_tests_same_matrix() - do both belong into one matrix? */
bool judge_tests_same_matrix(const struct judge_test *a,
                             const struct judge_test *b);

/**
 * judge_still_moved() - did a trial that ran out of time move data in the later
 * half of it? Then it was slow, or the machine was busy; whether it hangs is
 * not known. What hangs has stood still for most of its time.
 */
bool judge_still_moved(const struct trial *t, const struct outcome *o);

/** judge_gpu_error() - is @code (COUNTER_DEVICE_ERROR) one by which a GPU says
 * that it is broken? judge_link_error() - or an NVLink of it? */
bool judge_gpu_error(int64_t code);
bool judge_link_error(int64_t code);

/**
 * judge_own_fault() - does @o show a failure of that rank's own worker or
 * agent, not of what is between it and its peer? @peer: may be NULL.
 */
bool judge_own_fault(const struct outcome *o, const struct outcome *peer);

#endif
