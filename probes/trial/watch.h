/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What NVML said of a rank's GPU between two moments: how it was at the second
 * one, and by how much its counters rose. A process of its own asks, for NVML
 * may hang; so a record comes when it comes, and says which trials ran while.
 */
#ifndef FP_PROBES_TRIAL_WATCH_H
#define FP_PROBES_TRIAL_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/model/gpu_value.h"

#define WATCH_VALUES 28
#define WATCH_DEVICE_MAX 16

/** struct watch_value - of a counter: its rise; then never 0. */
struct watch_value {
	uint32_t id;  /* enum gpu_value */
	int32_t link; /* NVLink, or number of an Xid; -1: the GPU's */
	int64_t value;
};

/** struct watch - one record. Crosses processes, ranks and disk. */
struct watch {
	int32_t rank;
	uint32_t first,
		last;      /* trials of the rank that ended between; 0: none */
	uint32_t n;        /* values */
	double t0_s, t1_s; /* CLOCK_MONOTONIC of the host; equal: the first */
	char device[WATCH_DEVICE_MAX]; /* "0000:1b:00.0" */
	struct watch_value values[WATCH_VALUES];
};
_Static_assert(sizeof(struct watch) == 496, "struct watch crosses the wire");

/** watch_get() - value @id of the GPU itself; @none if it is not there. */
int64_t watch_get(const struct watch *w, unsigned id, int64_t none);

#define WATCH_KEY_MAX 48

/** watch_key() - the value's name in files: "temperature_C", of a link
 * "nvlink_replays/17". Return: @buf. */
const char *watch_key(const struct watch_value *v,
                      char buf[static WATCH_KEY_MAX]);

/** watch_has_news() - did a counter of errors rise, or were its clocks held
 * down by anything but the power cap of a busy GPU? */
bool watch_has_news(const struct watch *w);

/**
 * watch_fill() - the values of @ret, from two samples of its GPU.
 * @before: NULL: there was none, so nothing has risen. What is not known in
 * both, or fell, has not risen either. Values beyond WATCH_VALUES are dropped.
 */
void watch_fill(const struct gpu_sample *before, const struct gpu_sample *now,
                struct watch *ret);

/** watch_add_xid() - an event came: one more of Xid @number. Those that are
 * none are left out. */
void watch_add_xid(struct watch *w, int64_t number);

/**
 * watch_check() - is @w fit to be looked at in a job of @n_ranks? Guards every
 * place where one comes from outside.
 *
 * Return: NULL, or a constant text that says what is wrong.
 */
const char *watch_check(const struct watch *w, size_t n_ranks);

#endif
