/* SPDX-License-Identifier: Apache-2.0 */
/* The files below a folder, in a steady order. */
#ifndef FP_PROBES_EXPLAIN_GATHER_WALK_H
#define FP_PROBES_EXPLAIN_GATHER_WALK_H

#include "topo/base/status.h"

/**
 * gather_walk() - call @visit for @path, or for each regular file below it,
 * sorted by name; links in folders are not followed, nor are hidden files.
 *
 * Return: FP_OK; what @visit returned first that is not; FP_ERR_SYS;
 * FP_ERR_LIMIT for more than GATHER_FILES_MAX files or folders too deep.
 */
enum fp_status gather_walk(const char *path,
                           enum fp_status (*visit)(void *self, const char *path,
                                                   struct fp_err *err),
                           void *self, struct fp_err *err);

#endif
