// SPDX-License-Identifier: Apache-2.0
// Which ranks share a network device: sorted by it, the first one leads.
#include "probes/session/port.h"

#include <stdlib.h>

struct seat {
	int32_t host, netdev, rank;
};

static int seat_compare(const void *va, const void *vb)
{
	const struct seat *a = va, *b = vb;

	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	if (a->netdev != b->netdev)
		return a->netdev < b->netdev ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static void find_leaders(const struct topo_job *job, struct seat *seats,
                         int32_t *leader)
{
	bool same;
	size_t i;

	for (i = 0; i < job->n_ranks; i++)
		seats[i] = (struct seat){ job->ranks[i].host,
			                  job->ranks[i].netdev, (int32_t)i };
	qsort(seats, job->n_ranks, sizeof(*seats), seat_compare);
	for (i = 0; i < job->n_ranks; i++) {
		same = i && seats[i].host >= 0 && seats[i].netdev >= 0 &&
		       seats[i].host == seats[i - 1].host &&
		       seats[i].netdev == seats[i - 1].netdev;
		leader[seats[i].rank] =
			same ? leader[seats[i - 1].rank] : seats[i].rank;
	}
}

enum fp_status session_ports_make(const struct topo_job *job, int32_t **ret,
                                  struct fp_err *err)
{
	struct seat *seats = calloc(job->n_ranks + 1, sizeof(*seats));
	int32_t *leader = calloc(job->n_ranks + 1, sizeof(*leader));

	if (!seats || !leader) {
		free(seats);
		free(leader);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a run");
	}
	find_leaders(job, seats, leader);
	free(seats);
	*ret = leader;
	return FP_OK;
}
