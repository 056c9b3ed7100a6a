// SPDX-License-Identifier: Apache-2.0
// What is usual, and the signs of tests that are not.
#include <math.h>
#include <stdlib.h>

#include "probes/decide/signature.h"
#include "probes/locate/book.h"
#include "probes/trial/trial.h"

#define LATENCY_FLOOR .05
#define LATE_MIN .22 /* ln of a quarter more */
#define LATE_SIGMAS 4
#define MILD_Z (-3.0)
#define MILD_DROP .03

struct usual_room {
	double *rate, *latency, *scratch;
};

static void one_class(struct locate *l, unsigned cls, struct usual_room *x)
{
	size_t i, n = 0, late = 0;

	for (i = 0; i < l->tests.n; i++) {
		if (l->tests.t[i].cls != cls || l->looks[i].state != OUTCOME_OK)
			continue;
		x->rate[n++] = l->looks[i].capability;
		/* More is better: late ones must not widen the spread. */
		if (!isnan(l->looks[i].latency))
			x->latency[late++] = -l->looks[i].latency;
	}
	l->usual[cls].rate =
		decide_baseline(x->rate, n, DECIDE_SIGMA_FLOOR, x->scratch);
	l->usual[cls].latency =
		decide_baseline(x->latency, late, LATENCY_FLOOR, x->scratch);
}

enum fp_status book_usual(struct locate *l, struct fp_err *err)
{
	size_t n = l->tests.n + 1;
	struct usual_room x = {
		.rate = calloc(n, sizeof(*x.rate)),
		.latency = calloc(n, sizeof(*x.latency)),
		.scratch = calloc(n, sizeof(*x.scratch)),
	};
	enum fp_status status = FP_OK;
	unsigned cls;

	if (x.rate && x.latency && x.scratch)
		for (cls = 0; cls < LOCATE_CLASS_COUNT; cls++)
			one_class(l, cls, &x);
	else
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory for looks");
	free(x.rate);
	free(x.latency);
	free(x.scratch);
	return status;
}

bool book_is_slow(const struct locate *l, unsigned cls,
                  const struct locate_look *look)
{
	const struct decide_baseline *b = &l->usual[cls].rate;
	/* Rates are parts of the data sheet's: its own is ln(1). */
	struct decide_opinions o = { .class_med = NAN, .saved = NAN };

	if (look->state != OUTCOME_OK)
		return false;
	if (b->able && decide_is_slow(&l->ladder, b, look->capability))
		return true;
	return decide_against(&o, look->capability, .1) & DECIDE_BELOW_EXPECTED;
}

static bool is_mild(const struct decide_baseline *b,
                    const struct locate_look *look)
{
	return b->able && decide_z(b, look->capability) <= MILD_Z &&
	       decide_drop(b, look->capability) >= MILD_DROP;
}

/* The floor is far below what is usual by both opinions, or by one if the
 * class is as slow itself. */
bool book_is_flaky(const struct locate *l, unsigned cls,
                   const struct locate_look *look)
{
	const struct decide_baseline *b = &l->usual[cls].rate;
	double usual = b->able ? fmin(b->med, 0) : 0;

	return look->state == OUTCOME_OK &&
	       look->floor - usual < log(l->ladder.flaky_ratio);
}

static bool is_late(const struct decide_baseline *b,
                    const struct locate_look *look)
{
	double usual = b->able && -b->med < LATE_MIN ? -b->med : 0;

	return look->state == OUTCOME_OK && !isnan(look->latency) &&
	       look->latency - usual > fmax(LATE_MIN, LATE_SIGMAS * b->sigma);
}

uint8_t book_signs(const struct locate *l, unsigned cls,
                   const struct locate_look *look)
{
	const struct locate_usual *u = &l->usual[cls];
	unsigned bits = 0;

	if (look->state == OUTCOME_NONE || look->state == OUTCOME_NOTRUN)
		return 0;
	if (look->state != OUTCOME_OK)
		return SIGN_BIT(BROKEN);
	if (book_is_slow(l, cls, look))
		bits |= SIGN_BIT(SLOW);
	if (is_mild(&u->rate, look))
		bits |= SIGN_BIT(MILD);
	if (book_is_flaky(l, cls, look))
		bits |= SIGN_BIT(FLAKY);
	if (is_late(&u->latency, look))
		bits |= SIGN_BIT(LATE);
	return (uint8_t)bits;
}

/* Static hashing makes flows meet: across leaves every hash must be slow. */
static uint32_t needed(unsigned cls, unsigned sign)
{
	return sign == SIGN_SLOW && locate_class_crosses(cls)
	               ? LOCATE_RETESTS
	               : LOCATE_RETESTS - 1;
}

uint8_t book_reproduced(const struct locate *l, size_t i,
                        const uint8_t again[static SIGN_COUNT])
{
	unsigned cls = l->tests.t[i].cls, first = l->signs[i], bits = 0, sign;

	for (sign = 0; sign < SIGN_LOADED; sign++)
		if (first & 1u << sign && again[sign] >= needed(cls, sign))
			bits |= 1u << sign;
	if (first & SIGN_BIT(SLOW) && !(bits & SIGN_BIT(SLOW)))
		bits |= LOCATE_MOVED;
	/* Slow among others, and not once alone. */
	if (bits & LOCATE_MOVED && again[SIGN_SLOW] == 0)
		bits |= SIGN_BIT(LOADED);
	return (uint8_t)bits;
}

bool book_is_open(const struct locate *l, size_t i,
                  const uint8_t again[static SIGN_COUNT])
{
	uint8_t more[SIGN_COUNT];
	unsigned sign;

	for (sign = 0; sign < SIGN_COUNT; sign++)
		more[sign] = (uint8_t)(again[sign] + 1);
	return book_reproduced(l, i, again) != book_reproduced(l, i, more);
}

uint8_t book_features(const struct locate *l, size_t i)
{
	const struct locate_look *look = &l->looks[i];
	unsigned bits = 0;

	if (look->state != OUTCOME_OK && look->stage < STAGE_CONNECT)
		bits |= FEATURE_INIT;
	if (look->state == OUTCOME_HANG)
		bits |= FEATURE_HANG;
	if (look->small_ok)
		bits |= FEATURE_SMALL_OK;
	if (is_late(&l->usual[l->tests.t[i].cls].latency, look))
		bits |= FEATURE_LATE;
	if (l->f->spec.inside == FABRIC_INSIDE_NVLINK)
		bits |= FEATURE_BRIDGE;
	return (uint8_t)bits;
}
