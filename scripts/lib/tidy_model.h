/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the analyzer only: what it cannot see across files. fp_err_set() returns
 * the status it was given, which is not FP_OK, so nobody goes on behind it.
 */
#ifndef FP_SCRIPTS_LIB_TIDY_MODEL_H
#define FP_SCRIPTS_LIB_TIDY_MODEL_H

#include "topo/base/status.h"

static inline enum fp_status tidy_model_pass(enum fp_status said,
                                             enum fp_status given)
{
	(void)said;
	return given;
}

#define fp_err_set(err, status, ...) \
	tidy_model_pass(fp_err_set((err), (status), __VA_ARGS__), (status))
#define fp_err_sys(err, errnum, ...) \
	tidy_model_pass(fp_err_sys((err), (errnum), __VA_ARGS__), FP_ERR_SYS)

#endif
