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
	if (!r->count || !r->common || !r->kin)
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

enum fp_status retest_ask(struct locate *l, struct fp_err *err)
{
	enum fp_status status = retest_init(l, err);
	uint32_t look;
	size_t i;

	if (status)
		return status;
	for (i = l->at; i < l->tests.n; i++)
		l->signs[i] = book_signs(l, l->tests.t[i].cls, &l->looks[i]);
	status = book_spare_flaky(l, err);
	for (i = l->at; !status && i < l->tests.n; i++)
		for (look = 1; !status && l->signs[i] && look <= LOCATE_RETESTS;
		     look++) {
			if (look == 1 && !choose(l, i))
				break;
			status = book_ask(l, i, look, true, err);
		}
	l->at = l->tests.n;
	return status;
}

static void count_again(const struct locate *l, const struct locate_look *looks,
                        uint8_t (*again)[SIGN_COUNT])
{
	unsigned bits, sign;
	size_t i, t;

	for (i = 0; i < l->batch.n; i++) {
		t = l->batch.asks[i].test;
		bits = book_signs(l, l->tests.t[t].cls, &looks[i]);
		for (sign = 0; sign < SIGN_COUNT; sign++)
			if (bits >> sign & 1)
				again[t][sign]++;
	}
}

static void conclude(struct locate *l, size_t t,
                     const uint8_t again[static SIGN_COUNT])
{
	struct locate_retest *r = &l->retest;
	int way;

	l->signs[t] = book_reproduced(l, t, again);
	l->features[t] = book_features(l, t);
	for (way = 0; way < 2; way++)
		r->common[kin_of(l->f, &l->tests.t[t], way)] &= l->signs[t];
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

enum fp_status retest_eat(struct locate *l, const struct locate_look *looks,
                          struct fp_err *err)
{
	uint8_t(*again)[SIGN_COUNT] = calloc(l->tests.n + 1, sizeof(*again));
	size_t i, t;

	if (!again)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for looks");
	count_again(l, looks, again);
	for (i = 0; i < l->batch.n; i++) {
		t = l->batch.asks[i].test;
		if (l->batch.asks[i].look == LOCATE_RETESTS)
			conclude(l, t, again[t]);
	}
	for (t = l->retest.from; t < l->tests.n; t++)
		if (l->retest.kin[t])
			believe_kin(l, t);
	free(again);
	return FP_OK;
}
