/* SPDX-License-Identifier: Apache-2.0 */
/* Which control arms (probes/trial/variant.h) are worth a worker here. */
#ifndef FP_PROBES_SESSION_ARMS_H
#define FP_PROBES_SESSION_ARMS_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/model/model.h"

/** arms_apply() - would arm @variant switch off anything that the hosts of
 * ranks @src and @dst have? For a collective both are its first. */
bool arms_apply(const struct topo_job *job, unsigned variant, int32_t src,
                int32_t dst);

/** arms_other_hca() - the arm of an HCA that NCCL would not take by itself for
 * rank @src, which is the one beside its GPU. */
uint32_t arms_other_hca(const struct topo_job *job, int32_t src);

#endif
