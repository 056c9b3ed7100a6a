// SPDX-License-Identifier: Apache-2.0
// Adds up datagram trials by directed pair.
#include "probes/judge/gram.h"

#include <stdbool.h>
#include <stdlib.h>

static int gram_cmp(const void *pa, const void *pb)
{
	const struct gram *a = pa, *b = pb;

	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	if (a->dst != b->dst)
		return a->dst < b->dst ? -1 : 1;
	return (a->trial > b->trial) - (a->trial < b->trial);
}

/* Counts only where both ends did their part: a receiver that was not there
 * says nothing about the way to it. */
static bool gram_of(const struct pair_view *v, struct gram *ret)
{
	if (v->trial->op != OP_DATAGRAM || v->state != OUTCOME_OK)
		return false;
	*ret = (struct gram){
		.src = v->trial->src,
		.dst = v->trial->dst,
		.trial = v->trial->id,
		.small_sent = outcome_get(v->src, COUNTER_SMALL_SENT, 0),
		.small_rcvd = outcome_get(v->dst, COUNTER_SMALL_RCVD, 0),
		.full_sent = outcome_get(v->src, COUNTER_FULL_SENT, 0),
		.full_rcvd = outcome_get(v->dst, COUNTER_FULL_RCVD, 0),
		.full_bytes = outcome_get(v->src, COUNTER_FULL_BYTES, 0),
		.path_bytes = outcome_get(v->dst, COUNTER_PATH_BYTES, 0),
		.refused = v->src->err,
	};
	return true;
}

static void gram_add(struct gram *to, const struct gram *more)
{
	to->trial = more->trial;
	to->small_sent += more->small_sent;
	to->small_rcvd += more->small_rcvd;
	to->full_sent += more->full_sent;
	to->full_rcvd += more->full_rcvd;
	to->full_bytes = more->full_bytes;
	if (more->path_bytes > to->path_bytes)
		to->path_bytes = more->path_bytes;
	if (more->refused[0])
		to->refused = more->refused;
}

static uint32_t gram_judge(const struct gram *g)
{
	if (g->full_rcvd > 0)
		return GRAM_ALIVE;
	if (g->small_rcvd > 0)
		return GRAM_MTU;
	return g->small_sent > 0 || g->refused[0] ? GRAM_DEAD : GRAM_UNKNOWN;
}

static size_t grams_merge(struct gram *g, size_t n)
{
	size_t i, k = 0;

	for (i = 0; i < n; i++) {
		if (k && g[k - 1].src == g[i].src && g[k - 1].dst == g[i].dst)
			gram_add(&g[k - 1], &g[i]);
		else
			g[k++] = g[i];
	}
	for (i = 0; i < k; i++)
		g[i].verdict = gram_judge(&g[i]);
	return k;
}

enum fp_status judge_grams_collect(const struct results *r, struct grams *ret,
                                   struct fp_err *err)
{
	struct pair_view *views;
	struct gram *g;
	enum fp_status status;
	size_t i, n_views, n = 0;

	status = results_pairs(r, &views, &n_views, err);
	if (status)
		return status;
	for (i = 0; i < n_views; i++)
		n += views[i].trial->op == OP_DATAGRAM;
	g = calloc(n + 1, sizeof(*g));
	if (!g) {
		free(views);
		return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
	}
	for (i = n = 0; i < n_views; i++)
		n += gram_of(&views[i], &g[n]);
	free(views);
	if (n)
		qsort(g, n, sizeof(*g), gram_cmp);
	*ret = (struct grams){ .g = g, .n = grams_merge(g, n) };
	return FP_OK;
}

void judge_grams_done(struct grams *grams)
{
	if (!grams)
		return;
	free(grams->g);
	*grams = (struct grams){ 0 };
}

static int pair_cmp(const void *pa, const void *pb)
{
	const struct gram *a = pa, *b = pb;

	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

const struct gram *judge_grams_find(const struct grams *grams, int32_t src,
                                    int32_t dst)
{
	const struct gram key = { .src = src, .dst = dst };

	if (grams->n == 0)
		return NULL;
	return bsearch(&key, grams->g, grams->n, sizeof(key), pair_cmp);
}

enum gram_verdict judge_grams_verdict(const struct grams *grams, int32_t src,
                                      int32_t dst)
{
	const struct gram *g = judge_grams_find(grams, src, dst);

	return g ? (enum gram_verdict)g->verdict : GRAM_UNKNOWN;
}
