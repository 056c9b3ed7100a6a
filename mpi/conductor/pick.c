// SPDX-License-Identifier: Apache-2.0
// What a run without --xport measures: the best that every rank can.
#include "mpi/conductor/impl.h"
#include "topo/model/model_map.h"

/* Transports that every rank with a worker has. */
static uint32_t common_xports(const struct conductor *c)
{
	uint32_t all = UINT32_MAX;
	int32_t i, n = 0;

	for (i = 0; i < c->size; i++) {
		if (c->peers[i].state != PEER_READY)
			continue;
		all &= c->peers[i].xports;
		n++;
	}
	return n ? all : 0;
}

/* Has each host a GPU for each of its ranks, as far as its map says? */
static bool has_gpus(const struct topo_job *job)
{
	for (size_t r = 0; r < job->n_ranks; r++) {
		const struct topo_rank *rank = &job->ranks[r];
		const struct topo_map *map =
			rank->host < 0 ? NULL : job->hosts[rank->host].map;

		if (map && map->n_gpus <= (size_t)rank->local_rank)
			return false;
	}
	return true;
}

uint32_t conductor_pick(struct conductor *c)
{
	uint32_t all = common_xports(c);

	if (all & 1u << XPORT_NCCL && has_gpus(&c->job)) {
		for (size_t r = 0; r < c->job.n_ranks; r++)
			c->job.ranks[r].netdev = -1;
		return XPORT_NCCL;
	}
	if (all & 1u << XPORT_VERBS && c->job.n_hosts > 1)
		return XPORT_VERBS;
	return XPORT_AUTO;
}
