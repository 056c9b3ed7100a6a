// SPDX-License-Identifier: Apache-2.0
// Matchings of hosts by the circle method, and one that stays under leaves.
#include "probes/locate/match.h"

#include <stdlib.h>

#define TRIES 64

enum fp_status match_init(struct match *m, const struct fabric *f,
                          uint64_t seed, struct fp_err *err)
{
	size_t n = (size_t)f->spec.hosts;
	int32_t h;

	*m = (struct match){
		.f = f,
		.order = calloc(n, sizeof(*m->order)),
		.partner = calloc(n, sizeof(*m->partner)),
		.rounds = plan_rounds((uint32_t)n),
	};
	if (!m->order || !m->partner)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a plan");
	for (h = 0; h < f->spec.hosts; h++)
		m->order[h] = h;
	stats_rng_init(&m->rng, seed, 2);
	return FP_OK;
}

void match_done(struct match *m)
{
	free(m->order);
	free(m->partner);
	*m = (struct match){ 0 };
}

static bool has_leaves(const struct match *m)
{
	int32_t h, first = fabric_leaf(m->f, 0, 0);

	for (h = 1; h < m->f->spec.hosts; h++)
		if (fabric_leaf(m->f, h, 0) != first)
			return true;
	return false;
}

void match_begin(struct match *m, uint32_t count)
{
	m->count = count < m->rounds ? count : m->rounds;
	m->sampled = m->count < m->rounds;
	m->done = 0;
	m->at = stats_rng_below(&m->rng, m->rounds);
	m->step = m->sampled && m->count ? m->rounds / m->count + 1 : 1;
	if (m->sampled)
		stats_rng_shuffle(&m->rng, m->order, (size_t)m->f->spec.hosts);
}

static void pair(struct match *m, int32_t a, int32_t b)
{
	m->partner[a] = b;
	m->partner[b] = a;
}

/* Neighbours by seat that share a leaf; a leaf's last one may be left. */
static bool match_leaves(struct match *m)
{
	int32_t *waits = calloc((size_t)m->f->n_leaves + 1, sizeof(*waits));
	int32_t s, h, leaf;

	if (!waits)
		return false;
	for (s = 0; s < m->f->spec.hosts; s++) {
		h = m->order[s];
		leaf = fabric_leaf(m->f, h, 0);
		if (leaf < 0)
			continue;
		if (waits[leaf])
			pair(m, h, waits[leaf] - 1);
		waits[leaf] = waits[leaf] ? 0 : h + 1;
	}
	free(waits);
	return true;
}

static bool are_neighbours(const struct match *m, int32_t a, int32_t b)
{
	return fabric_leaf(m->f, a, 0) == fabric_leaf(m->f, b, 0);
}

/* Pairs under one leaf exchange partners with others: one kind of pair in a
 * round. Where nobody fits they stay. */
static void part_neighbours(struct match *m)
{
	int32_t n = m->f->spec.hosts, a, b, c, d;
	uint32_t k;

	for (a = 0; a < n; a++) {
		b = m->partner[a];
		for (k = 0; b >= 0 && are_neighbours(m, a, b) && k < TRIES;
		     k++) {
			c = (int32_t)stats_rng_below(&m->rng, (uint32_t)n);
			d = m->partner[c];
			if (d < 0 || are_neighbours(m, a, c) ||
			    are_neighbours(m, b, d))
				continue;
			pair(m, a, c);
			pair(m, b, d);
			break;
		}
	}
}

static void match_circle(struct match *m)
{
	uint32_t n = (uint32_t)m->f->spec.hosts, s;
	int32_t with;

	for (s = 0; s < n; s++) {
		with = plan_partner(n, s, m->at);
		if (with >= 0)
			pair(m, m->order[s], m->order[with]);
	}
	m->at = (m->at + m->step) % m->rounds;
	if (m->sampled && has_leaves(m))
		part_neighbours(m);
}

bool match_next(struct match *m)
{
	bool leaves = m->sampled && m->done == 0 && m->count > 1;
	int32_t h;

	if (m->done == m->count)
		return false;
	for (h = 0; h < m->f->spec.hosts; h++)
		m->partner[h] = -1;
	if (!leaves || !has_leaves(m) || !match_leaves(m))
		match_circle(m);
	m->done++;
	return true;
}
