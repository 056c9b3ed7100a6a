// SPDX-License-Identifier: Apache-2.0
// Looks at tests, what is usual, and the signs of those that are not.
#include <math.h>
#include <stdlib.h>

#include "probes/decide/signature.h"
#include "probes/sim/run_part.h"
#include "probes/trial/trial.h"

#define LATENCY_FLOOR .05
#define LATE_MIN .22 /* ln of a quarter more */
#define LATE_SIGMAS 4
#define MILD_Z (-3.0)
#define MILD_DROP .03

struct usual_room {
	double *rate, *latency, *scratch;
};

static void one_class(struct sim_course *c, unsigned cls, struct usual_room *x)
{
	size_t i, n = 0;

	for (i = 0; i < c->tests->n; i++) {
		if (c->tests->t[i].cls != cls ||
		    c->looks[i].state != OUTCOME_OK)
			continue;
		x->rate[n] = c->looks[i].capability;
		/* More is better: late ones must not widen the spread. */
		x->latency[n++] = -c->looks[i].latency;
	}
	c->usual[cls].rate =
		decide_baseline(x->rate, n, DECIDE_SIGMA_FLOOR, x->scratch);
	c->usual[cls].latency =
		decide_baseline(x->latency, n, LATENCY_FLOOR, x->scratch);
}

enum fp_status sim_course_measure(struct sim_course *c, struct fp_err *err)
{
	size_t n = c->tests->n + 1, i;
	struct usual_room x = {
		.rate = calloc(n, sizeof(*x.rate)),
		.latency = calloc(n, sizeof(*x.latency)),
		.scratch = calloc(n, sizeof(*x.scratch)),
	};
	enum fp_status status = FP_OK;
	unsigned cls;

	if (x.rate && x.latency && x.scratch) {
		for (i = 0; i < c->tests->n; i++)
			c->looks[i] =
				sim_look(c->m, &c->tests->t[i], i, 0, false);
		for (cls = 0; cls < SIM_CLASS_COUNT; cls++)
			one_class(c, cls, &x);
	} else {
		status = fp_err_set(err, FP_ERR_NOMEM, "no memory for looks");
	}
	free(x.rate);
	free(x.latency);
	free(x.scratch);
	return status;
}

bool sim_is_slow(const struct sim_course *c, unsigned cls,
                 const struct sim_look *look)
{
	const struct decide_baseline *b = &c->usual[cls].rate;
	/* Rates are parts of the data sheet's: its own is ln(1). */
	struct decide_opinions o = { .class_med = NAN, .saved = NAN };

	if (look->state != OUTCOME_OK)
		return false;
	if (b->able && decide_is_slow(&c->ladder, b, look->capability))
		return true;
	return decide_against(&o, look->capability, .1) & DECIDE_BELOW_EXPECTED;
}

static bool is_mild(const struct decide_baseline *b,
                    const struct sim_look *look)
{
	return look->state == OUTCOME_OK && b->able &&
	       decide_z(b, look->capability) <= MILD_Z &&
	       decide_drop(b, look->capability) >= MILD_DROP;
}

/* The floor is far below what is usual by both opinions, or by one if the
 * class is as slow itself. */
static bool is_flaky(const struct sim_course *c,
                     const struct decide_baseline *b,
                     const struct sim_look *look)
{
	double usual = b->able ? fmin(b->med, 0) : 0;

	return look->state == OUTCOME_OK &&
	       look->floor - usual < log(c->ladder.flaky_ratio);
}

static bool is_late(const struct decide_baseline *b,
                    const struct sim_look *look)
{
	double usual = b->able && -b->med < LATE_MIN ? -b->med : 0;

	return look->state == OUTCOME_OK &&
	       look->latency - usual > fmax(LATE_MIN, LATE_SIGMAS * b->sigma);
}

/* What one look shows, as bits of signs. */
static uint8_t signs_of(const struct sim_course *c, unsigned cls,
                        const struct sim_look *look)
{
	const struct sim_usual *u = &c->usual[cls];
	unsigned bits = 0;

	if (look->state != OUTCOME_OK)
		return SIGN_BIT(BROKEN);
	if (sim_is_slow(c, cls, look))
		bits |= SIGN_BIT(SLOW);
	if (is_mild(&u->rate, look))
		bits |= SIGN_BIT(MILD);
	if (is_flaky(c, &u->rate, look))
		bits |= SIGN_BIT(FLAKY);
	if (is_late(&u->latency, look))
		bits |= SIGN_BIT(LATE);
	return (uint8_t)bits;
}

/* Static hashing makes flows meet: across leaves every hash must be slow. */
static uint32_t needed(unsigned cls)
{
	return cls == SIM_CROSS_LEAF || cls == SIM_SWAPPED_CROSS ||
	                       cls == SIM_MEMORY_CROSS
	               ? SIM_RETESTS
	               : SIM_RETESTS - 1;
}

static uint8_t reproduced(const struct sim_course *c, size_t i, uint8_t first)
{
	const struct sim_test *t = &c->tests->t[i];
	uint32_t again[SIGN_COUNT] = { 0 }, look, sign;
	struct sim_look seen;
	unsigned bits = 0;

	for (look = 1; look <= SIM_RETESTS; look++) {
		seen = sim_look(c->m, t, i, look, true);
		bits = signs_of(c, t->cls, &seen);
		for (sign = 0; sign < SIGN_COUNT; sign++)
			again[sign] += (bits & 1u << sign) != 0;
	}
	bits = 0;
	for (sign = 0; sign < SIGN_LOADED; sign++)
		if (first & 1u << sign &&
		    again[sign] >= (sign == SIGN_SLOW ? needed(t->cls)
		                                      : SIM_RETESTS - 1))
			bits |= 1u << sign;
	if (first & SIGN_BIT(SLOW) && !(bits & SIGN_BIT(SLOW)))
		bits |= SIM_MOVED;
	/* Slow among others, and not once alone. */
	if (bits & SIM_MOVED && again[SIGN_SLOW] == 0)
		bits |= SIGN_BIT(LOADED);
	return (uint8_t)bits;
}

static uint8_t features_of(const struct sim_course *c, size_t i)
{
	const struct sim_look *l = &c->looks[i];
	unsigned bits = 0;

	if (l->state != OUTCOME_OK && l->stage < STAGE_CONNECT)
		bits |= FEATURE_INIT;
	if (l->state == OUTCOME_HANG)
		bits |= FEATURE_HANG;
	if (l->small_ok)
		bits |= FEATURE_SMALL_OK;
	if (is_late(&c->usual[c->tests->t[i].cls].latency, l))
		bits |= FEATURE_LATE;
	if (c->m->f->spec.inside == FABRIC_INSIDE_NVLINK)
		bits |= FEATURE_BRIDGE;
	return (uint8_t)bits;
}

void sim_course_decide(struct sim_course *c)
{
	uint8_t first;
	size_t i;

	for (i = 0; i < c->tests->n; i++) {
		first = signs_of(c, c->tests->t[i].cls, &c->looks[i]);
		if (!first)
			continue;
		c->signs[i] = reproduced(c, i, first);
		c->features[i] = features_of(c, i);
		c->n_retests += SIM_RETESTS;
	}
}

/* Often enough to know: whether a few looks were flaky was luck. */
static bool is_often_flaky(const struct sim_course *c, size_t i)
{
	const struct sim_test *t = &c->tests->t[i];
	uint32_t look, flaky = 0;
	struct sim_look seen;

	for (look = 1; look <= SIM_FOLLOW; look++) {
		seen = sim_look(c->m, t, i, look, true);
		flaky += is_flaky(c, &c->usual[t->cls].rate, &seen);
	}
	return 2 * flaky >= SIM_FOLLOW;
}

void sim_course_follow(struct sim_course *c, const bool *ports)
{
	size_t i, j;
	bool wanted;

	for (i = 0; i < c->e.n; i++) {
		wanted = false;
		for (j = c->e.first[i]; j < c->e.first[i + 1]; j++)
			wanted |= ports[c->e.comps[j]];
		if (!wanted)
			continue;
		c->n_retests += SIM_FOLLOW;
		c->signs[i] &= (uint8_t)~SIGN_BIT(FLAKY);
		if (is_often_flaky(c, i))
			c->signs[i] |= SIGN_BIT(FLAKY);
	}
}
