// SPDX-License-Identifier: Apache-2.0
// Reads a saved run, to hold another against it.
#include "mpi/cmd/before.h"

enum fp_status before_open(const char *path, struct before *ret,
                           struct fp_err *err)
{
	enum fp_status status;

	*ret = (struct before){ 0 };
	status = journal_load(path, &ret->saved, err);
	if (!status)
		status = judge_matrices(&ret->saved.job, &ret->saved.results,
		                        &ret->saved.opts.judge, &ret->matrices,
		                        err);
	if (!status && !ret->saved.results.n_outcomes)
		status = fp_err_set(err, FP_ERR_INPUT,
		                    "%s: nothing was measured in this run",
		                    path);
	ret->run = (struct judge_run){ &ret->saved.job, &ret->saved.results,
		                       &ret->matrices };
	return status;
}

void before_close(struct before *b)
{
	journal_run_done(&b->saved);
	matrices_done(&b->matrices);
	*b = (struct before){ 0 };
}
