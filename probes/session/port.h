/* SPDX-License-Identifier: Apache-2.0 */
/* Which ranks share a network device. */
#ifndef FP_PROBES_SESSION_PORT_H
#define FP_PROBES_SESSION_PORT_H

#include "topo/model/model.h"

/**
 * session_ports_make() - for each rank the lowest rank that uses the same
 * device of the same host. A rank on no known host has only itself.
 * @ret: n_ranks of them, for free(3).
 *
 * Return: FP_OK, FP_ERR_NOMEM.
 */
enum fp_status session_ports_make(const struct topo_job *job, int32_t **ret,
                                  struct fp_err *err);

#endif
