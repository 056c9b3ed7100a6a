/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that commands read: whole, and no larger than makes sense. */
#ifndef FP_MPI_CMD_INPUT_H
#define FP_MPI_CMD_INPUT_H

#include "topo/base/fmt.h"
#include "topo/base/status.h"

/**
 * input_file() - append the text of @path ("-": standard input) to @ret.
 *
 * Return: FP_OK, FP_ERR_SYS, FP_ERR_NOMEM; FP_ERR_LIMIT for one that is too
 * large. The error does not name @path.
 */
enum fp_status input_file(const char *path, struct fp_text *ret,
                          struct fp_err *err);

#endif
