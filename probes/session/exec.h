/* SPDX-License-Identifier: Apache-2.0 */
/* Who executes batches: the real cluster (mpi/conductor) or a model. */
#ifndef FP_PROBES_SESSION_EXEC_H
#define FP_PROBES_SESSION_EXEC_H

#include <stddef.h>
#include <stdint.h>

#include "probes/trial/trial.h"
#include "probes/trial/watch.h"
#include "topo/base/status.h"

/** struct exec_round - how one round went, for progress and --timing. */
struct exec_round {
	uint32_t round;    /* index in the batch, from 0 */
	uint32_t n_rounds; /* of the batch */
	uint32_t n_trials; /* of the round */
	double wall_s;     /* from the first PREPARE to the last outcome */
	double work_s;     /* the longest elapsed_s of its trials */
};

/**
 * struct exec_sink - takes results as they come, in any order of ranks.
 * Called from within exec_ops.run, on its thread. Must not block.
 */
struct exec_sink {
	void *arg;
	/** One rank's outcome. @samples (n of them, seconds) only where kept. */
	void (*outcome)(void *arg, const struct trial *trial,
	                const struct outcome *outcome, const double *samples,
	                size_t n_samples);
	void (*event)(void *arg, const struct run_event *event);
	/** A watched GPU; may come long after its trials. NULL: nobody asks. */
	void (*watch)(void *arg, const struct watch *watch);
	void (*round_begin)(void *arg, const struct exec_round *round);
	void (*round_end)(void *arg, const struct exec_round *round);
};

struct exec_ops {
	const char *name;
	/**
	 * Run the rounds of @batch in order. Every member of every trial gets
	 * exactly one outcome, whatever happens: LOST and NOTRUN are made here.
	 * A batch without trials runs none: all that watch GPUs look once more.
	 * @stop_ns: no round is begun after this time; its trials are NOTRUN.
	 *
	 * Return: FP_OK; FP_ERR_INTR when told to stop by a signal (then the
	 * outcomes of what ran are all in, the rest are missing).
	 */
	enum fp_status (*run)(void *self, const struct batch *batch,
	                      int64_t stop_ns, const struct exec_sink *sink,
	                      struct fp_err *err);
};

#endif
