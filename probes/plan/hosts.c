// SPDX-License-Identifier: Apache-2.0
// Schedules of pairs inside hosts and between them.
#include <stdlib.h>

#include "probes/plan/list.h"

/* A host's netdevs, and the ranks that have none: each a port of its own, as
 * long as there is room. */
#define PORTS_OWN 4096
#define PORTS (TOPO_MAX_NETDEVS + PORTS_OWN)

static size_t rank_port(const struct topo_job *job, int32_t rank)
{
	int32_t netdev = job->ranks[rank].netdev;
	int32_t slot = job->ranks[rank].local_rank;

	if (netdev >= 0 && netdev < TOPO_MAX_NETDEVS)
		return (size_t)netdev;
	return TOPO_MAX_NETDEVS + (size_t)(slot > 0 ? slot % PORTS_OWN : 0);
}

static enum fp_status add_both_ways(struct plan_list *l, uint32_t round,
                                    int32_t a, int32_t b, struct fp_err *err)
{
	struct plan_pair pair = { .round = round, .src = a, .dst = b };
	enum fp_status status = plan_list_add(l, pair, err);

	if (status)
		return status;
	pair = (struct plan_pair){ .round = round + 1, .src = b, .dst = a };
	return plan_list_add(l, pair, err);
}

/* struct inside - a schedule inside hosts in the making. */
struct inside {
	struct plan_roster roster;
	uint32_t per_host;
	uint32_t round; /* of the host in hand */
	struct plan_list list;
};

/* One host's matching @t, split into sub-rounds of per_host pairs. */
static enum fp_status inside_matching(struct inside *in, size_t h, uint32_t t,
                                      struct fp_err *err)
{
	uint32_t k = (uint32_t)plan_roster_count(&in->roster, h);
	uint32_t v, in_round = 0;
	enum fp_status status;
	int32_t p;

	for (v = 0; v < k; v++) {
		p = plan_partner(k, v, t);
		if (p <= (int32_t)v)
			continue;
		if (in->per_host && in_round == in->per_host) {
			in->round += 2;
			in_round = 0;
		}
		in_round++;
		status = add_both_ways(
			&in->list, in->round,
			plan_roster_rank(&in->roster, h, v),
			plan_roster_rank(&in->roster, h, (size_t)p), err);
		if (status)
			return status;
	}
	in->round += 2;
	return FP_OK;
}

static enum fp_status inside_host(struct inside *in, size_t h,
                                  struct fp_err *err)
{
	uint32_t n = plan_rounds((uint32_t)plan_roster_count(&in->roster, h));
	enum fp_status status = FP_OK;
	uint32_t t;

	in->round = 0;
	for (t = 0; !status && t < n; t++)
		status = inside_matching(in, h, t, err);
	return status;
}

enum fp_status plan_inside_hosts(const struct topo_job *job, const bool *skip,
                                 uint32_t per_host, struct plan_pairs *ret,
                                 struct fp_err *err)
{
	struct inside in = { .per_host = per_host };
	enum fp_status status;
	size_t h;

	status = plan_roster_init(&in.roster, job, skip, err);
	if (status)
		return status;
	for (h = 0; !status && h < in.roster.n_hosts; h++)
		status = inside_host(&in, h, err);
	if (!status)
		plan_list_finish(&in.list, ret);
	plan_list_done(&in.list);
	plan_roster_done(&in.roster);
	return status;
}

/* struct between - a schedule between hosts in the making. */
struct between {
	const struct plan_between *how;
	struct plan_roster roster;
	size_t *order;  /* hosts as they sit on the circle */
	uint32_t base;  /* first round of the matching in hand */
	uint32_t width; /* its rounds one way, so far */
	uint32_t turn;  /* how many matchings came before it */
	struct plan_list list;
};

/* Every pair of ranks of two hosts: slot g meets g, then g + 1, ... A device
 * goes to the sub-round after the last one that used it, at either end. */
static enum fp_status meet_all(struct between *b, size_t x, size_t y,
                               struct fp_err *err)
{
	size_t kx = plan_roster_count(&b->roster, x);
	size_t ky = plan_roster_count(&b->roster, y);
	size_t span = kx > ky ? kx : ky, shift, i;
	size_t end = b->how->rails ? span : span * span;
	uint32_t next_x[PORTS] = { 0 }, next_y[PORTS] = { 0 }, at;
	enum fp_status status;
	int32_t src, dst;
	size_t px, py;

	for (i = 0; i < end; i++) {
		shift = i / span;
		if (i % span >= kx || (i % span + shift) % span >= ky)
			continue;
		src = plan_roster_rank(&b->roster, x, i % span);
		dst = plan_roster_rank(&b->roster, y,
		                       (i % span + shift) % span);
		px = rank_port(b->how->job, src);
		py = rank_port(b->how->job, dst);
		at = next_x[px] > next_y[py] ? next_x[px] : next_y[py];
		next_x[px] = next_y[py] = at + 1;
		if (at >= b->width)
			b->width = at + 1;
		status = add_both_ways(&b->list, b->base + 2 * at, src, dst,
		                       err);
		if (status)
			return status;
	}
	return FP_OK;
}

/* One rank of each, by turns, so that in time every rank was asked. */
static enum fp_status meet_once(struct between *b, size_t x, size_t y,
                                struct fp_err *err)
{
	size_t i = b->turn % plan_roster_count(&b->roster, x);
	size_t j = b->turn % plan_roster_count(&b->roster, y);

	b->width = 1;
	return add_both_ways(&b->list, b->base,
	                     plan_roster_rank(&b->roster, x, i),
	                     plan_roster_rank(&b->roster, y, j), err);
}

static enum fp_status between_matching(struct between *b, uint32_t t,
                                       struct fp_err *err)
{
	uint32_t n = (uint32_t)b->roster.n_hosts, v;
	enum fp_status status = FP_OK;
	int32_t p;

	b->width = 0;
	for (v = 0; !status && v < n; v++) {
		p = plan_partner(n, v, t);
		if (p <= (int32_t)v)
			continue;
		status = b->how->all_ranks
		                 ? meet_all(b, b->order[v], b->order[p], err)
		                 : meet_once(b, b->order[v], b->order[p], err);
	}
	b->base += 2 * b->width;
	b->turn++;
	return status;
}

/* splitmix64: one multiply-and-shift step of a full-period generator. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static void shuffle(size_t *x, size_t n, uint64_t *state)
{
	size_t i, j, keep;

	for (i = n; i > 1; i--) {
		j = draw(state) % i;
		keep = x[i - 1];
		x[i - 1] = x[j];
		x[j] = keep;
	}
}

/* All matchings in their own order; or some, evenly spread over a circle on
 * which the hosts were shuffled. */
static enum fp_status between_matchings(struct between *b, struct fp_err *err)
{
	uint32_t all = plan_rounds((uint32_t)b->roster.n_hosts);
	uint32_t want = b->how->matchings, j, start = 0;
	uint64_t state = b->how->seed;
	enum fp_status status = FP_OK;
	size_t h;

	for (h = 0; h < b->roster.n_hosts; h++)
		b->order[h] = h;
	if (want == 0 || want >= all) {
		want = all;
	} else {
		shuffle(b->order, b->roster.n_hosts, &state);
		start = (uint32_t)(draw(&state) % all);
	}
	for (j = 0; !status && j < want; j++)
		status = between_matching(
			b, (uint32_t)((start + (uint64_t)j * all / want) % all),
			err);
	return status;
}

enum fp_status plan_between_hosts(const struct plan_between *how,
                                  struct plan_pairs *ret, struct fp_err *err)
{
	struct between b = { .how = how };
	enum fp_status status;

	status = plan_roster_init(&b.roster, how->job, how->skip, err);
	if (status)
		return status;
	b.order = calloc(b.roster.n_hosts + 1, sizeof(*b.order));
	status =
		b.order ? between_matchings(&b, err)
			: fp_err_set(err, FP_ERR_NOMEM, "no memory for a plan");
	if (!status)
		plan_list_finish(&b.list, ret);
	plan_list_done(&b.list);
	free(b.order);
	plan_roster_done(&b.roster);
	return status;
}
