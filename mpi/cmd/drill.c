// SPDX-License-Identifier: Apache-2.0
// Drills: do the rules of --inject fit the job, and did they act?
#include "mpi/cmd/drill.h"

#include "probes/xport/inject.h"

static enum fp_status check_rule(const char *text, size_t n_ranks,
                                 struct fp_err *err)
{
	struct inject_rule rule = { 0 };
	enum fp_status status = inject_parse(text, &rule, err);
	const int32_t ranks[] = { rule.src, rule.dst, rule.rank };
	static const char *const keys[] = { "src", "dst", "rank" };
	size_t i;

	for (i = 0; !status && i < sizeof(ranks) / sizeof(ranks[0]); i++)
		if (ranks[i] >= 0 && (size_t)ranks[i] >= n_ranks)
			status = fp_err_set(err, FP_ERR_USAGE,
			                    "--inject '%s': %s=%d: this job "
			                    "has ranks 0 to %zu",
			                    text, keys[i], (int)ranks[i],
			                    n_ranks - 1);
	return status;
}

enum fp_status drill_check(const struct opts *opts, size_t n_ranks,
                           struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t i;

	for (i = 0; !status && i < opts->inject.n; i++)
		status = check_rule(opts->inject.text[i], n_ranks, err);
	return status;
}

bool drill_acted(const struct results *r, size_t i)
{
	unsigned bit = i < INJECT_BITS ? (unsigned)i : INJECT_BITS - 1;
	int64_t acted;
	size_t k;

	for (k = 0; k < r->n_outcomes; k++) {
		acted = outcome_get(&r->outcomes[k], COUNTER_INJECTED, 0);
		if ((uint64_t)acted >> bit & 1)
			return true;
	}
	return false;
}
