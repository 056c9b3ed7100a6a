// SPDX-License-Identifier: Apache-2.0
// Given pairs into few rounds: the busiest ends first, as many as fit.
#include <stdlib.h>

#include "probes/plan/list.h"

#define PORTS (TOPO_MAX_NETDEVS + 1)

/* struct local - pairs inside a host in the round that used it last. */
struct local {
	uint32_t round, pairs;
};

/* struct pack - which round last used what; rounds count from 1. */
struct pack {
	const struct topo_job *job;
	uint32_t *rank_round;
	uint32_t *tx_round, *rx_round; /* [host][port] */
	struct local *locals;          /* [host] */
	struct plan_list todo, done;
};

static enum fp_status pair_check(const struct topo_job *job,
                                 const struct plan_pair *p, struct fp_err *err)
{
	if (p->src >= 0 && (size_t)p->src < job->n_ranks && p->dst >= 0 &&
	    (size_t)p->dst < job->n_ranks && p->src != p->dst)
		return FP_OK;
	return fp_err_set(err, FP_ERR_INPUT,
	                  "pair %d -> %d in a job of %zu ranks", (int)p->src,
	                  (int)p->dst, job->n_ranks);
}

/* Where a rank's device is in tx_round and rx_round; -1: inside a host, or
 * nobody knows where. */
static int64_t port_at(const struct pack *k, int32_t rank, int32_t peer)
{
	const struct topo_rank *r = &k->job->ranks[rank];

	if (r->host < 0 || (size_t)r->host >= k->job->n_hosts ||
	    r->host == k->job->ranks[peer].host)
		return -1;
	if (r->netdev < 0 || r->netdev >= TOPO_MAX_NETDEVS)
		return (int64_t)r->host * PORTS + TOPO_MAX_NETDEVS;
	return (int64_t)r->host * PORTS + r->netdev;
}

/* A quarter of the cores: a pair inside a host keeps two of them busy, and
 * what is measured again is measured under less load than before. */
static bool host_has_room(struct pack *k, const struct plan_pair *p,
                          uint32_t round)
{
	int32_t host = k->job->ranks[p->src].host;
	int32_t cpus;
	struct local *l;

	if (host < 0 || host != k->job->ranks[p->dst].host)
		return true;
	cpus = k->job->hosts[host].n_cpus;
	l = &k->locals[host];
	if (l->round != round)
		*l = (struct local){ .round = round };
	if (l->pairs > 0 && (int64_t)l->pairs >= cpus / 4)
		return false;
	l->pairs++;
	return true;
}

static bool take(struct pack *k, const struct plan_pair *p, uint32_t round)
{
	int64_t tx = port_at(k, p->src, p->dst);
	int64_t rx = port_at(k, p->dst, p->src);

	if (k->rank_round[p->src] == round || k->rank_round[p->dst] == round ||
	    (tx >= 0 && k->tx_round[tx] == round) ||
	    (rx >= 0 && k->rx_round[rx] == round) ||
	    !host_has_room(k, p, round))
		return false;
	k->rank_round[p->src] = k->rank_round[p->dst] = round;
	if (tx >= 0)
		k->tx_round[tx] = round;
	if (rx >= 0)
		k->rx_round[rx] = round;
	return true;
}

static enum fp_status fill_round(struct pack *k, uint32_t round,
                                 uint32_t per_round, struct fp_err *err)
{
	struct plan_list *todo = &k->todo;
	size_t i, left = 0, taken = 0;
	enum fp_status status;
	struct plan_pair p;

	for (i = 0; i < todo->n; i++) {
		p = todo->pairs[i];
		if ((per_round && taken == per_round) || !take(k, &p, round)) {
			todo->pairs[left++] = p;
			continue;
		}
		taken++;
		p.round = round - 1;
		status = plan_list_add(&k->done, p, err);
		if (status)
			return status;
	}
	todo->n = left;
	return FP_OK;
}

/* By how many pairs want the busier end: that end decides the number of
 * rounds. A pair's round is lent to hold that count, negated by its sort. */
static void busiest_first(struct pack *k)
{
	struct plan_pair *p;
	uint32_t a, b;
	size_t i;

	for (i = 0; i < k->todo.n; i++) {
		k->rank_round[k->todo.pairs[i].src]++;
		k->rank_round[k->todo.pairs[i].dst]++;
	}
	for (i = 0; i < k->todo.n; i++) {
		p = &k->todo.pairs[i];
		a = k->rank_round[p->src];
		b = k->rank_round[p->dst];
		p->round = UINT32_MAX - (a > b ? a : b);
	}
	for (i = 0; i < k->job->n_ranks; i++)
		k->rank_round[i] = 0;
}

static enum fp_status pack_all(struct pack *k, const struct plan_pair *pairs,
                               size_t n, uint32_t per_round, struct fp_err *err)
{
	struct plan_pairs sorted;
	enum fp_status status = FP_OK;
	uint32_t round;
	size_t i;

	for (i = 0; !status && i < n; i++) {
		status = pair_check(k->job, &pairs[i], err);
		if (!status)
			status = plan_list_add(&k->todo, pairs[i], err);
	}
	if (status)
		return status;
	busiest_first(k);
	plan_list_finish(&k->todo, &sorted);
	k->todo = (struct plan_list){ .pairs = sorted.pairs, .n = sorted.n };
	for (round = 1; !status && k->todo.n; round++)
		status = fill_round(k, round, per_round, err);
	return status;
}

enum fp_status plan_listed(const struct topo_job *job,
                           const struct plan_pair *pairs, size_t n,
                           uint32_t per_round, struct plan_pairs *ret,
                           struct fp_err *err)
{
	struct pack k = {
		.job = job,
		.rank_round = calloc(job->n_ranks + 1, sizeof(uint32_t)),
		.tx_round = calloc(job->n_hosts + 1, PORTS * sizeof(uint32_t)),
		.rx_round = calloc(job->n_hosts + 1, PORTS * sizeof(uint32_t)),
		.locals = calloc(job->n_hosts + 1, sizeof(struct local)),
	};
	enum fp_status status;

	if (k.rank_round && k.tx_round && k.rx_round && k.locals)
		status = pack_all(&k, pairs, n, per_round, err);
	else
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory for a plan");
	if (!status)
		plan_list_finish(&k.done, ret);
	plan_list_done(&k.todo);
	plan_list_done(&k.done);
	free(k.rank_round);
	free(k.tx_round);
	free(k.rx_round);
	free(k.locals);
	return status;
}
