/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that commands read: whole, and no larger than makes sense. */
#ifndef FP_MPI_CMD_INPUT_H
#define FP_MPI_CMD_INPUT_H

#include "topo/base/fmt.h"
#include "topo/base/status.h"

/**
 * input_file() - append the text of @path ("-": standard input) to @ret; plain,
 * gzip, zstd or UTF-16.
 *
 * Return: FP_OK, FP_ERR_SYS, FP_ERR_NOMEM; FP_ERR_INPUT for a packed file that
 * is damaged; FP_ERR_LIMIT for one that is too large. The error does not name
 * @path.
 */
enum fp_status input_file(const char *path, struct fp_text *ret,
                          struct fp_err *err);

/**
 * input_text() - the same of what a tool wrote, into an empty @ret: messages
 * out of a container runtime's or a logger's lines of JSON, and characters
 * out of a web page's entities. A snapshot stays as it is.
 *
 * Return: as input_file().
 */
enum fp_status input_text(const char *path, struct fp_text *ret,
                          struct fp_err *err);

#endif
