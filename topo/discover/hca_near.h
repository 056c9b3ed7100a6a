/* SPDX-License-Identifier: Apache-2.0 */
/* Which ports of a host are there for its GPUs. */
#ifndef FP_TOPO_DISCOVER_HCA_NEAR_H
#define FP_TOPO_DISCOVER_HCA_NEAR_H

#include "topo/model/hca_list.h"
#include "topo/model/model_map.h"

/**
 * hca_near_mark() - set near_gpu of the @n candidates by @map.
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status hca_near_mark(const struct topo_map *map,
                             struct hca_candidate *ports, size_t n,
                             struct fp_err *err);

/**
 * hca_near_read() - the same by the host's files below @sysroot (NULL: "/").
 *
 * Return: FP_OK; as topo_discover_host(). Nothing is marked then.
 */
enum fp_status hca_near_read(const char *sysroot, struct hca_candidate *ports,
                             size_t n, struct fp_err *err);

#endif
