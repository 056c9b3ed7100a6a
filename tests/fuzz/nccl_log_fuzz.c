// SPDX-License-Identifier: Apache-2.0
// Fuzz target: lines of NCCL's log.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probes/xport/nccl_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nccl_log log = { .fd = -1 };
	char *line = malloc(size + 1);

	if (!line)
		return 0;
	memcpy(line, data, size);
	line[size] = '\0';
	nccl_log_line(&log, line);
	if (strlen(log.warning) >= sizeof(log.warning) || log.gdr > log.ib)
		abort();
	free(line);
	return 0;
}
