// SPDX-License-Identifier: Apache-2.0
// Candidates and their tests; choosing among them.
#include "probes/attribute/core.h"

#include <math.h>
#include <stdlib.h>

/* struct count - what the evidence contains, to size the core. */
struct count {
	int32_t *local; /* [n_comps] candidate number or -1 */
	int32_t n;
	size_t n_tests, n_links;
};

static enum fp_status tests_check(const struct attribute_tests *t,
                                  struct fp_err *err)
{
	size_t i;

	for (i = 0; i < t->first[t->n_tests]; i++)
		if (t->comps[i] < 0 || t->comps[i] >= t->n_comps)
			return fp_err_set(err, FP_ERR_INPUT,
			                  "component %d of %d",
			                  (int)t->comps[i], (int)t->n_comps);
	if (t->n_tests > UINT32_MAX)
		return fp_err_set(err, FP_ERR_INPUT, "too many tests");
	return FP_OK;
}

static void mark_candidates(const struct attribute_tests *t, struct count *n)
{
	size_t i, j;

	for (i = 0; i < t->n_tests; i++) {
		if (!t->slow[i])
			continue;
		for (j = t->first[i]; j < t->first[i + 1]; j++)
			n->local[t->comps[j]] = 0;
	}
	for (i = 0; i < (size_t)t->n_comps; i++)
		if (n->local[i] == 0)
			n->local[i] = n->n++;
}

static size_t candidates_of(const struct attribute_tests *t,
                            const struct count *n, size_t test)
{
	size_t j, k = 0;

	for (j = t->first[test]; j < t->first[test + 1]; j++)
		k += n->local[t->comps[j]] >= 0;
	return k;
}

static enum fp_status count_all(const struct attribute_tests *t,
                                struct count *n, struct fp_err *err)
{
	size_t i, k;

	n->local = malloc(((size_t)t->n_comps + 1) * sizeof(*n->local));
	if (!n->local)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for evidence");
	for (i = 0; i < (size_t)t->n_comps; i++)
		n->local[i] = -1;
	mark_candidates(t, n);
	for (i = 0; i < t->n_tests; i++) {
		k = candidates_of(t, n, i);
		n->n_tests += k > 0;
		n->n_links += k;
	}
	return FP_OK;
}

static enum fp_status core_alloc(struct attribute_core *k,
                                 const struct count *n, struct fp_err *err)
{
	size_t c = (size_t)n->n + 1, t = n->n_tests + 1, l = n->n_links + 1;

	k->comp = calloc(c, sizeof(*k->comp));
	k->logit = calloc(c, sizeof(*k->logit));
	k->dead = calloc(c, sizeof(*k->dead));
	k->in_first = calloc(c + 1, sizeof(*k->in_first));
	k->in = calloc(l, sizeof(*k->in));
	k->of_first = calloc(t, sizeof(*k->of_first));
	k->of = calloc(l, sizeof(*k->of));
	k->test = calloc(t, sizeof(*k->test));
	k->weight = calloc(t, sizeof(*k->weight));
	k->cover = calloc(t, sizeof(*k->cover));
	k->gain = calloc(c, sizeof(*k->gain));
	k->chosen = calloc(c, sizeof(*k->chosen));
	if (k->comp && k->logit && k->dead && k->in_first && k->in &&
	    k->of_first && k->of && k->test && k->weight && k->cover &&
	    k->gain && k->chosen)
		return FP_OK;
	return fp_err_set(err, FP_ERR_NOMEM, "no memory for evidence");
}

static void fill_candidates(struct attribute_core *k,
                            const struct attribute_opts *opts,
                            const struct count *n, int32_t n_comps)
{
	int32_t i, c;

	k->n = n->n;
	for (i = 0; i < n_comps; i++) {
		c = n->local[i];
		if (c < 0)
			continue;
		k->comp[c] = i;
		k->logit[c] = k->gain[c] = opts->logit[i];
	}
}

static void fill_tests(struct attribute_core *k,
                       const struct attribute_tests *t, const struct count *n)
{
	size_t i, j, at = 0;

	for (i = 0; i < t->n_tests; i++) {
		if (candidates_of(t, n, i) == 0)
			continue;
		for (j = t->first[i]; j < t->first[i + 1]; j++)
			if (n->local[t->comps[j]] >= 0)
				k->of[at++] = n->local[t->comps[j]];
		k->weight[k->n_tests] = t->slow[i] ? k->slow_nats : k->ok_nats;
		k->test[k->n_tests] = i;
		k->of_first[++k->n_tests] = at;
	}
}

/* The other way round: a counting sort. in_first is one ahead meanwhile. */
static void transpose(struct attribute_core *k)
{
	size_t links = k->of_first[k->n_tests], i, j;
	int32_t c;

	for (i = 0; i < links; i++)
		k->in_first[k->of[i] + 2]++;
	for (i = 2; i <= (size_t)k->n + 1; i++)
		k->in_first[i] += k->in_first[i - 1];
	for (i = 0; i < k->n_tests; i++)
		for (j = k->of_first[i]; j < k->of_first[i + 1]; j++) {
			c = k->of[j];
			k->in[k->in_first[c + 1]++] = (uint32_t)i;
			k->gain[c] += k->weight[i];
		}
}

enum fp_status attribute_core_init(struct attribute_core *k,
                                   const struct attribute_tests *tests,
                                   const struct attribute_opts *opts,
                                   struct fp_err *err)
{
	enum fp_status status = tests_check(tests, err);
	struct count n = { 0 };

	*k = (struct attribute_core){
		.slow_nats = log((1 - opts->beta) / opts->alpha),
		.ok_nats = log(opts->beta / (1 - opts->alpha)),
	};
	if (!status)
		status = count_all(tests, &n, err);
	if (!status)
		status = core_alloc(k, &n, err);
	if (!status) {
		fill_candidates(k, opts, &n, tests->n_comps);
		fill_tests(k, tests, &n);
		transpose(k);
	}
	free(n.local);
	return status;
}

void attribute_core_done(struct attribute_core *k)
{
	free(k->comp);
	free(k->logit);
	free(k->dead);
	free(k->in_first);
	free(k->in);
	free(k->of_first);
	free(k->of);
	free(k->test);
	free(k->weight);
	free(k->cover);
	free(k->gain);
	free(k->chosen);
	*k = (struct attribute_core){ 0 };
}

/* All candidates of test @t gain @nats. */
static void give(struct attribute_core *k, uint32_t t, double nats)
{
	size_t j;

	for (j = k->of_first[t]; j < k->of_first[t + 1]; j++)
		k->gain[k->of[j]] += nats;
}

void attribute_core_choose(struct attribute_core *k, int32_t c)
{
	size_t i;

	k->score += k->gain[c];
	k->chosen[c] = true;
	for (i = k->in_first[c]; i < k->in_first[c + 1]; i++)
		if (k->cover[k->in[i]]++ == 0)
			give(k, k->in[i], -k->weight[k->in[i]]);
}

void attribute_core_drop(struct attribute_core *k, int32_t c)
{
	size_t i;

	for (i = k->in_first[c]; i < k->in_first[c + 1]; i++)
		if (--k->cover[k->in[i]] == 0)
			give(k, k->in[i], k->weight[k->in[i]]);
	k->chosen[c] = false;
	k->score -= k->gain[c];
}
