/* SPDX-License-Identifier: Apache-2.0 */
/* A whole run on a model: measure, decide, test again, attribute, name. */
#ifndef FP_PROBES_SIM_RUN_H
#define FP_PROBES_SIM_RUN_H

#include "probes/attribute/layers.h"
#include "probes/sim/tests.h"

/** struct sim_result - of a run. _done() takes NULL. */
struct sim_result {
	struct attribute_accusations a; /* notes have SIGN_LOADED */
	const char **names;             /* [a.n] see decide_signature() */
	size_t n_retests;
	uint32_t n_rounds; /* with those of retests */
	uint32_t n_rehash; /* rounds that looked for a link of a set */
};

/**
 * sim_run() - measure @tests on @m and name what is bad.
 *
 * Return: FP_OK, FP_ERR_NOMEM, FP_ERR_INPUT.
 */
enum fp_status sim_run(const struct sim_model *m, const struct sim_tests *tests,
                       struct sim_result *ret, struct fp_err *err);
void sim_result_done(struct sim_result *r);

#endif
