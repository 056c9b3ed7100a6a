// SPDX-License-Identifier: Apache-2.0
// The transports whose operations are linked into this worker.
#include "probes/xport/table.h"

static const struct xport_ops *const xport_table[XPORT_COUNT] = {
	[XPORT_SHM] = &xport_shm_ops,
	[XPORT_TCP] = &xport_tcp_ops,
#if FP_HAVE_VERBS
	[XPORT_VERBS] = &xport_verbs_ops,
#endif
};

const struct xport_ops *xport_table_find(unsigned id)
{
	if (id >= XPORT_COUNT)
		return NULL;
	return xport_table[id] ? xport_table[id] : xport_table_gpu(id);
}
