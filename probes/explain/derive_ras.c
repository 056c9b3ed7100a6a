// SPDX-License-Identifier: Apache-2.0
// Of what ranks have launched: who is behind, and whether that moves.
#include <stdlib.h>
#include <string.h>

#include "probes/explain/derive.h"

/* Counts of one operation of one communicator, sorted by rank and count. */
struct tally {
	const struct event *const *at;
	size_t n;
	int64_t most, least;
	int64_t n_most, n_less; /* ranks, as told in sums or one by one */
	bool any;
};

static int by_place(const void *a, const void *b)
{
	const struct event *x = *(const struct event *const *)a;
	const struct event *y = *(const struct event *const *)b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->op != y->op)
		return x->op < y->op ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->n[0] > y->n[0]) - (x->n[0] < y->n[0]);
}

/* Of several snapshots a rank's last count is its highest. */
static bool is_last(const struct tally *t, size_t i)
{
	return t->at[i]->rank < 0 || i + 1 == t->n ||
	       t->at[i + 1]->rank != t->at[i]->rank;
}

static bool has_moved(const struct tally *t, size_t i)
{
	return i > 0 && t->at[i]->rank >= 0 &&
	       t->at[i - 1]->rank == t->at[i]->rank;
}

static void weigh(struct tally *t)
{
	for (size_t i = 0; i < t->n; i++) {
		int64_t count = t->at[i]->n[0];

		if (!is_last(t, i))
			continue;
		if (!t->any || count > t->most)
			t->most = count;
		if (!t->any || count < t->least)
			t->least = count;
		t->any = true;
	}
	for (size_t i = 0; i < t->n; i++) {
		const struct event *e = t->at[i];

		/* Those that are listed below a sum are in it. */
		if (is_last(t, i) && !e->n[2])
			*(e->n[0] < t->most ? &t->n_less : &t->n_most) +=
				e->rank < 0 ? e->n[1] : 1;
	}
}

/* A rank that is behind and moves is slow, but does not hang. */
static bool is_behind(const struct tally *t, size_t i)
{
	return is_last(t, i) && t->at[i]->n[0] < t->most && !has_moved(t, i);
}

/* Culprits are the ranks behind; where they are not listed, all but those
 * ahead. */
static enum fp_status name_ranks(const struct tally *t, struct hang *hang,
                                 struct fp_err *err)
{
	enum fp_status status = FP_OK;
	bool behind = false;

	for (size_t i = 0; i < t->n; i++)
		behind |= t->at[i]->rank >= 0 && is_behind(t, i);
	hang->all_but = !behind;
	for (size_t i = 0; i < t->n && status == FP_OK; i++)
		if (t->at[i]->rank >= 0 && is_last(t, i) &&
		    is_behind(t, i) == behind)
			status = hang_add_rank(hang, t->at[i]->rank, err);
	return status;
}

static bool somebody_hangs(const struct tally *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (is_behind(t, i))
			return true;
	return false;
}

/* The derived event is kept apart: adding it would move what @t points to. */
static enum fp_status judge(const struct events *ev, struct tally *t,
                            struct hangs *hangs, struct event *ret,
                            struct fp_err *err)
{
	struct hang *hang;

	weigh(t);
	if (!somebody_hangs(t))
		return FP_OK;
	hang = hangs_new(hangs, HANG_ABSENT);
	if (!hang)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	hang->group = t->at[0]->group;
	hang->op = t->at[0]->op;
	hang->seq = t->most;
	hang->seq2 = t->least;
	hang->from_ras = true;
	hang->n_behind = (size_t)t->n_less;
	hang->n_waiting = (size_t)t->n_most;
	hang->event = (uint32_t)(t->at[0] - ev->e);
	*ret = *t->at[0];
	ret->kind = KIND_RAS_BEHIND;
	ret->count = 1;
	ret->rank = -1;
	ret->n[0] = (int64_t)hangs->n - 1;
	ret->n[1] = t->most - t->least;
	return name_ranks(t, hang, err);
}

static size_t run_length(const struct event *const *at, size_t n)
{
	size_t k = 1;

	while (k < n && at[k]->group == at[0]->group && at[k]->op == at[0]->op)
		k++;
	return k;
}

static size_t list_counts(const struct events *ev, const struct event **list)
{
	size_t n = 0;

	for (size_t i = 0; i < ev->n; i++)
		if (ev->e[i].kind == KIND_RAS_COUNT)
			list[n++] = &ev->e[i];
	if (n)
		qsort(list, n, sizeof(*list), by_place);
	return n;
}

enum fp_status derive_ras(struct events *ev, struct hangs *hangs,
                          struct fp_err *err)
{
	size_t first = hangs->n, n, k;
	const struct event **list = calloc(ev->n + 1, sizeof(*list));
	struct event *found = calloc(ev->n + 1, sizeof(*found));
	enum fp_status status = FP_OK;

	if (!list || !found) {
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory");
		goto free_both;
	}
	n = list_counts(ev, list);
	for (size_t i = 0; i < n && status == FP_OK; i += k) {
		struct tally t = { .at = list + i };

		k = run_length(list + i, n - i);
		t.n = k;
		status = judge(ev, &t, hangs, &found[hangs->n - first], err);
	}
	for (size_t i = first; i < hangs->n && status == FP_OK; i++)
		(void)events_add(ev, &found[i - first]);
free_both:
	free(found);
	free(list);
	return status;
}
