// SPDX-License-Identifier: Apache-2.0
// What goes into an operation and what has to come out.
#include "probes/xport/cuda_pattern.h"
#include "probes/xport/nccl_impl.h"

static size_t elements(const struct nccl_team *t, enum nccl_room room)
{
	return nccl_room_count(room, t->n, t->count);
}

static uint8_t *at(const struct nccl_team *t, uint8_t *buf, size_t element)
{
	return buf + element * cuda_type_bytes(t->type);
}

/* Is there anything that this member brings? */
static bool brings(const struct nccl_team *t)
{
	unsigned op = t->how.trial->op;

	if (op == OP_BROADCAST)
		return t->me == t->root;
	if (op == OP_WRITE && t->how.trial->dir == DIR_UNI)
		return t->me == 0;
	return true;
}

static bool gets(const struct nccl_team *t)
{
	return t->how.trial->op != OP_WRITE || t->how.trial->dir == DIR_BI ||
	       t->me == 1;
}

enum fp_status nccl_data_fill(struct nccl_team *t, struct fp_err *err)
{
	uint64_t seed = t->how.trial->seed;
	struct cuda_gpu *g = &t->nc->gpu;
	const struct cuda_pattern p =
		t->op->sums ? cuda_pattern_part(seed, t->n, t->me, t->type)
			    : cuda_pattern_words(seed, t->me, t->type);
	enum fp_status status;

	/* In place the input lies in the output, so that comes first. */
	status = cuda_gpu_spoil(
		g, t->out, elements(t, t->op->out) * cuda_type_bytes(t->type),
		err);
	if (status == FP_OK && brings(t))
		status = cuda_gpu_fill(g, t->in, elements(t, t->op->in), &p,
		                       err);
	return status;
}

/* Part @i of the output, @n elements: what member @who brought, from @first
 * on. */
static enum fp_status check_words(struct nccl_team *t, uint32_t i, uint32_t who,
                                  size_t first, struct fp_err *err)
{
	struct cuda_pattern p =
		cuda_pattern_words(t->how.trial->seed, who, t->type);

	p.first = first;
	return cuda_gpu_check(&t->nc->gpu, at(t, t->out, i * t->count),
	                      t->count, &p, err);
}

static enum fp_status check_sums(struct nccl_team *t, struct fp_err *err)
{
	struct cuda_pattern p = cuda_pattern_reduced(
		t->how.trial->seed, t->n, t->type, t->how.trial->redop);

	if (t->how.trial->op == OP_REDUCESCATTER)
		p.first = t->me * t->count;
	return cuda_gpu_check(&t->nc->gpu, t->out, t->count, &p, err);
}

/* Who the only part of the output is from. */
static uint32_t giver(const struct nccl_team *t)
{
	switch (t->how.trial->op) {
	case OP_BROADCAST:
		return t->root;
	case OP_SENDRECV:
		return (t->me + t->n - 1) % t->n;
	default:
		return 1 - t->me;
	}
}

static enum fp_status check_all(struct nccl_team *t, struct fp_err *err)
{
	bool mine = t->how.trial->op == OP_ALLTOALL;
	enum fp_status status = FP_OK;

	if (t->op->sums)
		return check_sums(t, err);
	if (t->op->out == NCCL_ONE)
		return check_words(t, 0, giver(t), 0, err);
	for (uint32_t r = 0; r < t->n && status == FP_OK; r++)
		status = check_words(t, r, r, mine ? t->me * t->count : 0, err);
	return status;
}

enum fp_status nccl_data_check(struct nccl_team *t, uint64_t *ret_wrong,
                               struct fp_err *err)
{
	struct cuda_gpu *g = &t->nc->gpu;
	enum fp_status status = cuda_gpu_tally_begin(g, err);

	if (status == FP_OK && gets(t))
		status = check_all(t, err);
	if (status == FP_OK)
		status = cuda_gpu_tally(g, &t->wait, ret_wrong, err);
	*ret_wrong *= cuda_type_bytes(t->type);
	return status;
}
