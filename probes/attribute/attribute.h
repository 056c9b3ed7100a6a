/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From slow tests to the fewest, likeliest components that explain them. Pure
 * and blind: components are numbers, tests are sets of them.
 *
 * The objective of a set S of bad components, in nats, is
 *	J(S) = sum of logit(prior) over S
 *	     + sum over tests that S touches: slow ? ln((1-b)/a) : ln(b/(1-a))
 * with a: a sound test looks slow, b: a bad one looks sound.
 */
#ifndef FP_PROBES_ATTRIBUTE_ATTRIBUTE_H
#define FP_PROBES_ATTRIBUTE_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/base/status.h"

/** struct attribute_tests - what was tested, and what came out. Borrowed. */
struct attribute_tests {
	int32_t n_comps;
	size_t n_tests;
	const size_t *first;  /* [n_tests + 1] into comps */
	const int32_t *comps; /* of each test, each once, 0..n_comps-1 */
	const uint8_t *slow;  /* [n_tests] */
};

/** struct attribute_opts - attribute_defaults() fills all but logit. */
struct attribute_opts {
	double alpha, beta;  /* 1e-3 and .02, even for tests that were retested:
	                       more trust than that invents culprits */
	const double *logit; /* [n_comps] ln(prior / (1 - prior)) */
	double group_nats;   /* 3: nearer alternatives share a group */
	uint32_t exact_max;  /* 20: parts of so many are searched wholly */
	bool greedy_only;    /* no exoneration, repair or search: to compare */
};

/** enum attribute_state - what is known of a component afterwards. */
enum attribute_state {
	ATTRIBUTE_UNTESTED, /* no test crosses it */
	ATTRIBUTE_CLEAR,    /* a sound test crosses it and no culprit */
	ATTRIBUTE_OPEN,     /* all of its tests that no culprit explains are
	                       slow, too few to accuse it */
	ATTRIBUTE_UNKNOWN,  /* masked: each of its tests crosses a culprit */
	ATTRIBUTE_BAD,
	ATTRIBUTE_STATE_COUNT
};

/** struct attribute_culprit - one component that is held bad. */
struct attribute_culprit {
	int32_t comp;
	bool definite; /* of a slow test, the only one never seen sound */
	bool proven;   /* its part was searched wholly */
	uint32_t n_slow, n_ok;       /* of its tests */
	double nats;                 /* J with it, less J without */
	double confidence;           /* against the best alternative to it */
	double group_confidence;     /* to its whole group */
	size_t group_first, n_group; /* in groups: others that fit as well */
};

/** struct attribute_result - everything found. attribute_result_done(). */
struct attribute_result {
	struct attribute_culprit *culprits; /* most nats first */
	size_t n;
	int32_t *groups;
	size_t n_groups;
	uint8_t *state;       /* [n_comps] enum attribute_state */
	double score;         /* J */
	size_t n_unexplained; /* slow tests that no culprit touches */
};

/** attribute_defaults() - the usual options, with @logit. */
void attribute_defaults(struct attribute_opts *opts, const double *logit);

/**
 * attribute() - find the culprits.
 *
 * Costs O(components of all tests) per pass. The same input gives the same
 * result.
 *
 * Return: FP_OK, FP_ERR_NOMEM; FP_ERR_INPUT for a component out of range, or
 * @opts that are no probabilities.
 */
enum fp_status attribute(const struct attribute_tests *tests,
                         const struct attribute_opts *opts,
                         struct attribute_result *ret, struct fp_err *err);

void attribute_result_done(struct attribute_result *r); /* takes NULL */

/** attribute_grade() - "HIGH" above .99, "MED" above .9, else "LOW". */
const char *attribute_grade(double confidence);

#endif
