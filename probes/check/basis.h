/* SPDX-License-Identifier: Apache-2.0 */
/* Was there anything that a check could have looked at? */
#ifndef FP_PROBES_CHECK_BASIS_H
#define FP_PROBES_CHECK_BASIS_H

#include <stdbool.h>

#include "probes/check/check.h"

/**
 * basis_any() - does any host of @job tell of what @check looks at? A host
 * that was read itself does, whatever it has; of a saved text it is what the
 * text has: readings that @check needs, or devices of the map.
 */
bool basis_any(const struct check_ops *check, const struct topo_job *job);

#endif
