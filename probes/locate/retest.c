// SPDX-License-Identifier: Apache-2.0
// Suspects again. Of the tests that leave or enter by one end and are of one
// class, two are enough: what both show again is believed of the others.
#include <stdlib.h>

#include "probes/locate/book.h"
#include "probes/trial/trial.h"

#define KIN_MAX 2

void retest_done(struct locate_retest *r)
{
	free(r->count);
	free(r->common);
	free(r->kin);
	free(r->again);
	free(r->open);
	*r = (struct locate_retest){ 0 };
}

static size_t n_ends(const struct fabric *f)
{
	return (size_t)f->spec.hosts *
	       (size_t)(f->spec.gpus + f->spec.nics + 1);
}

static enum fp_status retest_init(struct locate *l, struct fp_err *err)
{
	size_t n = 2 * n_ends(l->f) * LOCATE_CLASS_COUNT, i;
	struct locate_retest *r = &l->retest;

	retest_done(r);
	r->count = calloc(n, sizeof(*r->count));
	r->common = calloc(n, sizeof(*r->common));
	r->kin = calloc(l->tests.n + 1, sizeof(*r->kin));
	r->again = calloc(l->tests.n + 1, sizeof(*r->again));
	r->open = calloc(l->tests.n + 1, sizeof(*r->open));
	if (!r->count || !r->common || !r->kin || !r->again || !r->open)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for looks");
	for (i = 0; i < n; i++)
		r->common[i] = UINT8_MAX;
	r->from = l->at;
	return FP_OK;
}

/* Number of an end as sender (@way 0) or receiver, in a class. */
static uint32_t kin_of(const struct fabric *f, const struct locate_test *t,
                       int way)
{
	const struct fabric_end *e = way ? &t->t.dst : &t->t.src;
	int32_t each = f->spec.gpus + f->spec.nics + 1, at = each - 1;

	if (e->nic >= 0)
		at = f->spec.gpus + e->nic;
	else if (e->gpu >= 0)
		at = e->gpu;
	return ((uint32_t)(e->host * each + at) * 2 + (uint32_t)way) *
	               LOCATE_CLASS_COUNT +
	       t->cls;
}

static bool is_known(const struct locate_retest *r, uint32_t kin)
{
	return r->count[kin] >= KIN_MAX;
}

/* Does a test have to be run again, or do its kin speak for it? */
static bool choose(struct locate *l, size_t i)
{
	struct locate_retest *r = &l->retest;
	uint32_t from = kin_of(l->f, &l->tests.t[i], 0);
	uint32_t to = kin_of(l->f, &l->tests.t[i], 1);

	if (is_known(r, from) || is_known(r, to)) {
		r->kin[i] = 1 + (is_known(r, from) ? from : to);
		return false;
	}
	r->count[from]++;
	r->count[to]++;
	return true;
}

/* Suspects, as often as most of the looks are. */
static enum fp_status ask_first(struct locate *l, struct fp_err *err)
{
	enum fp_status status = retest_init(l, err);
	uint32_t look;
	size_t i;

	if (status)
		return status;
	for (i = l->at; i < l->tests.n; i++)
		l->signs[i] = book_signs(l, l->tests.t[i].cls, &l->looks[i]);
	status = book_spare_flaky(l, err);
	for (i = l->at; !status && i < l->tests.n; i++) {
		if (!l->signs[i] || !choose(l, i))
			continue;
		l->retest.open[i] = true;
		for (look = 1; !status && look < LOCATE_RETESTS; look++)
			status = book_ask(l, i, look, true, err);
	}
	l->at = l->tests.n;
	return status;
}

static void conclude(struct locate *l, size_t t)
{
	struct locate_retest *r = &l->retest;
	int way;

	l->signs[t] = book_reproduced(l, t, r->again[t]);
	l->features[t] = book_features(l, t);
	r->open[t] = false;
	for (way = 0; way < 2; way++)
		r->common[kin_of(l->f, &l->tests.t[t], way)] &= l->signs[t];
}

/* Once more where the looks so far disagree. */
static enum fp_status ask_last(struct locate *l, struct fp_err *err)
{
	struct locate_retest *r = &l->retest;
	enum fp_status status = FP_OK;
	size_t t;

	for (t = r->from; !status && t < l->tests.n; t++) {
		if (!r->open[t])
			continue;
		if (book_is_open(l, t, r->again[t]))
			status = book_ask(l, t, LOCATE_RETESTS, true, err);
		else
			conclude(l, t);
	}
	return status;
}

/* Whose kin were cleared is known to be neither good nor bad. */
static void believe_kin(struct locate *l, size_t t)
{
	uint8_t seen = l->retest.common[l->retest.kin[t] - 1];

	l->features[t] = book_features(l, t);
	l->signs[t] =
		(uint8_t)((l->signs[t] | LOCATE_MOVED | SIGN_BIT(LOADED)) &
	                  seen);
	if (!l->signs[t])
		l->looks[t].state = OUTCOME_NOTRUN;
}

static void conclude_all(struct locate *l)
{
	const struct locate_retest *r = &l->retest;
	size_t t;

	for (t = r->from; t < l->tests.n; t++)
		if (r->open[t])
			conclude(l, t);
	for (t = r->from; t < l->tests.n; t++)
		if (r->kin[t])
			believe_kin(l, t);
}

enum fp_status retest_ask(struct locate *l, struct fp_err *err)
{
	enum fp_status status = FP_OK;

	if (l->step == 0)
		return ask_first(l, err);
	if (l->step == 1)
		status = ask_last(l, err);
	if (!status && !l->batch.n)
		conclude_all(l);
	return status;
}

enum fp_status retest_eat(struct locate *l, const struct locate_look *looks,
                          struct fp_err *err)
{
	unsigned bits, sign;
	size_t i, t;

	(void)err;
	for (i = 0; i < l->batch.n; i++) {
		t = l->batch.asks[i].test;
		bits = book_signs(l, l->tests.t[t].cls, &looks[i]);
		for (sign = 0; sign < SIGN_COUNT; sign++)
			if (bits >> sign & 1)
				l->retest.again[t][sign]++;
	}
	return FP_OK;
}
