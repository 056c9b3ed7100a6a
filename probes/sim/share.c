// SPDX-License-Identifier: Apache-2.0
// Flows of a round that share an uplink of a leaf.
#include <stdlib.h>
#include <string.h>

#include "probes/locate/plan.h"
#include "probes/sim/model.h"

/* struct loads - flows on each uplink of each leaf, of one group. */
struct loads {
	const struct fabric *f;
	const struct locate_tests *tests;
	uint64_t uplinks;
	uint16_t *load;
	uint16_t *share;
};

/* The uplink that the static hash of a test's flow falls on, or NULL. */
static uint16_t *load_of(const struct loads *l, size_t i)
{
	const struct locate_test *t = &l->tests->t[i];
	int32_t leaf = fabric_leaf(l->f, t->t.src.host, t->t.src.nic);
	uint64_t key;

	if (!locate_class_crosses(t->cls) || leaf < 0)
		return NULL;
	key = stats_hash((uint64_t)t->t.src.host * FABRIC_MAX_PER_HOST +
	                         (uint64_t)t->t.src.nic,
	                 (uint64_t)t->t.dst.host);
	return &l->load[(uint64_t)leaf * l->uplinks + key % l->uplinks];
}

static void one_group(struct loads *l, size_t from, size_t to)
{
	uint16_t *load;
	size_t i;

	for (i = from; i < to; i++) {
		load = load_of(l, i);
		if (load)
			(*load)++;
	}
	for (i = from; i < to; i++) {
		load = load_of(l, i);
		l->share[i] = load ? *load : 1;
	}
	for (i = from; i < to; i++) {
		load = load_of(l, i);
		if (load)
			*load = 0;
	}
}

uint16_t *sim_shares(const struct fabric *f, const struct locate_tests *tests)
{
	struct loads l = {
		.f = f,
		.tests = tests,
		.uplinks = (uint64_t)fabric_uplinks(f),
		.share = calloc(tests->n + 1, sizeof(*l.share)),
	};
	size_t i, end;

	l.load = calloc((size_t)f->n_leaves * l.uplinks + 1, sizeof(*l.load));
	for (i = 0; l.load && l.share && i < tests->n; i = end) {
		for (end = i;
		     end < tests->n && tests->t[end].group == tests->t[i].group;
		     end++)
			;
		one_group(&l, i, end);
	}
	if (!l.load) {
		free(l.share);
		l.share = NULL;
	}
	free(l.load);
	return l.share;
}
