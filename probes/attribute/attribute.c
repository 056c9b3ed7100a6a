// SPDX-License-Identifier: Apache-2.0
// From slow tests to culprits: the order of the steps.
#include "probes/attribute/attribute.h"

#include <stdlib.h>

#include "probes/attribute/core.h"

void attribute_defaults(struct attribute_opts *opts, const double *logit)
{
	*opts = (struct attribute_opts){
		.alpha = 1e-3,
		.beta = .02,
		.logit = logit,
		.group_nats = 3,
		.exact_max = 20,
	};
}

const char *attribute_grade(double confidence)
{
	if (confidence > .99)
		return "HIGH";
	return confidence > .9 ? "MED" : "LOW";
}

static void solve_part(struct attribute_core *k, const int32_t *list, size_t n,
                       const struct attribute_opts *opts, bool *proven)
{
	bool whole;
	size_t i;

	attribute_solve(k, list, n);
	if (opts->greedy_only)
		return;
	attribute_repair(k, list, n);
	whole = n <= opts->exact_max && attribute_search(k, list, n);
	for (i = 0; i < n; i++)
		proven[list[i]] = whole;
}

static enum fp_status solve_all(struct attribute_core *k,
                                const struct attribute_opts *opts, bool *proven,
                                struct fp_err *err)
{
	struct attribute_parts parts;
	enum fp_status status = FP_OK;
	size_t i;

	if (!opts->greedy_only)
		status = attribute_core_exonerate(k, err);
	if (status)
		return status;
	status = attribute_parts_init(&parts, k, err);
	if (status)
		return status;
	for (i = 0; i < parts.n; i++)
		solve_part(k, parts.list + parts.first[i],
		           parts.first[i + 1] - parts.first[i], opts, proven);
	attribute_parts_done(&parts);
	return FP_OK;
}

static bool is_probability(double p)
{
	return p > 0 && p < 1;
}

enum fp_status attribute(const struct attribute_tests *tests,
                         const struct attribute_opts *opts,
                         struct attribute_result *ret, struct fp_err *err)
{
	struct attribute_core core;
	bool *proven = NULL;
	enum fp_status status;

	if (!is_probability(opts->alpha) || !is_probability(opts->beta) ||
	    opts->alpha + opts->beta >= 1)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "alpha and beta are no error rates");
	status = attribute_core_init(&core, tests, opts, err);
	if (status)
		goto done_core;
	proven = calloc((size_t)core.n + 1, sizeof(*proven));
	if (!proven) {
		status =
			fp_err_set(err, FP_ERR_NOMEM, "no memory for evidence");
		goto done_core;
	}
	status = solve_all(&core, opts, proven, err);
	if (!status)
		status =
			attribute_explain(&core, tests, opts, proven, ret, err);
	free(proven);
done_core:
	attribute_core_done(&core);
	return status;
}

void attribute_result_done(struct attribute_result *r)
{
	if (!r)
		return;
	free(r->culprits);
	free(r->groups);
	free(r->state);
	*r = (struct attribute_result){ 0 };
}
