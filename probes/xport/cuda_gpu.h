/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This worker's GPU, as the transports that use it share it: which one it is,
 * a stream with its clock, buffers, patterns. CUDA's handles are its own.
 */
#ifndef FP_PROBES_XPORT_CUDA_GPU_H
#define FP_PROBES_XPORT_CUDA_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/trial/board.h"
#include "probes/trial/trial.h"
#include "probes/xport/cuda_type.h"
#include "probes/xport/xport.h"
#include "topo/base/status.h"

struct CUstream_st;
struct CUevent_st;

#define CUDA_BUS_MAX 16

/** struct cuda_gpu - a GPU and what work on it takes. */
struct cuda_gpu {
	int dev;                /* in this process */
	char bus[CUDA_BUS_MAX]; /* "0000:1b:00.0" */
	struct CUstream_st *stream;
	struct CUevent_st *begin, *end;
	unsigned long long *tally;      /* of wrong elements; device memory */
	unsigned long long *tally_here; /* the same, pinned host memory */
	uint8_t *arena;                 /* device memory for a trial */
	size_t arena_bytes;
};

/** struct cuda_wait - until when, and for which trial, is waited. */
struct cuda_wait {
	const struct board *board;
	uint32_t trial;
	int64_t deadline_ns;
	/** looked at while waiting; may be NULL */
	enum fp_status (*look)(void *arg, struct fp_err *err);
	void *arg;
};

/** cuda_fail() - what @code (a cudaError_t) of @what means: FP_ERR_NOTSUP
 * where no GPU can be used here, FP_ERR_LIMIT without memory, FP_ERR_LIB. */
enum fp_status cuda_fail(int code, const char *what, struct fp_err *err);

/** cuda_gpu_error() - error() of struct xport_ops: a cudaError_t. */
int cuda_gpu_error(const struct xport *x);

/** cuda_gpu_probe() - FP_OK, or FP_ERR_NOTSUP: no driver, no GPU, ... */
enum fp_status cuda_gpu_probe(struct fp_err *err);

/**
 * cuda_gpu_open() - the GPU of this rank: its place in the host among those
 * that CUDA_VISIBLE_DEVICES leaves.
 *
 * Return: FP_OK, else nothing is open. Undo with cuda_gpu_close().
 */
enum fp_status cuda_gpu_open(const struct wire_setup *setup,
                             struct cuda_gpu *ret, struct fp_err *err);
void cuda_gpu_close(struct cuda_gpu *g); /* takes a zeroed one */

/** cuda_gpu_room() - an arena of at least @bytes, kept from trial to trial.
 * Return: FP_ERR_LIMIT when the GPU has not so much left. */
enum fp_status cuda_gpu_room(struct cuda_gpu *g, size_t bytes,
                             struct fp_err *err);

/** cuda_gpu_wait() - until the stream has done what was asked.
 * Return: FP_OK; FP_ERR_TIMEOUT; FP_ERR_INTR: aborted; FP_ERR_LIB; what
 * look() says. */
enum fp_status cuda_gpu_wait(struct cuda_gpu *g, const struct cuda_wait *w,
                             struct fp_err *err);

/** cuda_wait_check() - is it too late, or called off? */
enum fp_status cuda_wait_check(const struct cuda_wait *w, struct fp_err *err);

/** cuda_wait_pause() - a pause in the @turn-th turn of a polling loop, long
 * enough that others can use the core. */
void cuda_wait_pause(uint32_t turn);

/** cuda_gpu_begin(), cuda_gpu_end() - what lies between is timed;
 * cuda_gpu_seconds() says how long it took, once waited for. */
enum fp_status cuda_gpu_begin(struct cuda_gpu *g, struct fp_err *err);
enum fp_status cuda_gpu_end(struct cuda_gpu *g, struct fp_err *err);
enum fp_status cuda_gpu_seconds(struct cuda_gpu *g, double *ret_s,
                                struct fp_err *err);

/** cuda_gpu_fill() - enqueue: @n elements of pattern @p at @buf. */
enum fp_status cuda_gpu_fill(struct cuda_gpu *g, void *buf, size_t n,
                             const struct cuda_pattern *p, struct fp_err *err);

/** cuda_gpu_spoil() - enqueue: @bytes that no pattern has. */
enum fp_status cuda_gpu_spoil(struct cuda_gpu *g, void *buf, size_t bytes,
                              struct fp_err *err);

/** cuda_gpu_tally_begin() - forget wrong elements; cuda_gpu_check() - enqueue
 * a comparison; cuda_gpu_tally() - wait, and how many were wrong. */
enum fp_status cuda_gpu_tally_begin(struct cuda_gpu *g, struct fp_err *err);
enum fp_status cuda_gpu_check(struct cuda_gpu *g, const void *buf, size_t n,
                              const struct cuda_pattern *p, struct fp_err *err);
enum fp_status cuda_gpu_tally(struct cuda_gpu *g, const struct cuda_wait *w,
                              uint64_t *ret_wrong, struct fp_err *err);

/** cuda_gpu_number() - a number to the device, or from there, through the
 * tally; waits. */
enum fp_status cuda_gpu_put(struct cuda_gpu *g, uint64_t value,
                            struct fp_err *err);
enum fp_status cuda_gpu_get(struct cuda_gpu *g, const struct cuda_wait *w,
                            uint64_t *ret, struct fp_err *err);

#endif
