/* SPDX-License-Identifier: Apache-2.0 */
/* Readers that want all of a file. */
#ifndef FP_PROBES_EXPLAIN_WHOLE_H
#define FP_PROBES_EXPLAIN_WHOLE_H

#include "probes/explain/reader.h"

/**
 * whole_choose() - who knows a file that begins with @head best: as it is, or
 * without what each of its lines begins with. NULL: nobody.
 */
const struct explain_reader *whole_choose(const char *head, size_t len);

/**
 * whole_read() - @reader reads the @len bytes at @data; where nothing comes of
 * a text, it is tried without what each line begins with.
 *
 * Return: FP_OK; what the reader says of a file that it cannot read, unless
 * others may read its lines; FP_ERR_NOMEM.
 */
enum fp_status whole_read(const struct explain_reader *reader,
                          const struct intake *base, const char *data,
                          size_t len, struct fp_err *err);

#endif
