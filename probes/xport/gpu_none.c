// SPDX-License-Identifier: Apache-2.0
// A worker without a GPU's libraries has none of their transports.
#include <stddef.h>

#include "probes/xport/table.h"

const struct xport_ops *xport_table_gpu(unsigned id)
{
	(void)id;
	return NULL;
}

bool xport_table_modelled(void)
{
	return false;
}
