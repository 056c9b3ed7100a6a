// SPDX-License-Identifier: Apache-2.0
// libcudart's double: a stream is a thread that does one thing after another
// and counts what it would have taken on its modelled clock.
#include <stdlib.h>
#include <string.h>

#include "tests/doubles/cuda_impl.h"

static struct CUstream_st *own_streams[FPD_GPUS_MAX]; /* under own_lock */
static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct CUstream_st *running; /* in a stream's thread */

double fpd_clock(void)
{
	return running ? running->t_s : 0;
}

void fpd_clock_set(double t_s)
{
	if (running)
		running->t_s = t_s;
}

static struct cu_op *op_next(struct CUstream_st *s)
{
	struct cu_op *op;

	pthread_mutex_lock(&s->lock);
	s->busy = false;
	if (!s->head)
		pthread_cond_broadcast(&s->idle);
	while (!s->head && !s->stop)
		pthread_cond_wait(&s->more, &s->lock);
	op = s->head;
	if (op) {
		s->head = op->next;
		if (!s->head)
			s->tail = &s->head;
		s->busy = true;
	}
	pthread_mutex_unlock(&s->lock);
	return op;
}

static void *stream_main(void *arg)
{
	struct CUstream_st *s = arg;
	struct cu_op *op;

	running = s;
	(void)cudaSetDevice(s->dev);
	while ((op = op_next(s))) {
		op->run(op);
		s->t_s += op->cost_s;
		if (op->done)
			op->done(op);
		free(op);
	}
	return NULL;
}

static struct CUstream_st *stream_make(int dev)
{
	struct CUstream_st *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->dev = dev;
	s->tail = &s->head;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->more, NULL);
	pthread_cond_init(&s->idle, NULL);
	if (pthread_create(&s->thread, NULL, stream_main, s) == 0)
		return s;
	free(s);
	return NULL;
}

struct CUstream_st *cu_stream_of(cudaStream_t stream)
{
	int dev = cu_device();
	struct CUstream_st *own;

	if (stream)
		return stream;
	pthread_mutex_lock(&own_lock);
	if (!own_streams[dev])
		own_streams[dev] = stream_make(dev);
	own = own_streams[dev];
	pthread_mutex_unlock(&own_lock);
	return own;
}

cudaError_t cu_push(cudaStream_t stream, const struct cu_op *op)
{
	struct CUstream_st *s = cu_stream_of(stream);
	struct cu_op *copy = malloc(sizeof(*copy));

	if (!s || !copy) {
		free(copy);
		return cu_fail(cudaErrorMemoryAllocation);
	}
	*copy = *op;
	copy->stream = s;
	copy->next = NULL;
	pthread_mutex_lock(&s->lock);
	*s->tail = copy;
	s->tail = &copy->next;
	pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
	return cudaSuccess;
}

void cu_drain(struct CUstream_st *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->head || s->busy)
		pthread_cond_wait(&s->idle, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *ret, unsigned flags)
{
	cudaError_t e = cu_enter("cudaStreamCreateWithFlags");

	(void)flags;
	if (e != cudaSuccess)
		return e;
	*ret = stream_make(cu_device());
	return *ret ? cudaSuccess : cu_fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *ret, unsigned flags,
                                         int priority)
{
	(void)priority; /* each stream has the whole GPU */
	return cudaStreamCreateWithFlags(ret, flags);
}

cudaError_t cudaStreamCreate(cudaStream_t *ret)
{
	return cudaStreamCreateWithFlags(ret, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
	if (!s)
		return cu_fail(cudaErrorInvalidResourceHandle);
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->more);
	pthread_cond_destroy(&s->idle);
	free(s);
	return cu_enter("cudaStreamDestroy");
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	cudaError_t e = cu_enter("cudaStreamQuery");
	struct CUstream_st *s = cu_stream_of(stream);
	bool idle;

	if (e != cudaSuccess)
		return e;
	pthread_mutex_lock(&s->lock);
	idle = !s->head && !s->busy;
	pthread_mutex_unlock(&s->lock);
	return idle ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	cudaError_t e = cu_enter("cudaStreamSynchronize");

	if (e == cudaSuccess)
		cu_drain(cu_stream_of(stream));
	return e;
}

static void run_host(struct cu_op *op)
{
	op->fn(op->dst);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *arg)
{
	const struct cu_op op = { .run = run_host, .fn = fn, .dst = arg };
	cudaError_t e = cu_enter("cudaLaunchHostFunc");

	return e == cudaSuccess ? cu_push(stream, &op) : e;
}
