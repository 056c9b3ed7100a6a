// SPDX-License-Identifier: Apache-2.0
// Who cannot be a culprit, and which of the rest have to do with each other.
#include <stdlib.h>

#include "probes/attribute/core.h"

/* struct cleared - the state of exoneration. */
struct cleared {
	struct attribute_core *k;
	uint32_t *alive; /* [n_tests] candidates alive */
	double *best;    /* [n] the most that it could add to a score */
	int32_t *queue;  /* [n] the dead, to be looked at */
	size_t head, tail;
};

static void die_if_hopeless(struct cleared *s, int32_t c)
{
	if (s->k->dead[c] || s->best[c] > 0)
		return;
	s->k->dead[c] = true;
	s->queue[s->tail++] = c;
}

/* A sound test that only one is left of counts against that one. */
static void blame_last(struct cleared *s, uint32_t t)
{
	struct attribute_core *k = s->k;
	size_t j;

	if (k->weight[t] > 0 || s->alive[t] != 1)
		return;
	for (j = k->of_first[t]; j < k->of_first[t + 1]; j++) {
		if (k->dead[k->of[j]])
			continue;
		s->best[k->of[j]] += k->weight[t];
		die_if_hopeless(s, k->of[j]);
	}
}

static void count_best(struct cleared *s)
{
	struct attribute_core *k = s->k;
	size_t t, j;
	int32_t c;

	for (c = 0; c < k->n; c++)
		s->best[c] = k->logit[c];
	for (t = 0; t < k->n_tests; t++) {
		s->alive[t] = (uint32_t)(k->of_first[t + 1] - k->of_first[t]);
		for (j = k->of_first[t]; j < k->of_first[t + 1]; j++)
			if (k->weight[t] > 0 || s->alive[t] == 1)
				s->best[k->of[j]] += k->weight[t];
	}
}

static void bury(struct cleared *s)
{
	struct attribute_core *k = s->k;
	int32_t c = s->queue[s->head++];
	size_t i;

	for (i = k->in_first[c]; i < k->in_first[c + 1]; i++) {
		s->alive[k->in[i]]--;
		blame_last(s, k->in[i]);
	}
}

enum fp_status attribute_core_exonerate(struct attribute_core *k,
                                        struct fp_err *err)
{
	struct cleared s = {
		.k = k,
		.alive = calloc(k->n_tests + 1, sizeof(*s.alive)),
		.best = calloc((size_t)k->n + 1, sizeof(*s.best)),
		.queue = calloc((size_t)k->n + 1, sizeof(*s.queue)),
	};
	enum fp_status status = FP_OK;
	int32_t c;

	if (s.alive && s.best && s.queue) {
		count_best(&s);
		for (c = 0; c < k->n; c++)
			die_if_hopeless(&s, c);
		while (s.head < s.tail)
			bury(&s);
	} else {
		status =
			fp_err_set(err, FP_ERR_NOMEM, "no memory for evidence");
	}
	free(s.alive);
	free(s.best);
	free(s.queue);
	return status;
}

static int32_t root(int32_t *up, int32_t c)
{
	while (up[c] != c) {
		up[c] = up[up[c]];
		c = up[c];
	}
	return c;
}

/* Each candidate alive under the smallest of its part. */
static void join(const struct attribute_core *k, int32_t *up)
{
	int32_t a, b, first;
	size_t t, j;

	for (t = 0; t < k->n_tests; t++) {
		first = -1;
		for (j = k->of_first[t]; j < k->of_first[t + 1]; j++) {
			if (k->dead[k->of[j]])
				continue;
			b = root(up, k->of[j]);
			a = first < 0 ? b : root(up, first);
			first = a < b ? a : b;
			up[a < b ? b : a] = first;
		}
	}
}

/* @at: [n + 1], zero. A root's number of members, then where they go. */
static void lay_out(struct attribute_parts *p, const struct attribute_core *k,
                    int32_t *up, size_t *at)
{
	size_t sum = 0, members;
	int32_t c;

	for (c = 0; c < k->n; c++)
		if (!k->dead[c])
			at[root(up, c)]++;
	for (c = 0; c < k->n; c++) {
		members = at[c];
		at[c] = sum;
		sum += members;
		if (members)
			p->first[++p->n] = sum;
	}
	for (c = 0; c < k->n; c++)
		if (!k->dead[c])
			p->list[at[root(up, c)]++] = c;
}

enum fp_status attribute_parts_init(struct attribute_parts *p,
                                    const struct attribute_core *k,
                                    struct fp_err *err)
{
	size_t room = (size_t)k->n + 1, *at = calloc(room, sizeof(*at));
	int32_t *up = calloc(room, sizeof(*up));
	enum fp_status status = FP_OK;
	int32_t c;

	*p = (struct attribute_parts){
		.list = calloc(room, sizeof(*p->list)),
		.first = calloc(room, sizeof(*p->first)),
	};
	if (at && up && p->list && p->first) {
		for (c = 0; c < k->n; c++)
			up[c] = c;
		join(k, up);
		lay_out(p, k, up, at);
	} else {
		attribute_parts_done(p);
		status =
			fp_err_set(err, FP_ERR_NOMEM, "no memory for evidence");
	}
	free(at);
	free(up);
	return status;
}

void attribute_parts_done(struct attribute_parts *p)
{
	free(p->list);
	free(p->first);
	*p = (struct attribute_parts){ 0 };
}
