// SPDX-License-Identifier: Apache-2.0
// Endpoint blobs that a peer may have made up.
#include <stdlib.h>
#include <string.h>

#include "probes/xport/shm.h"
#include "probes/xport/tcp_addr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const mine[] = { "127.0.0.1", "::1" };
	struct wire_blob blob = { .bytes = { 0 } };
	struct tcp_addr here, there;
	struct tcp_ports ports;
	char name[TCP_NAME_MAX];
	size_t i;

	if (size > sizeof(blob.bytes))
		size = sizeof(blob.bytes);
	if (size > 0)
		memcpy(blob.bytes, data, size);
	for (i = 0; i < sizeof(mine) / sizeof(mine[0]); i++) {
		if (tcp_addr_parse(mine[i], &here, NULL) != FP_OK)
			abort();
		if (tcp_blob_read(&blob, &here, &there, &ports, NULL) ==
		            FP_OK &&
		    (there.ss.ss_family != here.ss.ss_family ||
		     ports.tcp == 0 || !tcp_addr_name(&there, name)[0]))
			abort();
	}
	(void)xport_shm_same_host(&blob, &blob);
	return 0;
}
