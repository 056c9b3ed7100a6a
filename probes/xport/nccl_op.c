// SPDX-License-Identifier: Apache-2.0
// A trial's operations as calls of NCCL.
#include <nccl.h>

#include "probes/xport/cuda_pattern.h"
#include "probes/xport/nccl_impl.h"

int nccl_op_type(unsigned type)
{
	static const ncclDataType_t types[CUDA_TYPE_COUNT] = {
		[CUDA_TYPE_FLOAT] = ncclFloat32,
		[CUDA_TYPE_HALF] = ncclFloat16,
		[CUDA_TYPE_BFLOAT16] = ncclBfloat16,
		[CUDA_TYPE_DOUBLE] = ncclFloat64,
		[CUDA_TYPE_INT8] = ncclInt8,
		[CUDA_TYPE_UINT8] = ncclUint8,
		[CUDA_TYPE_INT32] = ncclInt32,
		[CUDA_TYPE_UINT32] = ncclUint32,
		[CUDA_TYPE_INT64] = ncclInt64,
	};

	return (int)types[type < CUDA_TYPE_COUNT ? type : 0];
}

size_t nccl_room_count(enum nccl_room room, uint32_t n, size_t count)
{
	size_t all;

	if (room == NCCL_NONE)
		return 0;
	if (room == NCCL_ONE)
		return count;
	return __builtin_mul_overflow(count, n, &all) ? SIZE_MAX : all;
}

static ncclDataType_t type_of(const struct nccl_team *t)
{
	return (ncclDataType_t)t->nccl_type;
}

static size_t block(const struct nccl_team *t, uint32_t i)
{
	return t->count * i * cuda_type_bytes(t->type);
}

static ncclResult_t send_to(const struct nccl_team *t, uint32_t peer,
                            const uint8_t *from)
{
	return ncclSend(from, t->count, type_of(t), (int)peer, t->nc->comm,
	                t->nc->gpu.stream);
}

static ncclResult_t receive_from(const struct nccl_team *t, uint32_t peer,
                                 uint8_t *to)
{
	return ncclRecv(to, t->count, type_of(t), (int)peer, t->nc->comm,
	                t->nc->gpu.stream);
}

/* The worst of a group's codes: the calls inside it say OK until its end. */
static int group_end(ncclResult_t rc)
{
	ncclResult_t end = ncclGroupEnd();

	return (int)(rc == ncclSuccess ? end : rc);
}

static int exchange(const struct nccl_team *t, uint32_t to, uint32_t from)
{
	ncclResult_t rc = ncclGroupStart();

	if (rc != ncclSuccess)
		return (int)rc;
	rc = send_to(t, to, t->in);
	if (rc == ncclSuccess)
		rc = receive_from(t, from, t->out);
	return group_end(rc);
}

static int call_write(const struct nccl_team *t)
{
	uint32_t peer = 1 - t->me;

	if (t->how.trial->dir == DIR_BI)
		return exchange(t, peer, peer);
	return (int)(t->me == 0 ? send_to(t, peer, t->in)
	                        : receive_from(t, peer, t->out));
}

static int call_latency(const struct nccl_team *t)
{
	uint32_t peer = 1 - t->me;
	ncclResult_t rc = t->me == 0 ? send_to(t, peer, t->in)
	                             : receive_from(t, peer, t->out);

	if (rc != ncclSuccess && rc != ncclInProgress)
		return (int)rc;
	return (int)(t->me == 0 ? receive_from(t, peer, t->out)
	                        : send_to(t, peer, t->in));
}

static int call_sendrecv(const struct nccl_team *t)
{
	return exchange(t, (t->me + 1) % t->n, (t->me + t->n - 1) % t->n);
}

static int call_alltoall(const struct nccl_team *t)
{
	ncclResult_t rc = ncclGroupStart();

	if (rc != ncclSuccess)
		return (int)rc;
	for (uint32_t p = 0; p < t->n && rc == ncclSuccess; p++) {
		rc = send_to(t, p, t->in + block(t, p));
		if (rc == ncclSuccess)
			rc = receive_from(t, p, t->out + block(t, p));
	}
	return group_end(rc);
}

static ncclRedOp_t redop_of(const struct nccl_team *t)
{
	static const ncclRedOp_t redops[REDOP_COUNT] = {
		[REDOP_SUM] = ncclSum,
		[REDOP_MAX] = ncclMax,
		[REDOP_MIN] = ncclMin,
	};

	return redops[t->how.trial->redop < REDOP_COUNT ? t->how.trial->redop
	                                                : REDOP_SUM];
}

static int call_allreduce(const struct nccl_team *t)
{
	return (int)ncclAllReduce(t->in, t->out, t->count, type_of(t),
	                          redop_of(t), t->nc->comm, t->nc->gpu.stream);
}

static int call_allgather(const struct nccl_team *t)
{
	return (int)ncclAllGather(t->in, t->out, t->count, type_of(t),
	                          t->nc->comm, t->nc->gpu.stream);
}

static int call_reducescatter(const struct nccl_team *t)
{
	return (int)ncclReduceScatter(t->in, t->out, t->count, type_of(t),
	                              redop_of(t), t->nc->comm,
	                              t->nc->gpu.stream);
}

static int call_broadcast(const struct nccl_team *t)
{
	return (int)ncclBroadcast(t->in, t->out, t->count, type_of(t),
	                          (int)t->root, t->nc->comm, t->nc->gpu.stream);
}

static const struct nccl_op ops[OP_COUNT] = {
	[OP_WRITE] = { NCCL_ONE, NCCL_ONE, false, false, call_write },
	[OP_LATENCY] = { NCCL_ONE, NCCL_ONE, false, false, call_latency },
	[OP_ALLREDUCE] = { NCCL_ONE, NCCL_ONE, true, true, call_allreduce },
	[OP_ALLGATHER] = { NCCL_ONE, NCCL_ALL, false, true, call_allgather },
	[OP_REDUCESCATTER] = { NCCL_ALL, NCCL_ONE, true, true,
	                       call_reducescatter },
	[OP_BROADCAST] = { NCCL_ONE, NCCL_ONE, false, true, call_broadcast },
	[OP_ALLTOALL] = { NCCL_ALL, NCCL_ALL, false, false, call_alltoall },
	[OP_SENDRECV] = { NCCL_ONE, NCCL_ONE, false, false, call_sendrecv },
};

const struct nccl_op *nccl_op_find(unsigned op)
{
	return op < OP_COUNT && ops[op].call ? &ops[op] : NULL;
}
