// SPDX-License-Identifier: Apache-2.0
// Suspects again. Of the tests that leave or enter by one end and are of one
// class, two are enough: what both show again is believed of the others. Where
// nearly all that crosses leaves is slow, two of an end are enough for all
// those classes together, once a sample of each class was fast among few.
#include <stdlib.h>

#include "probes/locate/book.h"
#include "probes/trial/trial.h"

#define KIN_MAX 2
#define KIN_CLASSES \
	(LOCATE_CLASS_COUNT + 1) /* the last: those slow as a whole */
#define SAMPLE 64                /* tests of a class */
#define CLASS_SHARE .75          /* slow ones, and of these sampled ones */

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
	size_t n = 2 * n_ends(l->f) * KIN_CLASSES, i;
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

/* Slow among others, and nothing worse. */
static bool may_be_loaded(uint8_t signs)
{
	return signs & SIGN_BIT(SLOW) &&
	       !(signs & (SIGN_BIT(BROKEN) | SIGN_BIT(FLAKY)));
}

/* Of classes that are slow as a whole: each how many-th test is sampled. */
static void choose_classes(struct locate *l)
{
	uint32_t n[LOCATE_CLASS_COUNT] = { 0 },
		 slow[LOCATE_CLASS_COUNT] = { 0 };
	unsigned cls;
	size_t i;

	for (i = l->at; i < l->tests.n; i++) {
		cls = l->tests.t[i].cls;
		n[cls]++;
		slow[cls] += may_be_loaded(l->signs[i]);
	}
	for (cls = 0; cls < LOCATE_CLASS_COUNT; cls++) {
		bool sampled = locate_class_crosses(cls) &&
		               slow[cls] > 2 * SAMPLE &&
		               slow[cls] >= CLASS_SHARE * n[cls];

		/* Odd: so that each rail is in it. */
		l->retest.stride[cls] = sampled ? slow[cls] / SAMPLE | 1 : 0;
	}
}

/* Number of an end of test @i as sender (@way 0) or receiver, in a class. */
static uint32_t kin_of(const struct locate *l, size_t i, int way)
{
	const struct locate_test *t = &l->tests.t[i];
	const struct fabric_end *e = way ? &t->t.dst : &t->t.src;
	const struct fabric *f = l->f;
	int32_t each = f->spec.gpus + f->spec.nics + 1, at = each - 1;
	uint32_t cls = l->retest.stride[t->cls] ? LOCATE_CLASS_COUNT : t->cls;

	if (e->nic >= 0)
		at = f->spec.gpus + e->nic;
	else if (e->gpu >= 0)
		at = e->gpu;
	return ((uint32_t)(e->host * each + at) * 2 + (uint32_t)way) *
	               KIN_CLASSES +
	       cls;
}

static bool is_known(const struct locate_retest *r, uint32_t kin)
{
	return r->count[kin] >= KIN_MAX;
}

/* Is a test of the sample of its class? *@io_seen: those before it. */
static bool is_sampled(const struct locate *l, size_t i, uint32_t *io_seen)
{
	uint32_t stride = l->retest.stride[l->tests.t[i].cls];

	return stride && may_be_loaded(l->signs[i]) &&
	       (*io_seen)++ % stride == 0;
}

/* Does a test have to be run again, or do its kin speak for it? */
static bool choose(struct locate *l, size_t i, bool sampled)
{
	struct locate_retest *r = &l->retest;
	uint32_t from = kin_of(l, i, 0), to = kin_of(l, i, 1);

	if (!sampled && (is_known(r, from) || is_known(r, to))) {
		r->kin[i] = 1 + (is_known(r, from) ? from : to);
		return false;
	}
	if (!is_known(r, from))
		r->count[from]++;
	if (!is_known(r, to))
		r->count[to]++;
	return true;
}

/* A suspect, as often as most of the looks are. */
static enum fp_status open_test(struct locate *l, size_t i, bool sampled,
                                struct fp_err *err)
{
	enum fp_status status = FP_OK;
	uint32_t look;

	if (!choose(l, i, sampled))
		return FP_OK;
	l->retest.open[i] = true;
	for (look = 1; !status && look < LOCATE_RETESTS; look++)
		status = book_ask(l, i, look, true, err);
	return status;
}

static enum fp_status ask_first(struct locate *l, struct fp_err *err)
{
	enum fp_status status = retest_init(l, err);
	uint32_t seen[LOCATE_CLASS_COUNT] = { 0 };
	size_t i;

	if (status)
		return status;
	for (i = l->at; i < l->tests.n; i++)
		l->signs[i] = book_signs(l, l->tests.t[i].cls, &l->looks[i]);
	status = book_spare_flaky(l, err);
	choose_classes(l);
	for (i = l->at; !status && i < l->tests.n; i++) {
		bool sampled = is_sampled(l, i, &seen[l->tests.t[i].cls]);

		if (l->signs[i])
			status = open_test(l, i, sampled, err);
	}
	l->at = l->tests.n;
	return status;
}

/* Was the sample of a class fast, once fewer were there? */
static bool is_class_loaded(const struct locate *l, unsigned cls)
{
	const struct locate_retest *r = &l->retest;
	size_t n = 0, fast = 0, t;

	for (t = r->from; t < l->tests.n; t++) {
		if (!r->open[t] || l->tests.t[t].cls != cls ||
		    !may_be_loaded(l->signs[t]))
			continue;
		n++;
		fast += r->again[t][SIGN_SLOW] == 0;
	}
	return n > 0 && (double)fast >= CLASS_SHARE * (double)n;
}

/* Classes whose sample was slow again: each for itself. */
static enum fp_status ask_rest(struct locate *l, struct fp_err *err)
{
	struct locate_retest *r = &l->retest;
	bool apart[LOCATE_CLASS_COUNT];
	enum fp_status status = FP_OK;
	unsigned cls;
	size_t t;

	for (cls = 0; cls < LOCATE_CLASS_COUNT; cls++)
		apart[cls] = r->stride[cls] && !is_class_loaded(l, cls);
	for (cls = 0; cls < LOCATE_CLASS_COUNT; cls++)
		r->stride[cls] = apart[cls] ? 0 : r->stride[cls];
	for (t = r->from; !status && t < l->tests.n; t++) {
		if (!r->kin[t] || !apart[l->tests.t[t].cls])
			continue;
		r->kin[t] = 0;
		status = open_test(l, t, false, err);
	}
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
		r->common[kin_of(l, t, way)] &= l->signs[t];
}

/* Fast whenever it was looked at again, as is its class. */
static bool is_like_class(const struct locate *l, size_t t)
{
	return l->retest.stride[l->tests.t[t].cls] &&
	       may_be_loaded(l->signs[t]) && !l->retest.again[t][SIGN_SLOW];
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
		if (!is_like_class(l, t) && book_is_open(l, t, r->again[t]))
			status = book_ask(l, t, LOCATE_RETESTS, true, err);
		else
			conclude(l, t);
	}
	return status;
}

/* Whose kin were cleared is known to be neither good nor bad. Where a class is
 * slow as a whole, either end may be so by itself. */
static void believe_kin(struct locate *l, size_t t)
{
	const struct locate_retest *r = &l->retest;
	uint8_t seen = r->common[r->kin[t] - 1];

	if (r->stride[l->tests.t[t].cls])
		seen = r->common[kin_of(l, t, 0)] & r->common[kin_of(l, t, 1)];
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
	struct locate_retest *r = &l->retest;
	enum fp_status status = FP_OK;

	if (l->step == 0)
		return ask_first(l, err);
	if (!r->rest_asked) {
		r->rest_asked = true;
		status = ask_rest(l, err);
	}
	if (!status && !l->batch.n && !r->last_asked) {
		r->last_asked = true;
		status = ask_last(l, err);
	}
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
