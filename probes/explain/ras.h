/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's RAS: what every rank of a communicator has launched. */
#ifndef FP_PROBES_EXPLAIN_RAS_H
#define FP_PROBES_EXPLAIN_RAS_H

#include "probes/explain/reader.h"
#include "probes/explain/value.h"

/** ras_is_status() - does the tree look like a status? */
bool ras_is_status(const struct value *status);

/** ras_read() - add its events. */
void ras_read(struct intake *r, const struct value *status);

#endif
