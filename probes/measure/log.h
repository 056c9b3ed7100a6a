/* SPDX-License-Identifier: Apache-2.0 */
/* The times of single messages or operations, and the figures they give. */
#ifndef FP_PROBES_MEASURE_LOG_H
#define FP_PROBES_MEASURE_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "probes/trial/trial.h"
#include "topo/base/status.h"

/**
 * struct measure_log - samples in the order of time. When the room is full,
 * every second one goes and from then on only every second, fourth ... new
 * one is kept: what is kept covers the whole time evenly.
 */
struct measure_log {
	double *samples; /* lent */
	size_t n, room;
	uint64_t seen, stride;
	double min_s, max_s; /* of all seen */
};

/** measure_log_init() - an empty log over lent room for @room samples. */
void measure_log_init(struct measure_log *log, double *samples, size_t room);

/** measure_log_add() - a sample, seconds. */
void measure_log_add(struct measure_log *log, double seconds);

/**
 * measure_log_figures() - n, min, p5, p50, p99 and max of @o; all 0 when
 * there is no sample.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status measure_log_figures(const struct measure_log *log,
                                   struct outcome *o, struct fp_err *err);

#endif
