/* SPDX-License-Identifier: Apache-2.0 */
/* The transports whose operations are linked into this worker. */
#ifndef FP_PROBES_XPORT_TABLE_H
#define FP_PROBES_XPORT_TABLE_H

#include <stdbool.h>

#include "probes/xport/xport.h"

/**
 * xport_table_find() - the operations of transport @id (enum trial_xport), or
 * NULL when this worker has none.
 */
const struct xport_ops *xport_table_find(unsigned id);

/**
 * xport_table_gpu() - the same for those that need a GPU's libraries: by
 * gpu_table.c in the GPU worker, by gpu_none.c in the other.
 */
const struct xport_ops *xport_table_gpu(unsigned id);

/** xport_table_modelled() - are the GPU's libraries doubles, as in tests? */
bool xport_table_modelled(void);

#endif
