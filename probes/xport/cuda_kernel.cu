// SPDX-License-Identifier: Apache-2.0
// The kernels for a GPU, and how they are started.
#include "probes/xport/cuda_kernel.h"

#define FPK_DEVICE static __device__ __forceinline__
#define FPK_KERNEL extern "C" __global__
#define FPK_FIRST ((size_t)blockIdx.x * blockDim.x + threadIdx.x)
#define FPK_STRIDE ((size_t)gridDim.x * blockDim.x)
#define FPK_ADD(p, v) atomicAdd((p), (v))
#define FPK_MIN(p, v) atomicMin((p), (v))

#include "probes/xport/cuda_kernel_body.h"

#define THREADS 256u
#define BLOCKS_MAX 1024u

static unsigned blocks_for(size_t n)
{
	size_t blocks = (n + THREADS - 1) / THREADS;

	return blocks < BLOCKS_MAX ? (unsigned)(blocks ? blocks : 1)
	                           : BLOCKS_MAX;
}

int cuda_kernel_fill(void *buf, size_t n, const struct cuda_pattern *p,
                     void *stream)
{
	fpk_fill<<<blocks_for(n), THREADS, 0, (cudaStream_t)stream>>>(buf, n,
	                                                              *p);
	return cudaGetLastError();
}

int cuda_kernel_check(const void *buf, size_t n, const struct cuda_pattern *p,
                      unsigned long long *tally, void *stream)
{
	fpk_check<<<blocks_for(n), THREADS, 0, (cudaStream_t)stream>>>(
		buf, n, *p, tally);
	return cudaGetLastError();
}

int cuda_kernel_burn(float *out, uint32_t rounds, uint32_t threads,
                     void *stream)
{
	/* Each of them does its own part: not one may be left out. */
	fpk_burn<<<(threads + THREADS - 1) / THREADS, THREADS, 0,
	           (cudaStream_t)stream>>>(out, rounds);
	return cudaGetLastError();
}
