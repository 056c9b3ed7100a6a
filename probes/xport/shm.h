/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory: who can use it with whom. The rest is struct xport_ops. */
#ifndef FP_PROBES_XPORT_SHM_H
#define FP_PROBES_XPORT_SHM_H

#include <stdbool.h>

#include "probes/trial/wire.h"

/**
 * xport_shm_same_host() - are these endpoints on one host, and in one network
 * namespace of it, so that shared memory can be passed between them? False if
 * either is not an endpoint of shared memory.
 */
bool xport_shm_same_host(const struct wire_blob *mine,
                         const struct wire_blob *theirs);

#endif
