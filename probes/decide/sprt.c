// SPDX-License-Identifier: Apache-2.0
// Wald's sequential test, clipped.
#include "probes/decide/sprt.h"

#include <math.h>

#define FALSE_ALARM 1e-7
#define MISS 1e-3

void decide_sprt_init(struct decide_sprt *s, const struct decide_baseline *b)
{
	*s = (struct decide_sprt){
		.med = b->med,
		.sigma = b->sigma,
		.shift = log(1 / .87),
		.clip = 4,
		.slow_at = log((1 - MISS) / FALSE_ALARM),
		.ok_at = log(MISS / (1 - FALSE_ALARM)),
		.truncate = 12,
	};
}

enum decide_verdict decide_sprt_add(struct decide_sprt *s, double x)
{
	double nats =
		s->shift / (s->sigma * s->sigma) * (s->med - x - s->shift / 2);

	s->llr += fmax(-s->clip, fmin(s->clip, nats));
	s->n++;
	if (s->llr >= s->slow_at)
		return DECIDE_SLOW;
	if (s->llr <= s->ok_at)
		return DECIDE_OK;
	return s->n >= s->truncate ? DECIDE_FLAKY : DECIDE_SUSPECT;
}
