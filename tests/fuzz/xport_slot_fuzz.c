// SPDX-License-Identifier: Apache-2.0
// Shared memory whose other side writes what it likes.
#include <stdlib.h>
#include <string.h>

#include "probes/xport/shm_ep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REGION 4096
#define ROOM 8192

/* Never more than asked for, never from outside of the peer's region. */
static void receive(struct shm_ep *ep, size_t len)
{
	uint8_t *buf = malloc(len ? len : 1);
	struct xport_flow flow = {
		.ep = &ep->port.ep,
		.buf = buf,
		.len = len,
	};

	if (!buf)
		abort();
	while (flow.done < flow.len && !flow.dry &&
	       shm_flow_ops.recv(&flow, NULL) == FP_OK)
		;
	if (flow.done > flow.len)
		abort();
	free(buf);
}

static void send_one(struct shm_ep *ep, size_t len)
{
	struct xport_flow flow = { .ep = &ep->port.ep, .len = len };

	if (shm_flow_ops.send(&flow, NULL) == FP_OK && flow.done > flow.len)
		abort();
}

/* Two bytes of lengths, then what the peer has written on either way. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct shm_control control;
	const size_t head = 2;
	struct shm_ep ep = { .sock = -1 };
	uint8_t *region = malloc(REGION), *own = calloc(1, REGION);

	if (!region || !own)
		abort();
	memset(region, 1, REGION);
	memset(&control, 0, sizeof(control));
	if (size > head)
		memcpy(&control, data + head,
		       size - head < sizeof(control) ? size - head
		                                     : sizeof(control));
	if (size > head + sizeof(struct shm_slot))
		memcpy(&control.ways[1].taken, data + head, 16);
	ep.theirs = (struct shm_segment){ region, REGION };
	ep.region = (struct shm_segment){ own, REGION };
	ep.rx.way = &control.ways[0];
	ep.tx.way = &control.ways[1];
	receive(&ep, size > 0 ? data[0] * 32u : ROOM);
	receive(&ep, size > 1 ? data[1] : 1);
	send_one(&ep, size > 0 ? data[0] * 16u : 1);
	send_one(&ep, 8);
	free(region);
	free(own);
	return 0;
}
