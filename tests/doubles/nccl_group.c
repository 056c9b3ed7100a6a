// SPDX-License-Identifier: Apache-2.0
// libnccl's double: groups of calls, handed to streams.
#include <stdlib.h>
#include <string.h>

#include "tests/doubles/nccl_impl.h"

#define GROUP_MAX 2048

/* struct bundle - what a group asks of one communicator. */
struct bundle {
	struct ncclComm *comm;
	size_t n;
	struct nc_op ops[];
};

static _Thread_local struct nc_op group[GROUP_MAX];
static _Thread_local size_t n_group;
static _Thread_local int depth;

static bool is_message(const struct nc_op *op)
{
	return op->kind == NC_SEND || op->kind == NC_RECV;
}

/* Runs on the stream. What cannot end keeps the stream until the abort. */
static void bundle_run(void *arg)
{
	struct bundle *b = arg;
	struct ncclComm *c = b->comm;
	/* One that was aborted must not be seen to arrive any more. */
	bool good = !atomic_load(&c->abort) && nc_faults(c, b->ops, b->n);
	size_t i = 0, end;

	while (i < b->n && good) {
		end = i + 1;
		while (is_message(&b->ops[i]) && end < b->n &&
		       is_message(&b->ops[end]))
			end++;
		good = is_message(&b->ops[i]) ? nc_messages(&b->ops[i], end - i)
		                              : nc_collective(&b->ops[i]);
		i = end;
	}
	if (!good && !atomic_load(&c->abort))
		nc_stuck(c);
	atomic_fetch_sub(&c->pending, 1);
	free(b);
}

static ncclResult_t bundle_push(struct ncclComm *c)
{
	struct bundle *b = malloc(sizeof(*b) + n_group * sizeof(struct nc_op));
	cudaStream_t stream = NULL;

	if (!b)
		return nc_fail(ncclSystemError, "no memory");
	b->comm = c;
	b->n = 0;
	for (size_t i = 0; i < n_group; i++) {
		if (group[i].comm != c)
			continue;
		stream = group[i].stream;
		b->ops[b->n++] = group[i];
		group[i].comm = NULL;
	}
	atomic_fetch_add(&c->pending, 1);
	if (cudaLaunchHostFunc(stream, bundle_run, b) == cudaSuccess)
		return ncclSuccess;
	atomic_fetch_sub(&c->pending, 1);
	free(b);
	return nc_fail(ncclUnhandledCudaError, "Cuda failure '%s'",
	               cudaGetErrorString(cudaPeekAtLastError()));
}

/* The first operation of a communicator connects it, in the background. */
static ncclResult_t answer(struct ncclComm *c, ncclResult_t rc)
{
	bool first = !c->used;

	c->used = true;
	return rc == ncclSuccess && first && !c->blocking ? ncclInProgress : rc;
}

static ncclResult_t group_launch(void)
{
	ncclResult_t rc = ncclSuccess, got;

	for (size_t i = 0; i < n_group; i++) {
		struct ncclComm *c = group[i].comm;

		if (!c)
			continue;
		got = answer(c, bundle_push(c));
		if (rc == ncclSuccess || rc == ncclInProgress)
			rc = got == ncclSuccess ? rc : got;
	}
	n_group = 0;
	return rc;
}

/* nccl.h declares these two without a prototype. */
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);

ncclResult_t ncclGroupStart(void)
{
	depth++;
	return nc_call("ncclGroupStart");
}

ncclResult_t ncclGroupEnd(void)
{
	ncclResult_t rc = nc_call("ncclGroupEnd");

	if (depth == 0)
		return nc_fail(ncclInvalidUsage,
		               "ncclGroupEnd: not in a group call.");
	if (--depth > 0 || rc != ncclSuccess)
		return rc;
	return group_launch();
}

static ncclResult_t op_check(const struct nc_op *op)
{
	int async = atomic_load(&op->comm->async);

	if (async == ncclInProgress)
		return nc_fail(ncclInvalidUsage,
		               "Attempt to use communicator before the "
		               "previous operation returned ncclSuccess");
	if (async != ncclSuccess)
		return (ncclResult_t)async;
	if (nc_size(op->type) == 0)
		return nc_fail(ncclInvalidArgument, "invalid type %d",
		               op->type);
	if (op->peer < 0 || op->peer >= op->comm->n)
		return nc_fail(ncclInvalidArgument,
		               "invalid rank %d not in "
		               "the range [0, %d)",
		               op->peer, op->comm->n);
	return n_group < GROUP_MAX ? ncclSuccess : ncclInternalError;
}

ncclResult_t nc_enqueue(const struct nc_op *op)
{
	ncclResult_t rc = op_check(op);

	if (rc != ncclSuccess)
		return rc;
	group[n_group++] = *op;
	return depth > 0 ? ncclSuccess : group_launch();
}
