/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs that were kept busy: what became slower while it lasted. */
#ifndef FP_PROBES_JUDGE_LOAD_H
#define FP_PROBES_JUDGE_LOAD_H

#include "probes/finding/finding.h"
#include "probes/judge/results.h"
#include "topo/model/model.h"

/** struct load - one GPU's load: what it did in each second, FLOP/s; lent by
 * the results. */
struct load {
	int32_t rank;
	uint32_t trial;
	const double *rates;
	size_t n;
	double first, last; /* medians of the first and the last quarter */
};

/**
 * loads_make() - every load that has at least one second, in trial order.
 * @ret: for free(3).
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status loads_make(const struct results *r, struct load **ret,
                          size_t *ret_n, struct fp_err *err);

/** load_fell() - did it lose a tenth of its rate or more, and keep so? */
bool load_fell(const struct load *l);

/**
 * judge_load() - GPUs that fell, or ended well below the others: slow ones,
 * beside what is found of them already. Where most of them fell it is how such
 * GPUs are under load, and nobody is accused.
 *
 * Return: FP_OK or FP_ERR_NOMEM.
 */
enum fp_status judge_load(const struct topo_job *job, const struct results *r,
                          struct findings *list, struct fp_err *err);

#endif
