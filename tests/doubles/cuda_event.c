// SPDX-License-Identifier: Apache-2.0
// libcudart's double: events carry a stream's modelled time.
#include <stdlib.h>

#include "tests/doubles/cuda_impl.h"

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *ret, unsigned flags)
{
	cudaError_t e = cu_enter("cudaEventCreateWithFlags");

	(void)flags;
	if (e != cudaSuccess)
		return e;
	*ret = calloc(1, sizeof(**ret));
	if (!*ret)
		return cu_fail(cudaErrorMemoryAllocation);
	pthread_mutex_init(&(*ret)->lock, NULL);
	pthread_cond_init(&(*ret)->moved, NULL);
	return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *ret)
{
	return cudaEventCreateWithFlags(ret, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
	if (!e)
		return cu_fail(cudaErrorInvalidResourceHandle);
	pthread_mutex_lock(&e->lock);
	while (e->done < e->asked)
		pthread_cond_wait(&e->moved, &e->lock);
	pthread_mutex_unlock(&e->lock);
	pthread_mutex_destroy(&e->lock);
	pthread_cond_destroy(&e->moved);
	free(e);
	return cu_enter("cudaEventDestroy");
}

static void run_record(struct cu_op *op)
{
	pthread_mutex_lock(&op->event->lock);
	op->event->t_s = op->stream->t_s;
	op->event->done = op->number;
	pthread_cond_broadcast(&op->event->moved);
	pthread_mutex_unlock(&op->event->lock);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	struct cu_op op = { .run = run_record, .event = event };
	cudaError_t e = cu_enter("cudaEventRecord");

	if (e != cudaSuccess)
		return e;
	pthread_mutex_lock(&event->lock);
	op.number = ++event->asked;
	pthread_mutex_unlock(&event->lock);
	return cu_push(stream, &op);
}

static void run_wait(struct cu_op *op)
{
	pthread_mutex_lock(&op->event->lock);
	while (op->event->done < op->number)
		pthread_cond_wait(&op->event->moved, &op->event->lock);
	if (op->event->t_s > op->stream->t_s)
		op->stream->t_s = op->event->t_s;
	pthread_mutex_unlock(&op->event->lock);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags)
{
	struct cu_op op = { .run = run_wait, .event = event };
	cudaError_t e = cu_enter("cudaStreamWaitEvent");

	(void)flags;
	if (e != cudaSuccess)
		return e;
	pthread_mutex_lock(&event->lock);
	op.number = event->asked;
	pthread_mutex_unlock(&event->lock);
	return cu_push(stream, &op);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	cudaError_t e = cu_enter("cudaEventQuery");
	bool done;

	if (e != cudaSuccess)
		return e;
	pthread_mutex_lock(&event->lock);
	done = event->done == event->asked;
	pthread_mutex_unlock(&event->lock);
	return done ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	pthread_mutex_lock(&event->lock);
	while (event->done < event->asked)
		pthread_cond_wait(&event->moved, &event->lock);
	pthread_mutex_unlock(&event->lock);
	return cu_enter("cudaEventSynchronize");
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	cudaError_t e = cu_enter("cudaEventElapsedTime");

	if (e != cudaSuccess)
		return e;
	if (start->done < start->asked || end->done < end->asked)
		return cudaErrorNotReady;
	*ms = (float)((end->t_s - start->t_s) * 1e3);
	return cudaSuccess;
}
