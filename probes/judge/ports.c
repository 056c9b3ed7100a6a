// SPDX-License-Identifier: Apache-2.0
// Numbers the network devices that ranks use.
#include "probes/judge/ports.h"

#include <stdlib.h>

/* struct seat - sorts ranks by the device they use. */
struct seat {
	int32_t host, netdev, rank;
};

static int seat_cmp(const void *pa, const void *pb)
{
	const struct seat *a = pa, *b = pb;

	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	if (a->netdev != b->netdev)
		return a->netdev < b->netdev ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static void number_ports(struct judge_ports *p, const struct seat *seats)
{
	size_t i, n = p->job->n_ranks;
	bool same;

	for (i = 0; i < n; i++) {
		same = i > 0 && seats[i].host >= 0 && seats[i].netdev >= 0 &&
		       seats[i].host == seats[i - 1].host &&
		       seats[i].netdev == seats[i - 1].netdev;
		if (!same)
			p->first[p->n++] = seats[i].rank;
		p->of_rank[seats[i].rank] = (int32_t)p->n - 1;
		p->n_ranks[p->n - 1]++;
	}
}

enum fp_status judge_ports_init(struct judge_ports *p,
                                const struct topo_job *job, struct fp_err *err)
{
	struct seat *seats = calloc(job->n_ranks + 1, sizeof(*seats));
	size_t i;

	*p = (struct judge_ports){
		.job = job,
		.of_rank = calloc(job->n_ranks + 1, sizeof(*p->of_rank)),
		.first = calloc(job->n_ranks + 1, sizeof(*p->first)),
		.n_ranks = calloc(job->n_ranks + 1, sizeof(*p->n_ranks)),
	};
	if (!seats || !p->of_rank || !p->first || !p->n_ranks) {
		free(seats);
		judge_ports_done(p);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	}
	for (i = 0; i < job->n_ranks; i++)
		seats[i] = (struct seat){ job->ranks[i].host,
			                  job->ranks[i].netdev, (int32_t)i };
	qsort(seats, job->n_ranks, sizeof(*seats), seat_cmp);
	number_ports(p, seats);
	free(seats);
	return FP_OK;
}

void judge_ports_done(struct judge_ports *p)
{
	if (!p)
		return;
	free(p->of_rank);
	free(p->first);
	free(p->n_ranks);
	*p = (struct judge_ports){ 0 };
}

bool judge_ports_is_loopback(const struct topo_job *job, int32_t a, int32_t b)
{
	const struct topo_netdev *at_a = topo_job_netdev(job, a);
	const struct topo_netdev *at_b = topo_job_netdev(job, b);

	return (at_a && at_a->loopback) || (at_b && at_b->loopback);
}
