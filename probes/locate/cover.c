// SPDX-License-Identifier: Apache-2.0
// What the tests have covered, and what a single bad pair could hide in.
#include <stdlib.h>
#include <string.h>

#include "probes/locate/book.h"
#include "probes/trial/trial.h"

static bool has_run(const struct locate *l, size_t i)
{
	return l->looks[i].state != OUTCOME_NONE &&
	       l->looks[i].state != OUTCOME_NOTRUN;
}

static bool is_pair(const struct locate_test *t)
{
	return t->stage == TRIAL_S3_RAIL || t->stage == TRIAL_S1_HOST;
}

static int key_cmp(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

/* A directed pair of ports between hosts, or of GPUs in one. */
static uint64_t key_of(const struct fabric *f, const struct fabric_transfer *t)
{
	uint64_t of_host = FABRIC_MAX_PER_HOST;
	uint64_t at = (uint64_t)(t->src.nic >= 0 ? t->src.nic : t->src.gpu);
	uint64_t to = (uint64_t)(t->dst.nic >= 0 ? t->dst.nic : t->dst.gpu);

	return (((uint64_t)t->src.host * of_host + at) *
	                (uint64_t)f->spec.hosts +
	        (uint64_t)t->dst.host) *
	               of_host +
	       to;
}

static uint64_t count_pairs(const struct locate *l)
{
	uint64_t *keys = calloc(l->tests.n + 1, sizeof(*keys)), distinct = 0;
	size_t i, n = 0;

	if (!keys)
		return 0;
	for (i = 0; i < l->tests.n; i++)
		if (is_pair(&l->tests.t[i]) && has_run(l, i))
			keys[n++] = key_of(l->f, &l->tests.t[i].t);
	qsort(keys, n, sizeof(*keys), key_cmp);
	for (i = 0; i < n; i++)
		distinct += i == 0 || keys[i] != keys[i - 1];
	free(keys);
	return distinct;
}

static uint64_t count_kind(const struct locate *l, unsigned kind)
{
	int32_t id;
	uint64_t n = 0;

	for (id = l->f->first[kind]; id < l->f->first[kind + 1]; id++)
		n += l->a.state[id] != ATTRIBUTE_UNTESTED;
	return n;
}

/* Of the pairs of hosts on a rail, the part that was not tested. */
static double miss_single(const struct locate *l, uint64_t pairs)
{
	uint64_t hosts = (uint64_t)l->f->spec.hosts;
	uint64_t gpus = (uint64_t)l->f->spec.gpus;
	uint64_t rails = (uint64_t)l->f->spec.nics;
	uint64_t inside = hosts * gpus * (gpus ? gpus - 1 : 0);
	uint64_t between = hosts * (hosts - 1) * rails;

	if (!between)
		return 0;
	/* Pairs inside hosts are all tested, or one way of each. */
	pairs = pairs > inside ? pairs - inside : 0;
	return 1 - (double)pairs / (double)between;
}

struct locate_cover locate_cover(const struct locate *l)
{
	uint64_t hosts = (uint64_t)l->f->spec.hosts;
	uint64_t gpus = (uint64_t)l->f->spec.gpus;
	uint64_t rails = (uint64_t)l->f->spec.nics;
	struct locate_cover c = {
		.pairs = count_pairs(l),
		.pairs_total = hosts * (hosts - 1) * rails +
		               hosts * gpus * (gpus ? gpus - 1 : 0),
		.ports_tx = count_kind(l, FABRIC_PORT_TX),
		.ports_rx = count_kind(l, FABRIC_PORT_RX),
		.ports_total = hosts * rails,
		.comps_total = (uint64_t)fabric_size(l->f),
	};
	unsigned kind;
	size_t i;

	for (kind = 0; kind < FABRIC_KIND_COUNT; kind++)
		c.comps += count_kind(l, kind);
	for (i = 0; i < l->tests.n; i++)
		*(has_run(l, i) ? &c.tests : &c.not_run) += 1;
	c.miss = miss_single(l, c.pairs);
	return c;
}
