// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of nvidia-smi -q.
#include "tests/fuzz/map_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_source(&source_smi_query_ops, data, size);
	return 0;
}
