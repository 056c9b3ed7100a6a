// SPDX-License-Identifier: Apache-2.0
// libcudart's double: what nvcc's objects call to register and start kernels.
#include <stdlib.h>
#include <string.h>

#include "tests/doubles/cuda_impl.h"
#include "tests/doubles/path.h"

#define FUNCTIONS_MAX 64
#define CONFIGS_MAX 8

/* These are what nvcc's host code names; no header declares them for C. */
void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device,
                            const char *name, int limit, uint3 *tid, uint3 *bid,
                            dim3 *block, dim3 *grid, int *size);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **args, size_t shared, cudaStream_t stream);

struct config {
	dim3 grid, block;
	size_t shared;
	struct CUstream_st *stream;
};

static struct {
	const void *host;
	const struct cu_kernel *kernel;
} functions[FUNCTIONS_MAX]; /* filled before main() */
static size_t n_functions;
static _Thread_local struct config configs[CONFIGS_MAX];
static _Thread_local unsigned n_configs;

void **__cudaRegisterFatBinary(void *binary)
{
	static void *handle;

	(void)binary;
	return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
	(void)handle;
}

char __cudaInitModule(void **handle)
{
	(void)handle;
	return 1;
}

/* NOLINTNEXTLINE(readability-function-size) */
void __cudaRegisterFunction(void **handle, const char *host, char *device,
                            const char *name, int limit, uint3 *tid, uint3 *bid,
                            dim3 *block, dim3 *grid, int *size)
{
	(void)handle;
	(void)device;
	(void)limit;
	(void)tid;
	(void)bid;
	(void)block;
	(void)grid;
	(void)size;
	if (n_functions == FUNCTIONS_MAX)
		return;
	functions[n_functions].host = host;
	functions[n_functions++].kernel = cu_kernel_named(name);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     struct CUstream_st *stream)
{
	if (n_configs == CONFIGS_MAX)
		return 1;
	configs[n_configs++] = (struct config){ grid, block, shared, stream };
	return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream)
{
	const struct config *c;

	if (n_configs == 0)
		return cu_fail(cudaErrorUnknown);
	c = &configs[--n_configs];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	memcpy(stream, &c->stream, sizeof(c->stream));
	return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host)
{
	for (size_t i = 0; i < n_functions; i++) {
		if (functions[i].host != host || !functions[i].kernel)
			continue;
		memcpy(kernel, &functions[i].kernel, sizeof(*kernel));
		return cudaSuccess;
	}
	return cu_fail(cudaErrorNoKernelImageForDevice);
}

static void run_kernel(struct cu_op *op)
{
	op->kernel->run(op->grid, op->block, op->args);
}

static void args_free(struct cu_op *op)
{
	for (size_t i = 0; op->args[i]; i++)
		free(op->args[i]);
}

/* The caller's arguments lie on its stack: they are copied now. */
static bool args_copy(const struct cu_kernel *k, void **args, struct cu_op *op)
{
	for (size_t i = 0; k->sizes[i]; i++) {
		op->args[i] = malloc(k->sizes[i]);
		if (!op->args[i])
			return false;
		memcpy(op->args[i], args[i], k->sizes[i]);
	}
	return true;
}

/* Kernels heat a GPU: it, or its links, fail from a time on. */
static void heat(double cost_s)
{
	static _Atomic int64_t busy_ns; /* of this process, which has one GPU */
	const struct fpd_world *w = fpd_world();
	struct fpd_end at = fpd_current();
	const struct fpd_fault *f;

	busy_ns += (int64_t)(cost_s * 1e9);
	for (unsigned i = 0; i < w->n_faults; i++) {
		f = &w->faults[i];
		if (fpd_fault_at(f, at.host, at.gpu) && !fpd_fault_ripe(f) &&
		    (double)busy_ns / 1e9 > f->busy_s)
			(void)fpd_count_fault(f);
	}
}

static cudaError_t launch(const struct cu_kernel *k, struct config c,
                          void **args)
{
	const struct fpd_world *w = fpd_world();
	struct cu_op op = { .run = run_kernel,
		            .done = args_free,
		            .kernel = k,
		            .grid = c.grid,
		            .block = c.block };
	double slower = fpd_gpu_factor(fpd_current());
	cudaError_t e = cu_enter("cudaLaunchKernel");

	if (e == cudaSuccess && !args_copy(k, args, &op))
		e = cu_fail(cudaErrorMemoryAllocation);
	op.cost_s = w->launch_s + k->cost_s((double)c.grid.x * c.block.x, args,
	                                    w->gpu.hbm_Bps / slower,
	                                    w->gpu.flops / slower);
	heat(op.cost_s);
	if (e == cudaSuccess)
		e = cu_push(c.stream, &op);
	if (e != cudaSuccess)
		args_free(&op);
	return e;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **args, size_t shared, cudaStream_t stream)
{
	const struct config c = { grid, block, shared, stream };
	const struct cu_kernel *k;

	memcpy(&k, &kernel, sizeof(k));
	return launch(k, c, args);
}

cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block,
                             void **args, size_t shared, cudaStream_t stream)
{
	cudaKernel_t kernel;
	cudaError_t e = __cudaGetKernel(&kernel, func);

	if (e != cudaSuccess)
		return e;
	return __cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}
