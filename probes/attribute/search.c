// SPDX-License-Identifier: Apache-2.0
// The best choice of a small part: branch and bound.
#include <stddef.h>

#include "probes/attribute/core.h"

#define SEARCH_MAX 32 /* candidates: choices are bits of a number */
/* Looks at a test before the search gives up; a second or less. */
#define WORK_MAX 20000000u
#define NATS_EPSILON 1e-6

struct search {
	struct attribute_core *k;
	const int32_t *list;
	size_t n;
	double best;
	uint32_t best_set, set;
	size_t work;
};

static void choose(struct search *s, size_t i)
{
	attribute_core_choose(s->k, s->list[i]);
	s->set |= 1u << i;
}

static void drop(struct search *s, size_t i)
{
	attribute_core_drop(s->k, s->list[i]);
	s->set &= ~(1u << i);
}

/* Is @c the last one who could still touch test @t? */
static bool is_last(const struct search *s, uint32_t t, size_t from, int32_t c)
{
	const struct attribute_core *k = s->k;
	size_t i, j;

	for (j = k->of_first[t]; j < k->of_first[t + 1]; j++) {
		if (k->of[j] == c)
			continue;
		for (i = from; i < s->n; i++)
			if (s->list[i] == k->of[j])
				return false;
	}
	return true;
}

/*
 * The most that choosing @list[@i] can add when those from @from on are free:
 * all slow tests not yet explained, and of the sound ones only those that no
 * other free one could have been charged with.
 */
static double most(struct search *s, size_t i, size_t from)
{
	const struct attribute_core *k = s->k;
	int32_t c = s->list[i];
	double nats = k->logit[c];
	size_t j;

	s->work += k->in_first[c + 1] - k->in_first[c];
	for (j = k->in_first[c]; j < k->in_first[c + 1]; j++) {
		uint32_t t = k->in[j];

		if (k->cover[t] == 0 &&
		    (k->weight[t] > 0 || is_last(s, t, from, c)))
			nats += k->weight[t];
	}
	return nats;
}

static double bound(struct search *s, size_t from)
{
	double sum = 0, one;
	size_t i;

	for (i = from; i < s->n; i++) {
		one = most(s, i, from);
		sum += one > 0 ? one : 0;
	}
	return sum;
}

static void descend(struct search *s, size_t from)
{
	if (s->k->score > s->best + NATS_EPSILON) {
		s->best = s->k->score;
		s->best_set = s->set;
	}
	if (from == s->n || s->work > WORK_MAX ||
	    s->k->score + bound(s, from) <= s->best + NATS_EPSILON)
		return;
	choose(s, from);
	descend(s, from + 1);
	drop(s, from);
	descend(s, from + 1);
}

static void clear(struct search *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->k->chosen[s->list[i]])
			drop(s, i);
}

bool attribute_search(struct attribute_core *k, const int32_t *list, size_t n)
{
	struct search s = { .k = k, .list = list, .n = n, .best = k->score };
	size_t i;

	if (n > SEARCH_MAX)
		return false;
	for (i = 0; i < n; i++)
		if (k->chosen[list[i]])
			s.best_set |= 1u << i;
	clear(&s);
	descend(&s, 0);
	for (i = 0; i < n; i++)
		if (s.best_set & 1u << i)
			choose(&s, i);
	return s.work <= WORK_MAX;
}
