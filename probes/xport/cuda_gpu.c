// SPDX-License-Identifier: Apache-2.0
// Opens this rank's GPU, and says in words why it cannot.
#include "probes/xport/cuda_gpu.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "probes/trial/wire.h"

#define TALLY_WORDS 2
#define ARENA_STEP ((size_t)2 << 20)

/* Codes that say that this host's GPUs cannot be used, rather than that one
 * failed, and what to do. */
static const struct {
	cudaError_t code;
	const char *why;
} not_here[] = {
	{ cudaErrorInsufficientDriver,
	  "no NVIDIA driver, or one too old for this CUDA" },
	{ cudaErrorStubLibrary, "libcuda is the toolkit's stub" },
	{ cudaErrorNoDevice, "no GPU is visible" },
	{ cudaErrorDevicesUnavailable, "the GPU is in use, or prohibited" },
	{ cudaErrorInitializationError, "the driver does not start" },
	{ cudaErrorSystemNotReady,
	  "the NVSwitch fabric manager has not started" },
	{ cudaErrorSystemDriverMismatch,
	  "driver and libcuda are of different versions" },
	{ cudaErrorCompatNotSupportedOnDevice,
	  "forward compatibility is not for this GPU" },
	{ cudaErrorPeerAccessUnsupported,
	  "the driver refuses peer access between these two GPUs" },
};

enum fp_status cuda_fail(int code, const char *what, struct fp_err *err)
{
	cudaError_t e = (cudaError_t)code;

	if (e == cudaErrorMemoryAllocation)
		return fp_err_set(err, FP_ERR_LIMIT, "%s: out of GPU memory",
		                  what);
	for (size_t i = 0; i < sizeof(not_here) / sizeof(not_here[0]); i++)
		if (not_here[i].code == e)
			return fp_err_set(err, FP_ERR_NOTSUP, "%s: %s (%s)",
			                  what, not_here[i].why,
			                  cudaGetErrorName(e));
	return fp_err_set(err, FP_ERR_LIB, "%s: %s (%s, %d)", what,
	                  cudaGetErrorString(e), cudaGetErrorName(e), code);
}

int cuda_gpu_error(const struct xport *x)
{
	(void)x;
	return (int)cudaPeekAtLastError();
}

enum fp_status cuda_gpu_probe(struct fp_err *err)
{
	int n = 0;
	cudaError_t e = cudaGetDeviceCount(&n);

	if (e != cudaSuccess)
		return cuda_fail((int)e, "CUDA", err);
	return n > 0 ? FP_OK
	             : fp_err_set(err, FP_ERR_NOTSUP, "no GPU is visible");
}

static enum fp_status choose(const struct wire_setup *setup, struct cuda_gpu *g,
                             struct fp_err *err)
{
	int n = 0;
	cudaError_t e = cudaGetDeviceCount(&n);

	if (e != cudaSuccess)
		return cuda_fail((int)e, "cudaGetDeviceCount", err);
	if (n < 1)
		return fp_err_set(err, FP_ERR_NOTSUP, "no GPU is visible");
	/* One visible GPU was chosen by the launcher. Never another one than
	 * the last time, should one have fallen off the bus since. */
	if (n > 1 && setup->local_rank >= n)
		return fp_err_set(err, FP_ERR_LIB,
		                  "no GPU for rank %d of this host: %d are "
		                  "visible",
		                  (int)setup->local_rank, n);
	g->dev = n > 1 && setup->local_rank > 0 ? setup->local_rank : 0;
	e = cudaSetDevice(g->dev);
	if (e == cudaSuccess)
		e = cudaDeviceGetPCIBusId(g->bus, sizeof(g->bus), g->dev);
	return e == cudaSuccess ? FP_OK
	                        : cuda_fail((int)e, "cudaSetDevice", err);
}

static enum fp_status clock_make(struct cuda_gpu *g, struct fp_err *err)
{
	size_t bytes = TALLY_WORDS * sizeof(*g->tally);
	int least = 0, greatest = 0;
	cudaError_t e = cudaDeviceGetStreamPriorityRange(&least, &greatest);

	/* What is measured goes before a load in the background. */
	if (e == cudaSuccess)
		e = cudaStreamCreateWithPriority(
			&g->stream, cudaStreamNonBlocking, greatest);
	if (e == cudaSuccess)
		e = cudaEventCreateWithFlags(&g->begin, cudaEventDefault);
	if (e == cudaSuccess)
		e = cudaEventCreateWithFlags(&g->end, cudaEventDefault);
	if (e == cudaSuccess)
		e = cudaMalloc((void **)&g->tally, bytes);
	if (e == cudaSuccess)
		e = cudaMallocHost((void **)&g->tally_here, bytes);
	return e == cudaSuccess ? FP_OK
	                        : cuda_fail((int)e, "make a stream", err);
}

enum fp_status cuda_gpu_open(const struct wire_setup *setup,
                             struct cuda_gpu *ret, struct fp_err *err)
{
	enum fp_status status;

	*ret = (struct cuda_gpu){ 0 };
	status = choose(setup, ret, err);
	if (status == FP_OK)
		status = clock_make(ret, err);
	if (status == FP_OK)
		return FP_OK;
	cuda_gpu_close(ret);
	return status;
}

void cuda_gpu_close(struct cuda_gpu *g)
{
	if (g->arena)
		(void)cudaFree(g->arena);
	if (g->tally)
		(void)cudaFree(g->tally);
	if (g->tally_here)
		(void)cudaFreeHost(g->tally_here);
	if (g->end)
		(void)cudaEventDestroy(g->end);
	if (g->begin)
		(void)cudaEventDestroy(g->begin);
	if (g->stream)
		(void)cudaStreamDestroy(g->stream);
	*g = (struct cuda_gpu){ 0 };
}

enum fp_status cuda_gpu_room(struct cuda_gpu *g, size_t bytes,
                             struct fp_err *err)
{
	size_t room = (bytes + ARENA_STEP - 1) / ARENA_STEP * ARENA_STEP;
	cudaError_t e;

	if (room < bytes)
		return fp_err_set(err, FP_ERR_LIMIT, "%zu bytes are too many",
		                  bytes);
	if (room <= g->arena_bytes)
		return FP_OK;
	if (g->arena)
		(void)cudaFree(g->arena);
	g->arena = NULL;
	g->arena_bytes = 0;
	e = cudaMalloc((void **)&g->arena, room);
	if (e != cudaSuccess)
		return cuda_fail((int)e, "GPU buffers", err);
	g->arena_bytes = room;
	return FP_OK;
}
