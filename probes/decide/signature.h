/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of fault a culprit has, by how its tests fail. */
#ifndef FP_PROBES_DECIDE_SIGNATURE_H
#define FP_PROBES_DECIDE_SIGNATURE_H

#include <stdint.h>

/** enum decide_feature - bits: what most of its failing tests have. */
enum decide_feature {
	FEATURE_INIT = 1,     /* ended before their first byte */
	FEATURE_HANG = 2,     /* a deadline passed; else an error */
	FEATURE_SMALL_OK = 4, /* small messages were as usual */
	FEATURE_LATE = 8,     /* higher latency */
	FEATURE_BRIDGE = 16,  /* GPUs are joined by bridges, no switch */
};

/**
 * decide_signature() - the likeliest fault.
 * @sign: enum attribute_sign. @kind: enum fabric_kind. @features: bits.
 *
 * Return: its name, e.g. "cable-tx"; "other" where nothing is known.
 */
const char *decide_signature(unsigned sign, unsigned kind, unsigned features);

/** decide_signature_advice() - what a person does next about @name. Never
 * NULL. */
const char *decide_signature_advice(const char *name);

#endif
