// SPDX-License-Identifier: Apache-2.0
// Buffers that NCCL is told of beforehand, as some jobs do.
#include <nccl.h>

#include "probes/xport/nccl_impl.h"

/* Of 2.19 and later; the library that is loaded may be older than the header,
 * and the header than the library. */
#if NCCL_VERSION_CODE < NCCL_VERSION(2, 19, 0)
ncclResult_t ncclCommRegister(ncclComm_t comm, void *buff, size_t size,
                              void **handle);
ncclResult_t ncclCommDeregister(ncclComm_t comm, void *handle);
#endif
#pragma weak ncclCommRegister
#pragma weak ncclCommDeregister

enum fp_status nccl_register(struct nccl_team *t, struct fp_err *err)
{
	struct cuda_gpu *g = &t->nc->gpu;
	int rc;

	if (!(t->how.trial->flags & TRIAL_REGISTERED))
		return FP_OK;
	if (!ncclCommRegister || !ncclCommDeregister)
		return fp_err_set(err, FP_ERR_NOTSUP,
		                  "this NCCL registers no buffers: 2.19 and "
		                  "later do");
	rc = (int)ncclCommRegister(t->nc->comm, g->arena, g->arena_bytes,
	                           &t->registered);
	return nccl_comm_settle(t->nc, rc, "ncclCommRegister", &t->wait, err);
}

void nccl_deregister(struct nccl_team *t)
{
	if (t->registered && t->nc->comm && ncclCommDeregister)
		(void)ncclCommDeregister(t->nc->comm, t->registered);
	t->registered = NULL;
}
