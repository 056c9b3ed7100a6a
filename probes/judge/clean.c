// SPDX-License-Identifier: Apache-2.0
// Retests are compared with clean pairs that were measured beside them: what
// slows those as well is not the suspect's fault.
#include <math.h>
#include <stdlib.h>

#include "probes/judge/clean.h"
#include "probes/stats/stats.h"

/* From so many tests on the lowest may be one that was disturbed. */
#define FLOOR_MANY 5
#define FLOOR_QUANTILE 0.1

/* struct sample - a clean pair's test in the stage of retests. */
struct sample {
	int32_t cls, host;
	double v[3]; /* x, y, loss of struct judge_usual */
};

static int sample_cmp(const void *pa, const void *pb)
{
	const struct sample *a = pa, *b = pb;

	if (a->cls != b->cls)
		return a->cls < b->cls ? -1 : 1;
	return (a->host > b->host) - (a->host < b->host);
}

static int32_t host_of(const struct judge_group *g, int32_t cls, int32_t rank)
{
	return g->classes[cls].kind == KIND_SAME_HOST ? g->job->ranks[rank].host
	                                              : -1;
}

static size_t samples_collect(const struct judge_group *g, const bool *clean,
                              struct sample *samples)
{
	const struct judge_test *t;
	size_t cell, i, n = 0;
	int32_t cls;

	for (cell = 0; cell < g->m->n_cells; cell++) {
		cls = g->m->cells[cell].cls;
		for (i = g->first[cell]; i < g->first[cell + 1]; i++) {
			t = &g->tests[i];
			if (!clean[cell] || !(t->value > 0) || t->spoiled ||
			    t->trial->stage != TRIAL_S7_RETEST)
				continue;
			samples[n++] = (struct sample){
				cls,
				host_of(g, cls, t->src),
				{ judge_test_x(t), judge_test_y(t),
				  judge_test_loss(t, g->opts) },
			};
		}
	}
	return n;
}

/* One member of @n samples, sorted, into @scratch; returns how many. */
static size_t sorted(const struct sample *s, size_t n, size_t member,
                     double *scratch)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		if (!isnan(s[i].v[member]))
			scratch[k++] = s[i].v[member];
	stats_sort(scratch, k);
	return k;
}

static double median_of(const struct sample *s, size_t n, size_t member,
                        double *scratch)
{
	return stats_quantile(scratch, sorted(s, n, member, scratch), 0.5);
}

static struct judge_clean clean_of(const struct sample *s, size_t n,
                                   double *scratch)
{
	struct judge_clean clean = {
		.cls = s[0].cls,
		.host = s[0].host,
		.usual = {
			median_of(s, n, 0, scratch),
			median_of(s, n, 1, scratch),
			median_of(s, n, 2, scratch),
		},
	};
	size_t k = sorted(s, n, 0, scratch);

	clean.floor_x = k ? scratch[k >= FLOOR_MANY] : NAN;
	clean.spread = k ? scratch[k - 1] - clean.floor_x : NAN;
	return clean;
}

static size_t run_length(const struct sample *s, size_t n, bool hosts)
{
	size_t i = 1;

	while (i < n && s[i].cls == s[0].cls &&
	       (!hosts || s[i].host == s[0].host))
		i++;
	return i;
}

/* For each class all of it, as of host -1, and each of its hosts. */
static void reduce(struct judge_group *g, const struct sample *s, size_t n,
                   double *scratch)
{
	size_t i, k, len, part;

	for (i = 0; i < n; i += len) {
		len = run_length(s + i, n - i, false);
		g->clean[g->n_clean] = clean_of(s + i, len, scratch);
		g->clean[g->n_clean++].host = -1;
		for (k = i; s[i].host >= 0 && k < i + len; k += part) {
			part = run_length(s + k, i + len - k, true);
			g->clean[g->n_clean++] = clean_of(s + k, part, scratch);
		}
	}
}

/* The low end of what clean cells of class @cls did in their first test. */
static double first_floor(const struct judge_group *g, const bool *clean,
                          int32_t cls, double *scratch)
{
	size_t cell, i, k = 0;

	for (cell = 0; cell < g->m->n_cells; cell++) {
		if (!clean[cell] || g->m->cells[cell].cls != cls)
			continue;
		for (i = g->first[cell]; !(g->tests[i].value > 0); i++)
			;
		scratch[k++] = judge_test_x(&g->tests[i]);
	}
	stats_sort(scratch, k);
	return k >= FLOOR_MANY ? stats_quantile(scratch, k, FLOOR_QUANTILE)
	                       : NAN;
}

enum fp_status judge_clean_make(struct judge_group *g, const bool *clean,
                                struct fp_err *err)
{
	struct sample *samples = calloc(g->n_tests + 1, sizeof(*samples));
	double *scratch = calloc(g->n_tests + 1, sizeof(*scratch));
	enum fp_status status = FP_OK;
	size_t i, n = 0;

	if (samples)
		n = samples_collect(g, clean, samples);
	g->clean = calloc(2 * n + 1, sizeof(*g->clean));
	if (!samples || !scratch || !g->clean) {
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
		goto free_samples;
	}
	if (n)
		qsort(samples, n, sizeof(*samples), sample_cmp);
	reduce(g, samples, n, scratch);
	for (i = 0; i < g->m->n_classes; i++)
		g->classes[i].floor_x =
			first_floor(g, clean, (int32_t)i, scratch);
free_samples:
	free(samples);
	free(scratch);
	return status;
}

static int clean_cmp(const void *pa, const void *pb)
{
	const struct judge_clean *a = pa, *b = pb;

	if (a->cls != b->cls)
		return a->cls < b->cls ? -1 : 1;
	return (a->host > b->host) - (a->host < b->host);
}

static const struct judge_clean *clean_find(const struct judge_group *g,
                                            int32_t cls, int32_t host)
{
	const struct judge_clean key = { .cls = cls, .host = host };

	if (g->n_clean == 0)
		return NULL;
	return bsearch(&key, g->clean, g->n_clean, sizeof(key), clean_cmp);
}

struct judge_clean judge_clean_beside(const struct judge_group *g, int32_t cls,
                                      int32_t rank)
{
	const struct judge_clean *beside =
		clean_find(g, cls, host_of(g, cls, rank));
	struct judge_clean clean = {
		.usual = g->classes[cls].usual,
		.floor_x = NAN,
		.spread = NAN,
	};

	if (!beside)
		beside = clean_find(g, cls, -1);
	if (!beside)
		return clean;
	clean = *beside;
	/* fmin and fmax pass over what is not known. */
	clean.usual.x = fmin(clean.usual.x, g->classes[cls].usual.x);
	clean.usual.y = fmin(clean.usual.y, g->classes[cls].usual.y);
	clean.usual.loss = fmax(clean.usual.loss, g->classes[cls].usual.loss);
	return clean;
}
