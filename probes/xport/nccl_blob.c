// SPDX-License-Identifier: Apache-2.0
// A unique id is larger than a blob: it takes both of an endpoint's.
#include "probes/xport/nccl_blob.h"

#include <string.h>

#define BLOB_MAGIC 0x42434e46u /* "FNCB" read little-endian */

_Static_assert(sizeof(struct nccl_blob) <= 2 * WIRE_BLOB_BYTES, "fits");

void nccl_blob_put(const struct nccl_blob *blob, struct wire_endpoint *ep)
{
	struct nccl_blob b = *blob;
	uint8_t bytes[2 * WIRE_BLOB_BYTES] = { 0 };

	b.magic = BLOB_MAGIC;
	memcpy(bytes, &b, sizeof(b));
	memcpy(ep->tcp.bytes, bytes, WIRE_BLOB_BYTES);
	memcpy(ep->shm.bytes, bytes + WIRE_BLOB_BYTES, WIRE_BLOB_BYTES);
}

struct nccl_blob nccl_blob_get(const struct wire_endpoint *ep)
{
	uint8_t bytes[2 * WIRE_BLOB_BYTES];
	struct nccl_blob b;

	memcpy(bytes, ep->tcp.bytes, WIRE_BLOB_BYTES);
	memcpy(bytes + WIRE_BLOB_BYTES, ep->shm.bytes, WIRE_BLOB_BYTES);
	memcpy(&b, bytes, sizeof(b));
	return b.magic == BLOB_MAGIC ? b : (struct nccl_blob){ .magic = 0 };
}

bool nccl_blob_is(const struct wire_endpoint *ep, uint32_t trial)
{
	return ep->trial == trial && nccl_blob_get(ep).magic == BLOB_MAGIC;
}
