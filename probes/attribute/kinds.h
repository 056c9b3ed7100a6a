/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of kinds of components beforehand: priors, and which test
 * tells two of them apart. */
#ifndef FP_PROBES_ATTRIBUTE_KINDS_H
#define FP_PROBES_ATTRIBUTE_KINDS_H

#include "topo/fabric/fabric.h"

/** attribute_prior() - P(one component of @kind is bad), before evidence. */
double attribute_prior(unsigned kind);

/**
 * attribute_logits() - ln(prior / (1 - prior)) of all components of @f.
 *
 * Return: fabric_size() values for free(3), or NULL without memory.
 */
double *attribute_logits(const struct fabric *f);

/** enum attribute_next - tests that tell components apart, cheapest first. */
enum attribute_next {
	NEXT_NONE,          /* nothing that this program could do */
	NEXT_HOST_MEMORY,   /* the same ports from memory of the host */
	NEXT_COPY,          /* memory to GPU and back, nothing else running */
	NEXT_OTHER_PARTNER, /* three partners or more, each direction */
	NEXT_SWAP_NIC,      /* the same GPU by another HCA */
	NEXT_LOOPBACK,      /* out of one HCA into another of the same host */
	NEXT_SAME_LEAF,     /* under one leaf against across leaves */
	NEXT_OTHER_HOST,    /* the same test on other hosts */
	NEXT_SETTINGS,      /* compare the settings with those of others */
	NEXT_COUNT
};

/** attribute_next_test() - what tells a component of kind @a from one of kind
 * @b. Symmetric. */
enum attribute_next attribute_next_test(unsigned a, unsigned b);

/** attribute_next_text() - what to do, in words. Never NULL. */
const char *attribute_next_text(unsigned next);

#endif
