/* SPDX-License-Identifier: Apache-2.0 */
/* The insides of libcudart's double. */
#ifndef FP_TESTS_DOUBLES_CUDA_IMPL_H
#define FP_TESTS_DOUBLES_CUDA_IMPL_H

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/doubles/cuda_share.h"

/** cu_enter() - at the head of a call: may it go on? Also what is returned,
 * and kept for cudaGetLastError(). */
cudaError_t cu_enter(const char *call);

/** cu_fail() - keep @e as the thread's last error; returns it. */
cudaError_t cu_fail(cudaError_t e);

/** cu_device() - current device of this thread; cu_end_of() - which GPU
 * device @dev is. */
int cu_device(void);
struct fpd_end cu_end_of(int dev);

/** struct cu_block - an allocation, or a mapping of another process's. */
struct cu_block {
	uint8_t *p;
	size_t bytes;
	struct fpd_share share;
	bool mapped; /* belongs to another process */
};

/** cu_block_find() - a copy of the block that @p lies in; false: none. */
bool cu_block_find(const void *p, struct cu_block *ret);

/** cu_memory_used() - bytes allocated on GPU @gpu by this process. */
size_t cu_memory_used(int gpu);

struct cu_op;
typedef void (*cu_op_fn)(struct cu_op *op);

/** struct cu_op - what a stream does next; freed by the stream. */
struct cu_op {
	struct cu_op *next;
	struct CUstream_st *stream;
	cu_op_fn run;
	cu_op_fn done; /* frees what it owns; may be NULL */
	void *dst;
	const void *src;
	size_t bytes;
	int value;
	uint64_t number;
	double cost_s; /* of the modelled clock */
	struct CUevent_st *event;
	cudaHostFn_t fn;
	const struct cu_kernel *kernel;
	dim3 grid, block;
	void *args[12];
};

struct CUstream_st {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more, idle;
	struct cu_op *head, **tail;
	bool busy, stop;
	double t_s; /* the modelled clock; of the thread while it is busy */
	int dev;
};

struct CUevent_st {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	uint64_t asked, done; /* records asked for, and come to pass */
	double t_s;
};

/** cu_stream_of() - the stream that a handle means: 0 is the device's own. */
struct CUstream_st *cu_stream_of(cudaStream_t stream);

/** cu_push() - put a copy of @op behind what the stream has to do. */
cudaError_t cu_push(cudaStream_t stream, const struct cu_op *op);

/** cu_drain() - wait until the stream has nothing to do. */
void cu_drain(struct CUstream_st *s);

/** struct cu_kernel - a kernel as the host runs it. */
struct cu_kernel {
	const char *name;
	size_t sizes[12]; /* of its arguments; 0 ends */
	void (*run)(dim3 grid, dim3 block, void **args);
	/** on @threads threads */
	double (*cost_s)(double threads, void **args, double hbm_Bps,
	                 double flops);
};

/** cu_kernel_named() - or NULL. */
const struct cu_kernel *cu_kernel_named(const char *name);

#endif
