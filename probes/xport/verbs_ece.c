// SPDX-License-Identifier: Apache-2.0
// Enhanced connection establishment: options of the vendor's that both ends
// know, agreed on while they meet, as NCCL does it. Who calls offers what its
// device has; who is called takes of that what its own has, and says so.
#include "probes/xport/verbs.h"

void verbs_ece_ask(struct verbs_ep *ep)
{
	struct ibv_ece ece = { .vendor_id = 0 };

	if (ibv_query_ece(ep->qps[0].qp, &ece) == 0)
		ep->ece = (struct verbs_ece){ ece.vendor_id, ece.options };
}

/* All queue pairs of an end are of one device, and take the same. */
static bool ece_set(const struct verbs_ep *ep, const struct verbs_ece *to)
{
	struct ibv_ece ece = { .vendor_id = to->vendor,
		               .options = to->options };
	bool good = true;

	for (uint32_t i = 0; i < ep->n_qps && good; i++)
		good = ibv_set_ece(ep->qps[i].qp, &ece) == 0;
	return good;
}

void verbs_ece_take(struct verbs_ep *ep, const struct verbs_ece *to)
{
	if (ep->ece.vendor != 0 && to->vendor != 0 && ece_set(ep, to))
		return;
	ep->ece = (struct verbs_ece){ 0 };
}

void verbs_ece_settle(struct verbs_ep *ep)
{
	if (ep->ece.vendor != 0)
		verbs_ece_ask(ep);
}
