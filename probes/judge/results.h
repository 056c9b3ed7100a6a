/* SPDX-License-Identifier: Apache-2.0 */
/* Everything measured in a run: grown arrays, filled by a sink or a replay. */
#ifndef FP_PROBES_JUDGE_RESULTS_H
#define FP_PROBES_JUDGE_RESULTS_H

#include "probes/trial/trial.h"
#include "probes/trial/watch.h"
#include "topo/base/status.h"

/** struct results_samples - kept samples of one outcome. */
struct results_samples {
	uint32_t trial;
	int32_t rank;
	size_t first, n; /* slice of results.samples */
};

/** struct results - append-only. trial id t is trials[t - 1]. */
struct results {
	struct trial *trials;
	size_t n_trials, room_trials;
	int32_t *members; /* member_first of stored trials points here */
	size_t n_members, room_members;
	struct outcome *outcomes;
	size_t n_outcomes, room_outcomes;
	struct run_event *events;
	size_t n_events, room_events;
	struct watch *watches; /* of each rank in its order */
	size_t n_watches, room_watches;
	double *samples;
	size_t n_samples, room_samples;
	struct results_samples *kept;
	size_t n_kept, room_kept;
};

/**
 * results_add_batch() - append the trials of @batch: gives them their ids and
 * rebases their member slices, in @batch's own trials too, so that the batch
 * can be executed as it is (its members array stays its own: *@batch's
 * member_first keep pointing into it; the stored copies are rebased).
 */
enum fp_status results_add_batch(struct results *r, struct batch *batch,
                                 struct fp_err *err);
enum fp_status results_add_outcome(struct results *r, const struct outcome *o,
                                   const double *samples, size_t n_samples,
                                   struct fp_err *err);
enum fp_status results_add_event(struct results *r, const struct run_event *e,
                                 struct fp_err *err);
enum fp_status results_add_watch(struct results *r, const struct watch *w,
                                 struct fp_err *err);

/** results_trial() - by id, or NULL. Not kept across an append. */
const struct trial *results_trial(const struct results *r, uint32_t id);

/** results_done() - free all; takes NULL. */
void results_done(struct results *r);

/**
 * struct pair_view - the outcomes of both ends of a pair's trial as one.
 * state is the worse of the two; an end that is missing is NONE, and one end
 * alone that says OK is NONE, too: the trial was not finished.
 */
struct pair_view {
	const struct trial *trial;
	const struct outcome *src, *dst; /* NULL: not (yet) there */
	uint8_t state;                   /* enum outcome_state */
	double rate_Bps;                 /* receiver's; 0 if none */
	double latency_s;                /* OP_LATENCY: min; 0 if none */
};

/**
 * results_pairs() - a view per pair trial of two ranks in the job's own
 * environment, in trial order; results_arms() - per pair trial in another one.
 * @ret_views: for free(3); pointers into @r, valid until its next append.
 */
enum fp_status results_pairs(const struct results *r,
                             struct pair_view **ret_views, size_t *ret_n,
                             struct fp_err *err);
enum fp_status results_arms(const struct results *r,
                            struct pair_view **ret_views, size_t *ret_n,
                            struct fp_err *err);

#endif
