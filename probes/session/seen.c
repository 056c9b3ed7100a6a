// SPDX-License-Identifier: Apache-2.0
// Which pair was measured by what: a sorted array, searched by halves.
#include "probes/session/seen.h"

#include <stdlib.h>

struct session_sight {
	int32_t src, dst, src_ep, dst_ep;
	uint16_t xport, op;
	uint8_t dir;
	uint64_t bytes;
	const char *why; /* NULL: measured */
};

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int sight_key_compare(const struct session_sight *a,
                             const struct session_sight *b)
{
	int c = order(a->src, b->src);

	if (!c)
		c = order(a->dst, b->dst);
	if (!c)
		c = order(a->xport, b->xport);
	if (!c)
		c = order(a->op, b->op);
	if (!c)
		c = order(a->dir, b->dir);
	if (!c)
		c = order(a->src_ep, b->src_ep);
	if (!c)
		c = order(a->dst_ep, b->dst_ep);
	if (!c)
		c = (a->bytes > b->bytes) - (a->bytes < b->bytes);
	return c;
}

/* Of equal ones the measured come first. */
static int sight_compare(const void *va, const void *vb)
{
	const struct session_sight *a = va, *b = vb;
	int c = sight_key_compare(a, b);

	return c ? c : (a->why != NULL) - (b->why != NULL);
}

static const char *why_not(const struct pair_view *v)
{
	switch (v->state) {
	case OUTCOME_OK:
	case OUTCOME_ERROR:
	case OUTCOME_HANG:
		return NULL;
	case OUTCOME_NONE:
		return "";
	default:
		break;
	}
	if (v->state == OUTCOME_LOST)
		return "an end of it is lost";
	if (v->src && v->src->state == OUTCOME_NOTRUN && v->src->err[0])
		return v->src->err;
	return v->dst && v->dst->err[0] ? v->dst->err : "could not run";
}

static size_t add_view(struct session_sight *at, const struct pair_view *v,
                       const struct topo_job *by_host)
{
	const struct trial *t = v->trial;
	int32_t src = by_host ? by_host->ranks[t->src].host : t->src;
	int32_t dst = by_host ? by_host->ranks[t->dst].host : t->dst;

	at[0] = (struct session_sight){
		.src = src,
		.dst = dst,
		.xport = t->xport,
		.op = t->op,
		.dir = t->dir,
		.src_ep = t->src_ep,
		.dst_ep = t->dst_ep,
		.bytes = t->bytes,
		.why = why_not(v),
	};
	if (t->dir != DIR_BI)
		return 1;
	at[1] = at[0];
	at[1].src = dst;
	at[1].dst = src;
	at[1].src_ep = t->dst_ep;
	at[1].dst_ep = t->src_ep;
	return 2;
}

static uint64_t count_pairs(const struct session_seen *seen, bool grams)
{
	const struct session_sight *s, *last = NULL;
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < seen->n; i++) {
		s = &seen->sights[i];
		if (s->why || (s->op == OP_DATAGRAM) != grams)
			continue;
		n += !last || last->src != s->src || last->dst != s->dst;
		last = s;
	}
	return n;
}

enum fp_status session_seen_make(const struct results *r,
                                 const struct topo_job *by_host,
                                 struct session_seen *ret, struct fp_err *err)
{
	struct pair_view *views;
	enum fp_status status;
	size_t i, n;

	*ret = (struct session_seen){ 0 };
	status = results_pairs(r, &views, &n, err);
	if (status)
		return status;
	ret->sights = calloc(n + 1, 2 * sizeof(*ret->sights));
	for (i = 0; ret->sights && i < n; i++)
		ret->n += add_view(ret->sights + ret->n, &views[i], by_host);
	free(views);
	if (!ret->sights)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for coverage");
	qsort(ret->sights, ret->n, sizeof(*ret->sights), sight_compare);
	ret->n_pairs = count_pairs(ret, false);
	ret->n_grams = count_pairs(ret, true);
	return FP_OK;
}

void session_seen_done(struct session_seen *seen)
{
	if (!seen)
		return;
	free(seen->sights);
	*seen = (struct session_seen){ 0 };
}

const char *session_seen_why_not(const struct session_seen *seen,
                                 const struct session_stage *st, int32_t src,
                                 int32_t dst)
{
	const struct session_sight key = {
		.src = src,
		.dst = dst,
		.xport = st->xport,
		.op = st->op,
		.dir = st->dir,
		.src_ep = st->src_ep,
		.dst_ep = st->dst_ep,
		.bytes = st->bytes,
	};
	size_t low = 0, high = seen->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (sight_compare(&seen->sights[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == seen->n || sight_key_compare(&seen->sights[low], &key) != 0)
		return "";
	return seen->sights[low].why;
}
