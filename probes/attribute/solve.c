// SPDX-License-Identifier: Apache-2.0
// A good choice quickly: greedy, then repaired.
#include "probes/attribute/core.h"

#define REPAIRS_MAX 16
/* Less than this is rounding: sums are made in more than one order. */
#define NATS_EPSILON 1e-6

void attribute_solve(struct attribute_core *k, const int32_t *list, size_t n)
{
	int32_t best;
	size_t i;

	for (;;) {
		best = -1;
		for (i = 0; i < n; i++)
			if (!k->chosen[list[i]] &&
			    (best < 0 || k->gain[list[i]] > k->gain[best]))
				best = list[i];
		if (best < 0 || k->gain[best] <= NATS_EPSILON)
			return;
		attribute_core_choose(k, best);
	}
}

/* The best one to have in place of @c, which is dropped; @c if none. */
static int32_t better_than(const struct attribute_core *k, int32_t c)
{
	int32_t best = c, other;
	size_t i, j;

	for (i = k->in_first[c]; i < k->in_first[c + 1]; i++) {
		uint32_t t = k->in[i];

		if (k->weight[t] < 0)
			continue;
		for (j = k->of_first[t]; j < k->of_first[t + 1]; j++) {
			other = k->of[j];
			if (!k->chosen[other] && !k->dead[other] &&
			    k->gain[other] > k->gain[best] + NATS_EPSILON)
				best = other;
		}
	}
	return best;
}

/* Out with @c, unless it or another is better in. */
static bool reconsider(struct attribute_core *k, int32_t c)
{
	int32_t best;

	attribute_core_drop(k, c);
	best = better_than(k, c);
	if (k->gain[best] > NATS_EPSILON)
		attribute_core_choose(k, best);
	return best != c || !k->chosen[c];
}

void attribute_repair(struct attribute_core *k, const int32_t *list, size_t n)
{
	bool changed = true;
	size_t i, turn;

	for (turn = 0; changed && turn < REPAIRS_MAX; turn++) {
		changed = false;
		for (i = 0; i < n; i++)
			if (k->chosen[list[i]])
				changed |= reconsider(k, list[i]);
		if (changed)
			attribute_solve(k, list, n);
	}
}
