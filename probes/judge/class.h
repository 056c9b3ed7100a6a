/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of pairs of which the same is expected, what is usual in each, and
 * how far from it a test is. Everything is turned so that more is better:
 * x = ln(rate) or -ln(latency).
 */
#ifndef FP_PROBES_JUDGE_CLASS_H
#define FP_PROBES_JUDGE_CLASS_H

#include <stdbool.h>

#include "probes/judge/judge.h"
#include "probes/judge/ports.h"
#include "probes/judge/test.h"

/** struct judge_usual - what is usual somewhere; NaN where not known. */
struct judge_usual {
	double x;    /* how well pairs can do */
	double y;    /* bandwidth: ln(p5 / rate); latency: -ln(p99) */
	double loss; /* segments sent again / segments */
};

/** struct judge_class - one class of one matrix. */
struct judge_class {
	struct judge_usual usual;
	double sigma;   /* of x */
	double pace;    /* usual ln(rate of a median message); NaN */
	bool crowded;   /* many tests lost their time to others: no rate tells
	                      anything, only paces do */
	size_t n;       /* cells with a value */
	double floor_x; /* what a tenth of clean pairs did not reach in their
	                      first test; NaN: too few of them */
	bool local;     /* CPU-bound */
	uint32_t lone;  /* retests that all must agree before a pair is named
	                  alone; set by judge_class_lone() */
	bool mirrored;  /* n == 2: the two ways of one pair */
	int64_t speed_bps; /* of the slower end; -1 not known, or local */
	uint32_t kind;     /* enum judge_kind */
};

enum judge_kind { KIND_SAME_HOST, KIND_LOOPBACK, KIND_BETWEEN, KIND_COUNT };

/** struct judge_clean - what clean pairs did while suspects were retested. */
struct judge_clean {
	int32_t cls, host; /* host: -1 for all */
	struct judge_usual usual;
	double floor_x; /* the worst they did, but for one test; NaN: none */
	double spread;  /* from there to the best; NaN: none */
};

/** struct judge_group - the tests of one matrix, cell by cell, and classes. */
struct judge_group {
	const struct topo_job *job;
	const struct judge_ports *ports;
	const struct judge_opts *opts;
	const struct judge_test *tests;
	size_t n_tests;
	size_t *first; /* [n_cells + 1]: tests of each cell */
	bool latency;
	struct matrix *m;
	struct judge_class *classes; /* [m->n_classes] */
	struct judge_clean *clean;
	size_t n_clean;
	uint8_t *flags; /* [n_tests]: 1 << enum judge_flag of each */
};

/** judge_test_x(), judge_test_y(), judge_test_loss() - NaN: not known. */
double judge_test_x(const struct judge_test *t);
double judge_test_y(const struct judge_test *t);
double judge_test_loss(const struct judge_test *t,
                       const struct judge_opts *opts);

/**
 * judge_classes_make() - give each cell of @g its class, and each class what
 * is usual in it. The cells' values are set already.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_classes_make(struct judge_group *g, struct fp_err *err);

/**
 * judge_class_lone() - how many retests must agree before a pair of class
 * @cls is named alone, where @n_bad of its first tests looked bad: so many
 * that noise would do that to one of its pairs in less than one run of a
 * thousand.
 */
uint32_t judge_class_lone(const struct judge_group *g, int32_t cls,
                          size_t n_bad);

/** struct judge_limit - what is too far from usual in a class. */
struct judge_limit {
	double suspect_drop, slow_drop; /* 1 - exp(x - usual) */
	double excess_s;                /* latency: at least so much above */
	uint32_t retests, of;           /* flagged ones that convict */
	bool able;                      /* is the class fit to compare in? */
};

/** judge_class_limit() - the limits for class @cls of @g. */
struct judge_limit judge_class_limit(const struct judge_group *g, int32_t cls);

#endif
