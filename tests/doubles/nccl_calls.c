// SPDX-License-Identifier: Apache-2.0
// libnccl's double: the calls that begin an operation.
#include "tests/doubles/nccl_impl.h"

static ncclResult_t begin(const char *name, const struct nc_op *op)
{
	ncclResult_t rc = nc_call(name);

	return rc == ncclSuccess ? nc_enqueue(op) : rc;
}

ncclResult_t ncclSend(const void *buf, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t comm, cudaStream_t stream)
{
	const struct nc_op op = { .kind = NC_SEND,
		                  .comm = comm,
		                  .stream = stream,
		                  .send = buf,
		                  .count = count,
		                  .type = type,
		                  .peer = peer };

	return begin("ncclSend", &op);
}

ncclResult_t ncclRecv(void *buf, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream)
{
	const struct nc_op op = { .kind = NC_RECV,
		                  .comm = comm,
		                  .stream = stream,
		                  .recv = buf,
		                  .count = count,
		                  .type = type,
		                  .peer = peer };

	return begin("ncclRecv", &op);
}

/* NOLINTNEXTLINE(readability-function-size) */
ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count,
                           ncclDataType_t type, ncclRedOp_t redop,
                           ncclComm_t comm, cudaStream_t stream)
{
	const struct nc_op op = { .kind = NC_ALLREDUCE,
		                  .comm = comm,
		                  .stream = stream,
		                  .send = send,
		                  .recv = recv,
		                  .count = count,
		                  .type = type,
		                  .redop = redop };

	return begin("ncclAllReduce", &op);
}

ncclResult_t ncclAllGather(const void *send, void *recv, size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream)
{
	const struct nc_op op = { .kind = NC_ALLGATHER,
		                  .comm = comm,
		                  .stream = stream,
		                  .send = send,
		                  .recv = recv,
		                  .count = count,
		                  .type = type };

	return begin("ncclAllGather", &op);
}

/* NOLINTNEXTLINE(readability-function-size) */
ncclResult_t ncclReduceScatter(const void *send, void *recv, size_t count,
                               ncclDataType_t type, ncclRedOp_t redop,
                               ncclComm_t comm, cudaStream_t stream)
{
	const struct nc_op op = { .kind = NC_REDUCESCATTER,
		                  .comm = comm,
		                  .stream = stream,
		                  .send = send,
		                  .recv = recv,
		                  .count = count,
		                  .type = type,
		                  .redop = redop };

	return begin("ncclReduceScatter", &op);
}

/* NOLINTNEXTLINE(readability-function-size) */
ncclResult_t ncclBroadcast(const void *send, void *recv, size_t count,
                           ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream)
{
	const struct nc_op op = { .kind = NC_BROADCAST,
		                  .comm = comm,
		                  .stream = stream,
		                  /* only the root has to have one */
		                  .send = send ? send : recv,
		                  .recv = recv,
		                  .count = count,
		                  .type = type,
		                  .peer = root };

	return begin("ncclBroadcast", &op);
}

/* NOLINTNEXTLINE(readability-function-size) */
ncclResult_t ncclReduce(const void *send, void *recv, size_t count,
                        ncclDataType_t type, ncclRedOp_t redop, int root,
                        ncclComm_t comm, cudaStream_t stream)
{
	const struct nc_op op = { .kind = NC_REDUCE,
		                  .comm = comm,
		                  .stream = stream,
		                  .send = send,
		                  .recv = recv ? recv : (void *)(uintptr_t)send,
		                  .count = count,
		                  .type = type,
		                  .redop = redop,
		                  .peer = root };

	return begin("ncclReduce", &op);
}
