/* SPDX-License-Identifier: Apache-2.0 */
/* What members of a communicator tell each other before they meet. */
#ifndef FP_PROBES_XPORT_NCCL_BLOB_H
#define FP_PROBES_XPORT_NCCL_BLOB_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/trial/wire.h"
#include "probes/xport/nccl_impl.h"

/** struct nccl_blob - an endpoint of the NCCL transport. */
struct nccl_blob {
	uint32_t magic;
	uint32_t kept; /* trial that made the communicator kept; 0: none */
	uint8_t id[NCCL_ID_BYTES]; /* of member 0, to make a new one */
};

/** nccl_blob_put() - as the endpoint's blobs, which are taken for one. */
void nccl_blob_put(const struct nccl_blob *blob, struct wire_endpoint *ep);

/** nccl_blob_get() - back again; zeroed if it is none. */
struct nccl_blob nccl_blob_get(const struct wire_endpoint *ep);

/** nccl_blob_is() - is @ep one, and of trial @trial? */
bool nccl_blob_is(const struct wire_endpoint *ep, uint32_t trial);

#endif
