// SPDX-License-Identifier: Apache-2.0
// The CUDA transport: copies from one GPU of a host into another's memory.
//
// Each worker maps its peer's buffer and pushes into it. What they have to say
// to each other goes through shared memory of the host, not through the GPUs.
#include "probes/xport/cuda_impl.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "probes/xport/cuda_env.h"
#include "probes/xport/cuda_pattern.h"

#define ALIGN ((size_t)4096)

static enum fp_status cuda_probe(const struct xport_env *env,
                                 struct fp_err *err)
{
	enum fp_status status = xport_shm_ops.probe(env, err);

	cuda_env_prepare(env->setup);
	return status == FP_OK ? cuda_gpu_probe(err) : status;
}

static void cuda_close(struct xport *x)
{
	struct cuda *cu = (struct cuda *)x;

	if (!cu)
		return;
	xport_shm_ops.close(cu->words);
	if (cuda_load_off(&cu->load, NULL) != FP_OK)
		cu->broken = true;
	/* What never returns is left to the end of the process. */
	if (cu->broken)
		return;
	cuda_gpu_close(&cu->gpu);
	free(cu);
}

static enum fp_status cuda_open(const struct xport_env *env,
                                struct xport **ret_x, struct fp_err *err)
{
	struct cuda *cu = calloc(1, sizeof(*cu));
	enum fp_status status;

	if (!cu)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	cu->x.ops = &xport_cuda_ops;
	cu->env = env;
	status = xport_shm_ops.open(env, &cu->words, err);
	if (status == FP_OK)
		status = cuda_gpu_open(env->setup, &cu->gpu, err);
	if (status != FP_OK) {
		cuda_close(&cu->x);
		return status;
	}
	memcpy(env->board->gpu, cu->gpu.bus, sizeof(env->board->gpu));
	*ret_x = &cu->x;
	return FP_OK;
}

static size_t padded(size_t bytes)
{
	return bytes / ALIGN * ALIGN + ALIGN;
}

static enum fp_status team_offer(struct xport *x, const struct xport_join *how,
                                 struct wire_endpoint *ret, struct fp_err *err)
{
	struct cuda *cu = (struct cuda *)x;
	const struct trial *t = how->trial;
	enum fp_status status;

	if (!trial_is_pair(t) || t->op == OP_DATAGRAM)
		return fp_err_set(err, FP_ERR_NOTSUP,
		                  "copies between GPUs have no %s",
		                  trial_op_name(t->op));
	status = cuda_gpu_room(&cu->gpu, 2 * padded(t->bytes), err);
	if (status != FP_OK || trial_is_alone(t))
		return status;
	return xport_shm_ops.listen(cu->words, t, 1, &ret->shm, err);
}

static void team_withdraw(struct xport *x)
{
	xport_shm_ops.unlisten(((struct cuda *)x)->words);
}

static enum fp_status words_connect(struct cuda_team *t, struct fp_err *err)
{
	const struct xport_join *how = &t->how;
	const struct xport_peer peer = {
		.trial = how->trial,
		.me = how->me,
		.peer = 1 - how->me,
		.side = how->me == 0 ? XPORT_ACTIVE : XPORT_PASSIVE,
		.tx_bytes = sizeof(struct cuda_note),
		.blob = &how->peers[1 - how->me].shm,
		.deadline_ns = how->connect_ns,
	};

	if (how->peers[1 - how->me].trial != how->trial->id)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "GO came without the endpoint of rank %d",
		                  (int)how->members[1 - how->me]);
	return xport_shm_ops.connect(t->cu->words, &peer, &t->ep, err);
}

enum fp_status cuda_swap(struct cuda_team *t, struct cuda_note *note,
                         struct fp_err *err)
{
	struct cuda_note theirs = { .value = 0 };
	const struct xport_step step = {
		.to = t->ep,
		.tx_len = sizeof(*note),
		.from = t->ep,
		.rbuf = &theirs,
		.rx_len = sizeof(theirs),
		.deadline_ns = t->wait.deadline_ns,
	};
	enum fp_status status;

	memcpy(xport_shm_ops.tx_region(t->ep), note, sizeof(*note));
	status = xport_shm_ops.step(&step, err);
	if (status == FP_OK)
		*note = theirs;
	return status;
}

/* Whether both GPUs are visible here and the driver lets one reach the
 * other; -1: it cannot be asked. */
static int32_t peer_access(const struct cuda_team *t, const char *bus)
{
	int dev = -1, can = 0;

	if (cudaDeviceGetByPCIBusId(&dev, bus) != cudaSuccess ||
	    cudaDeviceCanAccessPeer(&can, t->cu->gpu.dev, dev) != cudaSuccess) {
		(void)cudaGetLastError();
		return -1;
	}
	return can;
}

static enum fp_status peer_map(struct cuda_team *t,
                               const struct cuda_note *theirs,
                               struct fp_err *err)
{
	cudaIpcMemHandle_t handle;
	cudaError_t e;

	if (strcmp(theirs->bus, t->cu->gpu.bus) == 0)
		return fp_err_set(err, FP_ERR_LIB,
		                  "ranks %d and %d share GPU %s",
		                  (int)t->how.members[0],
		                  (int)t->how.members[1], theirs->bus);
	t->peer_access = peer_access(t, theirs->bus);
	memcpy(&handle, theirs->handle, sizeof(handle));
	e = cudaIpcOpenMemHandle((void **)&t->theirs, handle,
	                         cudaIpcMemLazyEnablePeerAccess);
	if (e == cudaSuccess)
		return FP_OK;
	(void)cudaGetLastError();
	return cuda_fail((int)e, "map the peer's GPU memory", err);
}

/* Both tell where their buffer is, map the other's, and say whether they
 * could: neither waits for one that has given up. */
static enum fp_status peers_map(struct cuda_team *t, struct fp_err *err)
{
	struct cuda_note note = { .value = 0 };
	cudaIpcMemHandle_t handle;
	cudaError_t e = cudaIpcGetMemHandle(&handle, t->cu->gpu.arena);
	enum fp_status status, mine;

	if (e != cudaSuccess)
		return cuda_fail((int)e, "cudaIpcGetMemHandle", err);
	memcpy(note.handle, &handle, sizeof(handle));
	memcpy(note.bus, t->cu->gpu.bus, sizeof(note.bus));
	status = cuda_swap(t, &note, err);
	if (status != FP_OK)
		return status;
	note.bus[sizeof(note.bus) - 1] = '\0';
	mine = peer_map(t, &note, err);
	note = (struct cuda_note){ .value = (uint64_t)mine };
	if (mine != FP_OK) {
		(void)cuda_swap(t, &note, &(struct fp_err){ 0 });
		return mine;
	}
	status = cuda_swap(t, &note, err);
	if (status == FP_OK && note.value != FP_OK)
		status = fp_err_set(err, FP_ERR_NOTSUP,
		                    "rank %d could not map this GPU's memory",
		                    (int)t->how.members[1 - t->how.me]);
	return status;
}

static enum fp_status team_join(struct xport *x, const struct xport_join *how,
                                struct xport_team **ret, struct fp_err *err)
{
	struct cuda *cu = (struct cuda *)x;
	struct cuda_team *t = calloc(1, sizeof(*t));
	enum fp_status status;

	if (!t)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	t->t.ops = &cuda_team_ops;
	t->t.op_bytes = how->trial->bytes;
	t->t.receives = how->me == 1 || how->trial->dir == DIR_BI;
	t->cu = cu;
	t->how = *how;
	t->type = how->trial->bytes % 4 ? CUDA_TYPE_UINT8 : CUDA_TYPE_UINT32;
	t->count = how->trial->bytes / cuda_type_bytes(t->type);
	t->wait = (struct cuda_wait){ .board = how->board,
		                      .trial = how->trial->id,
		                      .deadline_ns = how->deadline_ns };
	t->peer_access = -1;
	t->in = cu->gpu.arena;
	t->out_off = padded(how->trial->bytes);
	*ret = &t->t;
	status = words_connect(t, err);
	team_withdraw(x);
	return status == FP_OK ? peers_map(t, err) : status;
}

static enum fp_status cuda_busy(struct xport *x, bool on, struct fp_err *err)
{
	struct cuda *cu = (struct cuda *)x;
	enum fp_status status;

	if (on)
		return cuda_load_on(&cu->load, cu->gpu.dev, err);
	status = cuda_load_off(&cu->load, err);
	cu->broken |= status != FP_OK;
	return status;
}

const struct xport_ops xport_cuda_ops = {
	.name = "cuda",
	.id = XPORT_CUDA,
	.caps = XPORT_CAP_P2P | XPORT_CAP_CUDA_MEM | XPORT_CAP_SAME_HOST,
	.probe = cuda_probe,
	.open = cuda_open,
	.close = cuda_close,
	.team = &cuda_team_ops,
	.local = cuda_local,
	.error = cuda_gpu_error,
	.busy = cuda_busy,
};

const struct xport_team_ops cuda_team_ops = {
	.offer = team_offer,
	.withdraw = team_withdraw,
	.join = team_join,
	.fill = cuda_team_fill,
	.run = cuda_team_run,
	.most = cuda_team_most,
	.check = cuda_team_check,
	.counters = cuda_team_counters,
	.leave = cuda_team_leave,
};
