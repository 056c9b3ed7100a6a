// SPDX-License-Identifier: Apache-2.0
// Collectives over steps between neighbours.
#include "probes/measure/ring.h"

#include <stdbool.h>
#include <string.h>

#include "probes/plan/plan.h"
#include "topo/base/clock.h"

/* What is reduced is received in pieces, so that it is still in the cache. */
#define RING_PIECE 65536u

/* Room, in elements. */
enum ring_room {
	RING_NONE,
	RING_ONE,    /* count */
	RING_ALL,    /* n * count */
	RING_PIECES, /* count, one piece at most */
};

/* What an operation needs, and what nccl-tests calls its size. */
struct ring_shape {
	enum ring_room region, scratch, size;
	bool clobbers; /* the input is overwritten */
};

/* A part of data, in elements. */
struct span {
	size_t off, len;
};

static const struct ring_shape ring_shapes[OP_COUNT] = {
	[OP_ALLREDUCE] = { .region = RING_ONE,
	                   .scratch = RING_PIECES,
	                   .size = RING_ONE,
	                   .clobbers = true },
	[OP_ALLGATHER] = { .region = RING_ALL, .size = RING_ALL },
	[OP_REDUCESCATTER] = { .region = RING_ALL,
	                       .scratch = RING_PIECES,
	                       .size = RING_ALL,
	                       .clobbers = true },
	[OP_BROADCAST] = { .region = RING_ONE, .size = RING_ONE },
	[OP_ALLTOALL] = { .region = RING_ONE,
	                  .scratch = RING_ALL,
	                  .size = RING_ALL },
	[OP_SENDRECV] = { .region = RING_ONE,
	                  .scratch = RING_ONE,
	                  .size = RING_ONE },
};

static const struct ring_shape *shape_of(uint32_t op)
{
	return &ring_shapes[op < OP_COUNT ? op : 0];
}

static size_t room_bytes(enum ring_room room, uint32_t n, size_t count)
{
	size_t elements = count, bytes;

	if (room == RING_NONE)
		return 0;
	if (room == RING_PIECES && elements > RING_PIECE)
		elements = RING_PIECE;
	if (room == RING_ALL && __builtin_mul_overflow(count, n, &elements))
		return 0;
	if (__builtin_mul_overflow(elements, sizeof(float), &bytes))
		return 0;
	return bytes;
}

size_t ring_region_bytes(uint32_t op, uint32_t n, size_t count)
{
	return room_bytes(shape_of(op)->region, n, count);
}

size_t ring_scratch_bytes(uint32_t op, uint32_t n, size_t count)
{
	return room_bytes(shape_of(op)->scratch, n, count);
}

size_t ring_clobbered_bytes(uint32_t op, uint32_t n, size_t count)
{
	return shape_of(op)->clobbers ? ring_region_bytes(op, n, count) : 0;
}

size_t ring_count(uint32_t op, uint32_t n, uint64_t bytes)
{
	size_t elements = bytes / sizeof(float);

	return shape_of(op)->size == RING_ALL ? elements / n : elements;
}

uint64_t ring_size_bytes(uint32_t op, uint32_t n, size_t count)
{
	return count * sizeof(float) * (shape_of(op)->size == RING_ALL ? n : 1);
}

/* Steps that need no waiting do not look at the clock. */
static enum fp_status step(struct ring *r, const struct xport_step *s,
                           struct fp_err *err)
{
	enum fp_status status = xport_step_run(s, r->me, err);
	int64_t now_ns = fp_now_ns();

	if (status != FP_OK)
		return status;
	r->moved_bytes += s->rx_len;
	if (r->board)
		board_moved(r->board, s->rx_len, now_ns);
	if (now_ns >= r->deadline_ns)
		return fp_err_set(err, FP_ERR_TIMEOUT,
		                  "data moved until the time was up");
	return FP_OK;
}

static enum fp_status exchange(struct ring *r, struct span tx, float *rbuf,
                               size_t rx_len, struct fp_err *err)
{
	const struct xport_step s = {
		.to = tx.len ? r->next : NULL,
		.tx_off = tx.off * sizeof(float),
		.tx_len = tx.len * sizeof(float),
		.from = rx_len ? r->prev : NULL,
		.rbuf = rbuf,
		.rx_len = rx_len * sizeof(float),
		.deadline_ns = r->deadline_ns,
	};

	return s.to || s.from ? step(r, &s, err) : FP_OK;
}

/* Chunk @c of the n that what goes round is cut into; the first ones are
 * longer by one where it does not divide. */
static struct span chunk(const struct ring *r, uint32_t c)
{
	size_t all = ring_region_bytes(r->op, r->n, r->count) / sizeof(float);
	size_t len = all / r->n, rest = all % r->n;

	return (struct span){
		.off = c * len + (c < rest ? c : rest),
		.len = len + (c < rest),
	};
}

static struct span piece(struct span s, size_t at)
{
	size_t left = at < s.len ? s.len - at : 0;

	return (struct span){
		.off = s.off + at,
		.len = left < RING_PIECE ? left : RING_PIECE,
	};
}

static void add(float *into, const float *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		into[i] += from[i];
}

/* One turn of the ring: chunk @out leaves, chunk @in arrives and is added to
 * what is there or takes its place. */
static enum fp_status turn(struct ring *r, uint32_t out, uint32_t in,
                           bool reduce, struct fp_err *err)
{
	struct span tx = chunk(r, out), rx = chunk(r, in);
	size_t len = tx.len > rx.len ? tx.len : rx.len;
	enum fp_status status = FP_OK;

	for (size_t at = 0; at < len && status == FP_OK; at += RING_PIECE) {
		struct span here = piece(rx, at);
		float *into = r->data + here.off;

		status = exchange(r, piece(tx, at), reduce ? r->scratch : into,
		                  here.len, err);
		if (reduce && status == FP_OK)
			add(into, r->scratch, here.len);
	}
	return status;
}

/* Chunk of the member @back places before this one. */
static uint32_t chunk_back(const struct ring *r, uint32_t back)
{
	return (r->me + r->n - back % r->n) % r->n;
}

static enum fp_status run_reducescatter(struct ring *r, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	/* The first to leave is prev's, so that the last to arrive is ours. */
	for (uint32_t s = 1; s < r->n && status == FP_OK; s++)
		status = turn(r, chunk_back(r, s), chunk_back(r, s + 1), true,
		              err);
	return status;
}

static enum fp_status run_allgather(struct ring *r, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	for (uint32_t s = 0; s + 1 < r->n && status == FP_OK; s++)
		status = turn(r, chunk_back(r, s), chunk_back(r, s + 1), false,
		              err);
	return status;
}

static enum fp_status run_allreduce(struct ring *r, struct fp_err *err)
{
	enum fp_status status = run_reducescatter(r, err);

	return status == FP_OK ? run_allgather(r, err) : status;
}

/* Each passes on a piece while it receives the one behind it. */
static enum fp_status run_broadcast(struct ring *r, struct fp_err *err)
{
	const struct span all = { .off = 0, .len = r->count };
	uint32_t place = (r->me + r->n - r->root) % r->n;
	struct span tx = { 0 }, rx;
	enum fp_status status = FP_OK;

	for (size_t at = 0; (at < all.len || tx.len) && status == FP_OK;
	     at += RING_PIECE) {
		rx = piece(all, at);
		status =
			exchange(r, place + 1 < r->n ? tx : (struct span){ 0 },
		                 r->data + rx.off, place > 0 ? rx.len : 0, err);
		tx = rx;
	}
	return status;
}

static enum fp_status run_sendrecv(struct ring *r, struct fp_err *err)
{
	const struct span all = { .off = 0, .len = r->count };

	return exchange(r, all, r->scratch, r->count, err);
}

static enum fp_status swap_with(struct ring *r, uint32_t peer,
                                struct fp_err *err)
{
	size_t bytes = r->count * sizeof(float);
	const struct xport_step s = {
		.to = r->mesh[peer],
		.tx_len = bytes,
		.from = r->mesh[peer],
		.rbuf = r->scratch + peer * r->count,
		.rx_len = bytes,
		.deadline_ns = r->deadline_ns,
	};

	return step(r, &s, err);
}

static enum fp_status run_alltoall(struct ring *r, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	int32_t peer;

	if (r->count == 0)
		return FP_OK;
	memcpy(r->scratch + r->me * r->count, r->data,
	       r->count * sizeof(float));
	for (uint32_t t = 0; t < plan_rounds(r->n) && status == FP_OK; t++) {
		peer = plan_partner(r->n, r->me, t);
		if (peer >= 0)
			status = swap_with(r, (uint32_t)peer, err);
	}
	return status;
}

enum fp_status ring_run(struct ring *r, struct fp_err *err)
{
	static enum fp_status (*const runs[OP_COUNT])(struct ring *,
	                                              struct fp_err *) = {
		[OP_ALLREDUCE] = run_allreduce,
		[OP_ALLGATHER] = run_allgather,
		[OP_REDUCESCATTER] = run_reducescatter,
		[OP_BROADCAST] = run_broadcast,
		[OP_ALLTOALL] = run_alltoall,
		[OP_SENDRECV] = run_sendrecv,
	};

	if (r->op >= OP_COUNT || !runs[r->op])
		return fp_err_set(err, FP_ERR_NOTSUP, "%s is no collective",
		                  trial_op_name(r->op));
	return runs[r->op](r, err);
}
