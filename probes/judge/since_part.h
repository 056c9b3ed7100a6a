/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of since.h share. */
#ifndef FP_PROBES_JUDGE_SINCE_PART_H
#define FP_PROBES_JUDGE_SINCE_PART_H

#include "probes/judge/since.h"

/** struct since_pair - a pair of one class that both runs measured. */
struct since_pair {
	const struct matrix_cell *cell; /* now */
	double before;                  /* value then */
	double x; /* ln(now / before), beyond what its class lost; < 0: worse */
	bool told; /* its host is named */
};

/** struct since_case - the pairs of one class. */
struct since_case {
	const struct judge_run *now;
	const struct judge_opts *opts;
	const struct matrix *m;
	const struct matrix_class *cls;
	struct since_pair *pairs;
	size_t n;
	double sigma; /* of x */
	bool latency;
	bool local; /* shares cores with others */
	struct findings *list;
};

/** since_hosts() - name hosts most of whose pairs lost, as sender, receiver or
 * both, and mark their pairs. FP_OK, FP_ERR_NOMEM. */
enum fp_status since_hosts(struct since_case *c, struct fp_err *err);

/** since_finding() - a new one about values of @c, with its severity. NULL: no
 * memory. */
struct finding *since_finding(const struct since_case *c, unsigned code,
                              double before, double now);

/** since_evidence() - a line about pair @p. */
void since_evidence(const struct since_case *c, const struct since_pair *p,
                    struct finding *f);

/** since_collectives() - rows and findings about collectives that both runs
 * have. FP_OK, FP_ERR_NOMEM. */
enum fp_status since_collectives(const struct judge_run *before,
                                 const struct judge_run *now,
                                 const struct judge_opts *opts,
                                 struct since *rows, struct findings *list,
                                 struct fp_err *err);

/** since_add_row() - FP_OK or FP_ERR_NOMEM. */
enum fp_status since_add_row(struct since *s, const struct since_row *row,
                             struct fp_err *err);

#endif
