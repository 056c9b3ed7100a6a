// SPDX-License-Identifier: Apache-2.0
// Keeps a GPU busy while something else is measured.
#include "probes/xport/cuda_load.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "probes/xport/cuda_gpu.h"
#include "probes/xport/cuda_kernel.h"
#include "topo/base/clock.h"

#define KERNEL_THREADS (1u << 24) /* 0.67 TFLOP: some milliseconds */
#define BURST 4u                  /* kernels between two looks */
#define BURSTS 2u                 /* one runs, one waits */
#define LOOK_NS 20000000L         /* less than a burst takes */
#define END_S 2.0

struct cuda_load {
	pthread_t thread;
	int dev;
	struct CUstream_st *stream;
	struct CUevent_st *done[BURSTS];
	float *out;
	_Atomic bool stop, ended;
	_Atomic int code; /* a cudaError_t that ended it */
};

static void pause_for(long ns)
{
	const struct timespec ts = { .tv_nsec = ns };

	nanosleep(&ts, NULL);
}

static cudaError_t burst(struct cuda_load *l, unsigned turn)
{
	cudaError_t e = cudaSuccess;

	for (unsigned i = 0; i < BURST && e == cudaSuccess; i++)
		e = (cudaError_t)cuda_kernel_burn(l->out, CUDA_BURN_ROUNDS,
		                                  KERNEL_THREADS, l->stream);
	return e == cudaSuccess ? cudaEventRecord(l->done[turn], l->stream) : e;
}

static void *load_main(void *arg)
{
	struct cuda_load *l = arg;
	cudaError_t e = cudaSetDevice(l->dev);
	unsigned turn = 0;

	while (e == cudaSuccess && !atomic_load(&l->stop)) {
		e = cudaEventQuery(l->done[turn]);
		if (e == cudaSuccess) {
			e = burst(l, turn);
			turn = (turn + 1) % BURSTS;
		} else if (e == cudaErrorNotReady) {
			e = cudaSuccess;
		}
		pause_for(LOOK_NS);
	}
	while (e == cudaSuccess || e == cudaErrorNotReady) {
		e = cudaStreamQuery(l->stream);
		if (e == cudaSuccess)
			break;
		pause_for(LOOK_NS);
	}
	atomic_store(&l->code, (int)e);
	atomic_store(&l->ended, true);
	return NULL;
}

/* Of a load whose thread does not run. */
static void load_free(struct cuda_load *l)
{
	for (unsigned i = 0; i < BURSTS; i++)
		if (l->done[i])
			(void)cudaEventDestroy(l->done[i]);
	if (l->stream)
		(void)cudaStreamDestroy(l->stream);
	if (l->out)
		(void)cudaFree(l->out);
	free(l);
}

static cudaError_t load_make(struct cuda_load *l)
{
	int least = 0, greatest = 0;
	cudaError_t e = cudaDeviceGetStreamPriorityRange(&least, &greatest);

	if (e == cudaSuccess)
		e = cudaStreamCreateWithPriority(&l->stream,
		                                 cudaStreamNonBlocking, least);
	for (unsigned i = 0; i < BURSTS && e == cudaSuccess; i++)
		e = cudaEventCreateWithFlags(&l->done[i],
		                             cudaEventDisableTiming);
	if (e == cudaSuccess)
		e = cudaMalloc((void **)&l->out,
		               FPK_BURN_OUT * sizeof(*l->out));
	return e;
}

static enum fp_status load_check(const struct cuda_load *l, struct fp_err *err)
{
	if (!atomic_load(&l->ended))
		return FP_OK;
	return cuda_fail(atomic_load(&l->code), "load in the background", err);
}

enum fp_status cuda_load_on(struct cuda_load **load, int dev,
                            struct fp_err *err)
{
	struct cuda_load *l;
	cudaError_t e;

	if (*load)
		return load_check(*load, err);
	l = calloc(1, sizeof(*l));
	if (!l)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a load");
	l->dev = dev;
	e = load_make(l);
	if (e != cudaSuccess) {
		load_free(l);
		return cuda_fail((int)e, "load in the background", err);
	}
	if (pthread_create(&l->thread, NULL, load_main, l) != 0) {
		load_free(l);
		return fp_err_set(err, FP_ERR_LIMIT, "no thread for a load");
	}
	*load = l;
	return FP_OK;
}

enum fp_status cuda_load_off(struct cuda_load **load, struct fp_err *err)
{
	const int64_t deadline_ns = fp_after_ns(END_S);
	struct cuda_load *l = *load;

	if (!l)
		return FP_OK;
	*load = NULL;
	atomic_store(&l->stop, true);
	while (!atomic_load(&l->ended) && fp_now_ns() < deadline_ns)
		pause_for(LOOK_NS / 10);
	if (!atomic_load(&l->ended)) {
		(void)pthread_detach(l->thread);
		return fp_err_set(err, FP_ERR_TIMEOUT,
		                  "the load on the GPU does not end");
	}
	(void)pthread_join(l->thread, NULL);
	load_free(l);
	return FP_OK;
}
