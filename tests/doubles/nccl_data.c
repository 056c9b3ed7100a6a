// SPDX-License-Identifier: Apache-2.0
// libnccl's double: operations, on the members' own memory.
#include <string.h>

#include "tests/doubles/nccl_impl.h"

#define CHUNK_BYTES 65536u

uint8_t *nc_map(struct ncclComm *c, const struct fpd_share *share)
{
	uint64_t key =
		(share->serial ^ share->serial >> 32) * 0x9e3779b97f4a7c15ULL;
	struct nc_map *m = &c->maps[(key >> 32) % NC_MAPS_MAX];

	if (m->p && m->serial != share->serial) {
		fpd_memory_unmap(m->p, &m->share);
		m->p = NULL;
	}
	if (!m->p) {
		m->p = fpd_memory_map(share);
		m->serial = share->serial;
		m->share = *share;
	}
	return m->p ? m->p + share->offset : NULL;
}

void nc_maps_drop(struct ncclComm *c)
{
	for (size_t i = 0; i < NC_MAPS_MAX; i++)
		if (c->maps[i].p)
			fpd_memory_unmap(c->maps[i].p, &c->maps[i].share);
}

/* All members come by; the last one opens. */
static bool barrier(struct ncclComm *c)
{
	struct nc_shared *sh = c->sh;
	uint32_t turn = atomic_load(&sh->turn);

	if (atomic_fetch_add(&sh->arrived, 1) + 1 == (uint32_t)c->n) {
		atomic_store(&sh->arrived, 0);
		atomic_fetch_add(&sh->turn, 1);
		nc_wake(&sh->turn);
		return true;
	}
	while (atomic_load(&sh->turn) == turn)
		if (!nc_wait(c, &sh->turn, turn))
			return false;
	return true;
}

/* Elements [first, first + n) of what all members send, reduced in the order
 * of ranks into @into. */
static bool gather_reduced(const struct nc_op *op, size_t first, size_t n,
                           uint8_t *into)
{
	struct ncclComm *c = op->comm;
	size_t size = nc_size(op->type);
	const uint8_t *from;

	for (int r = 0; r < c->n; r++) {
		from = nc_map(c, &c->sh->seats[r].send);
		if (!from)
			return false;
		if (r == 0)
			memcpy(into, from + first * size, n * size);
		else
			nc_reduce(into, from + first * size, n, op->type,
			          op->redop);
	}
	nc_finish(into, n, op->type, op->redop, c->n);
	return true;
}

static bool give_all(const struct nc_op *op, size_t first, size_t n,
                     const uint8_t *data)
{
	struct ncclComm *c = op->comm;
	size_t size = nc_size(op->type);
	uint8_t *to;

	for (int r = 0; r < c->n; r++) {
		to = nc_map(c, &c->sh->seats[r].recv);
		if (!to)
			return false;
		memcpy(to + first * size, data, n * size);
	}
	return true;
}

/* This member's part [first, end) goes to all, or to itself at @own. */
static bool reduce_part(const struct nc_op *op, size_t first, size_t end,
                        uint8_t *own)
{
	size_t size = nc_size(op->type), step = CHUNK_BYTES / size, at, n;
	uint8_t chunk[CHUNK_BYTES];
	bool good = true;

	for (at = first; at < end && good; at += step) {
		n = end - at < step ? end - at : step;
		good = gather_reduced(op, at, n, chunk);
		if (good && own)
			memcpy(own + (at - first) * size, chunk, n * size);
		else if (good)
			good = give_all(op, at, n, chunk);
	}
	return good;
}

static bool do_allreduce(const struct nc_op *op)
{
	size_t n = (size_t)op->comm->n, me = (size_t)op->comm->rank;

	return reduce_part(op, op->count * me / n, op->count * (me + 1) / n,
	                   NULL);
}

static bool do_reducescatter(const struct nc_op *op)
{
	size_t me = (size_t)op->comm->rank;

	return reduce_part(op, op->count * me, op->count * (me + 1), op->recv);
}

static bool do_reduce(const struct nc_op *op)
{
	if (op->comm->rank != op->peer)
		return true;
	return reduce_part(op, 0, op->count, op->recv);
}

static bool take(const struct nc_op *op, int from, uint8_t *to)
{
	const uint8_t *data = nc_map(op->comm, &op->comm->sh->seats[from].send);

	/* What the caller put in place stays there. */
	if (data && !(from == op->comm->rank && op->send == to))
		memcpy(to, data, op->count * nc_size(op->type));
	return data != NULL;
}

static bool do_allgather(const struct nc_op *op)
{
	size_t block = op->count * nc_size(op->type);
	bool good = true;

	for (int r = 0; r < op->comm->n && good; r++)
		good = take(op, r, (uint8_t *)op->recv + (size_t)r * block);
	return good;
}

static bool do_broadcast(const struct nc_op *op)
{
	return take(op, op->peer, op->recv);
}

static bool do_it(const struct nc_op *op)
{
	switch (op->kind) {
	case NC_ALLREDUCE:
		return do_allreduce(op);
	case NC_ALLGATHER:
		return do_allgather(op);
	case NC_REDUCESCATTER:
		return do_reducescatter(op);
	case NC_REDUCE:
		return do_reduce(op);
	default:
		return do_broadcast(op);
	}
}

/* Bytes that pass each link of the ring, as nccl-tests' factors have it. */
static double ring_bytes(const struct nc_op *op)
{
	double n = op->comm->n;
	double bytes = (double)op->count * (double)nc_size(op->type);

	switch (op->kind) {
	case NC_ALLREDUCE:
		return bytes * 2 * (n - 1) / n;
	case NC_ALLGATHER:
	case NC_REDUCESCATTER:
		return bytes * (n - 1);
	default:
		return bytes;
	}
}

/* The ring is as fast as its slowest link; latency is a tree's. */
static double collective_s(const struct nc_op *op)
{
	const struct ncclComm *c = op->comm;
	double slowest = 0, latency = 0, levels = 0;
	struct fpd_path p;

	for (int r = 0; r < c->n && c->n > 1; r++) {
		p = nc_path(c, r, (r + 1) % c->n);
		if (slowest == 0 || p.Bps < slowest)
			slowest = p.Bps;
		if (p.latency_s > latency)
			latency = p.latency_s;
	}
	for (int k = 1; k < c->n; k *= 2)
		levels++;
	if (op->kind == NC_ALLREDUCE)
		levels *= 2;
	return fpd_world()->launch_s + levels * latency +
	       (slowest > 0 ? ring_bytes(op) / slowest : 0);
}

static double all_here_s(const struct ncclComm *c)
{
	double t_s = 0;

	for (int r = 0; r < c->n; r++)
		if (c->sh->seats[r].t_s > t_s)
			t_s = c->sh->seats[r].t_s;
	return t_s;
}

static size_t result_bytes(const struct nc_op *op)
{
	size_t bytes = op->count * nc_size(op->type);

	return op->kind == NC_ALLGATHER ? bytes * (size_t)op->comm->n : bytes;
}

bool nc_collective(const struct nc_op *op)
{
	struct ncclComm *c = op->comm;
	struct nc_seat *me = &c->sh->seats[c->rank];
	double t_s;

	if (!fpd_memory_share(op->send, &me->send) ||
	    !fpd_memory_share(op->recv, &me->recv)) {
		atomic_store(&c->async, ncclUnhandledCudaError);
		return false;
	}
	me->t_s = fpd_clock();
	if (!barrier(c))
		return false;
	t_s = all_here_s(c);
	if (!do_it(op) || !barrier(c))
		return false;
	if (op->kind != NC_REDUCE || c->rank == op->peer)
		nc_corrupt(c, -1, op->recv, result_bytes(op));
	fpd_clock_set(t_s + collective_s(op));
	return true;
}
