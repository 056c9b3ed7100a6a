// SPDX-License-Identifier: Apache-2.0
// Of what ranks have launched: who is behind, and whether that moves.
#include <stdlib.h>
#include <string.h>

#include "probes/explain/derive.h"

/* One operation of one communicator. */
struct tally {
	uint32_t group, op;
	int64_t most, least;
	int64_t n_most, n_less; /* ranks, as told in sums or one by one */
	const struct event *first;
};

static bool is_of(const struct event *e, const struct tally *t)
{
	return e->kind == KIND_RAS_COUNT && e->group == t->group &&
	       e->op == t->op;
}

/* A rank of which a later snapshot tells more has moved on. */
static int64_t latest(const struct events *ev, const struct event *of)
{
	int64_t most = of->n[0];

	for (size_t i = 0; of->rank >= 0 && i < ev->n; i++) {
		const struct event *e = &ev->e[i];

		if (e->kind == KIND_RAS_COUNT && e->group == of->group &&
		    e->op == of->op && e->rank == of->rank && e->n[0] > most)
			most = e->n[0];
	}
	return most;
}

static void weigh(const struct events *ev, struct tally *t)
{
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];

		if (!is_of(e, t))
			continue;
		if (!t->first || e->n[0] > t->most)
			t->most = e->n[0];
		if (!t->first || e->n[0] < t->least)
			t->least = e->n[0];
		t->first = t->first ? t->first : e;
	}
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->e[i];

		/* Those that are listed below a sum are in it. */
		if (is_of(e, t) && !e->n[2])
			*(e->n[0] < t->most ? &t->n_less : &t->n_most) +=
				e->rank < 0 ? e->n[1] : 1;
	}
}

/* Culprits are the ranks behind; where they are not listed, all but those
 * ahead. */
static enum fp_status name_ranks(const struct events *ev, const struct tally *t,
                                 struct hang *hang, struct fp_err *err)
{
	enum fp_status status = FP_OK;
	bool behind = false;

	for (size_t i = 0; i < ev->n; i++)
		behind |= is_of(&ev->e[i], t) && ev->e[i].rank >= 0 &&
		          ev->e[i].n[0] < t->most;
	hang->all_but = !behind;
	for (size_t i = 0; i < ev->n && status == FP_OK; i++) {
		const struct event *e = &ev->e[i];

		if (is_of(e, t) && e->rank >= 0 &&
		    (latest(ev, e) < t->most) == behind)
			status = hang_add_rank(hang, e->rank, err);
	}
	return status;
}

static enum fp_status judge(struct events *ev, struct tally *t,
                            struct hangs *hangs, struct fp_err *err)
{
	struct hang *hang;
	struct event e;

	weigh(ev, t);
	if (t->most == t->least)
		return FP_OK;
	hang = hangs_new(hangs, HANG_ABSENT);
	if (!hang)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	hang->group = t->group;
	hang->op = t->op;
	hang->seq = t->most;
	hang->seq2 = t->least;
	hang->from_ras = true;
	hang->n_behind = (size_t)t->n_less;
	hang->n_waiting = (size_t)t->n_most;
	hang->event = (uint32_t)(t->first - ev->e);
	if (name_ranks(ev, t, hang, err) != FP_OK)
		return err->status;
	e = *t->first;
	e.rank = -1;
	e.n[0] = (int64_t)hangs->n - 1;
	e.n[1] = t->most - t->least;
	derive_add(ev, &e, KIND_RAS_BEHIND);
	return FP_OK;
}

enum fp_status derive_ras(struct events *ev, struct hangs *hangs,
                          struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t n = ev->n;
	uint32_t group = 0, op = 0;

	/* Events of one table stand together: a change of either is a new
	 * one, and one that was judged is not again. */
	for (size_t i = 0; i < n && status == FP_OK; i++) {
		struct tally t = { .group = ev->e[i].group, .op = ev->e[i].op };
		bool again = t.group == group && t.op == op;

		if (ev->e[i].kind != KIND_RAS_COUNT)
			continue;
		for (size_t k = 0; !again && k < i; k++)
			again = is_of(&ev->e[k], &t);
		group = t.group;
		op = t.op;
		if (!again)
			status = judge(ev, &t, hangs, err);
	}
	return status;
}
