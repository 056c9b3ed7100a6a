// SPDX-License-Identifier: Apache-2.0
// A GPU by itself: copies from and to the host, within its memory, and what
// its kernels do. So a slow GPU is told from a slow link.
#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "probes/xport/cuda_impl.h"
#include "probes/xport/cuda_kernel.h"
#include "probes/xport/cuda_pattern.h"

#define REPEATS 4
#define BURN_THREADS (1u << 20) /* 42 GFLOP: a millisecond, not a launch */
#define BURN_FLOPS (2.0 * BURN_THREADS * CUDA_BURN_ROUNDS)

/* struct local - the buffers that a test works on. */
struct local {
	struct cuda_gpu *g;
	size_t bytes;
	uint8_t *here; /* pinned */
	uint64_t seed;
};

static enum fp_status copy(struct local *l, void *to, const void *from,
                           struct fp_err *err)
{
	cudaError_t e = cudaMemcpyAsync(to, from, l->bytes, cudaMemcpyDefault,
	                                l->g->stream);

	return e == cudaSuccess ? FP_OK : cuda_fail((int)e, "copy", err);
}

static enum fp_status do_h2d(struct local *l, struct fp_err *err)
{
	return copy(l, l->g->arena, l->here, err);
}

static enum fp_status do_d2h(struct local *l, struct fp_err *err)
{
	return copy(l, l->here, l->g->arena, err);
}

static enum fp_status do_copy(struct local *l, struct fp_err *err)
{
	return copy(l, l->g->arena + l->bytes, l->g->arena, err);
}

static enum fp_status do_memory(struct local *l, struct fp_err *err)
{
	const struct cuda_pattern p =
		cuda_pattern_words(l->seed, 0, CUDA_TYPE_UINT32);

	return cuda_gpu_fill(l->g, l->g->arena, l->bytes / sizeof(uint32_t), &p,
	                     err);
}

static enum fp_status do_flops(struct local *l, struct fp_err *err)
{
	void *memory = l->g->arena;
	int code = cuda_kernel_burn(memory, CUDA_BURN_ROUNDS, BURN_THREADS,
	                            l->g->stream);

	return code == cudaSuccess ? FP_OK : cuda_fail(code, "kernel", err);
}

/* What is done, and what of it counts: 0: the trial's bytes. */
static const struct {
	enum outcome_counter counter;
	enum fp_status (*run)(struct local *l, struct fp_err *err);
	double amount;
} tests[] = {
	{ COUNTER_LOCAL_H2D, do_h2d, 0 },
	{ COUNTER_LOCAL_D2H, do_d2h, 0 },
	{ COUNTER_LOCAL_COPY, do_copy, 0 },
	{ COUNTER_LOCAL_MEMORY, do_memory, 0 },
	{ COUNTER_LOCAL_FLOPS, do_flops, BURN_FLOPS },
};

/* @n runs of test @i, one behind the other; *@ret_s: how long they took. */
static enum fp_status run_test(struct local *l, size_t i, uint32_t n,
                               const struct cuda_wait *wait, double *ret_s,
                               struct fp_err *err)
{
	enum fp_status status = cuda_gpu_begin(l->g, err);

	for (uint32_t k = 0; k < n && status == FP_OK; k++)
		status = tests[i].run(l, err);
	if (status == FP_OK)
		status = cuda_gpu_end(l->g, err);
	if (status == FP_OK)
		status = cuda_gpu_wait(l->g, wait, err);
	return status == FP_OK ? cuda_gpu_seconds(l->g, ret_s, err) : status;
}

static enum fp_status run_tests(struct local *l, const struct cuda_wait *wait,
                                struct outcome *o, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	double s = 0, amount;

	for (size_t i = 0;
	     i < sizeof(tests) / sizeof(tests[0]) && status == FP_OK; i++) {
		/* The first run wakes the GPU. */
		status = run_test(l, i, 1, wait, &s, err);
		if (status == FP_OK)
			status = run_test(l, i, REPEATS, wait, &s, err);
		amount = tests[i].amount > 0 ? tests[i].amount
		                             : (double)l->bytes;
		if (status == FP_OK && s > 0)
			outcome_put(o, tests[i].counter,
			            (int64_t)(amount * REPEATS / s));
	}
	return status;
}

/* A burst is long enough that the GPU does not wait for the next one to be
 * asked for, and short enough to be stopped. */
#define LOAD_BURST 64u
#define LOAD_TEST 4u /* of tests[]: the multiply-adds */
#define LOAD_SLICE_S 1.0

/* One second of multiply-adds, by the device's clock. */
static enum fp_status load_slice(struct local *l, const struct cuda_wait *wait,
                                 double *ret_s, double *ret_rate,
                                 struct fp_err *err)
{
	enum fp_status status = FP_OK;
	double spent_s = 0, s = 0;
	uint64_t n = 0;

	while (status == FP_OK && spent_s < LOAD_SLICE_S) {
		status = run_test(l, LOAD_TEST, LOAD_BURST, wait, &s, err);
		spent_s += s;
		n += LOAD_BURST;
	}
	*ret_s = spent_s;
	*ret_rate =
		spent_s > 0 ? (double)n * tests[LOAD_TEST].amount / spent_s : 0;
	return status;
}

static enum fp_status run_load(struct local *l, const struct xport_join *how,
                               const struct cuda_wait *wait, struct outcome *o,
                               struct fp_err *err)
{
	enum fp_status status = FP_OK;
	double spent_s = 0, s = 0, rate = 0;
	size_t n = 0;

	while (status == FP_OK && spent_s < how->trial->time_s &&
	       n < how->room_samples) {
		status = load_slice(l, wait, &s, &rate, err);
		spent_s += s;
		if (status == FP_OK)
			how->samples[n++] = rate;
	}
	*how->n_samples = n;
	o->n = (uint32_t)n;
	o->flags |= OUTCOME_RECEIVER;
	return status;
}

/* What may still be written to is left to the end of the process. */
static enum fp_status end_local(struct cuda *cu, struct local *l,
                                enum fp_status status)
{
	if (status == FP_OK)
		(void)cudaFreeHost(l->here);
	else
		cu->broken = true;
	return status;
}

enum fp_status cuda_local(struct xport *x, const struct xport_join *how,
                          struct outcome *o, struct fp_err *err)
{
	struct cuda *cu = (struct cuda *)x;
	struct local l = { .g = &cu->gpu,
		           .bytes = how->trial->bytes,
		           .seed = how->trial->seed };
	const struct cuda_wait wait = { .board = how->board,
		                        .trial = how->trial->id,
		                        .deadline_ns = how->deadline_ns };
	cudaError_t e = cudaMallocHost((void **)&l.here, l.bytes);
	enum fp_status status;

	if (e != cudaSuccess)
		return cuda_fail((int)e, "pinned memory", err);
	if (how->trial->flags & TRIAL_LOAD)
		return end_local(cu, &l, run_load(&l, how, &wait, o, err));
	status = run_tests(&l, &wait, o, err);
	o->flags |= OUTCOME_RECEIVER;
	o->n = REPEATS;
	o->algbw_Bps = (double)outcome_get(o,
	                                   how->trial->mem == MEM_HOST
	                                           ? COUNTER_LOCAL_H2D
	                                           : COUNTER_LOCAL_D2H,
	                                   0);
	return end_local(cu, &l, status);
}
