// SPDX-License-Identifier: Apache-2.0
// Fuzzes the readers of values of nvidia-smi -q and nvlink -e, and the checks
// of what they read.
#include "tests/fuzz/tell_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_tell(&source_smi_query_ops, data, size);
	fuzz_tell(&source_smi_nvlink_ops, data, size);
	return 0;
}
