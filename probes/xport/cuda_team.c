// SPDX-License-Identifier: Apache-2.0
// Copies between two GPUs: pushed by one worker, seen by both.
#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "probes/xport/cuda_impl.h"
#include "probes/xport/cuda_pattern.h"

_Static_assert(sizeof(cudaIpcMemHandle_t) == CUDA_HANDLE_BYTES,
               "CUDA's own size");

static bool pushes(const struct cuda_team *t)
{
	return t->how.me == 0 || t->how.trial->dir == DIR_BI;
}

static struct cuda_pattern words_of(const struct cuda_team *t, uint32_t who)
{
	return cuda_pattern_words(t->how.trial->seed, who, t->type);
}

enum fp_status cuda_team_fill(struct xport_team *team, struct fp_err *err)
{
	struct cuda_team *t = (struct cuda_team *)team;
	struct cuda_gpu *g = &t->cu->gpu;
	const struct cuda_pattern p = words_of(t, t->how.me);
	struct cuda_note note = { .value = 0 };
	enum fp_status status;

	status = cuda_gpu_spoil(g, g->arena + t->out_off, team->op_bytes, err);
	if (status == FP_OK)
		status = cuda_gpu_fill(g, t->in, t->count, &p, err);
	if (status == FP_OK)
		status = cuda_gpu_wait(g, &t->wait, err);
	/* Nobody pushes into what is not ready yet. */
	return status == FP_OK ? cuda_swap(t, &note, err) : status;
}

static enum fp_status push(struct cuda_team *t, uint32_t n, double *ret_s,
                           struct fp_err *err)
{
	struct cuda_gpu *g = &t->cu->gpu;
	enum fp_status status = cuda_gpu_begin(g, err);
	cudaError_t e = cudaSuccess;

	for (uint32_t i = 0; i < n && status == FP_OK && e == cudaSuccess; i++)
		e = cudaMemcpyAsync(t->theirs + t->out_off, t->in,
		                    t->t.op_bytes, cudaMemcpyDeviceToDevice,
		                    g->stream);
	if (e != cudaSuccess)
		return cuda_fail((int)e, "copy to the peer", err);
	if (status == FP_OK)
		status = cuda_gpu_end(g, err);
	if (status == FP_OK)
		status = cuda_gpu_wait(g, &t->wait, err);
	return status == FP_OK ? cuda_gpu_seconds(g, ret_s, err) : status;
}

/* Each end reports on what came to it, or in a one-way trial, on the same
 * copies as the other. A latency is that of a small copy, one way. */
enum fp_status cuda_team_run(struct xport_team *team, uint32_t n, double *ret_s,
                             struct fp_err *err)
{
	struct cuda_team *t = (struct cuda_team *)team;
	bool ping = t->how.trial->op == OP_LATENCY;
	struct cuda_note note = { .value = n };
	enum fp_status status = FP_OK;
	double mine_s = 0;

	if (pushes(t))
		status = push(t, n, &mine_s, err);
	note.seconds = mine_s;
	if (status == FP_OK)
		status = cuda_swap(t, &note, err);
	if (status == FP_OK && note.value != n)
		status = fp_err_set(err, FP_ERR_PROTO,
		                    "the peer counts %llu copies, not %u",
		                    (unsigned long long)note.value, n);
	*ret_s = team->receives ? note.seconds : mine_s;
	/* The measuring loop halves what it takes for a round trip. */
	if (ping)
		*ret_s *= 2;
	return status;
}

enum fp_status cuda_team_most(struct xport_team *team, uint64_t *value,
                              struct fp_err *err)
{
	struct cuda_team *t = (struct cuda_team *)team;
	struct cuda_note note = { .value = *value };
	enum fp_status status = cuda_swap(t, &note, err);

	if (status == FP_OK && note.value > *value)
		*value = note.value;
	return status;
}

enum fp_status cuda_team_check(struct xport_team *team, uint64_t *ret_wrong,
                               struct fp_err *err)
{
	struct cuda_team *t = (struct cuda_team *)team;
	struct cuda_gpu *g = &t->cu->gpu;
	const struct cuda_pattern p = words_of(t, 1 - t->how.me);
	enum fp_status status = cuda_gpu_tally_begin(g, err);

	if (status == FP_OK && team->receives)
		status = cuda_gpu_check(g, g->arena + t->out_off, t->count, &p,
		                        err);
	if (status == FP_OK)
		status = cuda_gpu_tally(g, &t->wait, ret_wrong, err);
	*ret_wrong *= cuda_type_bytes(t->type);
	return status;
}

void cuda_team_counters(struct xport_team *team, struct outcome *o)
{
	const struct cuda_team *t = (const struct cuda_team *)team;

	if (t->peer_access >= 0)
		outcome_put(o, COUNTER_PEER_ACCESS, t->peer_access);
}

void cuda_team_leave(struct xport_team *team, bool sound)
{
	struct cuda_team *t = (struct cuda_team *)team;

	if (!t)
		return;
	if (t->theirs && sound)
		(void)cudaIpcCloseMemHandle(t->theirs);
	if (!sound)
		t->cu->broken = true;
	if (t->ep)
		xport_shm_ops.ep_close(t->ep);
	free(t);
}
