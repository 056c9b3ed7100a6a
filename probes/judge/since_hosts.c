// SPDX-License-Identifier: Apache-2.0
// Hosts most of whose pairs lost since an earlier run.
#include <math.h>
#include <stdlib.h>

#include "probes/judge/since_part.h"
#include "probes/stats/stats.h"
#include "topo/base/fmt.h"

#define PAIRS_MIN 2

/* struct host_count - pairs of a host in one direction. */
struct host_count {
	uint32_t pairs, lost;
};

static int32_t host_of(const struct since_case *c, const struct since_pair *p,
                       int way)
{
	return c->now->job->ranks[way ? p->cell->dst : p->cell->src].host;
}

/* @ways: bit 0 as sender, bit 1 as receiver. */
static bool is_of(const struct since_case *c, const struct since_pair *p,
                  int32_t host, unsigned ways)
{
	return (ways & 1 && host_of(c, p, 0) == host) ||
	       (ways & 2 && host_of(c, p, 1) == host);
}

static bool has_lost(const struct since_case *c, const struct since_pair *p)
{
	const struct judge_opts *o = c->opts;
	double least = c->local ? o->slow_drop_local : o->end_drop;
	double factor = c->local ? o->latency_factor_local : o->latency_factor;
	double excess_s = p->cell->value - p->before;

	if (c->latency)
		return p->x <= -log(factor) && excess_s >= o->latency_excess_s;
	return 1 - exp(p->x) >= least && p->x / c->sigma <= o->suspect_z;
}

static bool is_guilty(const struct since_case *c, const struct host_count *n)
{
	return n->pairs >= PAIRS_MIN &&
	       n->lost >= c->opts->end_share * n->pairs;
}

/* What a typical of the pairs of @host reaches that way, and reached. */
static enum fp_status typical(const struct since_case *c, int32_t host,
                              unsigned ways, double ret[2], struct fp_err *err)
{
	double *v = calloc(2 * c->n + 1, sizeof(*v));
	size_t i, n = 0;

	if (!v)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to compare");
	for (i = 0; i < c->n; i++) {
		if (!is_of(c, &c->pairs[i], host, ways))
			continue;
		v[n] = c->pairs[i].before;
		v[c->n + n++] = c->pairs[i].cell->value;
	}
	ret[0] = stats_median(v, n);
	ret[1] = stats_median(v + c->n, n);
	free(v);
	return FP_OK;
}

static enum fp_status accuse(struct since_case *c, int32_t host, unsigned ways,
                             struct fp_err *err)
{
	static const uint32_t directions[] = {
		[1] = DIRECTION_TX,
		[2] = DIRECTION_RX,
		[3] = DIRECTION_BOTH,
	};
	double values[2] = { 0 };
	enum fp_status status = typical(c, host, ways, values, err);
	struct finding *f = NULL;
	size_t i;

	if (status)
		return status;
	f = since_finding(c, FINDING_SINCE_HOST, values[0], values[1]);
	if (!f)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to compare");
	f->locus.kind = LOCUS_HOST;
	if (!c->cls->local)
		f->locus.direction = directions[ways];
	fp_copy(f->locus.host, sizeof(f->locus.host),
	        c->now->job->hosts[host].name);
	for (i = 0; i < c->n; i++) {
		struct since_pair *p = &c->pairs[i];

		if (!has_lost(c, p) || !is_of(c, p, host, ways))
			continue;
		p->told = true;
		since_evidence(c, p, f);
	}
	return FP_OK;
}

enum fp_status since_hosts(struct since_case *c, struct fp_err *err)
{
	size_t hosts = c->now->job->n_hosts, i;
	struct host_count *counts = calloc(2 * hosts + 1, sizeof(*counts));
	enum fp_status status = FP_OK;
	unsigned ways;
	int way;

	if (!counts)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to compare");
	for (i = 0; i < c->n; i++)
		for (way = 0; way < 2; way++) {
			struct host_count *n =
				&counts[2 * host_of(c, &c->pairs[i], way) +
			                way];

			n->pairs++;
			n->lost += has_lost(c, &c->pairs[i]);
		}
	for (i = 0; !status && i < hosts; i++) {
		ways = (is_guilty(c, &counts[2 * i]) ? 1u : 0) |
		       (is_guilty(c, &counts[2 * i + 1]) ? 2u : 0);
		if (ways)
			status = accuse(c, (int32_t)i, ways, err);
	}
	free(counts);
	return status;
}
