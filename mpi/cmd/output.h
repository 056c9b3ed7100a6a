/* SPDX-License-Identifier: Apache-2.0 */
/* Where reports go: stdout, files that appear whole or not at all. */
#ifndef FP_MPI_CMD_OUTPUT_H
#define FP_MPI_CMD_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "topo/base/status.h"

/** output_fd() - write all of it to @fd; a closed pipe is not an error. */
enum fp_status output_fd(int fd, const char *text, size_t len,
                         struct fp_err *err);

/**
 * output_file() - write @path through a temporary file beside it, fsync and
 * rename: a reader sees the old file or the whole new one. A device or a pipe
 * is written to as it is.
 *
 * Return: FP_OK, FP_ERR_SYS naming @path; then nothing of it is left.
 */
enum fp_status output_file(const char *path, const char *text, size_t len,
                           struct fp_err *err);

/**
 * output_check() - could output_file() write @path? Tries by making and
 * removing the temporary file.
 */
enum fp_status output_check(const char *path, struct fp_err *err);

/** output_columns() - of the terminal on @fd; 80 if it is none. */
int output_columns(int fd);

/** output_utc() - the time now, "2026-01-31T23:59:59Z". */
void output_utc(char *buf, size_t size);

#endif
