// SPDX-License-Identifier: Apache-2.0
// Work on a GPU: patterns, time, and waiting that never lasts for ever.
#include <cuda_runtime_api.h>
#include <sched.h>
#include <time.h>

#include "probes/xport/cuda_gpu.h"
#include "probes/xport/cuda_kernel.h"
#include "topo/base/clock.h"

#define SPOILT 0x5a
#define TURNS_HOT 64   /* then others may have the core */
#define TURNS_YIELD 96 /* then it sleeps, longer and longer */
#define NAP_MIN_NS 20000L
#define NAP_MAX_NS 500000L

static enum fp_status from_cuda(cudaError_t e, const char *what,
                                struct fp_err *err)
{
	return e == cudaSuccess ? FP_OK : cuda_fail((int)e, what, err);
}

enum fp_status cuda_wait_check(const struct cuda_wait *w, struct fp_err *err)
{
	if (atomic_load_explicit(&w->board->abort, memory_order_relaxed) ==
	    w->trial)
		return fp_err_set(err, FP_ERR_INTR, "trial %u was called off",
		                  w->trial);
	if (fp_now_ns() >= w->deadline_ns)
		return fp_err_set(err, FP_ERR_TIMEOUT,
		                  "the GPU was not done when the time was up");
	return w->look ? w->look(w->arg, err) : FP_OK;
}

void cuda_wait_pause(uint32_t turn)
{
	struct timespec ts = { .tv_nsec = NAP_MIN_NS };

	if (turn < TURNS_HOT)
		return;
	if (turn < TURNS_YIELD) {
		sched_yield();
		return;
	}
	for (uint32_t t = TURNS_YIELD; t < turn && ts.tv_nsec < NAP_MAX_NS;
	     t += TURNS_HOT)
		ts.tv_nsec *= 2;
	if (ts.tv_nsec > NAP_MAX_NS)
		ts.tv_nsec = NAP_MAX_NS;
	nanosleep(&ts, NULL);
}

enum fp_status cuda_gpu_wait(struct cuda_gpu *g, const struct cuda_wait *w,
                             struct fp_err *err)
{
	enum fp_status status = FP_OK;
	cudaError_t e;

	for (uint32_t turn = 0; status == FP_OK; turn++) {
		e = cudaStreamQuery(g->stream);
		if (e != cudaErrorNotReady)
			return from_cuda(e, "GPU work", err);
		status = cuda_wait_check(w, err);
		cuda_wait_pause(turn);
	}
	return status;
}

enum fp_status cuda_gpu_begin(struct cuda_gpu *g, struct fp_err *err)
{
	return from_cuda(cudaEventRecord(g->begin, g->stream),
	                 "cudaEventRecord", err);
}

enum fp_status cuda_gpu_end(struct cuda_gpu *g, struct fp_err *err)
{
	return from_cuda(cudaEventRecord(g->end, g->stream), "cudaEventRecord",
	                 err);
}

enum fp_status cuda_gpu_seconds(struct cuda_gpu *g, double *ret_s,
                                struct fp_err *err)
{
	float ms = 0;
	cudaError_t e = cudaEventElapsedTime(&ms, g->begin, g->end);

	*ret_s = (double)ms / 1e3;
	return from_cuda(e, "cudaEventElapsedTime", err);
}

enum fp_status cuda_gpu_fill(struct cuda_gpu *g, void *buf, size_t n,
                             const struct cuda_pattern *p, struct fp_err *err)
{
	if (n == 0)
		return FP_OK;
	return from_cuda((cudaError_t)cuda_kernel_fill(buf, n, p, g->stream),
	                 "fill kernel", err);
}

enum fp_status cuda_gpu_spoil(struct cuda_gpu *g, void *buf, size_t bytes,
                              struct fp_err *err)
{
	if (bytes == 0)
		return FP_OK;
	return from_cuda(cudaMemsetAsync(buf, SPOILT, bytes, g->stream),
	                 "cudaMemsetAsync", err);
}

static enum fp_status tally_copy(struct cuda_gpu *g, bool to_device,
                                 struct fp_err *err)
{
	size_t bytes = 2 * sizeof(*g->tally);
	void *dst = to_device ? g->tally : g->tally_here;
	const void *src = to_device ? g->tally_here : g->tally;

	return from_cuda(
		cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDefault, g->stream),
		"cudaMemcpyAsync", err);
}

enum fp_status cuda_gpu_tally_begin(struct cuda_gpu *g, struct fp_err *err)
{
	g->tally_here[0] = 0;
	g->tally_here[1] = UINT64_MAX;
	return tally_copy(g, true, err);
}

enum fp_status cuda_gpu_check(struct cuda_gpu *g, const void *buf, size_t n,
                              const struct cuda_pattern *p, struct fp_err *err)
{
	if (n == 0)
		return FP_OK;
	return from_cuda(
		(cudaError_t)cuda_kernel_check(buf, n, p, g->tally, g->stream),
		"check kernel", err);
}

enum fp_status cuda_gpu_tally(struct cuda_gpu *g, const struct cuda_wait *w,
                              uint64_t *ret_wrong, struct fp_err *err)
{
	return cuda_gpu_get(g, w, ret_wrong, err);
}

enum fp_status cuda_gpu_put(struct cuda_gpu *g, uint64_t value,
                            struct fp_err *err)
{
	g->tally_here[0] = value;
	return tally_copy(g, true, err);
}

enum fp_status cuda_gpu_get(struct cuda_gpu *g, const struct cuda_wait *w,
                            uint64_t *ret, struct fp_err *err)
{
	enum fp_status status = tally_copy(g, false, err);

	if (status == FP_OK)
		status = cuda_gpu_wait(g, w, err);
	*ret = g->tally_here[0];
	return status;
}
