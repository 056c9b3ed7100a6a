// SPDX-License-Identifier: Apache-2.0
// Ports of tests that were unsteady again and again: whatever crosses them is
// looked at until it is known whether that was luck. One look at each test that
// is open in a step; a port that turns out steady is left at once.
#include <math.h>
#include <stdlib.h>

#include "probes/locate/book.h"

#define LOOK_FOLLOW 256 /* other hashes than those of retests */

/* How often looks are flaky by a port that is not, by one that is, and the
 * chance to leave one that is (Wald's sequential test). */
#define FLAKY_STEADY .1
#define FLAKY_LOSSY .8
#define LEFT_WRONGLY 1e-2

void follow_done(struct locate_follow *w)
{
	free(w->looks);
	free(w->flaky);
	free(w->ports);
	*w = (struct locate_follow){ 0 };
}

static enum fp_status follow_init(struct locate *l, struct fp_err *err)
{
	struct locate_follow *w = &l->follow;

	follow_done(w);
	w->looks = calloc(l->tests.n + 1, sizeof(*w->looks));
	w->flaky = calloc(l->tests.n + 1, sizeof(*w->flaky));
	w->ports = calloc((size_t)l->e.n_comps + 1, sizeof(*w->ports));
	if (!w->looks || !w->flaky || !w->ports)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for looks");
	return FP_OK;
}

static bool is_port(const struct fabric *f, int32_t id)
{
	return id >= f->first[FABRIC_PORT_TX] &&
	       id < f->first[FABRIC_PORT_RX + 1];
}

/* Always slow is not unsteady, but its worst is as low. */
static bool is_slow(const struct locate *l, size_t t)
{
	return l->signs[t] & SIGN_BIT(SLOW);
}

/* Ports of tests that were flaky again and again. */
static void mark_ports(struct locate *l)
{
	size_t t, j;

	for (t = 0; t < l->e.n; t++) {
		if (!(l->signs[t] & SIGN_BIT(FLAKY)) || is_slow(l, t))
			continue;
		for (j = l->e.first[t]; j < l->e.first[t + 1]; j++)
			l->follow.ports[l->e.comps[j]] |=
				is_port(l->f, l->e.comps[j]);
	}
}

static bool touches(const struct locate *l, size_t t)
{
	size_t j;

	for (j = l->e.first[t]; j < l->e.first[t + 1]; j++)
		if (l->follow.ports[l->e.comps[j]])
			return true;
	return false;
}

/* Most of LOCATE_FOLLOWS looks decide, however the rest would end. */
static bool is_known(const struct locate_follow *w, size_t t)
{
	return 2 * w->flaky[t] >= LOCATE_FOLLOWS ||
	       2 * (w->looks[t] - w->flaky[t]) > LOCATE_FOLLOWS;
}

static bool is_steady(const struct port_counts *c)
{
	double good = c->looks - c->flaky;
	double odds = c->flaky * log(FLAKY_LOSSY / FLAKY_STEADY) +
	              good * log((1 - FLAKY_LOSSY) / (1 - FLAKY_STEADY));

	return odds <= log(LEFT_WRONGLY);
}

static enum fp_status drop_steady(struct locate *l, struct fp_err *err)
{
	struct port_counts *counts =
		book_port_counts(l, l->follow.looks, l->follow.flaky, err);
	int32_t id;

	if (!counts)
		return FP_ERR_NOMEM;
	for (id = 0; id < l->e.n_comps; id++)
		l->follow.ports[id] &= !is_steady(&counts[id]);
	free(counts);
	return FP_OK;
}

enum fp_status follow_ask(struct locate *l, struct fp_err *err)
{
	enum fp_status status;
	size_t t;

	if (l->step == 0) {
		book_spare_oversubscribed(l);
		status = book_evidence(l, err);
		if (!status)
			status = follow_init(l, err);
		if (!status)
			mark_ports(l);
	} else {
		status = drop_steady(l, err);
	}
	for (t = 0; !status && t < l->e.n; t++)
		if (touches(l, t) && !is_slow(l, t) && !is_known(&l->follow, t))
			status = book_ask(l, t, LOOK_FOLLOW + l->step, true,
			                  err);
	return status;
}

enum fp_status follow_eat(struct locate *l, const struct locate_look *looks,
                          struct fp_err *err)
{
	struct locate_follow *w = &l->follow;
	size_t i, t;

	(void)err;
	for (i = 0; i < l->batch.n; i++) {
		t = l->batch.asks[i].test;
		w->looks[t]++;
		w->flaky[t] += book_is_flaky(l, l->tests.t[t].cls, &looks[i]);
		l->signs[t] &= (uint8_t)~SIGN_BIT(FLAKY);
		if (2 * w->flaky[t] >= LOCATE_FOLLOWS)
			l->signs[t] |= SIGN_BIT(FLAKY);
	}
	return FP_OK;
}
