/* SPDX-License-Identifier: Apache-2.0 */
/* When to stop repeating: Wald's sequential test, clipped, so that one freak
 * sample cannot decide. Samples come from different rounds and partners. */
#ifndef FP_PROBES_DECIDE_SPRT_H
#define FP_PROBES_DECIDE_SPRT_H

#include <stdint.h>

#include "probes/decide/ladder.h"

/** struct decide_sprt - "usual" against "less by shift". */
struct decide_sprt {
	double med, sigma;
	double shift;          /* ln(1 / .87) */
	double clip;           /* 4 nats a sample */
	double slow_at, ok_at; /* 16.1 and -6.9: false alarms of 1e-7, misses
	                            of 1e-3 */
	uint32_t truncate;     /* 12 samples: FLAKY */
	double llr;
	uint32_t n;
};

/** decide_sprt_init() - for a class; no sample yet. */
void decide_sprt_init(struct decide_sprt *s, const struct decide_baseline *b);

/**
 * decide_sprt_add() - one more sample.
 *
 * Return: OK or SLOW when decided, FLAKY when too many did not, else SUSPECT.
 */
enum decide_verdict decide_sprt_add(struct decide_sprt *s, double x);

#endif
