/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the evidence that matters: candidates and their tests. */
#ifndef FP_PROBES_ATTRIBUTE_CORE_H
#define FP_PROBES_ATTRIBUTE_CORE_H

#include "probes/attribute/attribute.h"

/**
 * struct attribute_core - candidates (components of slow tests), the tests
 * that they are in, and a choice among them. Both incidences are kept:
 * in[] lists a candidate's tests, of[] a test's candidates.
 */
struct attribute_core {
	int32_t n;        /* candidates */
	size_t n_tests;   /* with a candidate */
	int32_t *comp;    /* [n] the component */
	double *logit;    /* [n] */
	bool *dead;       /* [n] cannot be in the best choice */
	size_t *in_first; /* [n + 1] */
	uint32_t *in;
	size_t *of_first; /* [n_tests + 1] */
	int32_t *of;
	size_t *test;    /* [n_tests] number in struct attribute_tests */
	double *weight;  /* [n_tests] nats, if a chosen one touches it */
	uint32_t *cover; /* [n_tests] chosen ones that touch it */
	double *gain;    /* [n] what choosing it now would add to the score */
	bool *chosen;    /* [n] */
	double score;
	double slow_nats, ok_nats; /* > 0 and < 0 */
};

/**
 * attribute_core_init() - nobody is chosen, nobody dead.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_INPUT. Undo with _done(), which takes
 * half-built ones.
 */
enum fp_status attribute_core_init(struct attribute_core *k,
                                   const struct attribute_tests *tests,
                                   const struct attribute_opts *opts,
                                   struct fp_err *err);
void attribute_core_done(struct attribute_core *k);

/** attribute_core_choose(), attribute_core_drop() - move @c in and out;
 * gains and score follow. O(components of its tests). */
void attribute_core_choose(struct attribute_core *k, int32_t c);
void attribute_core_drop(struct attribute_core *k, int32_t c);

/**
 * attribute_core_exonerate() - mark as dead whom no best choice can contain:
 * all of its slow tests together weigh less than its prior and those of its
 * sound tests that nobody alive shares with it. One death can bring others.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status attribute_core_exonerate(struct attribute_core *k,
                                        struct fp_err *err);

/** struct attribute_parts - candidates alive, in parts that share no test. */
struct attribute_parts {
	int32_t *list;
	size_t *first; /* [n + 1] */
	size_t n;
};

/** attribute_parts_init() - FP_OK or FP_ERR_NOMEM; undo with _done(). */
enum fp_status attribute_parts_init(struct attribute_parts *p,
                                    const struct attribute_core *k,
                                    struct fp_err *err);
void attribute_parts_done(struct attribute_parts *p);

/** attribute_solve() - greedy on the @n of @list: add the one that gains most
 * while one gains. */
void attribute_solve(struct attribute_core *k, const int32_t *list, size_t n);

/** attribute_repair() - prune, swap with whom it shares tests, add again,
 * while that helps. */
void attribute_repair(struct attribute_core *k, const int32_t *list, size_t n);

/**
 * attribute_search() - the best choice among @list by branch and bound,
 * starting from the present one.
 *
 * Return: true if the whole space was searched; false if that was too much
 * work, then the best one found is chosen.
 */
bool attribute_search(struct attribute_core *k, const int32_t *list, size_t n);

/** attribute_explain() - culprits, groups and states from the choice made.
 * @proven: by candidate. FP_OK or FP_ERR_NOMEM. */
enum fp_status
attribute_explain(struct attribute_core *k, const struct attribute_tests *tests,
                  const struct attribute_opts *opts, const bool *proven,
                  struct attribute_result *ret, struct fp_err *err);

#endif
