// SPDX-License-Identifier: Apache-2.0
// Transfers of a fabric as trials of a job, and outcomes as looks.
#include <math.h>

#include "probes/session/located.h"

static int32_t rank_at(const struct fabric *f, const int32_t *rank_of,
                       const struct fabric_end *e)
{
	int32_t gpu = e->gpu;

	/* Without GPUs a host's first rank does it. */
	if (!f->spec.gpus)
		gpu = e->nic;
	else if (gpu < 0 && e->nic >= 0)
		gpu = e->nic * f->spec.gpus / f->spec.nics;
	return gpu < 0 ? -1 : rank_of[e->host * FABRIC_MAX_PER_HOST + gpu];
}

bool session_transfer_trial(const struct fabric *f, const int32_t *rank_of,
                            const struct fabric_transfer *t, struct trial *ret)
{
	*ret = (struct trial){
		.xport = t->src.nic >= 0 ? XPORT_VERBS : XPORT_CUDA,
		.op = OP_WRITE,
		.mem = t->src.gpu >= 0 ? MEM_CUDA : MEM_HOST,
		.src = rank_at(f, rank_of, &t->src),
		.dst = rank_at(f, rank_of, &t->dst),
		.src_ep = t->src.nic,
		.dst_ep = t->dst.nic,
	};
	if (!f->spec.gpus) {
		ret->xport = XPORT_TCP;
		ret->src_ep = ret->dst_ep = -1;
	}
	/* A copy is made by the rank of its GPU alone. */
	if (t->src.nic < 0 && t->src.gpu < 0)
		ret->src = ret->dst;
	if (t->src.nic < 0 && t->dst.gpu < 0)
		ret->dst = ret->src;
	return ret->src >= 0 && ret->dst >= 0;
}

static struct fabric_end end_of(const struct fabric *f,
                                const struct topo_job *job,
                                const struct trial *t, int32_t rank, int32_t ep)
{
	const struct topo_rank *r = &job->ranks[rank];
	struct fabric_end e = { r->host, -1, -1 };
	bool gpu = t->xport == XPORT_CUDA ||
	           (t->mem == MEM_CUDA && r->local_rank < f->spec.gpus);

	if (gpu)
		e.gpu = r->local_rank;
	if (t->xport == XPORT_VERBS)
		e.nic = ep;
	if (t->xport == XPORT_TCP && f->spec.nics)
		e.nic = f->spec.gpus ? fabric_gpu_nic(f, r->local_rank)
		                     : r->local_rank % f->spec.nics;
	return e;
}

struct fabric_transfer session_trial_transfer(const struct fabric *f,
                                              const struct topo_job *job,
                                              const struct trial *t)
{
	struct fabric_transfer ret = {
		end_of(f, job, t, t->src, t->src_ep),
		end_of(f, job, t, t->dst, t->dst_ep),
	};

	if (t->xport == XPORT_CUDA && t->src == t->dst)
		*(t->mem == MEM_HOST ? &ret.src.gpu : &ret.dst.gpu) = -1;
	return ret;
}

static uint8_t worse_state(const struct outcome *src, const struct outcome *dst)
{
	uint8_t a = src ? src->state : (uint8_t)OUTCOME_NONE;
	uint8_t b = dst ? dst->state : (uint8_t)OUTCOME_NONE;
	uint8_t worse = a > b ? a : b;

	/* One end alone did not finish; one that is gone is no link's fault. */
	if (worse == OUTCOME_OK && a != b)
		worse = OUTCOME_NONE;
	return worse == OUTCOME_NONE || worse == OUTCOME_LOST ? OUTCOME_NOTRUN
	                                                      : worse;
}

static uint8_t least_stage(const struct outcome *src, const struct outcome *dst)
{
	uint8_t a = src ? src->stage : (uint8_t)STAGE_DONE;
	uint8_t b = dst ? dst->stage : (uint8_t)STAGE_DONE;

	return a < b ? a : b;
}

struct locate_look session_look_of(const struct outcome *src,
                                   const struct outcome *dst,
                                   double expected_Bps, double late_s)
{
	struct locate_look look = {
		.state = worse_state(src, dst),
		.stage = least_stage(src, dst),
		.latency = NAN,
	};
	int64_t rtt_ns = dst ? outcome_get(dst, COUNTER_RTT_NS, -1) : -1;

	look.small_ok = rtt_ns > 0;
	if (look.state != OUTCOME_OK)
		return look;
	if (!(dst->algbw_Bps > 0)) {
		look.state = OUTCOME_NOTRUN;
		return look;
	}
	look.capability = log(dst->algbw_Bps / expected_Bps);
	look.floor = look.capability;
	if (dst->low_Bps > 0 && dst->low_Bps < dst->algbw_Bps)
		look.floor = log(dst->low_Bps / expected_Bps);
	if (rtt_ns > 0)
		look.latency = log((double)rtt_ns / 2e9 / late_s);
	return look;
}
